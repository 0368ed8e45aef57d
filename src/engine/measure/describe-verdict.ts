/** The verdict on other rules or settings in a few words, apart from its measuring: for reports and the page. */
import type { RulesEffect } from '../measured.ts';

/** How a change looks, in some words; what chance may do as well is said so, and never that it is neither. */
export function describeVerdict({ verdict, before, after }: Pick<RulesEffect, 'verdict' | 'before' | 'after'>): string {
  const points = 100 * ((after.accuracy.share ?? 0) - (before.accuracy.share ?? 0));
  const size = `by ${Math.abs(points).toFixed(1)} points`;
  const way = points < 0 ? `Worse ${size}` : `Better ${size}`;
  if (verdict === 'unchanged') return 'As before';
  if (points === 0) return 'As often right';
  return verdict === 'not_shown' ? `${way}, which may be chance` : way;
}
