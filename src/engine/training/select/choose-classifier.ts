import { computePooledLogLoss, fitWeights, poolLogits } from '../../classifiers/blend.ts';
import { computeLogLoss } from '../../classifiers/calibration.ts';
import type { TrainingConfig } from '../../domain/training.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { isLabelled } from '../data/hint-rows.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import type { TextChoice } from './choose-text.ts';
import type { ClassifierChoice } from './fit-choice.ts';
import { computeCalibratedLoss } from './fold-rows.ts';
import { type LinearTrial, toLinearSettings, tuneHeads } from './tune-heads.ts';
import {
  clearLossRatio,
  estimateTreeCost,
  finishTreeSearch,
  minRowsForTrees,
  rowsForSearch,
  settleRounds,
  startTreeSearch,
  type TreeSearch,
  type TreeTrial,
} from './tune-trees.ts';

/** A loss must be at most this many times that of something simpler to be worth its size. */
const worthwhileLossRatio = 0.996;
/** Below this many rows of a table a finer C of the linear part follows the noise of the folds. */
const rowsForTuning = 1000;
/** Weights of linear part and trees that do well on most small tables. */
const usualWeights = [0.6, 0.4];

type ClassifierChoiceParams = {
  textChoice: TextChoice;
  optionCount: number;
  /** All rows to learn from, of which the comparison may have seen a part. */
  rows: readonly LabelledRow[];
  rowCount: number;
  config: Pick<TrainingConfig, 'tune_hyperparams' | 'n_tuning_trials'>;
  seed: number;
  /** Called in every iteration of every fit; it may throw to stop the search. */
  tick: () => void;
  report: (share: number, message: string) => void;
};

/** Rows with their logits of the choice, row by row, by fits that had not seen them. */
export type JudgedRows = { rows: readonly LabelledRow[]; logits: Float64Array };

/** The choice, with sentences on the figures that decided it; `judged` is null where nothing was compared. */
type Verdict = { choice: ClassifierChoice; notes: string[]; judged: JudgedRows | null };

/** Tunes the linear model and the trees; takes trees or a blend only where cross-validation shows their worth. */
export function chooseClassifier(params: ClassifierChoiceParams): Verdict {
  const { textChoice, optionCount, config, seed, tick } = params;
  const { plan, textUse, comparison } = textChoice;
  if (comparison === null) {
    const linear = { ...textChoice.linear, weight: 1 };
    return { choice: { plan, textUse, linear, trees: null }, notes: [], judged: null };
  }
  const trials = config.tune_hyperparams ? config.n_tuning_trials : 0;
  const report = (done: number) =>
    params.report(done / Math.max(1, trials), `Tried ${Math.floor(done)} of at most ${trials} settings`);
  const heads = {
    plan: comparison.plan,
    folded: comparison.folded,
    seed: deriveSeed(randomStreams.modelFit, seed),
    tick,
  };
  const cost = estimateTreeCost(plan, optionCount, params.rowCount);
  if (plan.tabular_size === 0 || comparison.rows.length < minRowsForTrees || !cost.isAffordable) {
    const isTooCostly = plan.tabular_size > 0 && !cost.isAffordable;
    const note = 'Boosted trees were not tried: there are too many examples, fields and options together for them.';
    const tuned = tuneHeads(heads, comparison.trial, trials, report);
    return chooseLinear(textChoice, tuned, isTooCostly ? [note] : []);
  }
  const search = startTreeSearch({
    plan,
    rows: comparison.rows,
    hinted: comparison.hinted,
    optionCount,
    cost,
    seed,
    tick,
  });
  const first = compareParts(textChoice, comparison.judged, search, comparison.trial, search.best);
  const treeTrials = Math.round(trials * computeTreeShare(first.choice));
  const isTuned = plan.text !== null || comparison.rows.length >= rowsForTuning;
  const linear = isTuned ? tuneHeads(heads, comparison.trial, trials - treeTrials, report) : comparison.trial;
  const trees = finishTreeSearch(search, cost, treeTrials, (done) => report(trials - treeTrials + done));
  const verdict = compareParts(textChoice, comparison.judged, search, linear, trees);
  const isOfPart = search.rows.length < params.rows.filter(isLabelled).length;
  return isOfPart ? { ...verdict, choice: growFurther(verdict.choice, search, params.rows, cost) } : verdict;
}

