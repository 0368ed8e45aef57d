/** Rows cut into folds, and the loss of predictions that were made fold by fold. */
import { computeLogLoss, fitTemperature } from '../../classifiers/calibration.ts';
import type { Rows } from '../../classifiers/classifier.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { argmax, logSumExp } from '../../numeric.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import { listWeights } from '../data/hint-rows.ts';
import { type EncodedTexts, type LabelledRow, listLabels } from '../data/labelled-rows.ts';
import { relearnPlan } from './text-use.ts';

type Fold = {
  /** The plan as the fold's own rows teach it: nothing of those that are held out is known to it. */
  plan: FeaturePlan;
  train: Rows;
  trainLabels: Int32Array;
  trainWeights: Float64Array | undefined;
  held: Rows;
  heldLabels: Int32Array;
  positions: number[];
  /** Parameters of the head over the embedding that was tuned with the fold's encoder. */
  tunedHead?: Float64Array;
};

/** Rows cut into folds once, to be fitted on many times. */
export type FoldedRows = { folds: Fold[]; labels: Int32Array; optionCount: number };

type FoldParts = { learned: readonly LabelledRow[]; held: readonly LabelledRow[]; texts: EncodedTexts };

/** Makes numbers of a fold's rows under a plan that is learned again from those that are not held out. */
export function buildFold(plan: FeaturePlan, { learned, held, texts }: FoldParts): Omit<Fold, 'positions'> {
  const own = relearnPlan(plan, learned, texts);
  const build = (part: readonly LabelledRow[]) =>
    buildFeatureRows(
      own,
      part.map((row) => row.input),
      texts,
    );
  return {
    plan: own,
    train: build(learned),
    trainLabels: listLabels(learned),
    trainWeights: listWeights(learned),
    held: build(held),
    heldLabels: listLabels(held),
  };
}

/** Cuts rows into `count` folds; hinted rows are learned from beside every fold, and judge nothing. */
export function foldRows(
  plan: FeaturePlan,
  rows: readonly LabelledRow[],
  texts: EncodedTexts,
  optionCount: number,
  foldOf: Int32Array,
  count: number,
  hinted: readonly LabelledRow[] = [],
): FoldedRows {
  const folds = Array.from({ length: count }, (_, fold) => {
    const positions = [...rows.keys()].filter((position) => foldOf[position] === fold);
    const held = positions.flatMap((position) => rows[position] ?? []);
    const learned = [...rows.filter((_row, position) => foldOf[position] !== fold), ...hinted];
    return { ...buildFold(plan, { learned, held, texts }), positions };
  });
  return { folds, labels: listLabels(rows), optionCount };
}

/** Folds whose rows were made apart: the rows that are judged are the held-out ones of all folds, in their order. */
export function joinFolds(folds: readonly Omit<Fold, 'positions'>[], optionCount: number): FoldedRows {
  const labels = Int32Array.from(folds.flatMap((fold) => [...fold.heldLabels]));
  let next = 0;
  const placed = folds.map((fold) => ({ ...fold, positions: [...fold.heldLabels].map(() => next++) }));
  return { folds: placed, labels, optionCount };
}

/** Copies a held-out fold's logits (row-major, one per option) to the places of its rows among all. */
export function placeFoldLogits(all: Float64Array, logits: Float64Array, fold: Fold, optionCount: number): void {
  fold.positions.forEach((position, i) => {
    all.set(logits.subarray(i * optionCount, (i + 1) * optionCount), position * optionCount);
  });
}

/** Mean log-loss of row-major logits after the best temperature. */
export function computeCalibratedLoss(logits: Float64Array, labels: Int32Array, optionCount: number): number {
  return computeLogLoss(logits, labels, optionCount, fitTemperature(logits, labels, optionCount));
}

/** The log-loss of each row by row-major logits, and the number of rows whose likeliest option is theirs. */
export function judgeLogits(
  logits: Float64Array,
  { labels, optionCount }: Pick<FoldedRows, 'labels' | 'optionCount'>,
): { losses: number[]; right: number } {
  const losses: number[] = [];
  let right = 0;
  for (const [row, label] of labels.entries()) {
    const from = row * optionCount;
    losses.push(logSumExp(logits, from, optionCount, 1) - (logits[from + label] ?? 0));
    if (argmax(logits.subarray(from, from + optionCount)) === label) right += 1;
  }
  return { losses, right };
}
