/** The one number that turns scores of a ridge regression into probabilities. */
import { logSumExp } from '../numeric.ts';

/** Where the search begins and ends, and what is assumed of a type without labels. */
const lowest = Math.log(0.02);
const highest = Math.log(2);
const usual = Math.log(0.2);
const steps = 16;
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/** The scores that a labelled row would have if it had not been learned from, and its label. */
type UnseenScores = { scores: Float64Array; label: number };

/** Computes a row's scores without its own label (Allen's PRESS), by the `variance` with that label. */
export function toUnseenScores(scores: Float64Array, label: number, variance: number): UnseenScores {
  const factor = variance / Math.max(1e-6, 1 - variance);
  return { scores: scores.map((score, k) => score - factor * ((k === label ? 1 : 0) - score)), label };
}

/** The temperature of the lowest log-loss on unseen rows; 0.2, the usual one, weighs as much as two of them. */
export function fitTemperature(rows: readonly UnseenScores[]): number {
  const computeLoss = (log: number) => {
    const temperature = Math.exp(log);
    let loss = 2 * (log - usual) ** 2;
    for (const { scores, label } of rows) {
      loss += logSumExp(scores, 0, scores.length, temperature) - scores[label] / temperature;
    }
    return loss;
  };
  let low = lowest;
  let high = highest;
  let first = high - goldenRatio * (high - low);
  let second = low + goldenRatio * (high - low);
  let firstLoss = computeLoss(first);
  let secondLoss = computeLoss(second);
  for (let step = 0; step < steps; step++) {
    if (firstLoss < secondLoss) {
      [high, second, secondLoss] = [second, first, firstLoss];
      first = high - goldenRatio * (high - low);
      firstLoss = computeLoss(first);
    } else {
      [low, first, firstLoss] = [first, second, secondLoss];
      second = low + goldenRatio * (high - low);
      secondLoss = computeLoss(second);
    }
  }
  return Math.exp((low + high) / 2);
}
