/** Learning: the choice of settings on the training side, and the fit of a model with them. */
import type { Rows } from '../../classifiers/classifier.ts';
import { blendModels, type ClassifierModel, type Placement } from '../../classifiers/model.ts';
import { boostedTrees } from '../../classifiers/trees.ts';
import { compileFeatures } from '../../features/compile.ts';
import { inferPlan, refitPlan } from '../../features/infer.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { countOutputs } from '../../numeric.ts';
import { isPiiField } from '../../pii.ts';
import { fitNgrams } from '../../text/ngrams.ts';
import { buildRows } from '../data/build-rows.ts';
import type { LabelledRow } from '../data/prepare.ts';
import { assignFolds } from '../data/split.ts';
import { encoderMaxTokens, type ReadTexts } from '../data/texts.ts';
import { type ProgressReporter, shareAfter } from '../progress.ts';
import type { Choice } from './choose-classifier.ts';
import { type FoldedRows, foldRows } from './cross-validate.ts';
import {
  fitLinear,
  type HeadName,
  type LinearSettings,
  type LinearTrial,
  poolHeads,
  settingsWithoutTrial,
  toSettings,
  tryHeads,
} from './linear.ts';

/** What the text model reads. */
export type TextUse = 'none' | 'ngrams' | 'encoder' | 'both';
/** How text is used, with the settings of the linear classifier; no trial where there are too few rows. */
export type TextChoice = {
  plan: FeaturePlan;
  textUse: TextUse;
  linear: LinearSettings;
  trial: LinearTrial | null;
  /** The rows that were compared on, and the same cut into folds. */
  compared: Compared | null;
};
/** Rows cut into folds, under a plan that may read more of the text than was chosen. */
export type Compared = { part: readonly LabelledRow[]; folded: FoldedRows; plan: FeaturePlan };

const minRowsForFolds = 12;
/** On small sets every further row counts, and folds are cheap. */
const manyFolds = { folds: 5, upToRows: 3000 };
const fewFolds = 3;
/** Multiplications that one pass over the rows may take; larger sets are compared on a part of their rows. */
const passBudget = 250_000_000;

/** The plan with the parts that a use of text needs, learned from the rows. */
export function withText(
  plan: FeaturePlan,
  textUse: TextUse,
  rows: readonly LabelledRow[],
  texts: ReadTexts,
  dimensions: number,
): FeaturePlan {
  if (plan.text === null || textUse === 'none') return { ...plan, text: null };
  const features = compileFeatures(plan);
  const tokens = rows.map((row) => texts.get(features.joinText(row.input).text)?.ids ?? []);
  return {
    ...plan,
    text: {
      fields: plan.text.fields,
      ngrams: textUse === 'encoder' ? null : fitNgrams(tokens, 1),
      encoder: textUse === 'ngrams' ? null : { dimensions, max_tokens: encoderMaxTokens, scale: 1 },
    },
  };
}

export function listLabels(rows: readonly LabelledRow[]): Int32Array {
  return Int32Array.from(rows, (row) => row.label);
}

/** As many rows as comparisons can afford, spread evenly over the labels. */
function affordableRows(rows: readonly LabelledRow[], plan: FeaturePlan, optionCount: number): readonly LabelledRow[] {
  const columns = plan.tabular_size + (plan.text?.encoder?.dimensions ?? 0) + (plan.text?.ngrams ? 60 : 0);
  const most = Math.max(600, Math.floor(passBudget / (Math.max(1, columns) * countOutputs(optionCount))));
  if (rows.length <= most) return rows;
  const fold = assignFolds(rows, Math.ceil(rows.length / most), 7);
  return rows.filter((_, i) => fold[i] === 0);
}

const headsFor: Record<TextUse, readonly HeadName[]> = {
  none: ['tabular'],
  ngrams: ['tabular', 'ngrams'],
  encoder: ['tabular', 'encoder'],
  both: ['tabular', 'ngrams', 'encoder'],
};

/** The uses of text that are possible, each with the heads it needs. */
function usesFor(plan: FeaturePlan): TextUse[] {
  return byCost.filter((use) => (use === 'none' ? plan.tabular_size > 0 : plan.text !== null));
}

/** The same plan with less of the text. */
function withUse(plan: FeaturePlan, use: TextUse): FeaturePlan {
  if (plan.text === null || use === 'none') return { ...plan, text: null };
  const { fields, ngrams, encoder } = plan.text;
  return {
    ...plan,
    text: { fields, ngrams: use === 'encoder' ? null : ngrams, encoder: use === 'ngrams' ? null : encoder },
  };
}

/** Cheaper uses first: one is taken when its loss is within 1 % of the best. */
const byCost: TextUse[] = ['none', 'ngrams', 'encoder', 'both'];

/** The inputs' plan before text is decided on. No value of a field at or below a `personal` path is written into it. */
export function inferFields(
  rows: readonly LabelledRow[],
  inputSchema: Parameters<typeof inferPlan>[1],
  personal: readonly string[],
): FeaturePlan {
  const inputs = rows.map((row) => row.input);
  const plan = inferPlan(inputs, inputSchema, personal);
  // a path may name a whole object: the plan knows its fields by their own paths
  const below = plan.fields.filter(({ path }) => isPiiField(path, personal)).map(({ path }) => path.join('.'));
  return below.every((path) => personal.includes(path))
    ? plan
    : inferPlan(inputs, inputSchema, [...personal, ...below]);
}

