/** What a confidence threshold costs and brings, and which one keeps the error below a wish. */
import type { Metrics } from '../../domain.ts';
import { type Interval, wilsonInterval } from './intervals.ts';

type Point = Metrics['risk_coverage'][number];

/** A threshold with the share decided directly at or above it and the error among those. */
export type Suggestion = Point & { error_interval: Interval };

/**
 * The lowest threshold of the curve at which the error among the decided rows is at most `wished`; null where no
 * threshold decides any row so well. `rows` is the number of rows behind the curve.
 */
export function suggestThreshold(curve: readonly Point[], wished: number, rows: number): Suggestion | null {
  const found = curve.find(({ coverage, error }) => coverage > 0 && error <= wished);
  if (found === undefined) return null;
  const decided = Math.round(found.coverage * rows);
  return { ...found, error_interval: wilsonInterval(Math.round(found.error * decided), decided) };
}
