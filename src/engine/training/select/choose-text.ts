import { type FeaturePlan, isOfWords } from '../../features/plan.ts';
import { countOutputs } from '../../numeric.ts';
import type { EncoderShape } from '../../ports.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import { isHinted, isLabelled } from '../data/hint-rows.ts';
import type { EncodedTexts, LabelledRow } from '../data/labelled-rows.ts';
import { type FoldedRows, foldRows } from './fold-rows.ts';
import { createDefaultSettings, type LinearSettings } from './linear-heads.ts';
import {
  findFullUse,
  headsByTextUse,
  learnText,
  listTextUses,
  noNgrams,
  restrictText,
  type TextUse,
  takeNgramsAlone,
} from './text-use.ts';
import { type LinearTrial, poolHeads, toLinearSettings, tryHeads } from './tune-heads.ts';

/** How text is used, with the settings of the linear classifier. */
export type TextChoice = {
  plan: FeaturePlan;
  textUse: TextUse;
  linear: LinearSettings;
  /** Null where there are too few rows, or nothing to learn from. */
  comparison: TextComparison | null;
};
/** The rows that were compared on, the same cut into folds under a plan with all of the text, and the best heads. */
export type TextComparison = {
  rows: readonly LabelledRow[];
  hinted: readonly LabelledRow[];
  /** Where the rows that were judged stand among `rows`: all of them, unless the text model was tuned on the others. */
  judged: readonly number[];
  /** All uses of text that were compared, the cheapest first. */
  uses: readonly TextUseTrial[];
  plan: FeaturePlan;
  folded: FoldedRows;
  trial: LinearTrial;
};

export type TextUseTrial = { textUse: TextUse; trial: LinearTrial };

type TextChoiceParams = {
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  optionCount: number;
  texts: EncodedTexts;
  /** Null where texts are read by their words alone. */
  encoder: EncoderShape | null;
  /** A comparison of the same rows by another encoder: what does not hang on it is not tried again. */
  known?: TextComparison | null;
  /** The choice on a part of the rows: its use of text and values of C are tried alone, on more of them. */
  near?: TextChoice | null;
  seed: number;
  tick: () => void;
  report: (share: number) => void;
};

const minRowsForFolds = 12;
/** On small sets every further row counts, and folds are cheap: up to so many rows, and scores of their options. */
const manyFolds = { folds: 5, upToRows: 3000, upToScores: 150_000 };
const fewFolds = 3;
/** Multiplications that one pass over the rows may take; larger sets are compared on a part of their rows. */
const passBudget = 250_000_000;
/** The same where the settings are nearly known, so that there are few passes. */
const nearBudget = 2 * passBudget;
const minComparedRows = 600;
/** More rows say hardly more about settings, and all of them are fitted on in the end. */
const maxSearchedRows = 20_000;
/** The share of a comparison after which n-grams are tried in the other way. */
const unknownFrom = 0.7;
/** N-grams that a text typically has. */
const typicalNgrams = 100;
/** On fewer rows of an option n-grams that are not known always count in a text's length: folds cannot tell. */
const minRowsToIgnoreUnknown = 12;
/** A use of text is taken at a loss of at most this many times the best, where no cheaper one is as good. */
const acceptableLossRatio = 1.01;

/** Chooses the use of text and the heads by cross-validation: the cheapest one within 1% of the best log-loss. */
export function chooseText(params: TextChoiceParams): TextChoice {
  const { rows, optionCount, texts, near, seed, tick } = params;
  const uses = near ? [near.textUse] : listTextUses(params.plan, params.encoder !== null);
  const fullUse = near?.textUse ?? findFullUse(params.plan, params.encoder !== null);
  const unknown = !near || readUnknown(near.plan);
  const plan = learnText(params.plan, fullUse, rows, texts, params.encoder, unknown);
  if (rows.filter(isLabelled).length < minRowsForFolds || uses.length === 0) {
    return { plan, textUse: fullUse, linear: createDefaultSettings(plan), comparison: null };
  }
  const compared = takeAffordableRows(rows, plan, optionCount, near ? nearBudget : passBudget);
  // Words that stand in none of the rows would only cost time.
  const comparedPlan =
    compared === rows ? plan : learnText(params.plan, fullUse, compared, texts, params.encoder, unknown);
  const { known, report } = params;
  const fold = (each: FeaturePlan) => foldFeatureRows(each, compared, optionCount, texts, seed);
  const tried = tryTextUses({ plan: comparedPlan, fold, known, C: near?.linear.C, seed, tick, report }, uses);
  const { textUse, trial } = takeTextUse(tried.uses);
  const judged = compared.filter(isLabelled);
  return {
    plan: restrictText(countUnknown(plan, readUnknown(tried.plan)), textUse),
    textUse,
    linear: toLinearSettings(trial, tried.folded),
    comparison: { rows: judged, hinted: compared.filter(isHinted), judged: [...judged.keys()], ...tried, trial },
  };
}

type TextUseParams = {
  /** The plan with all of the text; n-grams that are not known count. */
  plan: FeaturePlan;
  fold: (plan: FeaturePlan) => FoldedRows;
  known?: TextComparison | null | undefined;
  /** Values of C that are tried alone, with n-grams as the plan counts them. */
  C?: LinearSettings['C'] | undefined;
  /** That of the run. */
  seed: number;
  tick: () => void;
  report: (share: number) => void;
};

