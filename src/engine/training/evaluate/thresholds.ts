/** Confidence thresholds that keep the error among the decided rows below a target. */
import type { Metrics } from '../../domain.ts';
import { computeWilsonInterval, type Interval } from './intervals.ts';

type Point = Metrics['risk_coverage'][number];

/** A threshold with the share that is decided at or above it, and the error among those with its 95 % interval. */
export type Suggestion = Point & { error_interval: Interval };

/**
 * Finds the lowest threshold of the curve at which the error among the decided rows is at most `targetError`; null
 * where no threshold decides any row so well. `rows` is the number of rows behind the curve.
 */
export function suggestThreshold(curve: readonly Point[], targetError: number, rows: number): Suggestion | null {
  const found = curve.find(({ coverage, error }) => coverage > 0 && error <= targetError);
  if (found === undefined) return null;
  const decided = Math.round(found.coverage * rows);
  return { ...found, error_interval: computeWilsonInterval(Math.round(found.error * decided), decided) };
}
