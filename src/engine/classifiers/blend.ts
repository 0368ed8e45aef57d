/** Weighing classifiers' logits against each other: a logarithmic opinion pool. */
import { exp, log } from '../exact-math.ts';
import { softmaxInPlace } from '../numeric.ts';
import { computeLogLoss } from './calibration.ts';
import { minimise } from './lbfgs.ts';

/** Logits of the same rows by one or more classifiers. */
type Parts = readonly Float64Array[];

/** Factors of the parts' logits, all positive, and of the logarithm of the options' shares. */
export type Pool = { weights: number[]; prior: number };

/** Σ weight · logits + prior · shares of row-major logits; `shares` has one number per option. */
export function poolLogits(parts: Parts, shares: Float64Array, { weights, prior }: Pool): Float64Array {
  const sum = new Float64Array(parts[0]?.length ?? 0);
  if (prior !== 0) for (let i = 0; i < sum.length; i++) sum[i] = prior * shares[i % shares.length];
  parts.forEach((logits, p) => {
    const weight = weights[p] ?? 0;
    for (let i = 0; i < sum.length; i++) sum[i] += weight * logits[i];
  });
  return sum;
}

/** Mean negative log-likelihood of the softmax of the weighted sum. */
export function computePooledLogLoss(
  parts: Parts,
  weights: readonly number[],
  labels: Int32Array,
  optionCount: number,
): number {
  const logits = poolLogits(parts, new Float64Array(optionCount), { weights: [...weights], prior: 0 });
  return computeLogLoss(logits, labels, optionCount);
}

/** The positive weights of logits whose sum has the least held-out log-loss (Genest & Zidek 1986). */
export function fitWeights(parts: Parts, labels: Int32Array, optionCount: number): number[] {
  return fitPool(parts, new Float64Array(optionCount), labels).weights;
}

/**
 * As {@link fitWeights}, with a factor of the logarithm of the options' shares beside them: parts that were fitted
 * apart have all learned the shares, which then count several times; a unit-normal prior keeps few rows from saying too
 * much about it. The share 1 / (rows + 2) of every target goes to the other options: so likely is a first mistake where
 * none was seen (Laplace; Platt 1999 does the same), and no weight grows without bound. Found by L-BFGS over the
 * logarithms of the weights.
 */
export function fitPool(parts: Parts, shares: Float64Array, labels: Int32Array): Pool {
  const rows = labels.length;
  if (rows === 0) return { weights: parts.map(() => 1 / parts.length), prior: 0 };
  const optionCount = shares.length;
  const doubt = 1 / (rows + 2);
  const others = doubt / Math.max(1, optionCount - 1);
  const last = parts.length;
  const poolAt = (x: Float64Array): Pool => ({ weights: [...x.subarray(0, last)].map(exp), prior: x[last] ?? 0 });
  const found = minimise(
    (x, gradient) => {
      const pool = poolAt(x);
      const logits = poolLogits(parts, shares, pool);
      gradient.fill(0);
      let loss = 0.5 * pool.prior * pool.prior;
      for (let i = 0; i < rows; i++) {
        const from = i * optionCount;
        const label = labels[i];
        const residuals = softmaxInPlace(logits.subarray(from, from + optionCount));
        for (let k = 0; k < optionCount; k++) {
          const target = k === label ? 1 - doubt : others;
          loss -= target * log(Math.max(1e-300, residuals[k]));
          residuals[k] -= target;
        }
        parts.forEach((part, p) => {
          let share = 0;
          for (let k = 0; k < optionCount; k++) share += residuals[k] * part[from + k];
          gradient[p] += (share * pool.weights[p]) / rows;
        });
        for (let k = 0; k < optionCount; k++) {
          const share = residuals[k] * shares[k];
          gradient[last] += share / rows;
        }
      }
      gradient[last] += pool.prior / rows;
      return loss / rows;
    },
    new Float64Array(last + 1).fill(log(1 / last), 0, last),
    { memory: 4, maxIterations: 60, gradientTolerance: 1e-7, valueTolerance: 1e-9 },
  );
  return poolAt(found.x);
}
