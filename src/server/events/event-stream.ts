import { Readable } from 'node:stream';
import type { WorkbenchEvent } from '../contract/upkeep/upkeep.ts';

const groupIntervalMs = 250;
/** Events that wait for the next group; with more of them the listener is asked to read everything again. */
const maxWaiting = 200;

function toKey(event: WorkbenchEvent): string {
  const isLatest = event.event === 'logs' || event.event === 'progress';
  return isLatest ? `${event.event} ${event.decision_type_id}` : JSON.stringify(event);
}

function merge(earlier: WorkbenchEvent | undefined, event: WorkbenchEvent): WorkbenchEvent {
  return earlier?.event === 'logs' && event.event === 'logs' ? { ...event, added: earlier.added + event.added } : event;
}

/**
 * The text of a `text/event-stream`. Equal events, counts of log records and steps of one change become one while they
 * wait; the first
 * after a pause leaves at once. Nothing is written while the reader takes nothing: what waits then is bounded.
 */
export class EventStream extends Readable {
  readonly #monotonic: () => number;
  readonly #waiting = new Map<string, WorkbenchEvent>();
  #isWanted = false;
  #timer: NodeJS.Timeout | null = null;
  #lastGroupMs = Number.NEGATIVE_INFINITY;
  #takenAtMs: number;

  constructor(monotonic: () => number) {
    super({ highWaterMark: 0 });
    this.#monotonic = monotonic;
    this.#takenAtMs = monotonic();
  }

  tell(event: WorkbenchEvent): void {
    const isReset = this.#waiting.has('reset');
    const key = toKey(event);
    if (!isReset) this.#waiting.set(key, merge(this.#waiting.get(key), event));
    if (this.#waiting.size > maxWaiting) {
      this.#waiting.clear();
      this.#waiting.set('reset', { event: 'reset' });
    }
    this.#plan();
  }

  /** Ends the stream; waiting events are dropped. */
  end(): void {
    this.#waiting.clear();
    this.push(null);
  }

  beat(): void {
    if (this.#isWanted) this.#write(': alive\n\n');
  }

  /** For how long the reader has not read the written events. */
  findStallMs(): number {
    return this.#isWanted ? 0 : this.#monotonic() - this.#takenAtMs;
  }

  override _read(): void {
    this.#isWanted = true;
    this.#plan();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.clear();
    done(error);
  }

  #plan(): void {
    if (this.#timer !== null || !this.#isWanted || this.#waiting.size === 0) return;
    const waitMs = Math.max(0, this.#lastGroupMs + groupIntervalMs - this.#monotonic());
    this.#timer = setTimeout(() => this.#writeGroup(), waitMs).unref();
  }

  #writeGroup(): void {
    this.#timer = null;
    if (!this.#isWanted) return;
    this.#lastGroupMs = this.#monotonic();
    const texts = [...this.#waiting.values()].map(
      (event) => `event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    this.#waiting.clear();
    this.#write(texts.join(''));
  }

  #write(text: string): void {
    this.#isWanted = false;
    this.#takenAtMs = this.#monotonic();
    this.push(text);
  }
}
