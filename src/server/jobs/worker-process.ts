/** One execution of a training in its own process: start, orders, end. Knows nothing of the database. */
import { nextTurn } from '../../door/turns.ts';
import type { PolicyName, Proposal, TeacherRequest } from '../../engine/training/request.ts';
import { Child, ChildEnded } from '../process/orders.ts';
import { scalePatience } from '../process/patience.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { SnapshotStore } from '../store/policies/snapshots.ts';
import type { WorkerOrders } from './worker.ts';
import type { RowsMessage, ServerOrders, WorkerOrder, WorkerReport } from './worker-messages.ts';

type WorkerEvents = {
  /** Comes at most once, when the worker has taken the order. */
  accepted(): void;
  reported(report: WorkerReport): void;
  /** Comes when the worker has a question for a teacher. */
  asked(request: TeacherRequest): Promise<Proposal[]>;
  /** Comes once, when the process is confirmed gone. */
  exited(how: string): void;
};

const acceptTimeoutMs = 20_000;

export class WorkerProcess {
  readonly pid: number | null;
  /** Resolves when the worker has taken the order, rejects when it never will. */
  readonly accepted: Promise<void>;
  /** When the last message came, on the clock of the constructor. */
  lastHeartbeatMs: number;
  readonly #child: Child<WorkerOrders>;
  #goOn: ((next: PolicyName) => void) | null = null;

  /** Throws when no process could be made. */
  constructor(
    spawn: SpawnChild,
    options: { tag: string; heapMb: number },
    order: WorkerOrder,
    now: () => number,
    events: WorkerEvents,
  ) {
    this.lastHeartbeatMs = now();
    const hear = (report: WorkerReport) => {
      this.lastHeartbeatMs = now();
      events.reported(report);
    };
    const answers: ServerOrders = {
      report: hear,
      goOn: (report) =>
        new Promise((resolve) => {
          this.#goOn = resolve;
          hear(report);
        }),
      teach: ({ request, residentMb }) => {
        hear({ kind: 'heartbeat', residentMb });
        return events.asked(request);
      },
    };
    this.#child = new Child(spawn, ['worker', options], answers);
    if (this.#child.fault !== null) throw this.#child.fault;
    this.pid = this.#child.pid;
    const timer = setTimeout(() => this.kill(), scalePatience(acceptTimeoutMs));
    this.accepted = this.#child.give('begin', order).then(() => {
      clearTimeout(timer);
      this.lastHeartbeatMs = now();
      events.accepted();
    });
    // A caller that does not wait for the acceptance must not be hit by its failure.
    this.accepted.catch(() => undefined);
    void this.#child.gone.then((how) => {
      clearTimeout(timer);
      events.exited(how);
    });
  }

  /** Resolves when the rows were taken, or cannot be: a worker that is gone shows itself by its exit. */
  async giveRows(message: RowsMessage): Promise<void> {
    await this.#child.give('rows', message).catch((error: unknown) => {
      if (!(error instanceof ChildEnded)) throw error;
    });
  }

  /** Lets the worker go on whose result was stored. */
  goOn(next: PolicyName): void {
    this.#goOn?.(next);
  }

  kill(): void {
    this.#child.kill();
  }
}

const rowsPerMessage = 500;

/** Hands a snapshot to a worker in pieces, labelled rows first; throws when it cannot be read. */
export async function sendSnapshot(
  worker: WorkerProcess,
  snapshots: SnapshotStore,
  policyId: string,
  isWanted: () => boolean,
): Promise<void> {
  // A worker that never accepts shows itself by its exit.
  await worker.accepted.catch(() => undefined);
  for (let after = -1, last = false; !last && isWanted(); ) {
    const rows = snapshots.readAfter(policyId, after, rowsPerMessage);
    last = rows.length < rowsPerMessage;
    after = rows.at(-1)?.position ?? after;
    await worker.giveRows({ rows, open: [], last: false });
    await nextTurn();
  }
  for (let after = -1, last = false; !last && isWanted(); ) {
    const open = snapshots.readOpenAfter(policyId, after, rowsPerMessage);
    last = open.length < rowsPerMessage;
    after = open.at(-1)?.seq ?? after;
    await worker.giveRows({ rows: [], open, last });
    await nextTurn();
  }
}
