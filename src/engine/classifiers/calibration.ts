/** Calibration: temperature scaling and the expected calibration error. */

/** Mean negative log-likelihood of softmax(logits / temperature). */
export function logLossOfLogits(
  logits: Float64Array,
  labels: Int32Array,
  optionCount: number,
  temperature = 1,
): number {
  let loss = 0;
  for (let i = 0; i < labels.length; i++) {
    const from = i * optionCount;
    let highest = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < optionCount; k++) highest = Math.max(highest, (logits[from + k] as number) / temperature);
    let sum = 0;
    for (let k = 0; k < optionCount; k++) sum += Math.exp((logits[from + k] as number) / temperature - highest);
    loss += Math.log(sum) + highest - (logits[from + (labels[i] as number)] as number) / temperature;
  }
  return labels.length === 0 ? 0 : loss / labels.length;
}

/**
 * The temperature by which logits must be divided so that held-out log-loss is least (Guo et al. 2017, "On calibration of
 * modern neural networks"), found by golden-section search over ln T between ln 0.1 and ln 10. 1 when there are no rows.
 */
export function fitTemperature(logits: Float64Array, labels: Int32Array, optionCount: number): number {
  if (labels.length === 0) return 1;
  const ratio = (Math.sqrt(5) - 1) / 2;
  let low = Math.log(0.1);
  let high = Math.log(10);
  const loss = (logTemperature: number) => logLossOfLogits(logits, labels, optionCount, Math.exp(logTemperature));
  let a = high - ratio * (high - low);
  let b = low + ratio * (high - low);
  let lossA = loss(a);
  let lossB = loss(b);
  while (high - low > 1e-4) {
    if (lossA <= lossB) {
      high = b;
      b = a;
      lossB = lossA;
      a = high - ratio * (high - low);
      lossA = loss(a);
    } else {
      low = a;
      a = b;
      lossA = lossB;
      b = low + ratio * (high - low);
      lossB = loss(b);
    }
  }
  return Math.exp((low + high) / 2);
}

/**
 * Expected calibration error over 15 equal-width bins of the confidence: the mean distance between confidence and
 * accuracy, weighted by the bins' share of rows. 0 when there are no rows.
 */
export function expectedCalibrationError(
  confidences: readonly number[],
  correct: readonly boolean[],
  bins = 15,
): number {
  const counts = new Float64Array(bins);
  const confidence = new Float64Array(bins);
  const hits = new Float64Array(bins);
  confidences.forEach((value, i) => {
    const bin = Math.max(0, Math.min(bins - 1, Math.ceil(value * bins) - 1));
    counts[bin] = (counts[bin] as number) + 1;
    confidence[bin] = (confidence[bin] as number) + value;
    hits[bin] = (hits[bin] as number) + (correct[i] === true ? 1 : 0);
  });
  let error = 0;
  for (let bin = 0; bin < bins; bin++) error += Math.abs((hits[bin] as number) - (confidence[bin] as number));
  return confidences.length === 0 ? 0 : error / confidences.length;
}
