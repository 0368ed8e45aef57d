/** Choosing what the text model uses and how closely each block of columns is fitted. */
import type { Classifier } from '../classifiers/classifier.ts';
import type { FeaturePlan } from '../features/plan.ts';
import type { Random } from '../random.ts';
import { type CrossValidation, crossValidate, type FoldedRows } from './cross-validate.ts';
import { denseStrengths, type Strengths } from './rows.ts';

export const defaultStrengths: Strengths = { tabular: 0.3, ngrams: 30, encoder: 10 };

/** A setting with its cross-validated result. */
export type Trial = { strengths: Strengths; result: NonNullable<CrossValidation> };

type Evaluate = (strengths: Strengths, best: Trial | null) => Trial | null;

/** A function that cross-validates strengths under one plan. */
export function evaluator(classifier: Classifier, folded: FoldedRows, plan: FeaturePlan, tick: () => void): Evaluate {
  return (strengths, best) => {
    const setting = { denseStrengths: denseStrengths(plan, strengths), sparseStrength: strengths.ngrams };
    const result = crossValidate(classifier, folded, setting, best?.result ?? null, tick);
    return result === null ? null : { strengths, result };
  };
}

/** The better of a few settings tried in turn; the first one is always carried through. */
export function bestOf(evaluate: Evaluate, candidates: readonly Strengths[]): Trial | null {
  let best: Trial | null = null;
  for (const strengths of candidates) {
    const trial = evaluate(strengths, best);
    if (trial !== null && (best === null || trial.result.logLoss < best.result.logLoss)) best = trial;
  }
  return best;
}

const limits: Record<keyof Strengths, [number, number]> = {
  tabular: [1e-3, 100],
  ngrams: [0.1, 3000],
  encoder: [0.1, 1000],
};

const mostFailures = 7;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Improves a setting by at most `trials` random steps around the best one so far (an evolution strategy with one parent
 * over the logarithms of the strengths). Steps become shorter with every failure; it stops after 7 failures in a row.
 */
export function searchStrengths(
  evaluate: Evaluate,
  start: Trial,
  trials: number,
  random: Random,
  report: (done: number) => void,
): Trial {
  let best = start;
  let spread = 0.7;
  let failures = 0;
  for (let trial = 0; trial < trials && failures < mostFailures; trial++) {
    const step = (block: keyof Strengths) => {
      const [least, most] = limits[block];
      return Math.max(least, Math.min(most, best.strengths[block] * 10 ** (spread * normal(random))));
    };
    const candidate = { tabular: step('tabular'), ngrams: step('ngrams'), encoder: step('encoder') };
    const outcome = evaluate(candidate, best);
    if (outcome !== null && outcome.result.logLoss < best.result.logLoss) {
      best = outcome;
      failures = 0;
      spread = Math.min(0.7, spread * 1.3);
    } else {
      failures += 1;
      spread = Math.max(0.15, spread * 0.88);
    }
    report(trial + 1);
  }
  return best;
}
