/**
 * A linear classifier made of heads: logistic regressions on one block of columns each (facts, n-grams, embedding), whose
 * logits are added up with weights. Fitted apart, no block leans on what another one has learned by heart, and each has
 * its own penalty; the sum still is one linear model.
 */
import { countOutputs } from '../numeric.ts';
import type { Pool } from './blend.ts';
import { type FitRequest, type Fitted, type Rows, selectColumns } from './classifier.ts';
import { linearFitted, logisticRegression } from './logistic.ts';

/** Dense columns from … up to `to`, or all n-grams. */
export type HeadColumns = { from: number; to: number } | 'sparse';

type Given = Omit<FitRequest<never>, 'settings'>;

/** One head's regression on its own columns; `C` is its inverse regularisation strength. */
export function fitHead(given: Given, columns: HeadColumns, C: number): Fitted {
  const rows = selectColumns(given.rows, columns);
  return logisticRegression.fit({
    ...given,
    rows,
    settings: { denseC: new Float64Array(rows.denseWidth).fill(C), sparseC: C },
  });
}

/** Logarithm of each option's share of the labels, with one more counted for every option. */
export function logShares(labels: Int32Array, optionCount: number): Float64Array {
  const counts = new Float64Array(optionCount).fill(1);
  for (const label of labels) counts[label] = (counts[label] as number) + 1;
  return counts.map((count) => Math.log(count / (labels.length + optionCount)));
}

/** The sum of fitted heads under a pool's weights, as one linear classifier of the rows' full shape. */
export function combineHeads(
  given: { rows: Rows; labels: Int32Array; optionCount: number },
  heads: readonly { columns: HeadColumns; fitted: Fitted }[],
  { weights, prior }: Pool,
): Fitted {
  const { rows, labels, optionCount } = given;
  const outputs = countOutputs(optionCount);
  const biasFrom = (rows.denseWidth + rows.sparse.width) * outputs;
  const parameters = new Float64Array(biasFrom + outputs);
  const shares = logShares(labels, optionCount);
  for (let k = 0; k < outputs; k++) {
    const share = outputs === 1 ? (shares[1] as number) - (shares[0] as number) : (shares[k] as number);
    parameters[biasFrom + k] = prior * share;
  }
  heads.forEach(({ columns, fitted }, h) => {
    const weight = weights[h] ?? 0;
    const at = (columns === 'sparse' ? rows.denseWidth : columns.from) * outputs;
    const size = fitted.parameters.length - outputs;
    for (let i = 0; i < size; i++) parameters[at + i] = weight * (fitted.parameters[i] as number);
    for (let k = 0; k < outputs; k++) {
      const bias = weight * (fitted.parameters[size + k] as number);
      parameters[biasFrom + k] = (parameters[biasFrom + k] as number) + bias;
    }
  });
  return linearFitted(rows, parameters, outputs, {
    iterations: Math.max(0, ...heads.map(({ fitted }) => fitted.iterations)),
    converged: heads.every(({ fitted }) => fitted.converged),
  });
}
