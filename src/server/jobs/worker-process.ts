/** One execution of a training in its own process: start, messages, end. Knows nothing of the database. */
import type { ChildProcess } from 'node:child_process';
import { nextTurn } from '../../door/turns.ts';
import { scalePatience } from '../process/patience.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { SnapshotStore } from '../store/policies/snapshots.ts';
import type { GoOnMessage, RowsMessage, TeachReply, WorkerOrder, WorkerReport } from './worker-messages.ts';

type WorkerEvents = {
  /** Comes at most once, when the worker has taken the order. */
  accepted(): void;
  reported(report: Exclude<WorkerReport, { kind: 'accepted' }>): void;
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
  readonly #child: ChildProcess;
  readonly #now: () => number;
  readonly #events: WorkerEvents;
  #acceptance: { resolve(): void; reject(error: Error): void } | null = null;
  readonly #acceptTimer: NodeJS.Timeout;
  #isGone = false;

  constructor(
    spawn: SpawnChild,
    options: { tag: string; heapMb: number },
    order: WorkerOrder,
    now: () => number,
    events: WorkerEvents,
  ) {
    this.#child = spawn('worker', options);
    this.pid = this.#child.pid ?? null;
    this.#now = now;
    this.#events = events;
    this.lastHeartbeatMs = now();
    this.accepted = new Promise((resolve, reject) => {
      this.#acceptance = { resolve, reject };
    });
    // A caller that does not wait for the acceptance must not be hit by its failure.
    this.accepted.catch(() => undefined);
    this.#acceptTimer = setTimeout(() => this.kill(), scalePatience(acceptTimeoutMs));
    this.#listen();
    if (this.pid !== null) this.#child.send(order, () => undefined);
  }

  /** Resolves when the message was handed over, or cannot be: a worker that is gone shows itself by its exit. */
  send(message: TeachReply | RowsMessage | GoOnMessage): Promise<void> {
    return new Promise((resolve) => this.#child.send(message, () => resolve()));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #listen(): void {
    const child = this.#child;
    child.on('message', (report: WorkerReport) => this.#receive(report));
    // Without a process there will be no 'exit'; with one, 'exit' follows an error by itself.
    child.once('error', (error) => {
      if (this.pid === null) this.#end('it could not be started', error);
    });
    child.once('exit', (code, signal) => {
      const how = signal ? `signal ${signal}` : `exit code ${code}`;
      // Its last message may still be in the channel.
      if (child.connected) child.once('disconnect', () => this.#end(how));
      else this.#end(how);
    });
  }

  #receive(report: WorkerReport): void {
    this.lastHeartbeatMs = this.#now();
    if (report.kind !== 'accepted') {
      this.#events.reported(report);
      return;
    }
    clearTimeout(this.#acceptTimer);
    this.#events.accepted();
    this.#acceptance?.resolve();
  }

  #end(how: string, cause?: unknown): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearTimeout(this.#acceptTimer);
    this.#acceptance?.reject(new Error(`The training process ended: ${how}.`, { cause }));
    this.#events.exited(how);
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
    await worker.send({ rows, open: [], last: false });
    await nextTurn();
  }
  for (let after = -1, last = false; !last && isWanted(); ) {
    const open = snapshots.readOpenAfter(policyId, after, rowsPerMessage);
    last = open.length < rowsPerMessage;
    after = open.at(-1)?.seq ?? after;
    await worker.send({ rows: [], open, last });
    await nextTurn();
  }
}
