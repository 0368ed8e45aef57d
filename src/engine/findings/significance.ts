/** Exact tail probabilities, and which of many of them count. */
import { exp, log } from '../exact-math.ts';

/** The natural logarithms of 0! to `count`!. */
export function listLogFactorials(count: number): Float64Array {
  const logs = new Float64Array(count + 1);
  for (let i = 1; i <= count; i++) logs[i] = (logs[i - 1] as number) + log(i);
  return logs;
}

const logChoose = (logs: Float64Array, n: number, k: number) =>
  (logs[n] as number) - (logs[k] as number) - (logs[n - k] as number);

/** The chance of at least `hits` in `size` of `all` rows with `allHits` (Fisher's exact test, one-sided). */
export function computeFisherTail(
  logs: Float64Array,
  { hits, size, allHits, all }: { hits: number; size: number; allHits: number; all: number },
): number {
  if (hits <= Math.max(0, size + allHits - all)) return 1;
  if (hits > Math.min(size, allHits)) return 0;
  let term = exp(
    logChoose(logs, allHits, hits) + logChoose(logs, all - allHits, size - hits) - logChoose(logs, all, size),
  );
  let sum = 0;
  for (let k = hits; k <= Math.min(size, allHits) && term > sum * Number.EPSILON; k++) {
    sum += term;
    term *= ((allHits - k) * (size - k)) / ((k + 1) * (all - allHits - size + k + 1));
  }
  return Math.min(1, sum);
}

/** Adjusts p-values for `tests` tests (Benjamini & Hochberg 1995); those not in `pValues` count as 1. */
export function adjustForDiscoveries(pValues: readonly number[], tests: number): number[] {
  const order = [...pValues.keys()].sort((a, b) => (pValues[b] ?? 1) - (pValues[a] ?? 1));
  const adjusted = new Array<number>(pValues.length).fill(1);
  let smallest = 1;
  order.forEach((index, fromTop) => {
    const rank = pValues.length - fromTop;
    smallest = Math.min(smallest, ((pValues[index] ?? 1) * tests) / rank);
    adjusted[index] = smallest;
  });
  return adjusted;
}
