/** Figures of one learner on one test side, all counted by the same code. */
import { evaluatePredictions } from '../../../src/engine/training/evaluate/metrics.ts';

export type Figures = {
  accuracy: number;
  macroF1: number;
  logLoss: number;
  ece: number;
  seconds: number;
  /** Of the seconds, those spent embedding texts; null where that is not known. */
  encoderSeconds: number | null;
  peakMb: number;
  /** Median milliseconds of one decision, text encoding included; null where it was not measured. */
  decisionMs: number | null;
};

/** What a learner said of the test rows, or why it could not. */
export type Learned = { learner: string; figures: Figures } | { learner: string; problem: string };

/** Log-loss clips probabilities at 1e-7: a peer that writes an exact 0 would otherwise be infinitely wrong. */
export function figuresOf(
  expected: readonly string[],
  probabilities: readonly (readonly number[])[],
  options: readonly string[],
  rest: Omit<Figures, 'accuracy' | 'macroF1' | 'logLoss' | 'ece'>,
): Figures {
  const predictions = expected.map((option, i) => ({
    expected: options.indexOf(option),
    probabilities: (probabilities[i] ?? []).map((probability) => Math.max(1e-7, probability)),
  }));
  const { accuracy, macroF1, logLoss, ece } = evaluatePredictions(predictions, options);
  return { accuracy, macroF1, logLoss, ece, ...rest };
}
