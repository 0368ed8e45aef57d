import type { Rows } from '../../classifiers/classifier.ts';
import { type ClassifierModel, compileScorer } from '../../classifiers/model.ts';
import { toModelInput } from '../data/model-input.ts';

/** The probabilities of every row, in the order of the model's options. */
export function scoreRows(model: ClassifierModel, rows: Rows): number[][] {
  const score = compileScorer(model);
  return Array.from({ length: rows.count }, (_, i) => {
    const { dense, indices, values } = toModelInput(rows, i);
    return [...score(dense, indices, values)];
  });
}
