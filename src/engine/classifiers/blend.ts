/** Weighing two classifiers' logits against each other: a logarithmic opinion pool. */
import { logLossOfLogits } from './calibration.ts';
import { minimise } from './lbfgs.ts';
import { softmaxInPlace } from './model.ts';

/** Logits of the same rows by one or more classifiers. */
type Parts = readonly Float64Array[];

/** The sum of logits, each times its weight. */
function sumOf(parts: Parts, weights: readonly number[]): Float64Array {
  const sum = new Float64Array(parts[0]?.length ?? 0);
  parts.forEach((logits, p) => {
    const weight = weights[p] ?? 0;
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + weight * (logits[i] as number);
  });
  return sum;
}

/** Mean negative log-likelihood of the softmax of the weighted sum. */
export function logLossOfSum(
  parts: Parts,
  weights: readonly number[],
  labels: Int32Array,
  optionCount: number,
): number {
  return logLossOfLogits(sumOf(parts, weights), labels, optionCount);
}

/**
 * The positive weights of classifiers' logits whose sum has the least log-loss on held-out rows (logarithmic pooling,
 * Genest & Zidek 1986; for one classifier it is temperature scaling). The share 1 / (rows + 2) of every target goes to
 * the other options: so likely is a first mistake where none was seen (Laplace; Platt 1999 does the same), and no
 * weight grows without bound. Found by L-BFGS over the logarithms.
 */
export function fitWeights(parts: Parts, labels: Int32Array, optionCount: number): number[] {
  const rows = labels.length;
  if (rows === 0) return parts.map(() => 1 / parts.length);
  const doubt = 1 / (rows + 2);
  const others = doubt / Math.max(1, optionCount - 1);
  const found = minimise(
    (x, gradient) => {
      const weights = [...x].map(Math.exp);
      const logits = sumOf(parts, weights);
      gradient.fill(0);
      let loss = 0;
      for (let i = 0; i < rows; i++) {
        const from = i * optionCount;
        const label = labels[i] as number;
        const residuals = softmaxInPlace(logits.subarray(from, from + optionCount));
        for (let k = 0; k < optionCount; k++) {
          const target = k === label ? 1 - doubt : others;
          loss -= target * Math.log(Math.max(1e-300, residuals[k] as number));
          residuals[k] = (residuals[k] as number) - target;
        }
        parts.forEach((part, p) => {
          let share = 0;
          for (let k = 0; k < optionCount; k++) share += (residuals[k] as number) * (part[from + k] as number);
          gradient[p] = (gradient[p] as number) + (share * (weights[p] as number)) / rows;
        });
      }
      return loss / rows;
    },
    new Float64Array(parts.length).fill(Math.log(1 / parts.length)),
    { memory: 4, maxIterations: 60, gradientTolerance: 1e-7, valueTolerance: 1e-9 },
  );
  return [...found.x].map(Math.exp);
}
