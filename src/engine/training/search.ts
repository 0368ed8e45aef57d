/** Choosing what the text model uses and how closely each block of columns is fitted. */
import type { FeaturePlan } from '../features/plan.ts';
import type { Random } from '../random.ts';
import { crossValidateLogistic, type FoldedRows, type LogisticCrossValidation } from './cross-validate.ts';
import { denseStrengths, type Strengths } from './rows.ts';

export const defaultStrengths: Strengths = { tabular: 0.3, ngrams: 30, encoder: 10 };

/** A setting with its cross-validated result. */
export type Trial = { strengths: Strengths; result: LogisticCrossValidation };

type Evaluate = (strengths: Strengths, best: Trial | null) => Trial | null;

/** A function that cross-validates strengths under one plan. */
export function evaluator(folded: FoldedRows, plan: FeaturePlan, seed: number, tick: () => void): Evaluate {
  return (strengths, best) => {
    const settings = { denseStrengths: denseStrengths(plan, strengths), sparseStrength: strengths.ngrams };
    const result = crossValidateLogistic(folded, settings, best?.result ?? null, seed, tick);
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

/** Bounds of a positive setting, and the decades that a first step typically takes. */
type Limits<Key extends string> = Record<Key, { least: number; most: number; step: number }>;

const strengthLimits: Limits<keyof Strengths> = {
  tabular: { least: 1e-3, most: 100, step: 0.7 },
  ngrams: { least: 0.1, most: 3000, step: 0.7 },
  encoder: { least: 0.1, most: 1000, step: 0.7 },
};

const mostFailures = 7;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Improves a setting by at most `trials` random steps around the best one so far (an evolution strategy with one parent
 * over the logarithms of the numbers). Steps become shorter with every failure; it stops after 7 failures in a row, or
 * when `affordable` says no. `evaluate` answers null for a setting that it gave up.
 */
export function searchSettings<Key extends string, Result extends { logLoss: number }>(given: {
  limits: Limits<Key>;
  start: { point: Record<Key, number>; result: Result };
  evaluate: (point: Record<Key, number>, best: Result) => Result | null;
  trials: number;
  random: Random;
  affordable: () => boolean;
  report: (done: number) => void;
}): { point: Record<Key, number>; result: Result } {
  const { limits, random } = given;
  const keys = Object.keys(limits) as Key[];
  let best = given.start;
  let spread = 1;
  let failures = 0;
  for (let trial = 0; trial < given.trials && failures < mostFailures && given.affordable(); trial++) {
    const point = { ...best.point };
    for (const key of keys) {
      const { least, most, step } = limits[key];
      point[key] = Math.max(least, Math.min(most, best.point[key] * 10 ** (spread * step * normal(random))));
    }
    const result = given.evaluate(point, best.result);
    if (result !== null && result.logLoss < best.result.logLoss) {
      best = { point, result };
      failures = 0;
      spread = Math.min(1, spread * 1.3);
    } else {
      failures += 1;
      spread = Math.max(0.2, spread * 0.88);
    }
    given.report(trial + 1);
  }
  return best;
}

/** Improves the strengths of logistic regression; see {@link searchSettings}. */
export function searchStrengths(
  evaluate: Evaluate,
  start: Trial,
  trials: number,
  random: Random,
  report: (done: number) => void,
): Trial {
  const { point, result } = searchSettings({
    limits: strengthLimits,
    start: { point: start.strengths, result: start.result },
    evaluate: (strengths, best) => evaluate(strengths, { strengths, result: best })?.result ?? null,
    trials,
    random,
    affordable: () => true,
    report,
  });
  return { strengths: point, result };
}
