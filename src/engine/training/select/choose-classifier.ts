/** Choosing between logistic regression, boosted trees and a blend of both, by cross-validated log-loss. */
import { computePooledLogLoss, fitWeights } from '../../classifiers/blend.ts';
import { computeLogLoss } from '../../classifiers/calibration.ts';
import type { TreeSettings } from '../../classifiers/trees.ts';
import type { TrainingConfig } from '../../domain.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { countOutputs } from '../../numeric.ts';
import { createRandom } from '../../random.ts';
import { buildRows } from '../data/build-rows.ts';
import type { LabelledRow } from '../data/prepare.ts';
import { assignFolds } from '../data/split.ts';
import type { ProgressReporter } from '../progress.ts';
import {
  type CrossValidation,
  confirmTrees,
  crossValidateTrees,
  type FoldedRows,
  foldRows,
  type TreeCrossValidation,
} from './cross-validate.ts';
import { listLabels, type TextChoice, type TextUse } from './fit.ts';
import { type LinearSettings, type LinearTrial, toSettings, tuneHeads } from './linear.ts';
import { searchSettings } from './search.ts';
import { listTreeFields } from './tree-fields.ts';

/** Everything that was decided on the training side and is used again for the refit; at least one part is there. */
export type Choice = {
  plan: FeaturePlan;
  textUse: TextUse;
  linear: (LinearSettings & { weight: number }) | null;
  trees: { settings: TreeSettings; weight: number } | null;
};

/** Fewer rows than this say too little about interactions for trees to be tried. */
const minRowsForTrees = 60;
/**
 * Budgets in histogram entries, about 3 to 5 nanoseconds each: they are the same on every machine, so that the same
 * request always gives the same model. One for the comparison of settings, one for the final fit.
 */
const comparisonBudget = 5e9;
const finalBudget = 2e10;
/** Entries that a row and field typically cost in a round: rows come by about this often on the way down a tree. */
const entriesPerRound = 4;
const typicalRounds = 200;
/** Many folds where they are cheap: on small sets trees gain much from every further row. */
const manyFolds = { folds: 10, upToRows: 2500 };
const fewFolds = 3;
/** A blend must be this much better than its best part to be worth its size. */
const worthwhile = 0.996;

/** Trees of a classifier, a few nanoseconds of every decision each; the least is for very many options. */
const maxTrees = 800;
const roundLimits = { least: 60, most: 400 };
/** Fewer rounds must take longer steps to come as far. */
const learningRates = { least: 0.1, most: 0.3 };

/** Settings that do well on most tables; the search starts from the best of them. */
function treeStarts(optionCount: number): TreeSettings[] {
  const wanted = Math.floor(maxTrees / countOutputs(optionCount));
  const rounds = Math.max(roundLimits.least, Math.min(roundLimits.most, wanted));
  const learningRate = Math.min(learningRates.most, (learningRates.least * roundLimits.most) / rounds);
  return [
    { rounds, maxLeaves: 15, minRows: 10, l2: 1, learningRate, rowShare: 0.8, fieldShare: 0.7 },
    { rounds, maxLeaves: 6, minRows: 5, l2: 0.1, learningRate, rowShare: 1, fieldShare: 1 },
    { rounds, maxLeaves: 31, minRows: 20, l2: 1, learningRate, rowShare: 0.8, fieldShare: 0.7 },
  ];
}

const treeLimits = {
  maxLeaves: { least: 2, most: 63, step: 0.4 },
  minRows: { least: 1, most: 100, step: 0.5 },
  l2: { least: 1e-3, most: 100, step: 0.7 },
  rowShare: { least: 0.4, most: 1, step: 0.1 },
  fieldShare: { least: 0.2, most: 1, step: 0.2 },
};

type TreeTrial = { settings: TreeSettings; result: TreeCrossValidation };
type TreeVerdict = { settings: TreeSettings; result: CrossValidation };

