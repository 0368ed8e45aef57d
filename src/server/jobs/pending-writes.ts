import type { Log } from '../process/log.ts';

/** Does each write at once and keeps the ones that fail (a full disk) until they succeed. */
export class PendingWrites {
  readonly #log: Log;
  #pending: (() => void)[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Does a write now; while it fails, again at every `retry`. Such a write must be harmless when it comes late. */
  run(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#log.error({ err: error }, 'a training could not be recorded; it will be tried again');
      this.#pending.push(write);
    }
  }

  retry(): void {
    const writes = this.#pending;
    this.#pending = [];
    for (const write of writes) this.run(write);
  }
}
