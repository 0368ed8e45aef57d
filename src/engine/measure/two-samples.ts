/** Whether two sets of inputs differ, by a classifier two-sample test (Lopez-Paz & Oquab 2017). */
import { log } from '../exact-math.ts';
import { parseDate } from '../features/dates.ts';
import { listLeaves } from '../features/values.ts';
import type { JsonObject } from '../json.ts';
import { toCanonicalJson } from '../json.ts';

/** Inputs of each set that are looked at. */
export const maxCompared = 2_000;
const minCompared = 30;
const folds = 5;
/** Standard errors beyond a half, and the least difference that is worth a word. */
const certainty = 2.5;
const minSeparation = 0.55;
/** Numbers are compared by their tenths, where there are more values than that. */
const tenths = 10;
const maxWords = 200;

/**
 * The share of pairs, one of each set, that a naive Bayes classifier tells apart (the area under the curve, over five
 * folds), where it is certainly more than a half; else null. Of equal inputs one is looked at.
 */
export function findDifference(first: readonly JsonObject[], second: readonly JsonObject[]): number | null {
  const ones = takeDistinct(first).slice(0, maxCompared);
  const others = takeDistinct(second).slice(0, maxCompared);
  const [n, m] = [ones.length, others.length];
  if (Math.min(n, m) < minCompared) return null;
  const rows = describeRows([...ones, ...others]);
  const scores = new Float64Array(n + m);
  for (let fold = 0; fold < folds; fold++) {
    const isLeftOut = (at: number) => (at < n ? at : at - n) % folds === fold;
    const counts = new Map<string, [number, number]>();
    rows.forEach((traits, at) => {
      if (isLeftOut(at)) return;
      for (const trait of traits) {
        const count = counts.get(trait) ?? [0, 0];
        count[at < n ? 0 : 1] += 1;
        counts.set(trait, count);
      }
    });
    rows.forEach((traits, at) => {
      if (!isLeftOut(at)) return;
      for (const trait of traits) {
        const [one, other] = counts.get(trait) ?? [0, 0];
        scores[at] = (scores[at] ?? 0) + log((one + 0.5) / (n + 1)) - log((other + 0.5) / (m + 1));
      }
    });
  }
  const area = measureArea(scores, n);
  const bound = 0.5 + certainty * Math.sqrt((n + m + 1) / (12 * n * m));
  return area > Math.max(bound, minSeparation) ? area : null;
}

const takeDistinct = (inputs: readonly JsonObject[]): JsonObject[] => [
  ...new Map(inputs.map((input) => [toCanonicalJson(input), input])).values(),
];

/** Lists the traits of each row: values of its fields, tenths of numbers and dates, words of texts. */
function describeRows(inputs: readonly JsonObject[]): string[][] {
  const leaves = inputs.map((input) =>
    listLeaves(input).map(({ path, value }) => ({
      field: JSON.stringify(path),
      value: parseDate(value)?.epochDays ?? value,
    })),
  );
  const numbers = new Map<string, number[]>();
  for (const { field, value } of leaves.flat()) {
    if (typeof value !== 'number') continue;
    const values = numbers.get(field);
    if (values === undefined) numbers.set(field, [value]);
    else values.push(value);
  }
  const cuts = new Map([...numbers].map(([field, values]) => [field, listCuts(values)]));
  return leaves.map((row) =>
    row.flatMap(({ field, value }) => {
      if (typeof value === 'number') return [`${field}~${cuts.get(field)?.filter((cut) => cut <= value).length}`];
      if (typeof value !== 'string') return [`${field}=${JSON.stringify(value)}`];
      const words = new Set((value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, maxWords));
      return [...words].map((word) => `${field}:${word}`);
    }),
  );
}

function listCuts(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const distinct = [...new Set(sorted)];
  if (distinct.length <= tenths) return distinct;
  return Array.from({ length: tenths - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / tenths)] ?? 0);
}

/** The share of pairs in which the one of the first `n` scores higher; half of those that are even. */
function measureArea(scores: Float64Array, n: number): number {
  const order = [...scores.keys()].sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0));
  let sum = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && scores[order[to] ?? 0] === scores[order[from] ?? 0]) to++;
    const ofFirst = order.slice(from, to).filter((at) => at < n).length;
    sum += (ofFirst * (from + to + 1)) / 2;
    from = to;
  }
  const m = scores.length - n;
  return (sum - (n * (n + 1)) / 2) / (n * m);
}
