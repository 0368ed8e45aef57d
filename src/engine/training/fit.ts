/** Learning: the choice of settings on the training side, and the fit of a model with them. */
import type { Rows } from '../classifiers/classifier.ts';
import { logisticRegression } from '../classifiers/logistic.ts';
import { blendModels, type ClassifierModel, type Placement } from '../classifiers/model.ts';
import { boostedTrees } from '../classifiers/trees.ts';
import { compileFeatures } from '../features/compile.ts';
import { inferPlan, refitPlan } from '../features/infer.ts';
import type { FeaturePlan } from '../features/plan.ts';
import { fitNgrams } from '../text/ngrams.ts';
import type { Choice } from './choose-classifier.ts';
import { type FoldedRows, foldRows } from './cross-validate.ts';
import type { LabelledRow } from './prepare.ts';
import type { ProgressTeller } from './progress.ts';
import { buildRows, denseStrengths, type Strengths } from './rows.ts';
import { bestOf, defaultStrengths, evaluator, type Trial } from './search.ts';
import { foldsOf } from './split.ts';
import { encoderMaxTokens, type ReadTexts } from './texts.ts';

/** What the text model reads. */
export type TextUse = 'none' | 'ngrams' | 'encoder' | 'both';
/** How text is used, with the cross-validated strengths of the linear model; no trial where there are too few rows. */
export type TextChoice = {
  plan: FeaturePlan;
  textUse: TextUse;
  strengths: Strengths;
  trial: Trial | null;
  /** The rows that were compared on, and the same cut into folds. */
  compared: Compared | null;
};
export type Compared = { part: readonly LabelledRow[]; folded: FoldedRows };

const folds = 3;
const leastRowsForFolds = 12;
/** Multiplications per iteration that a draft fit may take; larger sets are compared on a part of their rows. */
const draftBudget = 60_000_000;

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
  const tokens = rows.map((row) => texts.get(features.textOf(row.input).text)?.ids ?? []);
  return {
    ...plan,
    text: {
      fields: plan.text.fields,
      ngrams: textUse === 'encoder' ? null : fitNgrams(tokens, 1),
      encoder: textUse === 'ngrams' ? null : { dimensions, max_tokens: encoderMaxTokens, scale: 1 },
    },
  };
}

export function labelsOf(rows: readonly LabelledRow[]): Int32Array {
  return Int32Array.from(rows, (row) => row.label);
}

/** As many rows as a draft fit can afford, spread evenly over the labels. */
function affordableRows(rows: readonly LabelledRow[], plan: FeaturePlan, optionCount: number): readonly LabelledRow[] {
  const columns = plan.tabular_size + (plan.text?.encoder?.dimensions ?? 0) + (plan.text?.ngrams ? 60 : 0);
  const most = Math.max(
    600,
    Math.floor(draftBudget / (2 * Math.max(1, columns) * (optionCount === 2 ? 1 : optionCount))),
  );
  if (rows.length <= most) return rows;
  const fold = foldsOf(rows, Math.ceil(rows.length / most), 7);
  return rows.filter((_, i) => fold[i] === 0);
}

type Candidate = { textUse: TextUse; settings: Strengths[] };

function candidatesFor(plan: FeaturePlan): Candidate[] {
  const tabular: Strengths[] = [0.03, 0.3, 3].map((strength) => ({ ...defaultStrengths, tabular: strength }));
  const none: Candidate[] = plan.tabular_size > 0 ? [{ textUse: 'none', settings: tabular }] : [];
  if (plan.text === null) return none;
  // Facts beside a text get a weak weight at first: their many columns are mostly noise next to it.
  const weights = plan.tabular_size > 0 ? [0.03, 0.3] : [0.3];
  const grid = (pairs: [number, number][]): Strengths[] =>
    pairs.flatMap(([ngrams, encoder], i) =>
      (i === 0 ? weights : weights.slice(0, 1)).map((strength) => ({ tabular: strength, ngrams, encoder })),
    );
  return [
    ...none,
    {
      textUse: 'ngrams',
      settings: grid([
        [30, 10],
        [200, 10],
      ]),
    },
    {
      textUse: 'encoder',
      settings: grid([
        [30, 10],
        [30, 60],
      ]),
    },
    {
      textUse: 'both',
      settings: grid([
        [30, 10],
        [100, 10],
        [30, 40],
      ]),
    },
  ];
}

/** Cheaper uses first: one is taken when its loss is within 1 % of the best. */
const byCost: TextUse[] = ['none', 'ngrams', 'encoder', 'both'];

/** The inputs' plan before text is decided on. */
export function inferFields(
  rows: readonly LabelledRow[],
  inputSchema: Parameters<typeof inferPlan>[1],
  personal: readonly string[],
): FeaturePlan {
  return inferPlan(
    rows.map((row) => row.input),
    inputSchema,
    personal,
  );
}

