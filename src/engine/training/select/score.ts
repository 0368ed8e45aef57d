/** Scoring of built rows with a finished model. */
import type { Rows } from '../../classifiers/classifier.ts';
import { type ClassifierModel, compileScorer } from '../../classifiers/model.ts';

/** Row `i` in the form in which the model takes it. */
export function modelInput(rows: Rows, i: number): { dense: Float32Array; indices: Int32Array; values: Float64Array } {
  const { denseWidth, sparse } = rows;
  const from = sparse.starts[i] as number;
  const to = sparse.starts[i + 1] as number;
  return {
    dense: Float32Array.from(rows.dense.subarray(i * denseWidth, (i + 1) * denseWidth)),
    indices: sparse.indices.subarray(from, to),
    values: sparse.values.subarray(from, to),
  };
}

/** Probabilities of every row, in the model's option order. */
export function scoreRows(model: ClassifierModel, rows: Rows): number[][] {
  const score = compileScorer(model);
  return Array.from({ length: rows.count }, (_, i) => {
    const { dense, indices, values } = modelInput(rows, i);
    return [...score(dense, indices, values)];
  });
}
