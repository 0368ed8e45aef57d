/** Calibration: temperature scaling and the expected calibration error. */
import { exp, log } from '../exact-math.ts';
import { findLeast, logSumExp } from '../numeric.ts';
import { createStream, randomStreams } from '../random.ts';

/** Mean negative log-likelihood of softmax(logits / temperature). */
export function computeLogLoss(logits: Float64Array, labels: Int32Array, optionCount: number, temperature = 1): number {
  let loss = 0;
  for (let i = 0; i < labels.length; i++) {
    const from = i * optionCount;
    const target = logits[from + labels[i]] / temperature;
    loss += logSumExp(logits, from, optionCount, temperature) - target;
  }
  return labels.length === 0 ? 0 : loss / labels.length;
}

/** Standard deviation of ln T that is expected before any row is seen: few rows move the temperature little. */
const priorSpread = 0.5;

/** The temperature with the least log-loss plus prior, between 0.1 and 10. */
function findTemperature(logits: Float64Array, labels: Int32Array, optionCount: number): number {
  const computeLoss = (logTemperature: number) =>
    computeLogLoss(logits, labels, optionCount, exp(logTemperature)) +
    (logTemperature / priorSpread) ** 2 / (2 * labels.length);
  return exp(findLeast(computeLoss, log(0.1), log(10)));
}

/** The rows of one of two halves that are mixed as by tossing coins, always the same way. */
function selectHalf(logits: Float64Array, labels: Int32Array, optionCount: number, which: number) {
  const random = createStream(randomStreams.calibrationHalves);
  const positions = [...labels.keys()].filter(() => Number(random() < 0.5) === which);
  const taken = new Float64Array(positions.length * optionCount);
  positions.forEach((position, i) => {
    taken.set(logits.subarray(position * optionCount, (position + 1) * optionCount), i * optionCount);
  });
  return { logits: taken, labels: Int32Array.from(positions, (position) => labels[position]) };
}

/**
 * The temperature by which out-of-fold logits must be divided so that log-loss is least (Guo et al. 2017, "On
 * calibration of modern neural networks"), drawn towards 1 where there are few rows. It is 1 where a temperature that
 * was fitted on one half of the rows does not lower the log-loss of the other half: calibration must not make anything
 * worse.
 */
export function fitTemperature(logits: Float64Array, labels: Int32Array, optionCount: number): number {
  const halves = [0, 1].map((which) => selectHalf(logits, labels, optionCount, which));
  let gain = 0;
  halves.forEach((one, index) => {
    const other = halves[1 - index] ?? one;
    const temperature = findTemperature(one.logits, one.labels, optionCount);
    const before = computeLogLoss(other.logits, other.labels, optionCount);
    gain += other.labels.length * (before - computeLogLoss(other.logits, other.labels, optionCount, temperature));
  });
  return gain > 0 ? findTemperature(logits, labels, optionCount) : 1;
}

/** Expected calibration error over 15 equal-width bins of the confidence, weighted by rows; 0 without rows. */
export function computeCalibrationError(
  confidences: readonly number[],
  correct: readonly boolean[],
  bins = 15,
): number {
  const counts = new Float64Array(bins);
  const confidence = new Float64Array(bins);
  const hits = new Float64Array(bins);
  confidences.forEach((value, i) => {
    const bin = Math.max(0, Math.min(bins - 1, Math.ceil(value * bins) - 1));
    counts[bin] += 1;
    confidence[bin] += value;
    hits[bin] += correct[i] === true ? 1 : 0;
  });
  let error = 0;
  for (let bin = 0; bin < bins; bin++) error += Math.abs(hits[bin] - confidence[bin]);
  return confidences.length === 0 ? 0 : error / confidences.length;
}
