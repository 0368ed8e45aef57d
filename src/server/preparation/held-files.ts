/** The processes that hold the files of open imports: a few, each with one file that it need not read again. */

import type { SpawnChild } from '../process/spawn-child.ts';
import { type PoolLimits, TaskPool } from './task-pool.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';

type Held = { pool: TaskPool; callerId: string; running: number };

/** Files that are held at once; another one is read again when it is asked about. */
const maxHeld = 2;

/** Asks the process that holds an import's file, or one in place of the oldest; a caller has one at work. */
export class HeldFiles {
  /** Those used longest ago first. */
  readonly #held = new Map<string, Held>();
  /** Processes that hold no file now. */
  readonly #free: TaskPool[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #open: () => TaskPool;

  constructor(spawn: SpawnChild, limits: PoolLimits) {
    this.#open = () => new TaskPool(spawn, { ...limits, maxChildren: 1 });
  }

  /** Runs a task about the file of an import; rejects as `TaskPool.run`, and by `signal` while it waits. */
  async run<N extends TaskName>(
    callerId: string,
    importId: string,
    name: N,
    input: TaskInput<N>,
    signal: AbortSignal,
  ): Promise<TaskOutput<N>> {
    let held = this.#take(callerId, importId);
    while (held === null) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      signal.throwIfAborted();
      held = this.#take(callerId, importId);
    }
    held.running += 1;
    try {
      return await held.pool.run(callerId, name, input);
    } finally {
      held.running -= 1;
      this.#wake();
    }
  }

  /** Forgets the file of an import; what goes on with it is refused with `unavailable`. */
  drop(importId: string): void {
    const held = this.#held.get(importId);
    if (held === undefined) return;
    this.#held.delete(importId);
    this.#free.push(held.running > 0 ? this.#replace(held) : this.#empty(held));
    this.#wake();
  }

  close(): void {
    for (const pool of [...this.#free, ...[...this.#held.values()].map((held) => held.pool)]) pool.close();
    this.#held.clear();
    this.#free.length = 0;
    this.#wake();
  }

  /** Ends the process that works for an import; the one in its place is started when it is asked. */
  #replace({ pool }: Held): TaskPool {
    pool.close();
    return this.#open();
  }

  #empty({ pool, callerId }: Held): TaskPool {
    // A process that ends meanwhile has forgotten it as well.
    pool.run(callerId, 'forgetUpload', null).catch(() => undefined);
    return pool;
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** The process of an import, the last used one from now on; null where all are at work, or one of the caller's. */
  #take(callerId: string, importId: string): Held | null {
    const held = this.#held.get(importId) ?? this.#makeRoom(callerId);
    if (held === null) return null;
    this.#held.delete(importId);
    this.#held.set(importId, held);
    return held;
  }

  #makeRoom(callerId: string): Held | null {
    const all = [...this.#held];
    if (all.some(([, held]) => held.callerId === callerId && held.running > 0)) return null;
    if (all.length < maxHeld) return { pool: this.#free.pop() ?? this.#open(), callerId, running: 0 };
    const idle = all.find(([, { running }]) => running === 0);
    if (idle === undefined) return null;
    const [importId, { pool }] = idle;
    this.#held.delete(importId);
    return { pool, callerId, running: 0 };
  }
}
