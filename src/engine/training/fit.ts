/** Learning: the choice of settings on the training side, and the fit of a model with them. */
import type { Classifier, Rows } from '../classifiers/classifier.ts';
import { toLogisticModel } from '../classifiers/logistic.ts';
import type { LogisticModel } from '../classifiers/logistic-model.ts';
import type { TrainingConfig } from '../domain.ts';
import { compileFeatures } from '../features/compile.ts';
import { inferPlan, refitPlan } from '../features/infer.ts';
import type { FeaturePlan } from '../features/plan.ts';
import { createRandom } from '../random.ts';
import { fitNgrams } from '../text/ngrams.ts';
import { type FoldedRows, foldRows } from './cross-validate.ts';
import type { LabelledRow } from './prepare.ts';
import type { ProgressTeller } from './progress.ts';
import { buildRows, denseStrengths, type Strengths } from './rows.ts';
import { bestOf, defaultStrengths, evaluator, searchStrengths, type Trial } from './search.ts';
import { foldsOf } from './split.ts';
import { encoderMaxTokens, type ReadTexts } from './texts.ts';

/** What the text model reads. */
export type TextUse = 'none' | 'ngrams' | 'encoder' | 'both';
/** Everything that was decided on the training side and is used again for the refit. */
export type Choice = {
  plan: FeaturePlan;
  textUse: TextUse;
  strengths: Strengths;
  temperature: number;
  trial: Trial | null;
};

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

function labelsOf(rows: readonly LabelledRow[]): Int32Array {
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
  classifier: Classifier;
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  optionCount: number;
  texts: ReadTexts;
  dimensions: number;
  seed: number;
  progress: ProgressTeller;
  report: (share: number) => void;
}): Choice & { folded: FoldedRows | null } {
  const { classifier, plan, rows, optionCount, texts, dimensions, progress } = given;
  const planned = (textUse: TextUse) => withText(plan, textUse, rows, texts, dimensions);
  const candidates = candidatesFor(plan);
  if (rows.length < leastRowsForFolds || candidates.length === 0) {
    const textUse = plan.text === null ? 'none' : 'both';
    return { plan: planned(textUse), textUse, strengths: defaultStrengths, temperature: 1, trial: null, folded: null };
  }
  const outcomes: { textUse: TextUse; plan: FeaturePlan; folded: FoldedRows; trial: Trial }[] = [];
  candidates.forEach((candidate, index) => {
    const candidatePlan = planned(candidate.textUse);
    const folded = foldPlan(candidatePlan, rows, optionCount, texts, given.seed);
    const trial = bestOf(evaluator(classifier, folded, candidatePlan, progress.tick), candidate.settings);
    if (trial !== null) outcomes.push({ textUse: candidate.textUse, plan: candidatePlan, folded, trial });
    given.report((index + 1) / candidates.length);
  });
  const least = Math.min(...outcomes.map((outcome) => outcome.trial.result.logLoss));
  const good = outcomes
    .filter((outcome) => outcome.trial.result.logLoss <= least * 1.01)
    .sort((a, b) => byCost.indexOf(a.textUse) - byCost.indexOf(b.textUse))[0];
  if (good === undefined) throw new Error('cross-validation gave no result');
  const { strengths, result } = good.trial;
  return {
    plan: good.plan,
    textUse: good.textUse,
    strengths,
    temperature: result.temperature,
    trial: good.trial,
    folded: good.folded,
  };
}

function foldPlan(
  plan: FeaturePlan,
  rows: readonly LabelledRow[],
  optionCount: number,
  texts: ReadTexts,
  seed: number,
): FoldedRows {
  const part = affordableRows(rows, plan, optionCount);
  const built = buildRows(
    plan,
    part.map((row) => row.input),
    texts,
  );
  return foldRows(built, labelsOf(part), optionCount, foldsOf(part, folds, seed + 1), folds);
}

/** Searches better strengths from a choice's starting point, within the configured number of trials. */
export function tuneStrengths(
  classifier: Classifier,
  choice: Choice & { folded: FoldedRows | null },
  config: TrainingConfig,
  seed: number,
  progress: ProgressTeller,
  report: (done: number, total: number) => void,
): Choice {
  if (choice.folded === null || choice.trial === null || !config.tune_hyperparams) return choice;
  const evaluate = evaluator(classifier, choice.folded, choice.plan, progress.tick);
  const trial = searchStrengths(evaluate, choice.trial, config.n_tuning_trials, createRandom(seed), (done) =>
    report(done, config.n_tuning_trials),
  );
  return { ...choice, strengths: trial.strengths, temperature: trial.result.temperature, trial };
}

/** A fitted model with the plan it belongs to, before and after its temperature. */
export type FittedModel = { plan: FeaturePlan; rows: Rows; calibrated: LogisticModel; uncalibrated: LogisticModel };

/** Fits the final classifier of a choice on rows; `relearn` learns the plan's statistics and vocabulary anew from them. */
export function fitChoice(given: {
  classifier: Classifier;
  choice: Choice;
  rows: readonly LabelledRow[];
  present: readonly number[];
  optionCount: number;
  texts: ReadTexts;
  relearn: boolean;
  progress: ProgressTeller;
}): FittedModel {
  const { classifier, choice, rows, present, optionCount, texts } = given;
  const inputs = rows.map((row) => row.input);
  const dimensions = choice.plan.text?.encoder?.dimensions ?? 0;
  const plan = given.relearn
    ? withText(refitPlan(choice.plan, inputs), choice.textUse, rows, texts, dimensions)
    : choice.plan;
  const built = buildRows(plan, inputs, texts);
  const start = given.relearn ? undefined : choice.trial?.result.parameters[0];
  const fitted = classifier.fit({
    rows: built,
    labels: labelsOf(rows),
    optionCount: present.length,
    denseStrengths: denseStrengths(plan, choice.strengths),
    sparseStrength: choice.strengths.ngrams,
    precision: 'final',
    tick: given.progress.tick,
    ...(start === undefined ? {} : { start }),
  });
  const widths = { dense: built.denseWidth, sparse: built.sparse.width };
  const model = (temperature: number) => toLogisticModel(fitted, widths, present, optionCount, temperature);
  return { plan, rows: built, calibrated: model(choice.temperature), uncalibrated: model(1) };
}