/** The choice with as many rounds of trees as all rows bear. */
function growFurther(
  choice: ClassifierChoice,
  search: TreeSearch,
  rows: readonly LabelledRow[],
  cost: ReturnType<typeof estimateTreeCost>,
): ClassifierChoice {
  if (choice.trees === null) return choice;
  return { ...choice, trees: { ...choice.trees, settings: settleRounds(search, choice.trees.settings, rows, cost) } };
}

/** The share of trials for trees: none where they promise nothing, most where the linear model is behind. */
function computeTreeShare(choice: ClassifierChoice): number {
  if (choice.trees === null) return 0;
  return choice.linear === null ? 0.75 : 0.5;
}

function chooseLinear({ plan, textUse, comparison }: TextChoice, trial: LinearTrial, notes: string[]): Verdict {
  const linear = { ...toLinearSettings(trial, comparison?.folded ?? null), weight: 1 };
  const rows = comparison?.judged.flatMap((position) => comparison.rows[position] ?? []) ?? [];
  return { choice: { plan, textUse, linear, trees: null }, notes, judged: { rows, logits: trial.logits } };
}

function selectLogits(logits: Float64Array, positions: readonly number[], width: number): Float64Array {
  const selected = new Float64Array(positions.length * width);
  positions.forEach((position, i) => {
    selected.set(logits.subarray(position * width, (position + 1) * width), i * width);
  });
  return selected;
}

/** Logits of linear model and trees for the rows that both have judged, with these rows' labels. */
function matchLogits(
  { folded, positions, rows }: TreeSearch,
  judged: readonly number[],
  linear: LinearTrial,
  trees: TreeTrial,
) {
  const placeOf = new Map(judged.map((position, place) => [position, place]));
  const shared = positions.flatMap((position, searched) => {
    const place = placeOf.get(position);
    return place === undefined ? [] : { place, searched };
  });
  const { optionCount } = folded;
  const places = shared.map(({ place }) => place);
  const searched = shared.map((row) => row.searched);
  return {
    linearLogits: selectLogits(linear.logits, places, optionCount),
    treeLogits: selectLogits(trees.result.logits, searched, optionCount),
    labels: Int32Array.from(searched, (at) => folded.labels[at]),
    rows: searched.flatMap((at) => rows[at] ?? []),
  };
}

/**
 * Takes the simplest of linear model, trees and blend whose loss on the rows that both judged is good enough. Tables of
 * few rows get a blend unless a part alone is clearly better, its weights the nearer to the usual ones the fewer rows.
 */
function compareParts(
  textChoice: TextChoice,
  judged: readonly number[],
  search: TreeSearch,
  linear: LinearTrial,
  trees: TreeTrial,
): Verdict {
  const { plan, textUse } = textChoice;
  const { settings } = trees;
  const { optionCount } = search.folded;
  const { linearLogits, treeLogits, labels, rows } = matchLogits(search, judged, linear, trees);
  const parts = [linearLogits, treeLogits] as const;
  const trust = plan.text === null ? Math.min(1, labels.length / rowsForSearch) : 1;
  const weights = fitWeights(parts, labels, optionCount).map(
    (weight, part) => trust * weight + (1 - trust) * (usualWeights[part] ?? 0),
  );
  const blendLoss = computePooledLogLoss(parts, weights, labels, optionCount);
  const linearLoss = computeLogLoss(linearLogits, labels, optionCount);
  const treesLoss = computeCalibratedLoss(treeLogits, labels, optionCount);
  const notes = [
    `Cross-validated log-loss: logistic regression ${linearLoss.toFixed(4)}, boosted trees ${treesLoss.toFixed(4)}, both together ${blendLoss.toFixed(4)}.`,
  ];
  const ratio = trust === 1 ? worthwhileLossRatio : 1 / clearLossRatio;
  if (Math.min(blendLoss, treesLoss) > ratio * linearLoss) {
    return chooseLinear(textChoice, linear, notes);
  }
  if (blendLoss > ratio * treesLoss) {
    const weight = fitWeights([treeLogits], labels, optionCount)[0] ?? 1;
    return {
      choice: { plan: { ...plan, text: null }, textUse: 'none', linear: null, trees: { settings, weight } },
      notes,
      judged: { rows, logits: treeLogits.map((logit) => weight * logit) },
    };
  }
  const [linearWeight = 0, treeWeight = 0] = weights;
  const linearPart = { ...toLinearSettings(linear, textChoice.comparison?.folded ?? null), weight: linearWeight };
  const logits = poolLogits(parts, new Float64Array(optionCount), { weights, prior: 0 });
  return {
    choice: { plan, textUse, linear: linearPart, trees: { settings, weight: treeWeight } },
    notes,
    judged: { rows, logits },
  };
}
