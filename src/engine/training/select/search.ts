import { drawNormal, type Random } from '../../random.ts';

/** Bounds of a positive setting, and the decades that a first step typically takes. */
export type SettingRange = { min: number; max: number; step: number };

const maxFailures = 7;
/** Losses nearer than this share are equal, and the first one stays: their last digits differ between processors. */
const minGain = 1e-6;

/** Whether a loss is lower than the best one so far by more than processors differ. */
export const isLower = (loss: number, best: number): boolean => loss < best * (1 - minGain);

/**
 * Improves settings by at most `trials` random steps around the best ones so far (an evolution strategy with one parent
 * over the logarithms of the numbers). Steps become shorter with every failure; it stops after 7 failures in a row, or
 * when `isAffordable` answers false. `evaluate` answers null for settings that it gave up. `report` receives the trials
 * that are done.
 */
export function searchSettings<Key extends string, Result extends { logLoss: number }>(params: {
  ranges: Record<Key, SettingRange>;
  start: { point: Record<Key, number>; result: Result };
  evaluate: (point: Record<Key, number>, best: Result) => Result | null;
  trials: number;
  random: Random;
  isAffordable: () => boolean;
  report: (done: number) => void;
}): { point: Record<Key, number>; result: Result } {
  const { ranges, random } = params;
  const keys = Object.keys(ranges) as Key[];
  let best = params.start;
  let spread = 1;
  let failures = 0;
  for (let trial = 0; trial < params.trials && failures < maxFailures && params.isAffordable(); trial++) {
    const point = { ...best.point };
    for (const key of keys) {
      const { min, max, step } = ranges[key];
      point[key] = Math.max(min, Math.min(max, best.point[key] * 10 ** (spread * step * drawNormal(random))));
    }
    const result = params.evaluate(point, best.result);
    if (result !== null && isLower(result.logLoss, best.result.logLoss)) {
      best = { point, result };
      failures = 0;
      spread = Math.min(1, spread * 1.3);
    } else {
      failures += 1;
      spread = Math.max(0.2, spread * 0.88);
    }
    params.report(trial + 1);
  }
  return best;
}
