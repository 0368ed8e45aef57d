/** Cross-validation of a classifier's settings by calibrated log-loss. */
import { fitTemperature, logLossOfLogits } from '../classifiers/calibration.ts';
import { type Classifier, type Rows, selectRows } from '../classifiers/classifier.ts';

type Fold = { train: Rows; trainLabels: Int32Array; held: Rows; heldLabels: Int32Array; positions: number[] };

/** Rows cut into folds once, to be fitted on many times. */
export type FoldedRows = { folds: Fold[]; labels: Int32Array; optionCount: number };

/** Out-of-fold result: `logLoss` after the best temperature; null when the setting was given up after the first fold. */
export type CrossValidation = {
  logLoss: number;
  firstFoldLoss: number;
  temperature: number;
  /** Parameters of each fold's fit: where fits of a similar setting may start. */
  parameters: Float64Array[];
} | null;

export type Setting = { denseStrengths: Float64Array; sparseStrength: number };

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

/**
 * Fits on all folds but one and predicts that one, for each fold. Gives up after the first fold (null) when its loss is
 * more than 2 % above that of `best`, the best setting so far under the same plan, from whose parameters fits start.
 */
export function crossValidate(
  classifier: Classifier,
  folded: FoldedRows,
  setting: Setting,
  best: CrossValidation,
  tick: () => void,
): CrossValidation {
  const { optionCount, labels } = folded;
  const outOfFold = new Float64Array(labels.length * optionCount);
  const parameters: Float64Array[] = [];
  let firstFoldLoss = Number.POSITIVE_INFINITY;
  for (const [index, fold] of folded.folds.entries()) {
    const start = best?.parameters[index];
    const fitted = classifier.fit({
      rows: fold.train,
      labels: fold.trainLabels,
      optionCount,
      ...setting,
      precision: 'draft',
      tick,
      ...(start === undefined ? {} : { start }),
    });
    parameters.push(fitted.parameters);
    const logits = fitted.logits(fold.held);
    fold.positions.forEach((position, i) => {
      outOfFold.set(logits.subarray(i * optionCount, (i + 1) * optionCount), position * optionCount);
    });
    if (index > 0) continue;
    const temperature = fitTemperature(logits, fold.heldLabels, optionCount);
    firstFoldLoss = logLossOfLogits(logits, fold.heldLabels, optionCount, temperature);
    if (best !== null && firstFoldLoss > best.firstFoldLoss * 1.02) return null;
  }
  const temperature = fitTemperature(outOfFold, labels, optionCount);
  return {
    logLoss: logLossOfLogits(outOfFold, labels, optionCount, temperature),
    firstFoldLoss,
    temperature,
    parameters,
  };
}