/** Positions of the rows that trees are compared on: all of them, or as many as one comparison can afford. */
function affordablePositions(part: readonly LabelledRow[], costPerRow: number): number[] {
  const most = Math.max(600, Math.floor(comparisonBudget / (4 * typicalRounds * costPerRow)));
  const parts = Math.ceil(part.length / most);
  const group = assignFolds(part, parts, 11);
  return [...part.keys()].filter((position) => group[position] === 0);
}

/** Cuts the tabular part of rows into folds for trees, which never see text. */
function foldTabular(plan: FeaturePlan, rows: readonly LabelledRow[], optionCount: number, seed: number): FoldedRows {
  const inputs = rows.map((row) => row.input);
  const folds = rows.length <= manyFolds.upToRows ? manyFolds.folds : fewFolds;
  const built = buildRows({ ...plan, text: null }, inputs, new Map());
  return foldRows(built, listLabels(rows), optionCount, assignFolds(rows, folds, seed + 3), folds);
}

type TreeTrials = { best: TreeTrial; search(trials: number, report: (done: number) => void): TreeTrial };

/** Cross-validates the tree settings that a search may start from, and offers that search. */
function startTrees(
  folded: FoldedRows,
  starts: readonly TreeSettings[],
  seed: number,
  progress: ProgressReporter,
): TreeTrials {
  let spent = 0;
  const evaluate = (settings: TreeSettings, best: TreeCrossValidation | null) =>
    crossValidateTrees(folded, settings, best, seed, progress.heartbeat, (work) => {
      spent += work;
    });
  let best: TreeTrial | null = null;
  for (const settings of starts) {
    const result = evaluate(settings, best?.result ?? null);
    if (result !== null && (best === null || result.logLoss < best.result.logLoss)) best = { settings, result };
  }
  if (best === null) throw new Error('cross-validation of trees gave no result');
  const start: TreeTrial = best;
  const settingsAt = (point: Record<keyof typeof treeLimits, number>): TreeSettings => ({
    ...start.settings,
    ...point,
    maxLeaves: Math.round(point.maxLeaves),
    minRows: Math.round(point.minRows),
  });
  return {
    best: start,
    search(trials, report) {
      const { point, result } = searchSettings<keyof typeof treeLimits, TreeCrossValidation>({
        limits: treeLimits,
        start: { point: start.settings, result: start.result },
        evaluate: (next, bestResult) => evaluate(settingsAt(next), bestResult),
        trials,
        random: createRandom(seed + 2),
        affordable: () => spent < comparisonBudget,
        report,
      });
      return { settings: settingsAt(point), result };
    },
  };
}

/**
 * Tunes the linear model and the trees within the configured number of trials, and takes trees or a blend only where
 * cross-validation says that they are worth it. `comparison` tells the figures in sentences.
 */
