/** Fitting of multinomial logistic regression with L2 penalty over dense and sparse columns. */
import type { Classifier, FitRequest, Fitted, Rows } from './classifier.ts';
import { type MinimiseSettings, minimise } from './lbfgs.ts';
import type { LogisticModel } from './logistic-model.ts';

const settings: Record<FitRequest['precision'], MinimiseSettings> = {
  draft: { memory: 5, maxIterations: 50, gradientTolerance: 1e-4, valueTolerance: 2e-4 },
  final: { memory: 8, maxIterations: 400, gradientTolerance: 1e-6, valueTolerance: 1e-7 },
};

/**
 * Softmax regression on `outputs` columns of logits. Two options need only one column, the log-odds of the second
 * (outputs = 1), because with an L2 penalty the optimal softmax weights of two options are opposite.
 * Parameters: dense columns × outputs, n-grams × outputs, intercepts.
 */
function forward(rows: Rows, parameters: Float64Array, outputs: number, logits: Float64Array): void {
  const { count, dense, denseWidth, sparse } = rows;
  const sparseFrom = denseWidth * outputs;
  const biasFrom = sparseFrom + sparse.width * outputs;
  const sums = new Float64Array(outputs);
  for (let i = 0; i < count; i++) {
    const out = i * outputs;
    if (outputs === 1) {
      let sum = parameters[biasFrom] as number;
      const row = i * denseWidth;
      for (let d = 0; d < denseWidth; d++) sum += (dense[row + d] as number) * (parameters[d] as number);
      const to = sparse.starts[i + 1] as number;
      for (let j = sparse.starts[i] as number; j < to; j++) {
        sum += (sparse.values[j] as number) * (parameters[sparseFrom + (sparse.indices[j] as number)] as number);
      }
      logits[out] = sum;
      continue;
    }
    for (let k = 0; k < outputs; k++) sums[k] = parameters[biasFrom + k] as number;
    const row = i * denseWidth;
    for (let d = 0; d < denseWidth; d++) {
      const x = dense[row + d] as number;
      if (x === 0) continue;
      const at = d * outputs;
      for (let k = 0; k < outputs; k++) sums[k] = (sums[k] as number) + x * (parameters[at + k] as number);
    }
    const to = sparse.starts[i + 1] as number;
    for (let j = sparse.starts[i] as number; j < to; j++) {
      const x = sparse.values[j] as number;
      const at = sparseFrom + (sparse.indices[j] as number) * outputs;
      for (let k = 0; k < outputs; k++) sums[k] = (sums[k] as number) + x * (parameters[at + k] as number);
    }
    logits.set(sums, out);
  }
}

/** Adds residuals · features to the gradient. */
function backward(rows: Rows, residuals: Float64Array, outputs: number, gradient: Float64Array): void {
  const { count, dense, denseWidth, sparse } = rows;
  const sparseFrom = denseWidth * outputs;
  const biasFrom = sparseFrom + sparse.width * outputs;
  for (let i = 0; i < count; i++) {
    const out = i * outputs;
    for (let k = 0; k < outputs; k++) {
      gradient[biasFrom + k] = (gradient[biasFrom + k] as number) + (residuals[out + k] as number);
    }
    const row = i * denseWidth;
    const to = sparse.starts[i + 1] as number;
    const own = residuals.subarray(out, out + outputs);
    if (outputs === 1) {
      const residual = residuals[i] as number;
      for (let d = 0; d < denseWidth; d++)
        gradient[d] = (gradient[d] as number) + residual * (dense[row + d] as number);
      for (let j = sparse.starts[i] as number; j < to; j++) {
        const at = sparseFrom + (sparse.indices[j] as number);
        gradient[at] = (gradient[at] as number) + residual * (sparse.values[j] as number);
      }
      continue;
    }
    for (let d = 0; d < denseWidth; d++) {
      const x = dense[row + d] as number;
      if (x === 0) continue;
      const at = d * outputs;
      for (let k = 0; k < outputs; k++) gradient[at + k] = (gradient[at + k] as number) + x * (own[k] as number);
    }
    for (let j = sparse.starts[i] as number; j < to; j++) {
      const x = sparse.values[j] as number;
      const at = sparseFrom + (sparse.indices[j] as number) * outputs;
      for (let k = 0; k < outputs; k++) gradient[at + k] = (gradient[at + k] as number) + x * (own[k] as number);
    }
  }
}

/** Turns logits into residuals (probability minus target) in place and returns the summed negative log-likelihood. */
function residualsInPlace(logits: Float64Array, labels: Int32Array, outputs: number): number {
  let loss = 0;
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i] as number;
    if (outputs === 1) {
      const logit = logits[i] as number;
      const magnitude = Math.exp(-Math.abs(logit));
      const positive = logit >= 0 ? 1 / (1 + magnitude) : magnitude / (1 + magnitude);
      loss += Math.log1p(magnitude) + Math.max(logit, 0) - label * logit;
      logits[i] = positive - label;
      continue;
    }
    const out = i * outputs;
    let highest = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < outputs; k++) if ((logits[out + k] as number) > highest) highest = logits[out + k] as number;
    let sum = 0;
    const target = (logits[out + label] as number) - highest;
    for (let k = 0; k < outputs; k++) {
      const e = Math.exp((logits[out + k] as number) - highest);
      logits[out + k] = e;
      sum += e;
    }
    for (let k = 0; k < outputs; k++) logits[out + k] = (logits[out + k] as number) / sum;
    logits[out + label] = (logits[out + label] as number) - 1;
    loss += Math.log(sum) - target;
  }
  return loss;
}

