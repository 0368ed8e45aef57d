/** Figures of merit of predictions on held-out rows. */

import { computeCalibrationError } from '../../classifiers/calibration.ts';
import type { Metrics } from '../../domain/metrics.ts';
import { log } from '../../exact-math.ts';
import { computeRatio, type OptionScores, scoreOptions } from '../../measure/confusion.ts';
import { measureRows } from '../../measure/whole-decision.ts';
import { argmax } from '../../numeric.ts';

/** A row's expected option and probabilities; `isSetAside`: not learned; `group`: shared with its copies. */
export type Prediction = {
  expected: number;
  probabilities: readonly number[];
  isSetAside?: boolean;
  group?: number | undefined;
};
/** The share of rows at or above a confidence threshold, and the error among those; all from 0 to 1. */
type RiskCoverage = { threshold: number; coverage: number; error: number };

export type Evaluation = ReturnType<typeof evaluatePredictions>;

/** The share of rows that reach each threshold 0, 0.01 … 1, and the error among them. */
export function computeRiskCoverage(confidences: readonly number[], correct: readonly boolean[]): RiskCoverage[] {
  return Array.from({ length: 101 }, (_, step) => {
    const threshold = step / 100;
    const decided = correct.filter((_, i) => (confidences[i] ?? 0) >= threshold);
    const wrong = decided.filter((hit) => !hit).length;
    return {
      threshold,
      coverage: computeRatio(decided.length, correct.length),
      error: computeRatio(wrong, decided.length),
    };
  });
}

const reliabilityBins = 10;

/** Rows in ten bins of equal width by their confidence (0–1); bins without rows are left out. */
function computeReliability(
  predictions: readonly Prediction[],
  confidences: readonly number[],
  correct: readonly boolean[],
): Metrics['reliability'] {
  const binOf = (confidence: number) =>
    Math.max(0, Math.min(reliabilityBins - 1, Math.ceil(confidence * reliabilityBins) - 1));
  return Array.from({ length: reliabilityBins }, (_, bin) => {
    const members = confidences.flatMap((confidence, i) => (binOf(confidence) === bin ? [i] : []));
    const count = members.length;
    const right = measureRows(
      members.map((i) => ({ ...predictions[i], place: i })),
      ({ place }) => correct[place] === true,
    );
    const total = members.reduce((sum, i) => sum + (confidences[i] ?? 0), 0);
    const { low, high } = right;
    return {
      low: bin / reliabilityBins,
      high: (bin + 1) / reliabilityBins,
      count,
      confidence: computeRatio(total, count),
      accuracy: computeRatio(right.count, count),
      accuracy_interval: { low, high },
    };
  }).filter(({ count }) => count > 0);
}

const noScores: OptionScores = { precision: 0, recall: 0, f1: 0, support: 0 };

/**
 * Evaluates predictions over the given options. Macro averages run over the options that are expected or predicted at
 * least once and an undefined precision or recall counts as 0, as scikit-learn does with zero_division=0. Log-loss
 * clips probabilities at 1e-15, and leaves out rows of options that were set aside: they have no probability.
 */
export function evaluatePredictions(predictions: readonly Prediction[], options: readonly string[]) {
  const confusionMatrix = options.map(() => options.map(() => 0));
  const confidences: number[] = [];
  const correct: boolean[] = [];
  let loss = 0;
  const learned = predictions.filter(({ isSetAside }) => isSetAside !== true);
  for (const { expected, probabilities } of learned) loss -= log(Math.max(1e-15, probabilities[expected] ?? 0));
  for (const { expected, probabilities } of predictions) {
    const predicted = argmax(probabilities);
    const row = confusionMatrix[expected];
    if (row !== undefined) row[predicted] = (row[predicted] ?? 0) + 1;
    confidences.push(probabilities[predicted] ?? 0);
    correct.push(predicted === expected);
  }
  const scores = scoreOptions(confusionMatrix);
  const perClass = Object.fromEntries(options.map((option, k) => [option, scores[k] ?? noScores]));
  const decided = (k: number) => confusionMatrix.some((row) => (row[k] ?? 0) > 0);
  const scored = scores.filter(({ support }, k) => support > 0 || decided(k));
  const average = (pick: (score: (typeof scored)[number]) => number) =>
    computeRatio(
      scored.reduce((sum, score) => sum + pick(score), 0),
      scored.length,
    );
  return {
    accuracy: computeRatio(correct.filter((hit) => hit).length, correct.length),
    macroF1: average((score) => score.f1),
    macroPrecision: average((score) => score.precision),
    macroRecall: average((score) => score.recall),
    perClass,
    /** Rows: expected, columns: predicted, both in the order of the options. */
    confusionMatrix,
    logLoss: computeRatio(loss, learned.length),
    ece: computeCalibrationError(confidences, correct),
    riskCoverage: computeRiskCoverage(confidences, correct),
    reliability: computeReliability(predictions, confidences, correct),
  };
}
