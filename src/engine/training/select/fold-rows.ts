/** Rows cut into folds, and the loss of predictions that were made fold by fold. */
import { computeLogLoss, fitTemperature } from '../../classifiers/calibration.ts';
import { type Rows, selectRows } from '../../classifiers/classifier.ts';
import { argmax, logSumExp } from '../../numeric.ts';

type Fold = {
  train: Rows;
  trainLabels: Int32Array;
  held: Rows;
  heldLabels: Int32Array;
  positions: number[];
  /** Parameters of the head over the embedding that was tuned with the fold's encoder. */
  tunedHead?: Float64Array;
};

/** Rows cut into folds once, to be fitted on many times. */
export type FoldedRows = { folds: Fold[]; labels: Int32Array; optionCount: number };

/** Cuts rows into `count` folds; `foldOf` holds the fold (0 … count - 1) of each row. */
export function foldRows(
  rows: Rows,
  labels: Int32Array,
  optionCount: number,
  foldOf: Int32Array,
  count: number,
): FoldedRows {
  const pick = (positions: readonly number[]) => Int32Array.from(positions, (position) => labels[position]);
  const all = Array.from({ length: rows.count }, (_, position) => position);
  const folds = Array.from({ length: count }, (_, fold) => {
    const positions = all.filter((position) => foldOf[position] === fold);
    const others = all.filter((position) => foldOf[position] !== fold);
    return {
      train: selectRows(rows, others),
      trainLabels: pick(others),
      held: selectRows(rows, positions),
      heldLabels: pick(positions),
      positions,
    };
  });
  return { folds, labels, optionCount };
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
