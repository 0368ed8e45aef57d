import { setTimeout as wait } from 'node:timers/promises';
import { WorkbenchError } from '../../engine/errors.ts';
import { isBusy } from '../process/folder-lock.ts';
import type { WorkbenchDatabase } from './database.ts';

const lookIntervalMs = 20;
const maxWaitMs = 5_000;

/** Waits by a timer for a database that another process locks: SQLite itself would hold the event loop. */
export class WriteLock {
  readonly #db: WorkbenchDatabase;
  readonly #begin;
  readonly #end;
  #look: Promise<boolean> | null = null;

  constructor(db: WorkbenchDatabase) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#end = db.prepare('ROLLBACK');
  }

  /** Whether a write could begin now: microseconds. */
  isFree(): boolean {
    if (this.#db.inTransaction) return true;
    try {
      this.#begin.run();
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
    this.#end.run();
    return true;
  }

  /** Looks again after 20 ms and resolves with the result of `isFree`. */
  lookAgain(): Promise<boolean> {
    this.#look ??= wait(lookIntervalMs).then(() => {
      this.#look = null;
      return this.isFree();
    });
    return this.#look;
  }

  /** Resolves when a write can begin; rejects with `unavailable` when it cannot for five seconds. */
  async whenFree(): Promise<void> {
    if (this.isFree()) return;
    const endMs = performance.now() + maxWaitMs;
    while (performance.now() < endMs) if (await this.lookAgain()) return;
    throw new WorkbenchError(
      'unavailable',
      'Another program holds the data file; nothing was changed. Close it, or try again in a moment.',
    );
  }
}
