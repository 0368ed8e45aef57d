/** Sets of rows as bits, 32 to a word: counting what two of them share is the innermost step of a search. */

/** A set of rows; row i is bit i % 32 of word i >> 5. */
export type RowSet = Int32Array;

/** Makes the set of the rows, of `count`, for which `holds` is true. */
export function createRowSet(count: number, holds: (row: number) => boolean): RowSet {
  const words = new Int32Array((count + 31) >> 5);
  for (let row = 0; row < count; row++)
    if (holds(row)) words[row >> 5] = (words[row >> 5] as number) | (1 << (row & 31));
  return words;
}

/** Whether a row is in a set. */
export function hasRow(set: RowSet, row: number): boolean {
  return (((set[row >> 5] as number) >> (row & 31)) & 1) === 1;
}

/** Counts the bits of a word (Warren, Hacker's Delight, 5–1). */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Counts the rows that are in both sets. */
export function countShared(a: RowSet, b: RowSet): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) count += countBits((a[i] as number) & (b[i] as number));
  return count;
}

/** The rows that are in both sets. */
export function intersect(a: RowSet, b: RowSet): RowSet {
  return a.map((word, i) => word & (b[i] as number));
}

/** The rows of the first set that are not in the second. */
export function subtract(a: RowSet, b: RowSet): RowSet {
  return a.map((word, i) => word & ~(b[i] as number));
}
