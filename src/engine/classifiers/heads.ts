/** A linear classifier of heads, each a logistic regression on one block of columns: their weighted logits add up. */
import { log } from '../exact-math.ts';
import { countOutputs } from '../numeric.ts';
import type { Pool } from './blend.ts';
import { type FitRequest, type Fitted, findSign, type Rows, selectColumns } from './classifier.ts';
import { logisticRegression, toFittedLinear } from './logistic.ts';

/** Dense columns from … up to `to`, or all n-grams. */
export type HeadColumns = { from: number; to: number } | 'sparse';

type HeadRequest = Omit<FitRequest<never>, 'settings'>;

/** Fits one head on its columns; `C` is the inverse penalty, which pulls toward `centre`, or 0 without one. */
export function fitHead(request: HeadRequest, columns: HeadColumns, C: number, centre?: Float64Array): Fitted {
  const rows = selectColumns(request.rows, columns);
  return logisticRegression.fit({
    ...request,
    rows,
    settings: {
      denseC: new Float64Array(rows.denseWidth).fill(C),
      sparseC: C,
      ...(centre && { centre }),
      ...listSigns(request, columns, rows),
    },
  });
}

/** The signs that a head's parameters keep, by the directions of the fields among its columns; none without any. */
function listSigns(
  { rows: { fields }, optionCount }: HeadRequest,
  columns: HeadColumns,
  { denseWidth, sparse }: Rows,
): { signs?: Int8Array } {
  if (columns === 'sparse') return {};
  const outputs = countOutputs(optionCount);
  const signs = new Int8Array((denseWidth + sparse.width + 1) * outputs);
  for (const field of fields) {
    const at = field.slot - columns.from;
    if (at < 0 || field.slot >= columns.to) continue;
    for (let k = 0; k < outputs; k++) signs[at * outputs + k] = findSign(field, k, outputs);
  }
  return signs.some((sign) => sign !== 0) ? { signs } : {};
}

/** Logarithm of each option's share of the labels by their weights, with one more counted for every option. */
export function computeLogShares(labels: Int32Array, optionCount: number, weights?: Float64Array): Float64Array {
  const counts = new Float64Array(optionCount).fill(1);
  labels.forEach((label, i) => {
    counts[label] += weights?.[i] ?? 1;
  });
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => log(count / all));
}

/** Adds fitted heads up under a pool's weights: one linear classifier of the rows' full shape. */
export function combineHeads(
  { rows, labels, weights: rowWeights, optionCount }: Pick<HeadRequest, 'rows' | 'labels' | 'weights' | 'optionCount'>,
  heads: readonly { columns: HeadColumns; fitted: Fitted }[],
  { weights, prior }: Pool,
): Fitted {
  const outputs = countOutputs(optionCount);
  const biasFrom = (rows.denseWidth + rows.sparse.width) * outputs;
  const parameters = new Float64Array(biasFrom + outputs);
  // The pool was chosen beside the shares of the labels alone; rows that hints taught weigh less than 1.
  const shares = computeLogShares(labels, optionCount, rowWeights?.map(Math.floor));
  for (let k = 0; k < outputs; k++) {
    const share = outputs === 1 ? shares[1] - shares[0] : shares[k];
    parameters[biasFrom + k] = prior * share;
  }
  heads.forEach(({ columns, fitted }, h) => {
    const weight = weights[h] ?? 0;
    const at = (columns === 'sparse' ? rows.denseWidth : columns.from) * outputs;
    const size = fitted.parameters.length - outputs;
    for (let i = 0; i < size; i++) parameters[at + i] = weight * fitted.parameters[i];
    for (let k = 0; k < outputs; k++) {
      const bias = weight * fitted.parameters[size + k];
      parameters[biasFrom + k] += bias;
    }
  });
  return toFittedLinear(rows, parameters, outputs, {
    iterations: Math.max(0, ...heads.map(({ fitted }) => fitted.iterations)),
    converged: heads.every(({ fitted }) => fitted.converged),
  });
}