/**
 * Chooses the linear classifier's heads, and with them the use of text, by stratified cross-validation; very small sets
 * get n-grams and encoder without a trial.
 */
export function chooseText(given: {
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  optionCount: number;
  texts: ReadTexts;
  dimensions: number;
  seed: number;
  progress: ProgressReporter;
  report: (share: number) => void;
}): TextChoice {
  const { rows, optionCount, texts, seed, progress } = given;
  const uses = usesFor(given.plan);
  const fullUse = given.plan.text === null ? 'none' : 'both';
  const plan = withText(given.plan, fullUse, rows, texts, given.dimensions);
  if (rows.length < minRowsForFolds || uses.length === 0) {
    return { plan, textUse: fullUse, linear: settingsWithoutTrial(plan), trial: null, compared: null };
  }
  const compared = foldPlan(plan, rows, optionCount, texts, seed);
  const { folded } = compared;
  const heads = tryHeads({ plan, folded, seed, tick: progress.heartbeat }, given.report);
  const outcomes = uses.map((textUse) => ({ textUse, trial: poolHeads(heads, headsFor[textUse], folded) }));
  const least = Math.min(...outcomes.map(({ trial }) => trial.logLoss));
  const good = outcomes.find(({ trial }) => trial.logLoss <= least * 1.01);
  if (good === undefined) throw new Error('cross-validation gave no result');
  const { textUse, trial } = good;
  return { plan: withUse(plan, textUse), textUse, linear: toSettings(trial), trial, compared: { ...compared, plan } };
}

function foldPlan(
  plan: FeaturePlan,
  rows: readonly LabelledRow[],
  optionCount: number,
  texts: ReadTexts,
  seed: number,
): Omit<Compared, 'plan'> {
  const part = affordableRows(rows, plan, optionCount);
  const built = buildRows(
    plan,
    part.map((row) => row.input),
    texts,
  );
  const folds = part.length <= manyFolds.upToRows ? manyFolds.folds : fewFolds;
  return { part, folded: foldRows(built, listLabels(part), optionCount, assignFolds(part, folds, seed + 1), folds) };
}

/** A fitted model with the plan it belongs to, before and after calibration; `starts` is where a next fit may start. */
export type FittedModel = {
  plan: FeaturePlan;
  rows: Rows;
  calibrated: ClassifierModel;
  uncalibrated: ClassifierModel;
  starts: LinearSettings['starts'];
};

/** Fits the final classifier of a choice on rows; `relearn` learns the plan's statistics and vocabulary anew from them. */
export function fitChoice(given: {
  choice: Choice;
  rows: readonly LabelledRow[];
  present: readonly number[];
  optionCount: number;
  texts: ReadTexts;
  relearn: boolean;
  /** Parameters of heads from which to start, in place of those of the comparison. */
  starts?: LinearSettings['starts'];
  /** `draft` is enough to see a tendency. */
  precision?: 'draft' | 'final';
  report: (share: number) => void;
  seed: number;
}): FittedModel {
  const { choice, rows, present, optionCount, texts } = given;
  const { linear, trees } = choice;
  const inputs = rows.map((row) => row.input);
  const dimensions = choice.plan.text?.encoder?.dimensions ?? 0;
  const plan = given.relearn
    ? withText(refitPlan(choice.plan, inputs), choice.textUse, rows, texts, dimensions)
    : choice.plan;
  const built = buildRows(plan, inputs, texts);
  let passes = 0;
  const request = {
    rows: built,
    labels: listLabels(rows),
    optionCount: present.length,
    seed: given.seed,
    precision: given.precision ?? ('final' as const),
    tick() {
      passes += 1;
      given.report(shareAfter(passes));
    },
  };
  const fittedLinear =
    linear === null ? null : fitLinear(request, plan, { ...linear, starts: given.starts ?? linear.starts });
  const fittedTrees = trees === null ? null : boostedTrees.fit({ ...request, settings: trees.settings });
  const placed = (weight: number): Placement => ({ positions: present, optionCount, weight });
  const treeModel = (weight: number) => fittedTrees?.toModel(placed(weight)) ?? null;
  const even = linear !== null && trees !== null ? 0.5 : 1;
  return {
    plan,
    rows: built,
    calibrated: sumOf(fittedLinear?.calibrated.toModel(placed(linear?.weight ?? 0)), treeModel(trees?.weight ?? 0)),
    uncalibrated: sumOf(fittedLinear?.uncalibrated.toModel(placed(even)), treeModel(even)),
    starts: fittedLinear?.starts ?? {},
  };
}

function sumOf(linear: ClassifierModel | undefined, trees: ClassifierModel | null): ClassifierModel {
  if (linear !== undefined && trees !== null) return blendModels(linear, trees);
  const only = linear ?? trees;
  if (only === null) throw new Error('a choice without any classifier');
  return only;
}
