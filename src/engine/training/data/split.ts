/**
 * Which rows are trained on and which are held out. Decided by hashes of the inputs' content, so that runs stay comparable
 * even after the examples were imported anew, and equal inputs keep together.
 */
import { deriveSeed, hashString, randomStreams } from '../../random.ts';

/** What a split needs to know of an example. */
export type SplitRow = {
  /** The input as canonical JSON. */
  content: string;
  label: number;
  source: 'user' | 'synthetic';
};

/** Orders texts by code units. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Positions grouped by label, each group in the order of the hash of its contents. */
function groupsByHash(rows: readonly SplitRow[], seed: number): number[][] {
  const groups = new Map<number, { position: number; hash: number; content: string }[]>();
  rows.forEach((row, position) => {
    const group = groups.get(row.label) ?? [];
    group.push({ position, hash: hashString(row.content, seed), content: row.content });
    groups.set(row.label, group);
  });
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([, group]) =>
      group.sort((a, b) => a.hash - b.hash || byText(a.content, b.content)).map(({ position }) => position),
    );
}

/**
 * Splits positions 80/20 within each label: the fifth of a label's user examples with the lowest hashes of their contents is held out.
 * Synthetic examples are never held out. A label with fewer than 3 user examples is only trained on. Positions ascend.
 */
export function splitRows(rows: readonly SplitRow[]): { train: number[]; test: number[] } {
  const held = new Set<number>();
  for (const group of groupsByHash(rows, deriveSeed(randomStreams.heldOutSplit))) {
    const own = group.filter((position) => rows[position]?.source === 'user');
    const share = own.length < 3 ? 0 : Math.max(1, Math.round(own.length * 0.2));
    for (const position of own.slice(0, share)) held.add(position);
  }
  const positions = rows.map((_, position) => position);
  return { train: positions.filter((p) => !held.has(p)), test: positions.filter((p) => held.has(p)) };
}

/** Stratified folds: the fold (0 … folds - 1) of each row; labels are dealt out in turn so that every fold gets its share. */
export function assignFolds(rows: readonly SplitRow[], folds: number, seed: number): Int32Array {
  const result = new Int32Array(rows.length);
  let next = 0;
  for (const group of groupsByHash(rows, seed)) {
    for (const position of group) {
      result[position] = next % folds;
      next += 1;
    }
  }
  return result;
}
