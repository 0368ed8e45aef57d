/** Figures of merit of predictions on held-out rows. */
import { computeCalibrationError } from '../../classifiers/calibration.ts';
import { argmax } from '../../numeric.ts';

/** What was expected of a row (index of an option) and the probabilities it was given. */
export type Prediction = { expected: number; probabilities: readonly number[] };
export type RiskCoverage = { threshold: number; coverage: number; error: number };

export type Evaluation = {
  accuracy: number;
  macroF1: number;
  macroPrecision: number;
  macroRecall: number;
  perClass: Record<string, { precision: number; recall: number; f1: number; support: number }>;
  /** Rows: expected, columns: predicted, both in the order of the options. */
  confusionMatrix: number[][];
  logLoss: number;
  ece: number;
  riskCoverage: RiskCoverage[];
};

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

/**
 * Share of rows decided at or above each threshold 0, 0.01 … 1 and the error among them (0 where no row is decided).
 */
export function computeRiskCoverage(confidences: readonly number[], correct: readonly boolean[]): RiskCoverage[] {
  return Array.from({ length: 101 }, (_, step) => {
    const threshold = step / 100;
    const decided = correct.filter((_, i) => (confidences[i] ?? 0) >= threshold);
    const wrong = decided.filter((hit) => !hit).length;
    return { threshold, coverage: ratio(decided.length, correct.length), error: ratio(wrong, decided.length) };
  });
}

/**
 * Evaluates predictions over the given options. Macro averages run over the options that are expected or predicted at
 * least once and an undefined precision or recall counts as 0, as scikit-learn does with zero_division=0. Log-loss clips
 * probabilities at 1e-15.
 */
export function evaluate(predictions: readonly Prediction[], options: readonly string[]): Evaluation {
  const confusionMatrix = options.map(() => options.map(() => 0));
  const confidences: number[] = [];
  const correct: boolean[] = [];
  let loss = 0;
  for (const { expected, probabilities } of predictions) {
    const predicted = argmax(probabilities);
    const row = confusionMatrix[expected];
    if (row !== undefined) row[predicted] = (row[predicted] ?? 0) + 1;
    confidences.push(probabilities[predicted] ?? 0);
    correct.push(predicted === expected);
    loss -= Math.log(Math.max(1e-15, probabilities[expected] ?? 0));
  }
  const perClass: Evaluation['perClass'] = {};
  const scored: { precision: number; recall: number; f1: number }[] = [];
  options.forEach((option, k) => {
    const hits = confusionMatrix[k]?.[k] ?? 0;
    const support = (confusionMatrix[k] ?? []).reduce((sum, count) => sum + count, 0);
    const predicted = confusionMatrix.reduce((sum, row) => sum + (row[k] ?? 0), 0);
    const precision = ratio(hits, predicted);
    const recall = ratio(hits, support);
    const f1 = ratio(2 * hits, support + predicted);
    perClass[option] = { precision, recall, f1, support };
    if (support + predicted > 0) scored.push({ precision, recall, f1 });
  });
  const mean = (pick: (score: (typeof scored)[number]) => number) =>
    ratio(
      scored.reduce((sum, score) => sum + pick(score), 0),
      scored.length,
    );
  return {
    accuracy: ratio(correct.filter((hit) => hit).length, correct.length),
    macroF1: mean((score) => score.f1),
    macroPrecision: mean((score) => score.precision),
    macroRecall: mean((score) => score.recall),
    perClass,
    confusionMatrix,
    logLoss: ratio(loss, predictions.length),
    ece: computeCalibrationError(confidences, correct),
    riskCoverage: computeRiskCoverage(confidences, correct),
  };
}

/** The value below which the given share of the numbers lies (nearest rank); 0 of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
}
