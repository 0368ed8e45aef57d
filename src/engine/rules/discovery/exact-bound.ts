/** How low a share can be that was measured on few rows. */

/** The probability of at least `hits` in `count` rows, each with probability `share`; `hits` is above 0. */
function computeUpperTail(hits: number, count: number, share: number): number {
  let logTerm = hits * Math.log(share) + (count - hits) * Math.log1p(-share);
  for (let i = 1; i <= count - hits; i++) logTerm += Math.log((hits + i) / i);
  let term = Math.exp(logTerm);
  let sum = 0;
  for (let k = hits; k <= count; k++) {
    sum += term;
    term *= ((count - k) / (k + 1)) * (share / (1 - share));
  }
  return sum;
}

/**
 * The exact lower bound of a share of which `hits` of `count` rows are known (Clopper & Pearson 1934): the true share
 * lies below it with a probability of at most `risk`, 0 to 1. Without hits it is 0.
 */
export function computeExactLowerBound(hits: number, count: number, risk: number): number {
  if (hits === 0) return 0;
  if (hits === count) return risk ** (1 / count);
  let low = 0;
  let high = hits / count;
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (computeUpperTail(hits, count, middle) > risk) high = middle;
    else low = middle;
  }
  return low;
}
