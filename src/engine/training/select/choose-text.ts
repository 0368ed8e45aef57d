import type { FeaturePlan } from '../../features/plan.ts';
import { countOutputs } from '../../numeric.ts';
import type { EncoderShape } from '../../ports.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import type { EncodedTexts } from '../data/encode-texts.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import { type LabelledRow, listLabels } from '../data/labelled-rows.ts';
import { assignFolds } from '../data/split.ts';
import { type FoldedRows, foldRows } from './fold-rows.ts';
import { createDefaultSettings, type LinearSettings } from './linear-heads.ts';
import { findFullUse, headsByTextUse, learnText, listTextUses, restrictText, type TextUse } from './text-use.ts';
import { type HeadComparison, type LinearTrial, poolHeads, toLinearSettings, tryHeads } from './tune-heads.ts';

/** How text is used, with the settings of the linear classifier. */
export type TextChoice = {
  plan: FeaturePlan;
  textUse: TextUse;
  linear: LinearSettings;
  /** Null where there are too few rows, or nothing to learn from. */
  comparison: TextComparison | null;
};
/** The rows that were compared on, the same cut into folds under a plan with all of the text, and the best heads. */
type TextComparison = {
  rows: readonly LabelledRow[];
  /** Where the rows that were judged stand among `rows`: all of them, unless the text model was tuned on the others. */
  judged: readonly number[];
  /** All uses of text that were compared, the cheapest first. */
  uses: readonly TextUseTrial[];
  plan: FeaturePlan;
  folded: FoldedRows;
  trial: LinearTrial;
};

/** A use of text, and how it did on the folds. */
export type TextUseTrial = { textUse: TextUse; trial: LinearTrial };

type TextChoiceParams = {
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  /** The number of different labels. */
  optionCount: number;
  texts: EncodedTexts;
  /** Null where texts are read by their words alone. */
  encoder: EncoderShape | null;
  seed: number;
  tick: () => void;
  report: (share: number) => void;
};

const minRowsForFolds = 12;
/** On small sets every further row counts, and folds are cheap. */
const manyFolds = { folds: 5, upToRows: 3000 };
const fewFolds = 3;
/** Multiplications that one pass over the rows may take; larger sets are compared on a part of their rows. */
const passBudget = 250_000_000;
const minComparedRows = 600;
/** N-grams that a text typically has. */
const typicalNgrams = 60;
/**
 * A use of text is taken when its loss is at most this many times that of the best one and no cheaper use is as good.
 */
const acceptableLossRatio = 1.01;

/**
 * Chooses the use of text, and with it the linear classifier's heads, by stratified cross-validation: the cheapest one
 * whose log-loss is within 1% of the best. Below 12 rows all of the text is used without a comparison.
 */
export function chooseText(params: TextChoiceParams): TextChoice {
  const { rows, optionCount, texts, seed, tick } = params;
  const uses = listTextUses(params.plan, params.encoder !== null);
  const fullUse = findFullUse(params.plan, params.encoder !== null);
  const plan = learnText(params.plan, fullUse, rows, texts, params.encoder);
  if (rows.length < minRowsForFolds || uses.length === 0) {
    return { plan, textUse: fullUse, linear: createDefaultSettings(plan), comparison: null };
  }
  const compared = takeAffordableRows(rows, plan, optionCount);
  // Words that stand in none of the rows would only cost time.
  const comparedPlan = compared === rows ? plan : learnText(params.plan, fullUse, compared, texts, params.encoder);
  const folded = foldFeatureRows(comparedPlan, compared, optionCount, texts, seed);
  const trials = tryTextUses({ plan: comparedPlan, folded, seed, tick }, uses, params.report);
  const { textUse, trial } = takeTextUse(trials);
  return {
    plan: restrictText(plan, textUse),
    textUse,
    linear: toLinearSettings(trial),
    comparison: { rows: compared, judged: [...compared.keys()], uses: trials, plan: comparedPlan, folded, trial },
  };
}

/** Tries the uses of text on the folds; `seed` is that of the run. */
export function tryTextUses(
  comparison: HeadComparison,
  uses: readonly TextUse[],
  report: (share: number) => void,
): TextUseTrial[] {
  const { folded } = comparison;
  const heads = tryHeads({ ...comparison, seed: deriveSeed(randomStreams.modelFit, comparison.seed) }, report);
  return uses.map((textUse) => ({ textUse, trial: poolHeads(heads, headsByTextUse[textUse], folded) }));
}

/** The cheapest of the uses of text whose log-loss on the folds is within 1% of the best. */
export function takeTextUse(trials: readonly TextUseTrial[]): TextUseTrial {
  const bestLoss = Math.min(...trials.map(({ trial }) => trial.logLoss));
  const chosen = trials.find(({ trial }) => trial.logLoss <= bestLoss * acceptableLossRatio);
  if (chosen === undefined) throw new Error('The cross-validation of the linear classifier gave no finite loss.');
  return chosen;
}

/** As many rows as comparisons can afford, spread evenly over the labels. */
export function takeAffordableRows(
  rows: readonly LabelledRow[],
  plan: FeaturePlan,
  optionCount: number,
): readonly LabelledRow[] {
  const columns = plan.tabular_size + (plan.text?.encoder?.dimensions ?? 0) + (plan.text?.ngrams ? typicalNgrams : 0);
  const costPerRow = Math.max(1, columns) * countOutputs(optionCount);
  const maxRows = Math.max(minComparedRows, Math.floor(passBudget / costPerRow));
  return takeEvenly(rows, maxRows);
}

/** Takes rows, spread evenly over the labels, up to a number. */
export function takeEvenly(rows: readonly LabelledRow[], maxRows: number): readonly LabelledRow[] {
  if (rows.length <= maxRows) return rows;
  const part = assignFolds(rows, Math.ceil(rows.length / maxRows), deriveSeed(randomStreams.linearSubset));
  return rows.filter((_, i) => part[i] === 0);
}

function foldFeatureRows(
  plan: FeaturePlan,
  rows: readonly LabelledRow[],
  optionCount: number,
  texts: EncodedTexts,
  seed: number,
): FoldedRows {
  const inputs = rows.map((row) => row.input);
  const built = buildFeatureRows(plan, inputs, texts);
  const folds = rows.length <= manyFolds.upToRows ? manyFolds.folds : fewFolds;
  const foldOf = assignFolds(rows, folds, deriveSeed(randomStreams.linearFolds, seed));
  return foldRows(built, listLabels(rows), optionCount, foldOf, folds);
}
