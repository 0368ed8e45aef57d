/** Two policies on the same rows: which is right where the other is not, and whether that may be chance. */
import { computeBinomialTail } from '../intervals.ts';

/** Rows that only one of two policies decides right. */
type Discordance = { onlyFirst: number; onlySecond: number };

/** Up to this p-value one of two policies is called better. */
export const maxChance = 0.05;

/**
 * The two-sided p-value (0–1) of McNemar's exact test: if both policies were equally good, the rows that only one of
 * them gets right would fall to either like a coin. McNemar 1947, "Note on the sampling error of the difference between
 * correlated proportions or percentages"; exact as in Fagerland, Lydersen & Laake 2013, "The McNemar test for binary
 * matched-pairs data: mid-p and asymptotic are better than exact conditional", whose exact conditional test it is.
 */
export function computeMcNemarP({ onlyFirst, onlySecond }: Discordance): number {
  return Math.min(1, 2 * computeBinomialTail(Math.min(onlyFirst, onlySecond), onlyFirst + onlySecond, 0.5));
}

/** Says which of two policies is better, unless chance may make their difference. */
export function describeComparison(found: Discordance): string {
  if (found.onlyFirst + found.onlySecond === 0) return 'Neither is better: both are right on the same examples.';
  return computeMcNemarP(found) <= maxChance
    ? 'The one that is right more often is better: chance hardly makes such a difference.'
    : 'Neither is shown to be better: chance may make such a difference.';
}
