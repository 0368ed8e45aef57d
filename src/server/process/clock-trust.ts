/**
 * Whether the wall clock can be believed. A clock that is wrong looks like any other at one look; compared with when it
 * was seen last, a leap shows. What acts on age (retention) waits until the leap is confirmed, or has lasted.
 */

/** `doubt` is set from a leap on: where the clock was seen last, how far it had leapt, how long it has gone on since. */
export type Sightings = {
  /** The highest time that was believed; in doubt, with the running time since: what the clock should show. */
  trustedAt: number;
  doubt: { seenAt: number; leapMs: number; agreedMs: number } | null;
};

const dayMs = 24 * 3600 * 1000;
/** A leap up to this is believed: a weekend, a night's sleep of the machine, a clock that was set right. */
const maxBelievedLeapMs = 2 * dayMs;
/** Running time after which a clock is believed that has leapt further than that: everybody has seen it by then. */
const maxProbationMs = 7 * dayMs;

const isNear = (a: number, b: number) => Math.abs(a - b) <= maxBelievedLeapMs;

/**
 * What is known after a look at the clock. `elapsedMs` is the time since the last look on a clock that only goes
 * forward, null at the first look of a run. A clock that leaps more than two days, forward or back, is in doubt until it
 * is back, or has agreed with the running time for as long as the leap, seven days at most. A step back of less changes
 * nothing: the highest time seen holds.
 */
export function lookAtClock(before: Sightings | null, nowMs: number, elapsedMs: number | null): Sightings {
  if (before === null) return { trustedAt: nowMs, doubt: null };
  const { doubt } = before;
  const ranMs = elapsedMs ?? 0;
  const expectedAt = before.trustedAt + ranMs;
  if (isNear(nowMs, expectedAt)) return { trustedAt: Math.max(before.trustedAt, nowMs), doubt: null };
  if (doubt === null || !isNear(nowMs, doubt.seenAt + ranMs)) {
    return { trustedAt: expectedAt, doubt: { seenAt: nowMs, leapMs: nowMs - expectedAt, agreedMs: 0 } };
  }
  const agreedMs = doubt.agreedMs + ranMs;
  if (agreedMs >= Math.min(Math.abs(doubt.leapMs), maxProbationMs)) return { trustedAt: nowMs, doubt: null };
  return { trustedAt: expectedAt, doubt: { ...doubt, seenAt: nowMs, agreedMs } };
}
