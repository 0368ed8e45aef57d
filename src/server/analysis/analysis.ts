/** Long looks at the examples, made by a process of its own and kept until what they looked at has changed. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { WorkbenchError } from '../../engine/errors.ts';
import type { DriftReport } from '../../engine/findings/drift.ts';
import type { DataFindings } from '../../engine/findings/search-data.ts';
import type { SliceReport } from '../../engine/findings/slices.ts';
import type { Clock } from '../process/clock.ts';
import type { Log } from '../process/log.ts';
import { createRecentCache, type RecentCache } from '../process/recent-cache.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { AnalysisOrder, AnalysisReply, DriftOrder, FindingsOrder, SlicesOrder } from './orders.ts';

const childHeapMb = 1_024;
/** Subjects whose last result is kept. */
const maxKept = 20;

/** A result, of which state of its subject it is, and when it was found (milliseconds since 1970). */
export type Known<Result> = { key: string; result: Result; computedAt: number };
type Running = { key: string; share: number; ended: Promise<void> };
/** What is known of a subject: the last result, and how far a new one is (0 to 1), or null where none is made. */
export type AnalysisState<Result> = { known: Known<Result> | null; isFresh: boolean; progress: number | null };

export type Analyses = {
  findings: Analysis<FindingsOrder, DataFindings>;
  slices: Analysis<SlicesOrder, SliceReport>;
  drift: Analysis<DriftOrder, DriftReport>;
};

type AnalysisOptions = {
  spawn: SpawnChild;
  clock: Clock;
  log: Log;
  /** Hears when the search of a type's examples has moved on or ended. */
  onProgress(typeId: string, isEnded: boolean): void;
};

/** Results of one kind by their subject, such as a decision type. One process works at a time. */
export class Analysis<Order extends AnalysisOrder, Result> {
  readonly #options: AnalysisOptions;
  readonly #kept: RecentCache<string, Known<Result>> = createRecentCache(maxKept);
  readonly #running = new Map<string, Running>();
  readonly #children = new Set<ChildProcess>();
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: AnalysisOptions) {
    this.#options = options;
  }

  /** Returns what is known of a subject now; starts nothing. */
  peek(subject: string, key: string): AnalysisState<Result> {
    const known = this.#kept.get(subject) ?? null;
    return { known, isFresh: known?.key === key, progress: this.#running.get(subject)?.share ?? null };
  }

  /**
   * Returns what is known of a subject in the state that `key` names. Where that is not known, a process is started
   * that finds it out, and the answer waits for it up to `waitMs`. Rejects with WorkbenchError 'unavailable' when it
   * fails.
   */
  async ask(subject: string, key: string, order: Order, waitMs: number): Promise<AnalysisState<Result>> {
    const state = this.peek(subject, key);
    if (state.isFresh) return state;
    const { ended } = this.#running.get(subject) ?? this.#start(subject, key, order);
    await Promise.race([ended, wait(waitMs, undefined, { ref: false })]);
    return this.peek(subject, key);
  }

  close(): void {
    this.#isClosed = true;
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #start(subject: string, key: string, order: Order): Running {
    const running: Running = { key, share: 0, ended: this.#last.then(() => this.#run(subject, running, order)) };
    this.#running.set(subject, running);
    this.#last = running.ended.catch((err: unknown) => {
      if (!this.#isClosed) this.#options.log.error({ err }, 'the examples could not be searched');
    });
    return running;
  }

  async #run(subject: string, running: Running, order: Order): Promise<void> {
    try {
      const result = await this.#runChild(order, (share) => {
        running.share = share;
        this.#options.onProgress(order.typeId, false);
      });
      this.#kept.set(subject, { key: running.key, result, computedAt: this.#options.clock.now() });
    } finally {
      this.#running.delete(subject);
      this.#options.onProgress(order.typeId, true);
    }
  }

  #runChild(order: Order, report: (share: number) => void): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new WorkbenchError('unavailable', 'The workbench is closing.'));
    const child = this.#options.spawn('analysis-child', { heapMb: childHeapMb });
    this.#children.add(child);
    return new Promise((resolve, reject) => {
      const fail = (cause: string) => {
        this.#children.delete(child);
        const message = 'The process that searches the examples ended early. Ask again; the log says why.';
        reject(new WorkbenchError('unavailable', message, undefined, { cause }));
      };
      child.on('message', (reply: AnalysisReply<Result>) => {
        if (reply.kind === 'progress') report(reply.share);
        else if (reply.kind === 'done') resolve(reply.result);
        else fail(reply.fault);
      });
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code, signal) => fail(signal ?? `exit ${code}`));
      child.send(order, () => undefined);
    });
  }
}
