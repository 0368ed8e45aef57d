/** Fitting of multinomial logistic regression with L2 penalty over dense and sparse columns. */
import { exp, log, log1p } from '../exact-math.ts';
import { countOutputs, findMax, softmaxInto } from '../numeric.ts';
import type { Classifier, FitRequest, Fitted, Rows } from './classifier.ts';
import { type MinimiseSettings, minimise, minimiseWithin } from './lbfgs.ts';
import { addGradient, writeLogits } from './linear-products.ts';
import { absentLogit, type LogisticModel, type Placement } from './model.ts';
import { buildPreconditioner } from './precondition.ts';

/** Inverse penalties (C, as in scikit-learn): a larger one fits more closely. */
type LogisticSettings = {
  denseC: Float64Array;
  /** Of all n-grams. */
  sparseC: number;
  /** Parameters toward which the penalty pulls, in place of 0, and where a fit without a start begins. */
  centre?: Float64Array;
  /** For each parameter 1 where it must not be below 0, -1 where not above, 0 where it may be anything. */
  signs?: Int8Array;
};

type Request = FitRequest<LogisticSettings>;

/** The gradient's tolerance is for the mean over the rows. */
const precisions: Record<Request['precision'], MinimiseSettings> = {
  draft: { memory: 5, maxIterations: 50, gradientTolerance: 1e-5, valueTolerance: 2e-4 },
  final: { memory: 8, maxIterations: 400, gradientTolerance: 1e-6, valueTolerance: 2e-8 },
};
/**
 * From this many parameters on a pass is expensive; gains below this tolerance move the log-loss of other rows by
 * some 1e-4, and a longer memory takes more time than it saves.
 */
export const manyParameters = { from: 20_000, valueTolerance: 4e-5, memory: 4 };

/** Turns logits into residuals (probability minus target) in place and returns the summed negative log-likelihood. */
function toResidualsInPlace(
  logits: Float64Array,
  { labels, weights }: Pick<Request, 'labels' | 'weights'>,
  outputs: number,
): number {
  let loss = 0;
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    const weight = weights === undefined ? 1 : weights[i];
    if (outputs === 1) {
      const logit = logits[i];
      const magnitude = exp(-Math.abs(logit));
      const positive = logit >= 0 ? 1 / (1 + magnitude) : magnitude / (1 + magnitude);
      loss += weight * (log1p(magnitude) + Math.max(logit, 0) - label * logit);
      logits[i] = weight * (positive - label);
      continue;
    }
    const out = i * outputs;
    const max = findMax(logits, out, outputs);
    const target = logits[out + label] - max;
    const sum = softmaxInto(logits, out, outputs, max, logits, out);
    logits[out + label] -= 1;
    loss += weight * (log(sum) - target);
    if (weight !== 1) for (let k = 0; k < outputs; k++) logits[out + k] *= weight;
  }
  return loss;
}

/** Penalty of every column but the intercept, 1 / C; two opposite vectors halve it for one column of logits. */
function listPenalties(request: Request, outputs: number): Float64Array {
  const { rows } = request;
  const { denseC, sparseC } = request.settings;
  const share = outputs === 1 ? 0.5 : 1;
  const penalties = new Float64Array(rows.denseWidth + rows.sparse.width + 1).fill(share / sparseC);
  for (let d = 0; d < rows.denseWidth; d++) penalties[d] = share / denseC[d];
  penalties[penalties.length - 1] = 0;
  return penalties;
}

/** Returns half the penalised squared distance from the centre, or from 0, and adds its gradient to `gradient`. */
function addPenalty(
  x: Float64Array,
  centre: Float64Array | undefined,
  penalties: Float64Array,
  outputs: number,
  gradient: Float64Array,
): number {
  let value = 0;
  for (let column = 0, i = 0; column < penalties.length; column++) {
    for (let k = 0; k < outputs; k++, i++) {
      const distance = centre === undefined ? x[i] : x[i] - centre[i];
      const pull = penalties[column] * distance;
      value += 0.5 * pull * distance;
      gradient[i] += pull;
    }
  }
  return value;
}

