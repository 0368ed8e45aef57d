/** The listeners to events, and how long they listen. */
import { WorkbenchError } from '../../engine/errors.ts';
import { heartbeatMs } from '../contract/heartbeat.ts';
import type { WorkbenchEvent } from '../contract/upkeep/upkeep.ts';
import { EventStream } from './event-stream.ts';

export const eventLimits = {
  streams: 64,
  streamsPerCaller: 16,
  maxStallMs: 30_000,
  /** Then a listener comes again, and its credential is looked at again. */
  maxAgeMs: 600_000,
  checkMs: 5_000,
} as const;

type Listener = { organisationId: string; callerId: string; openedAtMs: number; beatAtMs: number };

/** Tells listeners what happens in their organisation; costs nothing without any and waits for none. */
export class EventHub {
  readonly #listeners = new Map<EventStream, Listener>();
  readonly #monotonic: () => number;
  readonly #timer: NodeJS.Timeout;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#timer = setInterval(() => this.checkListeners(), eventLimits.checkMs).unref();
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Opens a stream, whose first event is `ready`. Throws `unavailable` when the caller, or all, have too many. */
  open(organisationId: string, callerId: string): EventStream {
    const own = [...this.#listeners.values()].filter((listener) => listener.callerId === callerId);
    if (own.length >= eventLimits.streamsPerCaller || this.#listeners.size >= eventLimits.streams) {
      throw new WorkbenchError(
        'unavailable',
        `${this.#listeners.size} windows and programs listen to events already, ${own.length} with this credential. Close one of them, or ask as often as needed.`,
      );
    }
    const stream = new EventStream(this.#monotonic);
    const nowMs = this.#monotonic();
    this.#listeners.set(stream, { organisationId, callerId, openedAtMs: nowMs, beatAtMs: nowMs });
    stream.once('close', () => this.#listeners.delete(stream));
    stream.tell({ event: 'ready' });
    return stream;
  }

  tell(organisationId: string, event: WorkbenchEvent): void {
    for (const [stream, listener] of this.#listeners) {
      if (listener.organisationId === organisationId) stream.tell(event);
    }
  }

  /** Shows every stream alive that is due, and ends those that are too old or whose reader stalls; runs by itself. */
  checkListeners(): void {
    const nowMs = this.#monotonic();
    for (const [stream, listener] of this.#listeners) {
      if (stream.findStallMs() >= eventLimits.maxStallMs) stream.destroy();
      else if (nowMs - listener.openedAtMs >= eventLimits.maxAgeMs) this.#end(stream);
      else if (nowMs - listener.beatAtMs >= heartbeatMs) {
        listener.beatAtMs = nowMs;
        stream.beat();
      }
    }
  }

  /** Ends the streams of a caller, whose credential is not in force any more. */
  endOf(callerId: string): void {
    for (const [stream, listener] of this.#listeners) if (listener.callerId === callerId) this.#end(stream);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const stream of [...this.#listeners.keys()]) this.#end(stream);
  }

  #end(stream: EventStream): void {
    this.#listeners.delete(stream);
    stream.end();
  }
}