/** Tries the uses of text on the folds, and whether n-grams that are not known are to count in a text's length. */
export function tryTextUses(
  { plan, fold, known, C, seed, tick, report }: TextUseParams,
  uses: readonly TextUse[],
): Pick<TextComparison, 'plan' | 'folded' | 'uses'> {
  const fit = { seed: deriveSeed(randomStreams.modelFit, seed), tick };
  const first = known ? countUnknown(plan, readUnknown(known.plan)) : plan;
  const folded = fold(first);
  const { encoder: _, ...taken } = known?.uses.at(-1)?.trial.heads ?? {};
  const heads = tryHeads({ plan: first, folded, ...fit }, (share) => report(unknownFrom * share), {
    known: taken,
    ...(C && { C }),
  });
  const isFew = folded.labels.length < minRowsToIgnoreUnknown * folded.optionCount;
  const pool = (by: typeof heads, on: FoldedRows) =>
    uses.map((textUse) => ({ textUse, trial: poolHeads(by, headsByTextUse[textUse], on) }));
  if (known || C || isFew || heads.ngrams === undefined) return { plan: first, folded, uses: pool(heads, folded) };
  const second = countUnknown(plan, false);
  const onlyNgrams = takeNgramsAlone(second);
  const without = fold(onlyNgrams);
  const rest = (share: number) => report(unknownFrom + (1 - unknownFrom) * share);
  const { ngrams } = tryHeads({ plan: onlyNgrams, folded: without, ...fit }, rest, { rivals: heads });
  if (ngrams === undefined) return { plan: first, folded, uses: pool(heads, folded) };
  const joined = takeNgrams(folded, without);
  return { plan: second, folded: joined, uses: pool({ ...heads, ngrams }, joined) };
}

const readUnknown = ({ text }: FeaturePlan) => text?.ngrams != null && isOfWords(text.ngrams) && text.ngrams.unknown;

/** The plan with the other way to count n-grams that are not known. */
function countUnknown(plan: FeaturePlan, unknown: boolean): FeaturePlan {
  const { text } = plan;
  if (text === null || text.ngrams === null || text.ngrams === noNgrams) return plan;
  return { ...plan, text: { ...text, ngrams: { ...text.ngrams, unknown } } };
}

/** The folds with the n-grams of others, which are cut alike. */
function takeNgrams({ folds, ...folded }: FoldedRows, others: FoldedRows): FoldedRows {
  const joined = folds.flatMap((fold, at) => {
    const other = others.folds[at];
    if (other === undefined) return [];
    const { text } = fold.plan;
    return {
      ...fold,
      plan: { ...fold.plan, text: text && { ...text, ngrams: other.plan.text?.ngrams ?? null } },
      train: { ...fold.train, sparse: other.train.sparse },
      held: { ...fold.held, sparse: other.held.sparse },
    };
  });
  return { ...folded, folds: joined };
}

/** The cheapest of the uses of text whose log-loss on the folds is within 1% of the best. */
export function takeTextUse(trials: readonly TextUseTrial[]): TextUseTrial {
  const bestLoss = Math.min(...trials.map(({ trial }) => trial.logLoss));
  const chosen = trials.find(({ trial }) => trial.logLoss <= bestLoss * acceptableLossRatio);
  if (chosen === undefined) throw new Error('The cross-validation of the linear classifier gave no finite loss.');
  return chosen;
}

/** As many rows as comparisons can afford, at most {@link maxSearchedRows}, spread evenly over the labels. */
export function takeAffordableRows(
  rows: readonly LabelledRow[],
  plan: FeaturePlan,
  optionCount: number,
  budget = passBudget,
): readonly LabelledRow[] {
  const columns = plan.tabular_size + (plan.text?.encoder?.dimensions ?? 0) + (plan.text?.ngrams ? typicalNgrams : 0);
  const costPerRow = Math.max(1, columns) * countOutputs(optionCount);
  const maxRows = Math.max(minComparedRows, Math.floor(budget / costPerRow));
  return takeEvenly(rows, Math.min(maxSearchedRows, maxRows));
}

/** Takes rows, spread evenly over the labels, up to a number of labelled and of hinted ones. */
export function takeEvenly(rows: readonly LabelledRow[], maxRows: number): readonly LabelledRow[] {
  const parts = [rows.filter(isLabelled), rows.filter(isHinted)];
  if (parts.every(({ length }) => length <= maxRows)) return rows;
  return parts.flatMap((part) => {
    const places = assignFolds(part, Math.ceil(part.length / maxRows), deriveSeed(randomStreams.linearSubset));
    return part.filter((_, i) => places[i] === 0);
  });
}

function foldFeatureRows(
  plan: FeaturePlan,
  compared: readonly LabelledRow[],
  optionCount: number,
  texts: EncodedTexts,
  seed: number,
): FoldedRows {
  const rows = compared.filter(isLabelled);
  const areMany = rows.length <= manyFolds.upToRows && rows.length * countOutputs(optionCount) <= manyFolds.upToScores;
  const folds = areMany ? manyFolds.folds : fewFolds;
  const foldOf = assignFolds(rows, folds, deriveSeed(randomStreams.linearFolds, seed));
  return foldRows(plan, rows, texts, optionCount, foldOf, folds, compared.filter(isHinted));
}
