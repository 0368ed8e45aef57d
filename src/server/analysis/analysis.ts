/** Long looks at the examples, made by a process of its own and kept until what they looked at has changed. */
import { setTimeout as wait } from 'node:timers/promises';
import type { DriftReport } from '../../engine/findings/drift.ts';
import type { DataFindings } from '../../engine/findings/search-data.ts';
import type { SliceReport } from '../../engine/findings/slices.ts';
import type { Clock } from '../process/clock.ts';
import type { Log } from '../process/log.ts';
import { createRecentCache, type RecentCache } from '../process/recent-cache.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import { askChild } from './ask-child.ts';
import type { AnalysisOrder, DriftOrder, FindingsOrder, SlicesOrder } from './orders.ts';

const maxKept = 20;
/** Time that a call waits for a result: small sets are answered at once. */
const patienceMs = 2_000;

/** A result, of which state of its subject it is, and when it was found (milliseconds since 1970). */
export type Known<Result> = { key: string; result: Result; computedAt: number };
type Running = { key: string; share: number; ended: Promise<void> };
/** The state of a subject: the last result, and the progress of a new one (0 to 1), null where none is made. */
export type AnalysisState<Result> = { known: Known<Result> | null; isFresh: boolean; progress: number | null };

export type Analyses = {
  findings: Analysis<FindingsOrder, DataFindings>;
  slices: Analysis<SlicesOrder, SliceReport>;
  drift: Analysis<DriftOrder, DriftReport>;
};

type AnalysisOptions = {
  databaseFile: string;
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
  readonly #closing = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(options: AnalysisOptions) {
    this.#options = options;
  }

  /** Returns the present state of a subject; starts nothing. */
  peek(subject: string, key: string): AnalysisState<Result> {
    const known = this.#kept.get(subject) ?? null;
    return { known, isFresh: known?.key === key, progress: this.#running.get(subject)?.share ?? null };
  }

  /** Returns the result for a subject in the state `key`, waiting two seconds for a process if there is none. */
  async ask(subject: string, key: string, order: Order): Promise<AnalysisState<Result>> {
    const state = this.peek(subject, key);
    if (state.isFresh) return state;
    const { ended } = this.#running.get(subject) ?? this.#start(subject, key, order);
    await Promise.race([ended, wait(patienceMs, undefined, { ref: false })]);
    return this.peek(subject, key);
  }

  close(): void {
    this.#closing.abort();
  }

  #start(subject: string, key: string, order: Order): Running {
    const running: Running = { key, share: 0, ended: this.#last.then(() => this.#run(subject, running, order)) };
    this.#running.set(subject, running);
    this.#last = running.ended.catch((err: unknown) => {
      if (!this.#closing.signal.aborted) this.#options.log.error({ err }, 'the examples could not be searched');
    });
    return running;
  }

  async #run(subject: string, running: Running, order: Order): Promise<void> {
    try {
      const report = (share: number) => {
        running.share = share;
        this.#options.onProgress(order.typeId, false);
      };
      const { spawn, databaseFile, clock } = this.#options;
      const result = await askChild<Result>(spawn, { databaseFile, order }, report, this.#closing.signal);
      this.#kept.set(subject, { key: running.key, result, computedAt: clock.now() });
    } finally {
      this.#running.delete(subject);
      this.#options.onProgress(order.typeId, true);
    }
  }
}
