/** A range that holds the true figure with 95% confidence. */
import { exp, log, log1p } from './exact-math.ts';

export type Interval = { low: number; high: number };

const normal95 = 1.959963984540054;

/** Wilson's score interval of the share of `hits` in `count` rows (Wilson 1927); 0 to 1 without rows. */
export function computeWilsonInterval(hits: number, count: number): Interval {
  if (count === 0) return { low: 0, high: 1 };
  const share = hits / count;
  const square = normal95 ** 2;
  const centre = (share + square / (2 * count)) / (1 + square / count);
  const spread =
    (normal95 / (1 + square / count)) * Math.sqrt((share * (1 - share)) / count + square / (4 * count ** 2));
  return { low: hits === 0 ? 0 : centre - spread, high: hits === count ? 1 : centre + spread };
}

/**
 * The interval of the ratio of two shares of other rows each, `most` above 0, from their own intervals (Donner and Zou
 * 2012, MOVER).
 */
export function computeRatioInterval(
  least: Interval & { share: number },
  most: Interval & { share: number },
): Interval {
  const product = least.share * most.share;
  const root = (ofLeast: number, ofMost: number) => Math.sqrt(Math.max(0, product ** 2 - ofLeast * ofMost));
  const spread = (end: number, share: number) => end * (2 * share - end);
  const [down, up] = [spread(least.low, least.share), spread(least.high, least.share)];
  const [mostDown, mostUp] = [spread(most.low, most.share), spread(most.high, most.share)];
  return {
    low: least.share === 0 ? 0 : down / (product + root(down, mostUp)),
    high: (product + root(up, mostDown)) / mostDown,
  };
}

/** ln P(X = hits) for X binomial of `count` draws with chance `share`, which lies between 0 and 1. */
function computeLogChance(hits: number, count: number, share: number): number {
  let sum = hits * log(share) + (count - hits) * log1p(-share);
  const fewer = Math.min(hits, count - hits);
  for (let i = 1; i <= fewer; i++) sum += log((count - fewer + i) / i);
  return sum;
}

/** P(X ≤ hits) for X binomial of `count` draws with chance `share`; terms are added from the largest one on. */
export function computeBinomialTail(hits: number, count: number, share: number): number {
  if (hits >= count || share <= 0) return 1;
  if (share >= 1) return 0;
  const odds = share / (1 - share);
  let sum = 0;
  if (hits < count * share) {
    let term = exp(computeLogChance(hits, count, share));
    for (let i = hits; i >= 0 && term > 0; i--) {
      sum += term;
      term *= i / ((count - i + 1) * odds);
    }
    return Math.min(1, sum);
  }
  let term = exp(computeLogChance(hits + 1, count, share));
  for (let i = hits + 1; i <= count && term > 0; i++) {
    sum += term;
    term *= ((count - i) * odds) / (i + 1);
  }
  return Math.max(0, 1 - sum);
}

const bisections = 50;

/** Moves from a number that holds toward one that does not, to the first that does not. */
export function findBound(holding: number, refused: number, holds: (at: number) => boolean): number {
  let [from, to] = [holding, refused];
  for (let step = 0; step < bisections; step++) {
    const middle = (from + to) / 2;
    if (holds(middle)) from = middle;
    else to = middle;
  }
  return to;
}

/** The exact upper bound of a share at `risk` (Clopper and Pearson 1934); 1 without rows. */
export function computeUpperBound(hits: number, count: number, risk: number): number {
  if (hits >= count) return 1;
  return findBound(hits / count, 1, (share) => computeBinomialTail(hits, count, share) > risk);
}
