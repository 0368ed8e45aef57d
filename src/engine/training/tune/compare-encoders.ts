/** Whether a tuned encoder decides better on rows that neither tuning nor classifier saw. */
import type { Metrics } from '../../domain/metrics.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { computeWilsonInterval } from '../../intervals.ts';
import type { EncoderShape } from '../../ports.ts';
import type { EncodedTexts, LabelledRow } from '../data/labelled-rows.ts';
import { type TextChoice, takeTextUse, tryTextUses } from '../select/choose-text.ts';
import { buildFold, joinFolds, judgeLogits } from '../select/fold-rows.ts';
import { learnText, listTextUses, restrictText } from '../select/text-use.ts';
import { toLinearSettings } from '../select/tune-heads.ts';

type Figures = NonNullable<Metrics['text_tuning']>['frozen'];

/** Rows to fit on and to judge by, as one encoder reads them, with the head tuned with it. */
export type EncodedFold = {
  learned: readonly LabelledRow[];
  held: readonly LabelledRow[];
  texts: EncodedTexts;
  tunedHead?: Float64Array;
};

/** How text is best read under one encoder, and the log-loss of every held-out row. */
export type FoldTrial = { choice: TextChoice; losses: number[]; figures: Figures };

type HeldOutLosses = Pick<FoldTrial, 'losses'>;

export type FoldParams = {
  plan: FeaturePlan;
  /** The rows that the choice is for, in their order; those of the folds are among them. */
  rows: readonly LabelledRow[];
  folds: readonly EncodedFold[];
  optionCount: number;
  encoder: EncoderShape;
  seed: number;
  tick: () => void;
};

/**
 * Chooses use of text, regularisation and calibration by the held-out rows alone, with heads that are fitted on the
 * learned ones of their fold: embeddings of rows that an encoder was tuned on look surer than those of new texts, and a
 * cross-validation among them would be too optimistic. Throws an ordinary Error without a fold.
 */
export function tryOnFolds(params: FoldParams): FoldTrial {
  const { rows, folds, optionCount, seed, tick } = params;
  const [first] = folds;
  if (first === undefined) throw new Error('An encoder is compared on at least one fold.');
  const full = learnText(params.plan, 'both', rows, first.texts, params.encoder);
  const fold = (plan: FeaturePlan) =>
    joinFolds(
      folds.map(({ tunedHead, ...parts }) => ({ ...buildFold(plan, parts), ...(tunedHead && { tunedHead }) })),
      optionCount,
    );
  const held = folds.flatMap((fold) => fold.held);
  const tried = { plan: full, fold, seed, tick, report: () => undefined };
  const { plan, folded, uses } = tryTextUses(tried, listTextUses(full, true));
  const { textUse, trial } = takeTextUse(uses);
  const placeOf = new Map(rows.map((row, place) => [row, place]));
  const choice: TextChoice = {
    plan: restrictText(plan, textUse),
    textUse,
    linear: toLinearSettings(trial, folded),
    comparison: { rows, hinted: [], judged: held.flatMap((row) => placeOf.get(row) ?? []), uses, plan, folded, trial },
  };
  const { losses, right } = judgeLogits(trial.logits, folded);
  const { mean, error } = estimateMean(losses);
  const figures: Figures = {
    accuracy: right / held.length,
    accuracy_interval: computeWilsonInterval(right, held.length),
    log_loss: mean,
    log_loss_interval: { low: Math.max(0, mean - normalQuantile * error), high: mean + normalQuantile * error },
  };
  return { choice, losses, figures };
}

/** Quantile of the standard normal distribution, for 95% intervals. */
const normalQuantile = 1.96;

/** Mean of numbers, and its standard error. */
export function estimateMean(values: readonly number[]): { mean: number; error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length) };
}

/** How much lower the candidate's log-loss is, on its rows; those of `present` begin with the same. */
function estimateGain(candidate: HeldOutLosses, present: HeldOutLosses): { mean: number; error: number } {
  return estimateMean(candidate.losses.map((loss, i) => present.losses[i] - loss));
}

/** Tuning pays on most sets, so half a standard error in its favour is enough where few rows are held out. */
const enoughErrors = 0.5;

/** Whether the first trial's log-loss is lower by more than half a standard error of the paired difference. */
export function isBetter(candidate: HeldOutLosses, present: HeldOutLosses): boolean {
  const { mean, error } = estimateGain(candidate, present);
  return mean > enoughErrors * error;
}

/** Fewer rows settle nothing. */
const minSettledRows = 30;

/** Whether further folds are not worth it: no better so far, or by two standard errors. */
export function isSettled(candidate: HeldOutLosses, present: HeldOutLosses): boolean {
  const { mean, error } = estimateGain(candidate, present);
  return candidate.losses.length >= minSettledRows && (mean <= 0 || mean > 2 * error);
}
