import type { Rows, TreeField } from '../../../src/engine/classifiers/classifier.ts';
import { createRandom } from '../../../src/engine/random.ts';

/** Dense rows; with `sparseColumn` the last column is given as an n-gram instead. Trees see each dense column as a number. */
export function rowsOf(matrix: readonly (readonly number[])[], sparseColumn = false, fields?: TreeField[]): Rows {
  const denseWidth = (matrix[0]?.length ?? 0) - (sparseColumn ? 1 : 0);
  return {
    count: matrix.length,
    dense: Float64Array.from(matrix.flatMap((row) => row.slice(0, denseWidth))),
    denseWidth,
    fields: fields ?? Array.from({ length: denseWidth }, (_, slot) => ({ kind: 'number', slot, missingSlot: null })),
    sparse: {
      starts: Int32Array.from({ length: matrix.length + 1 }, (_, i) => (sparseColumn ? i : 0)),
      indices: new Int32Array(sparseColumn ? matrix.length : 0),
      values: Float64Array.from(sparseColumn ? matrix.map((row) => row[denseWidth] ?? 0) : []),
      width: sparseColumn ? 1 : 0,
    },
  };
}

/** Fields of {@link mixedMatrix}: two numbers, the second with a missing flag, and a category of seven slots. */
export const mixedFields: TreeField[] = [
  { kind: 'number', slot: 0, missingSlot: null },
  { kind: 'number', slot: 1, missingSlot: 2 },
  { kind: 'category', slot: 3, size: 7 },
];

/**
 * Random rows of {@link mixedFields} in float32 and labels 0 … options - 1 that depend on all of them. A fifth of the
 * second number is missing; the last category slot is that of values which no row has.
 */
export function mixedMatrix(count: number, options: number, seed: number): { matrix: number[][]; labels: Int32Array } {
  const random = createRandom(seed);
  const labels = new Int32Array(count);
  const matrix = Array.from({ length: count }, (_, i) => {
    const a = Math.fround(random() * 4 - 2);
    const missing = random() < 0.2;
    const b = missing ? 0 : Math.fround(random() * 4 - 2);
    const category = Math.floor(random() * 6);
    const signal = a * (category % 2 === 0 ? 1 : -1) + (missing ? 1.5 : b * b - 1) + random() - 0.5;
    labels[i] = Math.max(0, Math.min(options - 1, Math.floor((signal + 2.5) * (options / 5))));
    return [a, b, missing ? 1 : 0, ...Array.from({ length: 7 }, (_, slot) => (slot === category ? 1 : 0))];
  });
  return { matrix, labels };
}
