/** The time that may be acted on: the wall clock, as long as it agrees with when it was seen before. */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../process/clock.ts';
import { lookAtClock, type Sightings } from '../process/clock-trust.ts';
import type { Log } from '../process/log.ts';
import type { Store } from '../store/store.ts';

type Deps = { store: Pick<Store, 'clockSightings'>; clock: Clock; log: Log };

/** What is known of the clock; `trustedAt` is the highest time that was believed. */
export type ClockState = { now: number; trustedAt: number; leapMs: number | null };

/** Looks at the clock and keeps what it saw, so that a leap is found across starts, too. */
export class TrustedTime {
  readonly #deps: Deps;
  /** The last look of this run, with the monotonic time of it. */
  #last: { atMs: number; sightings: Sightings } | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The time that may be acted on, never one before it; null while the clock is in doubt. */
  now(): number | null {
    const { trustedAt, leapMs } = this.look();
    return leapMs === null ? trustedAt : null;
  }

  /** Looks at the clock. To be called every minute or so: what happens between two looks shows as one leap. */
  look(): ClockState {
    const { store, clock, log } = this.#deps;
    const before = this.#last?.sightings ?? store.clockSightings.read();
    const atMs = clock.monotonic();
    const after = lookAtClock(before, clock.now(), this.#last === null ? null : atMs - this.#last.atMs);
    if (!isDeepStrictEqual(before, after)) store.clockSightings.write(after);
    this.#last = { atMs, sightings: after };
    if (after.doubt !== null && (before === null || before.doubt === null)) {
      log.warn(after.doubt, 'the clock leapt; retention waits until it is confirmed');
    }
    return this.#toState(after);
  }

  /** Believes the clock as it stands now: a person looked at it. */
  confirm(): ClockState {
    const { store, clock } = this.#deps;
    const confirmed = { trustedAt: clock.now(), doubt: null };
    store.clockSightings.write(confirmed);
    this.#last = { atMs: clock.monotonic(), sightings: confirmed };
    return this.#toState(confirmed);
  }

  /** Whether the clock was in doubt at the last look; writes nothing. */
  isInDoubt(): boolean {
    return this.#last !== null && this.#last.sightings.doubt !== null;
  }

  #toState({ trustedAt, doubt }: Sightings): ClockState {
    return { now: this.#deps.clock.now(), trustedAt, leapMs: doubt?.leapMs ?? null };
  }
}
