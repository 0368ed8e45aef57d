/** Choosing the settings of boosted trees, within a budget that is the same on every machine. */
import type { TreeSettings } from '../../classifiers/trees.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { countOutputs } from '../../numeric.ts';
import { createStream, deriveSeed, drawNormal, type Random, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import { isLabelled } from '../data/hint-rows.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { listTreeFields } from '../data/tree-fields.ts';
import {
  type CrossValidation,
  confirmTrees,
  crossValidateTrees,
  findRounds,
  type TreeCrossValidation,
} from './cross-validate-trees.ts';
import { buildFold, type FoldedRows, foldRows } from './fold-rows.ts';

/** Fewer rows than this say too little about interactions for trees to be tried. */
export const minRowsForTrees = 60;
/** A table of fewer rows says too little to take a search for settings and weights at its word. */
export const rowsForSearch = 500;
/** On so few rows what replaces something plain must have at most this many times its loss. */
export const clearLossRatio = 0.95;
/** Budgets in histogram entries (3 to 5 ns each), the same on every machine: for the comparison and the final fit. */
const comparisonBudget = 5e9;
const finalBudget = 2e10;
/** Entries that a row and field typically cost in a round: rows come by about this often on the way down a tree. */
const entriesPerRound = 4;
const typicalRounds = 200;
/** A comparison must be able to afford this many fits of typical length. */
const affordableFits = 4;
const minComparedRows = 600;
/** Many folds where they are cheap: on small sets trees gain much from every further row. */
const manyFolds = { folds: 10, upToRows: 2500 };
const fewFolds = 3;
/** One row of this many is watched to settle the rounds of a fit on all rows. */
const watchedShare = 10;

/** Trees of a classifier, a few nanoseconds of every decision each; the minimum of rounds is for very many options. */
const maxTrees = 800;
const minRounds = 60;
const maxRounds = 400;
const minLearningRate = 0.1;
const maxLearningRate = 0.3;

type SearchedSetting = 'maxLeaves' | 'minRows' | 'l2' | 'rowShare' | 'fieldShare';
const searchRanges: Record<SearchedSetting, SettingRange> = {
  maxLeaves: { min: 2, max: 63, step: 0.4 },
  minRows: { min: 1, max: 100, step: 0.5 },
  l2: { min: 1e-3, max: 100, step: 0.7 },
  rowShare: { min: 0.4, max: 1, step: 0.1 },
  fieldShare: { min: 0.2, max: 1, step: 0.2 },
};

/** Tree settings with the predictions of every row by trees that had not seen it. */
export type TreeTrial = { settings: TreeSettings; result: CrossValidation };

/** The cost of trees: histogram entries of a row in a round, and the rounds that the final fit can afford. */
type TreeCost = { entriesPerRow: number; maxFinalRounds: number; isAffordable: boolean };

/** Estimates the cost of trees for a plan, options and the rows of the final fit. */
export function estimateTreeCost(plan: FeaturePlan, optionCount: number, rowCount: number): TreeCost {
  const entriesPerRow = entriesPerRound * listTreeFields(plan).length * countOutputs(optionCount);
  const maxFinalRounds = Math.floor(finalBudget / (entriesPerRow * rowCount));
  return { entriesPerRow, maxFinalRounds, isAffordable: maxFinalRounds >= typicalRounds / 2 };
}

/** A search for tree settings: the folds it compares on, the best settings so far and the histogram entries it used. */
export type TreeSearch = {
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  hinted: readonly LabelledRow[];
  /** Where `rows` stand among the rows that the linear classifier was compared on. */
  positions: readonly number[];
  folded: FoldedRows;
  best: { settings: TreeSettings; result: TreeCrossValidation };
  spent: number;
  seed: number;
  tick: () => void;
};

type TreeSearchParams = {
  plan: FeaturePlan;
  /** The rows that the linear classifier was compared on. */
  rows: readonly LabelledRow[];
  hinted: readonly LabelledRow[];
  optionCount: number;
  cost: TreeCost;
  seed: number;
  /** Called in every round of every fit; it may throw to stop the search. */
  tick: () => void;
};

/** Cross-validates settings that do well on most tables; the best of them is where the search starts. */
export function startTreeSearch({ plan, rows, hinted, optionCount, cost, seed, tick }: TreeSearchParams): TreeSearch {
  const positions = listAffordablePositions(rows, cost);
  const compared = positions.flatMap((position) => rows[position] ?? []);
  const folded = foldTabularRows(plan, compared, hinted, optionCount, deriveSeed(randomStreams.treeFolds, seed));
  const search = { plan, rows: compared, hinted, positions, folded, spent: 0, seed, tick };
  let best: TreeSearch['best'] | null = null;
  for (const settings of listFirstSettings(optionCount)) {
    const result = tryTrees(search, settings, best?.result ?? null);
    if (result === null || (best !== null && !isLower(result.logLoss, best.result.logLoss))) continue;
    best = { settings, result };
  }
  if (best === null) throw new Error('The cross-validation of boosted trees gave no finite loss.');
  return { ...search, best };
}

/** Improves the best settings by `trials` more, confirmed on other folds; `report` receives the trials done. */
export function finishTreeSearch(
  search: TreeSearch,
  cost: TreeCost,
  trials: number,
  report: (done: number) => void,
): TreeTrial {
  const { plan, rows, hinted, folded, seed, tick } = search;
  const { point, result } = searchSettings<SearchedSetting, TreeCrossValidation>({
    ranges: searchRanges,
    start: { point: search.best.settings, result: search.best.result },
    evaluate: (next, best) => tryTrees(search, toTreeSettings(search, next), best),
    trials,
    random: createStream(randomStreams.treeSearch, seed),
    isAffordable: () => search.spent < comparisonBudget,
    report,
  });
  const settings = { ...toTreeSettings(search, point), rounds: Math.min(result.rounds, cost.maxFinalRounds) };
  const foldSeed = deriveSeed(randomStreams.treeConfirmationFolds, seed);
  const others = foldTabularRows(plan, rows, hinted, folded.optionCount, foldSeed);
  const fitSeed = deriveSeed(randomStreams.treeConfirmationFit, seed);
  const confirm = (each: TreeSettings) => ({ settings: each, result: confirmTrees(others, each, fitSeed, tick) });
  const found = confirm(settings);
  if (plan.text !== null || rows.length >= rowsForSearch) return found;
  const plain = confirm(createPlainSettings(folded.optionCount));
  return found.result.logLoss <= clearLossRatio * plain.result.logLoss ? found : plain;
}

/** The settings found on a part of the rows, with rounds for all `rows`, as more rows bear more trees. */
export function settleRounds(
  { plan, folded: { optionCount }, seed, tick }: TreeSearch,
  settings: TreeSettings,
  rows: readonly LabelledRow[],
  { maxFinalRounds }: TreeCost,
): TreeSettings {
  const place = assignFolds(rows, watchedShare, deriveSeed(randomStreams.treeFolds, seed));
  const isWatched = (row: LabelledRow, position: number) => place[position] === 0 && isLabelled(row);
  const learned = rows.filter((row, position) => !isWatched(row, position));
  const fold = buildFold({ ...plan, text: null }, { learned, held: rows.filter(isWatched), texts: new Map() });
  const most = { ...settings, rounds: Math.min(maxFinalRounds, countRounds(optionCount, maxRounds)) };
  const fitSeed = deriveSeed(randomStreams.modelFit, seed);
  return { ...most, rounds: findRounds(fold, { optionCount, settings: most, seed: fitSeed, tick }) };
}

/** Many options leave fewer rounds, which must take longer steps to come as far. */
function countRounds(optionCount: number, most: number): number {
  return Math.max(minRounds, Math.min(most, Math.floor(maxTrees / countOutputs(optionCount))));
}

/** Slow, shallow trees that each see a part of rows and fields: they learn little from noise. */
function createPlainSettings(optionCount: number): TreeSettings {
  const rounds = countRounds(optionCount, 80);
  return { rounds, maxLeaves: 8, minRows: 3, l2: 1, learningRate: 4 / rounds, rowShare: 0.7, fieldShare: 0.7 };
}

function listFirstSettings(optionCount: number): TreeSettings[] {
  const rounds = countRounds(optionCount, maxRounds);
  const learningRate = Math.min(maxLearningRate, (minLearningRate * maxRounds) / rounds);
  return [
    { rounds, maxLeaves: 15, minRows: 10, l2: 1, learningRate, rowShare: 0.8, fieldShare: 0.7 },
    { rounds, maxLeaves: 6, minRows: 5, l2: 0.1, learningRate, rowShare: 1, fieldShare: 1 },
    { rounds, maxLeaves: 31, minRows: 20, l2: 1, learningRate, rowShare: 0.8, fieldShare: 0.7 },
  ];
}

function toTreeSettings({ best }: TreeSearch, point: Record<SearchedSetting, number>): TreeSettings {
  return {
    ...best.settings,
    ...point,
    maxLeaves: Math.round(point.maxLeaves),
    minRows: Math.round(point.minRows),
  };
}

function tryTrees(
  search: Pick<TreeSearch, 'folded' | 'spent' | 'seed' | 'tick'>,
  settings: TreeSettings,
  best: TreeCrossValidation | null,
): TreeCrossValidation | null {
  return crossValidateTrees({
    folded: search.folded,
    settings,
    best,
    seed: deriveSeed(randomStreams.modelFit, search.seed),
    tick: search.tick,
    addWork(work) {
      search.spent += work;
    },
  });
}

/** Positions of the rows that trees are compared on: all of them, or as many as one comparison can afford. */
function listAffordablePositions(rows: readonly LabelledRow[], { entriesPerRow }: TreeCost): number[] {
  const affordable = Math.floor(comparisonBudget / (affordableFits * typicalRounds * entriesPerRow));
  const parts = Math.ceil(rows.length / Math.max(minComparedRows, affordable));
  const part = assignFolds(rows, parts, deriveSeed(randomStreams.treeSubset));
  return [...rows.keys()].filter((position) => part[position] === 0);
}

/** Cuts the tabular part of rows into folds for trees, which never see text. */
function foldTabularRows(
  plan: FeaturePlan,
  rows: readonly LabelledRow[],
  hinted: readonly LabelledRow[],
  optionCount: number,
  foldSeed: number,
): FoldedRows {
  const folds = rows.length <= manyFolds.upToRows ? manyFolds.folds : fewFolds;
  const foldOf = assignFolds(rows, folds, foldSeed);
  return foldRows({ ...plan, text: null }, rows, new Map(), optionCount, foldOf, folds, hinted);
}

/** Bounds of a positive setting, and the decades that a first step typically takes. */
type SettingRange = { min: number; max: number; step: number };

const maxFailures = 7;
/** Losses nearer than this share are equal, and the first one stays: their last digits differ between processors. */
const minGain = 1e-6;

/** Whether a loss is lower than the best one so far by more than processors differ. */
const isLower = (loss: number, best: number): boolean => loss < best * (1 - minGain);

/**
 * Improves settings by at most `trials` random steps around the best ones so far (an evolution strategy with one parent
 * over the logarithms of the numbers). Steps become shorter with every failure; it stops after 7 failures in a row, or
 * when `isAffordable` answers false. `evaluate` answers null for settings that it gave up. `report` receives the trials
 * that are done.
 */
function searchSettings<Key extends string, Result extends { logLoss: number }>(params: {
  ranges: Record<Key, SettingRange>;
  start: { point: Record<Key, number>; result: Result };
  evaluate: (point: Record<Key, number>, best: Result) => Result | null;
  trials: number;
  random: Random;
  isAffordable: () => boolean;
  report: (done: number) => void;
}): { point: Record<Key, number>; result: Result } {
  const { ranges, random } = params;
  const keys = Object.keys(ranges) as Key[];
  let best = params.start;
  let spread = 1;
  let failures = 0;
  for (let trial = 0; trial < params.trials && failures < maxFailures && params.isAffordable(); trial++) {
    const point = { ...best.point };
    for (const key of keys) {
      const { min, max, step } = ranges[key];
      point[key] = Math.max(min, Math.min(max, best.point[key] * 10 ** (spread * step * drawNormal(random))));
    }
    const result = params.evaluate(point, best.result);
    if (result !== null && isLower(result.logLoss, best.result.logLoss)) {
      best = { point, result };
      failures = 0;
      spread = Math.min(1, spread * 1.3);
    } else {
      failures += 1;
      spread = Math.max(0.2, spread * 0.88);
    }
    params.report(trial + 1);
  }
  return best;
}
