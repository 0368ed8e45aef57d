/** A seeded search over positive settings. */
import type { Random } from '../../random.ts';

/** Bounds of a positive setting, and the decades that a first step typically takes. */
type Limits<Key extends string> = Record<Key, { least: number; most: number; step: number }>;

const maxFailures = 7;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Improves a setting by at most `trials` random steps around the best one so far (an evolution strategy with one parent
 * over the logarithms of the numbers). Steps become shorter with every failure; it stops after 7 failures in a row, or
 * when `affordable` says no. `evaluate` answers null for a setting that it gave up.
 */
export function searchSettings<Key extends string, Result extends { logLoss: number }>(given: {
  limits: Limits<Key>;
  start: { point: Record<Key, number>; result: Result };
  evaluate: (point: Record<Key, number>, best: Result) => Result | null;
  trials: number;
  random: Random;
  affordable: () => boolean;
  report: (done: number) => void;
}): { point: Record<Key, number>; result: Result } {
  const { limits, random } = given;
  const keys = Object.keys(limits) as Key[];
  let best = given.start;
  let spread = 1;
  let failures = 0;
  for (let trial = 0; trial < given.trials && failures < maxFailures && given.affordable(); trial++) {
    const point = { ...best.point };
    for (const key of keys) {
      const { least, most, step } = limits[key];
      point[key] = Math.max(least, Math.min(most, best.point[key] * 10 ** (spread * step * normal(random))));
    }
    const result = given.evaluate(point, best.result);
    if (result !== null && result.logLoss < best.result.logLoss) {
      best = { point, result };
      failures = 0;
      spread = Math.min(1, spread * 1.3);
    } else {
      failures += 1;
      spread = Math.max(0.2, spread * 0.88);
    }
    given.report(trial + 1);
  }
  return best;
}
