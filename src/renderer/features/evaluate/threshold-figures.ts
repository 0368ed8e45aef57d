/** What thresholds do to the held-out rows, read from the curve of a policy. */
import type { Metrics } from '../../../engine/domain.ts';

type Curve = Metrics['risk_coverage'];

/** The share decided at or above a threshold, and the share of wrong ones among those. */
export function decideAlone(curve: Curve, threshold: number): { coverage: number; error: number } {
  const found = curve.find((point) => point.threshold >= threshold - 1e-9);
  return found ?? { coverage: 0, error: 0 };
}

/** The parts of the inputs below, between and above two thresholds; they add up to 1. */
export function splitByThresholds(curve: Curve, low: number, high: number) {
  const above = decideAlone(curve, high);
  const notBelow = decideAlone(curve, low);
  return {
    below: 1 - notBelow.coverage,
    between: Math.max(0, notBelow.coverage - above.coverage),
    above: above.coverage,
    error: above.error,
  };
}

/** One bar of the distribution of confidence: shares of all rows that are right and wrong in it. */
export type Bin = { from: number; to: number; right: number; wrong: number };

/** The distribution of confidence over `count` equal bins between 0 and 1. */
export function toBins(curve: Curve, count: number): Bin[] {
  return Array.from({ length: count }, (_, index) => {
    const from = index / count;
    const to = (index + 1) / count;
    const at = decideAlone(curve, from);
    const next = index === count - 1 ? { coverage: 0, error: 0 } : decideAlone(curve, to);
    const all = Math.max(0, at.coverage - next.coverage);
    const wrong = Math.min(all, Math.max(0, at.coverage * at.error - next.coverage * next.error));
    return { from, to, right: all - wrong, wrong };
  });
}
