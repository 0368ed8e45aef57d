/**
 * Which rows are trained on and which are held out. Hashes of the inputs' content decide it, so that runs stay
 * comparable after the examples were imported anew, and equal inputs keep together.
 */
import { deriveSeed, hashString, randomStreams } from '../../random.ts';

/** What a split needs to know about an example. */
export type SplitRow = {
  /** The input as canonical JSON. */
  content: string;
  label: number;
  source: 'user' | 'synthetic';
};

/** Orders strings by their UTF-16 code units. */
export const compareStrings = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Held out of every label's user examples, and how many of these it takes before any is held out. */
const heldOutShare = 0.2;
const minRowsForHoldout = 3;

/** Positions grouped by label, each group in the order of the hashes of its contents. */
function groupByHash(rows: readonly SplitRow[], seed: number): number[][] {
  const groups = new Map<number, { position: number; hash: number; content: string }[]>();
  rows.forEach((row, position) => {
    const group = groups.get(row.label) ?? [];
    group.push({ position, hash: hashString(row.content, seed), content: row.content });
    groups.set(row.label, group);
  });
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([, group]) =>
      group.sort((a, b) => a.hash - b.hash || compareStrings(a.content, b.content)).map(({ position }) => position),
    );
}

/**
 * Splits positions 80/20 within each label: the fifth of a label's user examples with the lowest hashes of their
 * contents is held out. Synthetic examples are never held out. A label with fewer than 3 user examples is only trained
 * on. Positions ascend.
 */
export function splitRows(rows: readonly SplitRow[]): { train: number[]; test: number[] } {
  const heldOut = new Set<number>();
  for (const group of groupByHash(rows, deriveSeed(randomStreams.heldOutSplit))) {
    const userRows = group.filter((position) => rows[position]?.source === 'user');
    const heldOutCount =
      userRows.length < minRowsForHoldout ? 0 : Math.max(1, Math.round(userRows.length * heldOutShare));
    for (const position of userRows.slice(0, heldOutCount)) heldOut.add(position);
  }
  const positions = rows.map((_, position) => position);
  return { train: positions.filter((p) => !heldOut.has(p)), test: positions.filter((p) => heldOut.has(p)) };
}

/**
 * Assigns rows to stratified folds: the fold (0 … folds - 1) of each row. The rows of a label are dealt out in turn, so
 * that every fold gets its share. `seed` decides the order in which they are dealt.
 */
export function assignFolds(rows: readonly SplitRow[], folds: number, seed: number): Int32Array {
  const result = new Int32Array(rows.length);
  let next = 0;
  for (const group of groupByHash(rows, seed)) {
    for (const position of group) {
      result[position] = next % folds;
      next += 1;
    }
  }
  return result;
}