export function chooseClassifier(given: {
  started: TextChoice;
  optionCount: number;
  /** Rows of the final fit. */
  rowCount: number;
  config: TrainingConfig;
  seed: number;
  progress: ProgressReporter;
  report: (share: number, message: string) => void;
}): { choice: Choice; comparison: string[] } {
  const { started, config, seed, progress } = given;
  const { plan, textUse, compared } = started;
  if (compared === null || started.trial === null) {
    const linear = { ...started.linear, weight: 1 };
    return { choice: { plan, textUse, linear, trees: null }, comparison: [] };
  }
  const trials = config.tune_hyperparams ? config.n_tuning_trials : 0;
  const costPerRow = entriesPerRound * listTreeFields(plan).length * countOutputs(given.optionCount);
  const finalRounds = Math.floor(finalBudget / (costPerRow * given.rowCount));
  const tooLarge = finalRounds < typicalRounds / 2;
  const withTrees = plan.tabular_size > 0 && compared.part.length >= minRowsForTrees && !tooLarge;
  const report = (done: number) =>
    given.report(done / Math.max(1, trials), `Setting ${Math.floor(done)} of at most ${trials} tried`);
  const fitting = { plan: compared.plan, folded: compared.folded, seed, tick: progress.heartbeat };
  const tuneLinear = (linearTrials: number, start: LinearTrial) => tuneHeads(fitting, start, linearTrials, report);
  if (!withTrees) {
    const note = 'Boosted trees were not tried: there are too many examples, fields and options together for them.';
    const choice = onlyLinear(started, tuneLinear(trials, started.trial));
    return { choice, comparison: tooLarge && plan.tabular_size > 0 ? [note] : [] };
  }
  const positions = affordablePositions(compared.part, costPerRow);
  const rows = positions.flatMap((position) => compared.part[position] ?? []);
  const folded = foldTabular(plan, rows, given.optionCount, seed);
  const trees = startTrees(folded, treeStarts(given.optionCount), seed, progress);
  const treeTrials = Math.round(trials * treeShare(compare(started, folded, positions, started.trial, trees.best)));
  const linear = tuneLinear(trials - treeTrials, started.trial);
  const tuned = trees.search(treeTrials, (done) => report(trials - treeTrials + done));
  const settings = { ...tuned.settings, rounds: Math.min(tuned.result.rounds, finalRounds) };
  const others = foldTabular(plan, rows, given.optionCount, seed + 1);
  const result = confirmTrees(others, settings, seed + 1, progress.heartbeat);
  return compare(started, folded, positions, linear, { settings, result });
}

/** The share of the trials that trees get: none where they promise nothing, most where the linear model is left behind. */
function treeShare({ choice }: { choice: Choice }): number {
  if (choice.trees === null) return 0;
  return choice.linear === null ? 0.75 : 0.5;
}

function onlyLinear({ plan, textUse }: TextChoice, trial: LinearTrial): Choice {
  return { plan, textUse, linear: { ...toSettings(trial), weight: 1 }, trees: null };
}

/** The rows of row-major logits at the given positions. */
function logitsAt(logits: Float64Array, positions: readonly number[], width: number): Float64Array {
  const picked = new Float64Array(positions.length * width);
  positions.forEach((position, i) => {
    picked.set(logits.subarray(position * width, (position + 1) * width), i * width);
  });
  return picked;
}

function compare(
  started: TextChoice,
  { labels, optionCount }: FoldedRows,
  positions: readonly number[],
  linear: LinearTrial,
  trees: TreeVerdict,
): { choice: Choice; comparison: string[] } {
  const linearLogits = logitsAt(linear.logits, positions, optionCount);
  const parts = [linearLogits, trees.result.logits] as const;
  const weights = fitWeights(parts, labels, optionCount);
  const blendLoss = computePooledLogLoss(parts, weights, labels, optionCount);
  const linearLoss = computeLogLoss(linearLogits, labels, optionCount);
  const treesLoss = trees.result.logLoss;
  const comparison = [
    `Cross-validated log-loss: logistic regression ${linearLoss.toFixed(4)}, boosted trees ${treesLoss.toFixed(4)}, both together ${blendLoss.toFixed(4)}.`,
  ];
  const { settings } = trees;
  const { plan, textUse } = started;
  if (Math.min(blendLoss, treesLoss) > worthwhile * linearLoss) {
    return { choice: onlyLinear(started, linear), comparison };
  }
  if (blendLoss > worthwhile * treesLoss) {
    const weight = fitWeights([trees.result.logits], labels, optionCount)[0] ?? 1;
    const alone: Choice = { plan: { ...plan, text: null }, textUse: 'none', linear: null, trees: { settings, weight } };
    return { choice: alone, comparison };
  }
  const [linearWeight = 0, treeWeight = 0] = weights;
  const linearPart = { ...toSettings(linear), weight: linearWeight };
  return { choice: { plan, textUse, linear: linearPart, trees: { settings, weight: treeWeight } }, comparison };
}