/** Penalty of every parameter, 1 / C; the intercepts go free. Two opposite weight vectors halve it for one column. */
function penaltiesOf(request: FitRequest, outputs: number): Float64Array {
  const { rows, denseStrengths, sparseStrength } = request;
  const penalties = new Float64Array((rows.denseWidth + rows.sparse.width + 1) * outputs);
  const share = outputs === 1 ? 0.5 : 1;
  for (let d = 0; d < rows.denseWidth; d++) {
    penalties.fill(share / (denseStrengths[d] as number), d * outputs, (d + 1) * outputs);
  }
  const from = rows.denseWidth * outputs;
  penalties.fill(share / sparseStrength, from, from + rows.sparse.width * outputs);
  return penalties;
}

/**
 * Logits of all options for rows of the fitted shape, row-major. With two options the log-odds are split evenly, which
 * leaves the probabilities unchanged.
 */
function logitsOfRows(rows: Rows, parameters: Float64Array, outputs: number): Float64Array {
  const logits = new Float64Array(rows.count * outputs);
  forward(rows, parameters, outputs, logits);
  if (outputs !== 1) return logits;
  const both = new Float64Array(rows.count * 2);
  for (let i = 0; i < rows.count; i++) {
    both[2 * i] = -(logits[i] as number) / 2;
    both[2 * i + 1] = (logits[i] as number) / 2;
  }
  return both;
}

/** Minimises C-weighted negative log-likelihood plus half the squared weights; deterministic, at least two options. */
function fit(request: FitRequest): Fitted {
  const { rows, labels, optionCount } = request;
  const outputs = optionCount === 2 ? 1 : optionCount;
  const penalties = penaltiesOf(request, outputs);
  const size = penalties.length;
  const logits = new Float64Array(rows.count * outputs);
  const perRow = 1 / Math.max(1, rows.count);
  // Variables are scaled so that every penalty is the same: badly scaled blocks would slow L-BFGS down.
  const scales = Float64Array.from(penalties, (penalty) => (penalty === 0 ? 1 : 1 / Math.sqrt(penalty)));
  const weights = new Float64Array(size);
  const minimum = minimise(
    (x, gradient) => {
      request.tick?.();
      for (let i = 0; i < size; i++) weights[i] = (x[i] as number) * (scales[i] as number);
      forward(rows, weights, outputs, logits);
      let value = residualsInPlace(logits, labels, outputs);
      gradient.fill(0);
      backward(rows, logits, outputs, gradient);
      for (let i = 0; i < size; i++) {
        const scaled = (gradient[i] as number) * (scales[i] as number);
        if (penalties[i] === 0) {
          gradient[i] = scaled * perRow;
          continue;
        }
        const variable = x[i] as number;
        value += 0.5 * variable * variable;
        gradient[i] = (scaled + variable) * perRow;
      }
      return value * perRow;
    },
    request.start === undefined
      ? new Float64Array(size)
      : Float64Array.from(request.start, (weight, i) => weight / (scales[i] as number)),
    settings[request.precision],
  );
  const parameters = Float64Array.from(minimum.x, (variable, i) => variable * (scales[i] as number));
  return {
    parameters,
    iterations: minimum.iterations,
    converged: minimum.converged,
    logits: (others) => logitsOfRows(others, parameters, outputs),
  };
}

/** Multinomial logistic regression. */
export const logisticRegression: Classifier = { kind: 'logistic', fit };

/** Logit of an option that no example has: its probability is practically zero. */
const absentLogit = -30;

/**
 * The fitted parameters as a model over all options: `positions` gives the place of each fitted option among the
 * `optionCount`, the temperature is folded into the weights, and options that were not fitted get probability about 0.
 */
export function toLogisticModel(
  fitted: Fitted,
  widths: { dense: number; sparse: number },
  positions: readonly number[],
  optionCount: number,
  temperature: number,
): LogisticModel {
  const K = optionCount;
  const outputs = positions.length === 2 ? 1 : positions.length;
  const weightOf = (row: number, k: number) => {
    if (outputs === 1) return ((k === 0 ? -1 : 1) * (fitted.parameters[row] as number)) / 2;
    return fitted.parameters[row * outputs + k] as number;
  };
  const block = (from: number, count: number) => {
    const weights = new Float32Array(count * K);
    for (let row = 0; row < count; row++) {
      positions.forEach((position, k) => {
        weights[row * K + position] = weightOf(from + row, k) / temperature;
      });
    }
    return weights;
  };
  const intercepts = positions.map((_, k) => weightOf(widths.dense + widths.sparse, k));
  const centre = intercepts.reduce((sum, intercept) => sum + intercept, 0) / Math.max(1, intercepts.length);
  const bias = new Float32Array(K).fill(absentLogit);
  positions.forEach((position, k) => {
    bias[position] = ((intercepts[k] as number) - centre) / temperature;
  });
  return {
    kind: 'logistic',
    dense: block(0, widths.dense),
    ngram: block(widths.dense, widths.sparse),
    bias,
    D: widths.dense,
    V: widths.sparse,
    K,
  };
}
