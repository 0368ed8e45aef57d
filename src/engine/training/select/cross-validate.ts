/** Cross-validation of a classifier's settings by calibrated log-loss. */
import { computeLogLoss, fitTemperature } from '../../classifiers/calibration.ts';
import { type Rows, selectRows } from '../../classifiers/classifier.ts';
import { fitTrees, type TreeSettings } from '../../classifiers/trees.ts';

type Fold = { train: Rows; trainLabels: Int32Array; held: Rows; heldLabels: Int32Array; positions: number[] };

/** Rows cut into folds once, to be fitted on many times. */
export type FoldedRows = { folds: Fold[]; labels: Int32Array; optionCount: number };

/** Out-of-fold result of a setting: `logLoss` is that after the best temperature. */
export type CrossValidation = {
  logLoss: number;
  temperature: number;
  /** Logits of every row by the fit that had not seen it. */
  logits: Float64Array;
};
/** Also with the number of rounds that was best over all folds. */
export type TreeCrossValidation = CrossValidation & { firstFoldLoss: number; rounds: number };

/** A setting is given up when its first fold's loss is this much above that of the best one. */
const hopeless = 1.02;

/** Cuts rows into the folds named by `foldOf` (a fold index per row). */
export function foldRows(
  rows: Rows,
  labels: Int32Array,
  optionCount: number,
  foldOf: Int32Array,
  count: number,
): FoldedRows {
  const pick = (positions: readonly number[]) => Int32Array.from(positions, (position) => labels[position] as number);
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

function resultOf(logits: Float64Array, folded: FoldedRows): CrossValidation {
  const { labels, optionCount } = folded;
  const temperature = fitTemperature(logits, labels, optionCount);
  return { logLoss: computeLogLoss(logits, labels, optionCount, temperature), temperature, logits };
}

/** Mean log-loss after the best temperature. */
export function calibratedLoss(logits: Float64Array, labels: Int32Array, optionCount: number): number {
  return computeLogLoss(logits, labels, optionCount, fitTemperature(logits, labels, optionCount));
}

/** Puts a held-out fold's logits where its rows stand among all. */
export function putBack(all: Float64Array, logits: Float64Array, fold: Fold, optionCount: number): void {
  fold.positions.forEach((position, i) => {
    all.set(logits.subarray(i * optionCount, (i + 1) * optionCount), position * optionCount);
  });
}

/** Rounds without a gain after which a fold stops growing. */
const patience = 20;

/**
 * Grows trees on all folds but one and watches that one, for each fold, with at most `settings.rounds` rounds. All folds
 * are then read at the round that was best for them together. Gives up (null) after
 * the first fold when its loss is more than 2 % above that of `best`, the best setting so far. `spend` hears the cost of each fit in histogram entries.
 */
export function crossValidateTrees(
  folded: FoldedRows,
  settings: TreeSettings,
  best: TreeCrossValidation | null,
  seed: number,
  tick: () => void,
  spend: (work: number) => void,
): TreeCrossValidation | null {
  const { optionCount } = folded;
  const fits: ReturnType<typeof fitTrees>[] = [];
  let firstFoldLoss = Number.POSITIVE_INFINITY;
  for (const [index, fold] of folded.folds.entries()) {
    const fitted = fitTrees(
      { rows: fold.train, labels: fold.trainLabels, optionCount, settings, seed, precision: 'draft', tick },
      { rows: fold.held, labels: fold.heldLabels, patience },
    );
    fits.push(fitted);
    spend(fitted.work);
    if (index > 0) continue;
    firstFoldLoss = calibratedLoss(
      fitted.logitsAfter(fold.held, bestRound([fitted.watchedLoss], [1])),
      fold.heldLabels,
      optionCount,
    );
    if (best !== null && firstFoldLoss > best.firstFoldLoss * hopeless) return null;
  }
  const weights = folded.folds.map((fold) => fold.heldLabels.length);
  const rounds = Math.max(
    1,
    bestRound(
      fits.map((fit) => fit.watchedLoss),
      weights,
    ),
  );
  const outOfFold = new Float64Array(folded.labels.length * optionCount);
  folded.folds.forEach((fold, index) => {
    const logits = fits[index]?.logitsAfter(fold.held, rounds);
    if (logits !== undefined) putBack(outOfFold, logits, fold, optionCount);
  });
  return { ...resultOf(outOfFold, folded), firstFoldLoss, rounds };
}

/**
 * Predicts every row by trees of exactly `settings.rounds` rounds that have not seen it. On other folds than those of the
 * search this shows what the chosen settings are worth without the luck that had them chosen.
 */
export function confirmTrees(
  folded: FoldedRows,
  settings: TreeSettings,
  seed: number,
  tick: () => void,
): CrossValidation {
  const { optionCount } = folded;
  const outOfFold = new Float64Array(folded.labels.length * optionCount);
  for (const fold of folded.folds) {
    const { train: rows, trainLabels: labels } = fold;
    const fitted = fitTrees({ rows, labels, optionCount, settings, seed, precision: 'draft', tick });
    putBack(outOfFold, fitted.logits(fold.held), fold, optionCount);
  }
  return resultOf(outOfFold, folded);
}

/** The round with the least weighted sum of losses; a fold that stopped earlier keeps its last loss. */
function bestRound(losses: readonly (readonly number[])[], weights: readonly number[]): number {
  const length = Math.max(...losses.map((loss) => loss.length));
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < length; round++) {
    const sum = losses.reduce((total, loss, f) => total + (loss[round] ?? loss.at(-1) ?? 0) * (weights[f] ?? 0), 0);
    if (sum < least) {
      least = sum;
      best = round;
    }
  }
  return best;
}