/** Chooses the use of text by stratified cross-validation; very small sets get n-grams and encoder without a trial. */
export function chooseText(given: {
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  optionCount: number;
  texts: ReadTexts;
  dimensions: number;
  seed: number;
  progress: ProgressTeller;
  report: (share: number) => void;
}): TextChoice {
  const { plan, rows, optionCount, texts, dimensions, progress } = given;
  const planned = (textUse: TextUse) => withText(plan, textUse, rows, texts, dimensions);
  const candidates = candidatesFor(plan);
  if (rows.length < leastRowsForFolds || candidates.length === 0) {
    const textUse = plan.text === null ? 'none' : 'both';
    return { plan: planned(textUse), textUse, strengths: defaultStrengths, trial: null, compared: null };
  }
  const outcomes: { textUse: TextUse; plan: FeaturePlan; compared: Compared; trial: Trial }[] = [];
  candidates.forEach((candidate, index) => {
    const candidatePlan = planned(candidate.textUse);
    const compared = foldPlan(candidatePlan, rows, optionCount, texts, given.seed);
    const trial = bestOf(evaluator(compared.folded, candidatePlan, given.seed, progress.tick), candidate.settings);
    if (trial !== null) outcomes.push({ textUse: candidate.textUse, plan: candidatePlan, compared, trial });
    given.report((index + 1) / candidates.length);
  });
  const least = Math.min(...outcomes.map((outcome) => outcome.trial.result.logLoss));
  const good = outcomes
    .filter((outcome) => outcome.trial.result.logLoss <= least * 1.01)
    .sort((a, b) => byCost.indexOf(a.textUse) - byCost.indexOf(b.textUse))[0];
  if (good === undefined) throw new Error('cross-validation gave no result');
  return { ...good, strengths: good.trial.strengths };
}

function foldPlan(
  plan: FeaturePlan,
  rows: readonly LabelledRow[],
  optionCount: number,
  texts: ReadTexts,
  seed: number,
): Compared {
  const part = affordableRows(rows, plan, optionCount);
  const built = buildRows(
    plan,
    part.map((row) => row.input),
    texts,
  );
  return { part, folded: foldRows(built, labelsOf(part), optionCount, foldsOf(part, folds, seed + 1), folds) };
}

/** A fitted model with the plan it belongs to, before and after calibration. */
export type FittedModel = { plan: FeaturePlan; rows: Rows; calibrated: ClassifierModel; uncalibrated: ClassifierModel };

/** Fits the final classifier of a choice on rows; `relearn` learns the plan's statistics and vocabulary anew from them. */
export function fitChoice(given: {
  choice: Choice;
  rows: readonly LabelledRow[];
  present: readonly number[];
  optionCount: number;
  texts: ReadTexts;
  relearn: boolean;
  seed: number;
  progress: ProgressTeller;
}): FittedModel {
  const { choice, rows, present, optionCount, texts } = given;
  const { linear, trees } = choice;
  const inputs = rows.map((row) => row.input);
  const dimensions = choice.plan.text?.encoder?.dimensions ?? 0;
  const plan = given.relearn
    ? withText(refitPlan(choice.plan, inputs), choice.textUse, rows, texts, dimensions)
    : choice.plan;
  const built = buildRows(plan, inputs, texts);
  const request = {
    rows: built,
    labels: labelsOf(rows),
    optionCount: present.length,
    seed: given.seed,
    precision: 'final' as const,
    tick: given.progress.tick,
  };
  const start = given.relearn ? undefined : linear?.start;
  const fittedLinear =
    linear === null
      ? null
      : logisticRegression.fit({
          ...request,
          settings: { denseStrengths: denseStrengths(plan, linear.strengths), sparseStrength: linear.strengths.ngrams },
          ...(start === undefined ? {} : { start }),
        });
  const fittedTrees = trees === null ? null : boostedTrees.fit({ ...request, settings: trees.settings });
  const placed = (weight: number): Placement => ({ positions: present, optionCount, weight });
  const model = (linearWeight: number, treeWeight: number): ClassifierModel => {
    const linearModel = fittedLinear?.toModel(placed(linearWeight));
    const treeModel = fittedTrees?.toModel(placed(treeWeight));
    if (linearModel !== undefined && treeModel !== undefined) return blendModels(linearModel, treeModel);
    const only = linearModel ?? treeModel;
    if (only === undefined) throw new Error('a choice without any classifier');
    return only;
  };
  const even = linear !== null && trees !== null ? 0.5 : 1;
  return {
    plan,
    rows: built,
    calibrated: model(linear?.weight ?? 0, trees?.weight ?? 0),
    uncalibrated: model(even, even),
  };
}
