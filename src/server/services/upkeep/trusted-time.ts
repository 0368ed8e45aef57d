/**
 * The time by which data may be removed for their age. A machine that was off for a year and one whose clock was set a
 * year ahead look the same, so what either makes due waits until somebody could have seen the clock.
 */
import type { Foundation } from '../../foundation.ts';
import type { Sightings } from '../../store/upkeep/clock-sightings.ts';

/** The state of the clock; `leapMs` is how far it is in doubt, null while it is not. */
export type ClockState = { now: number; trustedAt: number; leapMs: number | null };

const hourMs = 3_600_000;
/** A clock this far ahead of the running time is believed at once: a restart, a short sleep of the machine. */
const maxGapMs = hourMs;
/** How long to run before a clock that jumped is believed: half a working day. */
const waitMs = 4 * hourMs;
/** Pauses up to a week are ordinary; beyond, the clock is said to be in doubt while its time waits. */
const maxOrdinaryPauseMs = 7 * 24 * hourMs;

/**
 * Follows the clock after `ranMs` of running: back at once, ahead by an hour at most, further only four running hours
 * after that time was first seen.
 */
function lookAtClock(before: Sightings, nowMs: number, ranMs: number): Sightings {
  const trustedAt = Math.min(before.trustedAt + ranMs, nowMs);
  if (nowMs - trustedAt <= maxGapMs) return { trustedAt: nowMs, later: null };
  if (before.later === null) return { trustedAt, later: { at: nowMs, ranMs: 0 } };
  const later = { at: Math.min(before.later.at + ranMs, nowMs), ranMs: before.later.ranMs + ranMs };
  if (later.ranMs < waitMs) return { trustedAt, later };
  return lookAtClock({ trustedAt: later.at, later: null }, nowMs, 0);
}

function findLeap({ trustedAt, later }: Sightings): number | null {
  return later !== null && later.at - trustedAt > maxOrdinaryPauseMs ? later.at - trustedAt : null;
}

/** Looks at the clock and keeps what it saw, so that a start knows when the program ran last. */
export class TrustedTime {
  readonly #deps: Pick<Foundation, 'store' | 'clock' | 'log'>;
  /** The last look of this run, with the monotonic time of it in whole milliseconds, as the store wants them. */
  #last: { atMs: number; sightings: Sightings } | null = null;

  constructor(deps: Pick<Foundation, 'store' | 'clock' | 'log'>) {
    this.#deps = deps;
  }

  /** The time by which data may be removed; never later than the clock. */
  now(): number {
    return this.look().trustedAt;
  }

  /** Looks at the clock; every minute or so, because what happens between two looks shows as one gap. */
  look(): ClockState {
    const { store, clock, log } = this.#deps;
    const now = clock.now();
    const atMs = Math.round(clock.monotonic());
    const before = this.#last?.sightings ?? store.clockSightings.read() ?? { trustedAt: now, later: null };
    const sightings = lookAtClock(before, now, atMs - (this.#last?.atMs ?? atMs));
    const leapMs = findLeap(sightings);
    if (leapMs !== null && findLeap(before) === null) log.warn({ leapMs }, 'the clock is in doubt; retention waits');
    this.#last = { atMs, sightings };
    try {
      store.clockSightings.write(sightings);
    } catch (err) {
      // This run knows the time all the same; the next one takes its gap for longer, which is safe.
      log.error({ err }, 'what was seen of the clock could not be kept');
    }
    return { now, trustedAt: sightings.trustedAt, leapMs };
  }

  /** Trusts the clock as it stands now: a person looked at it. */
  confirm(): ClockState {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const sightings = { trustedAt: now, later: null };
    store.clockSightings.write(sightings);
    this.#last = { atMs: Math.round(clock.monotonic()), sightings };
    return { now, trustedAt: now, leapMs: null };
  }

  /** Whether the clock was in doubt at the last look; writes nothing. */
  isInDoubt(): boolean {
    return this.#last !== null && findLeap(this.#last.sightings) !== null;
  }
}
