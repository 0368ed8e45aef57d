/** Multinomial logistic regression as it is stored and scored; fitting is in logistic.ts. */

/** Weights in float32, feature-major: `dense[d * K + k]`, `ngram[v * K + k]`. */
export type LogisticModel = {
  kind: 'logistic';
  dense: Float32Array;
  ngram: Float32Array;
  bias: Float32Array;
  D: number;
  V: number;
  K: number;
};

/**
 * Logits (one per option, in double) of one row: a dense vector of D numbers and the row's n-grams as index/value pairs.
 */
export function logitsOf(
  model: LogisticModel,
  dense: Float32Array,
  indices: ArrayLike<number>,
  values: ArrayLike<number>,
): Float64Array {
  const { K, D } = model;
  const logits = Float64Array.from(model.bias);
  for (let d = 0; d < D; d++) {
    const x = dense[d] as number;
    if (x === 0) continue;
    const row = d * K;
    for (let k = 0; k < K; k++) logits[k] = (logits[k] as number) + x * (model.dense[row + k] as number);
  }
  for (let j = 0; j < indices.length; j++) {
    const x = values[j] as number;
    const row = (indices[j] as number) * K;
    for (let k = 0; k < K; k++) logits[k] = (logits[k] as number) + x * (model.ngram[row + k] as number);
  }
  return logits;
}

/** Softmax in place, stable for large logits. */
export function softmaxInPlace(logits: Float64Array): Float64Array {
  let highest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > highest) highest = logit;
  let sum = 0;
  for (let k = 0; k < logits.length; k++) {
    const e = Math.exp((logits[k] as number) - highest);
    logits[k] = e;
    sum += e;
  }
  for (let k = 0; k < logits.length; k++) logits[k] = (logits[k] as number) / sum;
  return logits;
}

/** Probabilities of the options for one row, in the model's option order; they sum to 1. */
export function scoreLogistic(
  model: LogisticModel,
  dense: Float32Array,
  indices: ArrayLike<number>,
  values: ArrayLike<number>,
): Float64Array {
  return softmaxInPlace(logitsOf(model, dense, indices, values));
}
