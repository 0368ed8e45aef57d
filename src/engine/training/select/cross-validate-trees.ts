import { type FittedTrees, fitTrees, type TreeSettings } from '../../classifiers/trees.ts';
import { computeCalibratedLoss, type FoldedRows, placeFoldLogits } from './fold-rows.ts';

/** Predictions of every row by the fit that had not seen it, and their mean log-loss after the best temperature. */
export type CrossValidation = { logLoss: number; logits: Float64Array };
/** Also with the loss of the first fold, and the number of rounds that was best over all folds. */
export type TreeCrossValidation = CrossValidation & { firstFoldLoss: number; rounds: number };

/** A setting is given up when its first fold's loss is more than this many times that of the best one. */
const maxFirstFoldRatio = 1.02;
/** Rounds without a gain after which a fold stops growing. */
const patience = 20;

type Fold = Omit<FoldedRows['folds'][number], 'positions'>;

const toRequest = ({ train: rows, trainLabels: labels, trainWeights: weights }: Fold) => ({ rows, labels, weights });

function toCrossValidation(logits: Float64Array, { labels, optionCount }: FoldedRows): CrossValidation {
  return { logLoss: computeCalibratedLoss(logits, labels, optionCount), logits };
}

/**
 * Grows trees on all folds but one and watches that one, for each fold, with at most `settings.rounds` rounds; all
 * folds are then read at the round that was best for them together. Gives up (null) after the first fold when its loss
 * is more than 2% above that of `best`, the best setting so far. `addWork` receives the cost of each fit in histogram
 * entries.
 */
export function crossValidateTrees(params: {
  folded: FoldedRows;
  settings: TreeSettings;
  best: TreeCrossValidation | null;
  seed: number;
  tick: () => void;
  addWork: (work: number) => void;
}): TreeCrossValidation | null {
  const { folded, settings, best, seed, tick } = params;
  const { optionCount } = folded;
  const fits: FittedTrees[] = [];
  let firstFoldLoss = Number.POSITIVE_INFINITY;
  for (const [index, fold] of folded.folds.entries()) {
    const fitted = fitTrees(
      { ...toRequest(fold), optionCount, settings, seed, precision: 'draft', tick },
      { rows: fold.held, labels: fold.heldLabels, patience },
    );
    fits.push(fitted);
    params.addWork(fitted.work);
    if (index > 0) continue;
    const logits = fitted.logitsAfter(fold.held, findBestRound([fitted.watchedLoss], [1]));
    firstFoldLoss = computeCalibratedLoss(logits, fold.heldLabels, optionCount);
    if (best !== null && firstFoldLoss > best.firstFoldLoss * maxFirstFoldRatio) return null;
  }
  const losses = fits.map((fit) => fit.watchedLoss);
  const weights = folded.folds.map((fold) => fold.heldLabels.length);
  const rounds = Math.max(1, findBestRound(losses, weights));
  const outOfFold = new Float64Array(folded.labels.length * optionCount);
  folded.folds.forEach((fold, index) => {
    const logits = fits[index]?.logitsAfter(fold.held, rounds);
    if (logits !== undefined) placeFoldLogits(outOfFold, logits, fold, optionCount);
  });
  return { ...toCrossValidation(outOfFold, folded), firstFoldLoss, rounds };
}

/** Predicts every row by trees that have not seen it, on other folds than the search: settings without their luck. */
export function confirmTrees(
  folded: FoldedRows,
  settings: TreeSettings,
  seed: number,
  tick: () => void,
): CrossValidation {
  const { optionCount } = folded;
  const outOfFold = new Float64Array(folded.labels.length * optionCount);
  for (const fold of folded.folds) {
    const fitted = fitTrees({ ...toRequest(fold), optionCount, settings, seed, precision: 'draft', tick });
    placeFoldLogits(outOfFold, fitted.logits(fold.held), fold, optionCount);
  }
  return toCrossValidation(outOfFold, folded);
}

/** Grows trees on a fold for at most `settings.rounds` rounds; returns the round that was best on its other rows. */
export function findRounds(
  fold: Fold,
  request: Pick<Parameters<typeof fitTrees>[0], 'optionCount' | 'settings' | 'seed' | 'tick'>,
): number {
  const watched = { rows: fold.held, labels: fold.heldLabels, patience };
  const fitted = fitTrees({ ...toRequest(fold), ...request, precision: 'draft' }, watched);
  return Math.max(1, findBestRound([fitted.watchedLoss], [1]));
}

/** The round with the smallest weighted sum of losses; a fold that stopped earlier keeps its last loss. */
function findBestRound(losses: readonly (readonly number[])[], weights: readonly number[]): number {
  const length = Math.max(...losses.map((loss) => loss.length));
  let best = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < length; round++) {
    const sum = losses.reduce((total, loss, f) => total + (loss[round] ?? loss.at(-1) ?? 0) * (weights[f] ?? 0), 0);
    if (sum < smallest) {
      smallest = sum;
      best = round;
    }
  }
  return best;
}
