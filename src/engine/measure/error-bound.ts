/**
 * An upper bound of the error among automatic decisions that holds at every threshold at once.
 *
 * Rows are taken in the order in which falling thresholds admit them: n rows, K of them wrong. The allowed risk is
 * split over levels k = 0, 1, 2 … of wrong rows. At level k the bound for n rows is Clopper and Pearson's of k in n at
 * the level's part of the risk. Going through n = 1, 2, 3 … until the (k + 1)th wrong row is a fixed sequence of tests
 * (Angelopoulos et al. 2021, "Learn then Test"; Geifman & El-Yaniv 2017, "Selective classification for deep neural
 * networks", bound single thresholds so).
 *
 * Why it holds. Take the confidences as given; then the rows are independent, wrong with chances of their own, and
 * which n come first is fixed. Let n* be the first n at which the mean chance exceeds the bound of level k: it does not
 * depend on what is wrong. A bound of this level is broken at some n only where K ≤ k there, hence also at n* ≤ n; and
 * K ≤ k at n* has at most the level's part of the risk, because among sums of independent draws with the same mean the
 * binomial has the heaviest lower tail (Hoeffding 1956). Added over all levels: whatever thresholds and targets are
 * tried, the chance that any of the bounds is broken is at most the risk. No shape of the errors is assumed.
 */
import { computeBinomialTail, computeUpperBound } from '../intervals.ts';

/** Wrong rows of the levels grow by this factor, by one at least. */
const levelGrowth = 1.25;

/** The number of wrong rows of the first level that covers `wrong`, and the level's part of the risk. */
function findLevel(wrong: number): { wrong: number; share: number } {
  let level = 0;
  let index = 0;
  for (let size = 1; level < wrong; size *= levelGrowth) {
    level = Math.max(level + 1, Math.round(size));
    index += 1;
  }
  // 1/2, 1/6, 1/12 …: together 1.
  return { wrong: level, share: 1 / ((index + 1) * (index + 2)) };
}

/** Whether the bound of {@link boundError} is at most `target`, at a small part of its cost. */
export function isErrorBelow(target: number, wrong: number, decided: number, risk: number): boolean {
  // No bound lies below the count.
  if (wrong > target * decided) return false;
  const level = findLevel(wrong);
  return level.wrong < decided && computeBinomialTail(level.wrong, decided, target) <= risk * level.share;
}

/** The bound of the error (0–1) among `decided` rows of which `wrong` are wrong; `risk` (0–1) is that of all bounds. */
export function boundError(wrong: number, decided: number, risk: number): number {
  const level = findLevel(wrong);
  return computeUpperBound(level.wrong, decided, risk * level.share);
}
