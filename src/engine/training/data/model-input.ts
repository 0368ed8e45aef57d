import type { Rows } from '../../classifiers/classifier.ts';

/** The input of a stored model: the dense block in float32, and the n-grams of the row with their values. */
export type ModelInput = { dense: Float32Array; indices: Int32Array; values: Float64Array };

/** Row `i` in the form in which a stored model takes it. */
export function toModelInput(rows: Rows, i: number): ModelInput {
  const { denseWidth, sparse } = rows;
  const from = sparse.starts[i];
  const to = sparse.starts[i + 1];
  return {
    dense: Float32Array.from(rows.dense.subarray(i * denseWidth, (i + 1) * denseWidth)),
    indices: sparse.indices.subarray(from, to),
    values: sparse.values.subarray(from, to),
  };
}
