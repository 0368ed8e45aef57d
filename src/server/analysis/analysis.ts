/** Long looks at the examples, made by a process of its own and kept until what they looked at has changed. */
import { setTimeout as wait } from 'node:timers/promises';
import { ChildPool } from '../process/child-pool.ts';
import type { Clock } from '../process/clock.ts';
import type { Log } from '../process/log.ts';
import type { OrderInput, OrderOutput } from '../process/orders.ts';
import { createRecentCache, type RecentCache } from '../process/recent-cache.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { AnalysisOrders } from './analysis-child.ts';

const maxKept = 20;
/** Time that a call waits for a result: small sets are answered at once. */
const patienceMs = 2_000;

/** A result, of which state of its subject it is, and when it was found (milliseconds since 1970). */
export type Known<Result> = { key: string; result: Result; computedAt: number };
type Running = { key: string; share: number; ended: Promise<void> };
/** The state of a subject: the last result, and the progress of a new one (0 to 1), null where none is made. */
export type AnalysisState<Result> = { known: Known<Result> | null; isFresh: boolean; progress: number | null };

export type Analyses = { [Name in 'findings' | 'slices' | 'drift']: Analysis<Name> };
type Result<Name extends keyof AnalysisOrders> = OrderOutput<AnalysisOrders, Name>;
type Order<Name extends keyof AnalysisOrders> = OrderInput<AnalysisOrders, Name> & { typeId: string };

/** Opens the processes that look at examples: one for each kind of look, as each may take a gigabyte. */
export const openAnalysisPool = (spawn: SpawnChild): ChildPool<AnalysisOrders> =>
  new ChildPool({
    ...{ spawn, name: 'analysis-child', work: 'searches the examples' },
    ...{ heapMb: 1_024, maxChildren: 4, ordersPerCaller: 1, idleMs: 0 },
  });

type AnalysisOptions = {
  pool: ChildPool<AnalysisOrders>;
  clock: Clock;
  log: Log;
  /** Hears when the search of a type's examples has moved on or ended. */
  onProgress(typeId: string, isEnded: boolean): void;
};

/** Results of one kind by their subject, such as a decision type. One process works at a time. */
export class Analysis<Name extends keyof AnalysisOrders> {
  readonly #name: Name;
  readonly #options: AnalysisOptions;
  readonly #kept: RecentCache<string, Known<Result<Name>>> = createRecentCache(maxKept);
  readonly #running = new Map<string, Running>();

  constructor(name: Name, options: AnalysisOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** Returns the present state of a subject; starts nothing. */
  peek(subject: string, key: string): AnalysisState<Result<Name>> {
    const known = this.#kept.get(subject) ?? null;
    return { known, isFresh: known?.key === key, progress: this.#running.get(subject)?.share ?? null };
  }

  /** Returns the result for a subject in the state `key`, waiting two seconds for a process if there is none. */
  async ask(subject: string, key: string, order: Order<Name>): Promise<AnalysisState<Result<Name>>> {
    const state = this.peek(subject, key);
    if (state.isFresh) return state;
    const { ended } = this.#running.get(subject) ?? this.#start(subject, key, order);
    await Promise.race([ended, wait(patienceMs, undefined, { ref: false })]);
    return this.peek(subject, key);
  }

  #start(subject: string, key: string, order: Order<Name>): Running {
    const running: Running = { key, share: 0, ended: Promise.resolve() };
    this.#running.set(subject, running);
    running.ended = this.#run(subject, running, order);
    running.ended.catch((err: unknown) => {
      if (!this.#options.pool.isClosed) this.#options.log.error({ err }, 'the examples could not be searched');
    });
    return running;
  }

  async #run(subject: string, running: Running, order: Order<Name>): Promise<void> {
    const { pool, clock, onProgress } = this.#options;
    const report = (share: number) => {
      running.share = share;
      onProgress(order.typeId, false);
    };
    try {
      const result = await pool.run(this.#name, this.#name, order, { report });
      this.#kept.set(subject, { key: running.key, result, computedAt: clock.now() });
    } finally {
      this.#running.delete(subject);
      onProgress(order.typeId, true);
    }
  }
}