/** Logits of all options, row-major. Two options split the log-odds evenly, which keeps the probabilities. */
function computeLogits(rows: Rows, parameters: Float64Array, outputs: number): Float64Array {
  const logits = new Float64Array(rows.count * outputs);
  writeLogits(rows, parameters, outputs, logits);
  if (outputs !== 1) return logits;
  const both = new Float64Array(rows.count * 2);
  for (let i = 0; i < rows.count; i++) {
    both[2 * i] = -logits[i] / 2;
    both[2 * i + 1] = logits[i] / 2;
  }
  return both;
}

/**
 * Minimises the negative log-likelihood plus half the penalised squared distance of the weights from 0, or from the
 * settings' centre; deterministic, at least two options.
 * Two options need only one column of logits, the log-odds of the second (outputs = 1), because with an L2 penalty the
 * optimal softmax weights of two options are opposite.
 */
function fit(request: Request): Fitted {
  const { rows, optionCount } = request;
  const { centre, signs } = request.settings;
  const outputs = countOutputs(optionCount);
  const penalties = listPenalties(request, outputs);
  const size = penalties.length * outputs;
  const logits = new Float64Array(rows.count * outputs);
  const settings = { ...precisions[request.precision] };
  settings.gradientTolerance *= Math.max(1, rows.count);
  if (size >= manyParameters.from) {
    settings.valueTolerance = Math.max(settings.valueTolerance, manyParameters.valueTolerance);
    settings.memory = manyParameters.memory;
  }
  const computeValue = (x: Float64Array, gradient: Float64Array) => {
    request.tick?.();
    writeLogits(rows, x, outputs, logits);
    const loss = toResidualsInPlace(logits, request, outputs);
    gradient.fill(0);
    addGradient(rows, logits, outputs, gradient);
    return loss + addPenalty(x, centre, penalties, outputs, gradient);
  };
  const begun = request.start?.length === size ? request.start : undefined;
  const start = begun ?? centre ?? new Float64Array(size);
  const preconditioner = buildPreconditioner(rows, penalties, optionCount, outputs);
  const minimum =
    signs === undefined
      ? minimise(computeValue, start, settings, preconditioner)
      : minimiseWithin(signs, computeValue, start, settings, preconditioner);
  return toFittedLinear(rows, minimum.x, outputs, minimum);
}

/** Takes parameters of rows of the same shape as a fitted classifier; `outputs` is 1 for two options. */
export function toFittedLinear(
  rows: Rows,
  parameters: Float64Array,
  outputs: number,
  { iterations, converged }: Pick<Fitted, 'iterations' | 'converged'>,
): Fitted {
  return {
    parameters,
    iterations,
    converged,
    logits: (others) => computeLogits(others, parameters, outputs),
    toModel: (placement) => toLogisticModel(parameters, rows, placement),
  };
}

export const logisticRegression: Classifier<LogisticSettings> = { kind: 'logistic', fit };

/** The fitted parameters as a model over all options; the placement's weight is folded into the weights. */
function toLogisticModel(parameters: Float64Array, rows: Rows, placement: Placement): LogisticModel {
  const { positions, optionCount: K, weight } = placement;
  const D = rows.denseWidth;
  const V = rows.sparse.width;
  const outputs = countOutputs(positions.length);
  const readParameter = (row: number, k: number) => {
    if (outputs === 1) return ((k === 0 ? -1 : 1) * parameters[row]) / 2;
    return parameters[row * outputs + k];
  };
  const block = (from: number, count: number) => {
    const weights = new Float32Array(count * K);
    for (let row = 0; row < count; row++) {
      positions.forEach((position, k) => {
        weights[row * K + position] = readParameter(from + row, k) * weight;
      });
    }
    return weights;
  };
  const intercepts = positions.map((_, k) => readParameter(D + V, k));
  const centre = intercepts.reduce((sum, intercept) => sum + intercept, 0) / Math.max(1, intercepts.length);
  const bias = new Float32Array(K).fill(absentLogit);
  positions.forEach((position, k) => {
    bias[position] = (intercepts[k] - centre) * weight;
  });
  return { kind: 'logistic', dense: block(0, D), ngram: block(D, V), bias, D, V, K };
}
