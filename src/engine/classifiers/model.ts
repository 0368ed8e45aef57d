/** Trained classifiers as they are stored and scored: softmax(linear scores + tree scores + bias). */
import { log } from '../exact-math.ts';
import { softmaxInPlace } from '../numeric.ts';
import { compileTrees, computeColumnContributions, listColumns, type Trees } from './trees-model.ts';

/** D dense slots, V n-grams, K options; `bias` holds K numbers. Calibration is folded into all weights. */
type Shape = { bias: Float32Array; D: number; V: number; K: number };
/** Weights in float32, feature-major: `dense[d * K + k]`, `ngram[v * K + k]`. */
type Linear = { dense: Float32Array; ngram: Float32Array };

export type LogisticModel = Shape & Linear & { kind: 'logistic' };
/** Trees read the dense vector only, so V is 0. */
type TreesModel = Shape & { kind: 'trees'; trees: Trees };
export type BlendModel = Shape & Linear & { kind: 'blend'; trees: Trees };
export type ClassifierModel = LogisticModel | TreesModel | BlendModel;

export const classifierKinds = ['logistic', 'trees', 'blend'] as const;

/** Where fitted options stand among all `optionCount`, and the factor that calibration puts on all logits. */
export type Placement = { positions: readonly number[]; optionCount: number; weight: number };

/** Logit of an option that no example has: its probability is practically zero. */
export const absentLogit = -30;

/** Probabilities of the options for a dense vector of D numbers and n-grams as index/value pairs; they sum to 1. */
export type Scorer = (dense: Float32Array, indices: ArrayLike<number>, values: ArrayLike<number>) => Float64Array;

/** Prepares a model for scoring many inputs, one after the other. Sums are taken in double precision. */
export function compileScorer(model: ClassifierModel): Scorer {
  const { K, D } = model;
  const trees = model.kind === 'logistic' ? null : model.trees;
  const linear = model.kind === 'trees' ? null : model;
  const addTreeScores = trees === null ? null : compileTrees(trees, trees.roots.length);
  const bias = Float64Array.from(model.bias);
  const columns = new Float32Array(trees?.columnCount ?? 0);
  const scores = new Float64Array(trees?.scoreCount ?? 0);
  return (dense, indices, values) => {
    const logits = bias.slice();
    if (linear !== null) {
      for (let d = 0; d < D; d++) addScaledRow(logits, linear.dense, d * K, dense[d]);
      for (let j = 0; j < indices.length; j++) {
        addScaledRow(logits, linear.ngram, indices[j] * K, values[j]);
      }
    }
    if (trees !== null && addTreeScores !== null) {
      listColumns(trees, dense, 0, columns);
      scores.fill(0);
      addTreeScores(columns, scores);
      for (let s = 0; s < scores.length; s++) addScaledRow(logits, trees.scoreOptions, s * K, scores[s]);
    }
    return softmaxInPlace(logits);
  };
}

/** logits += x · weights[from … from + K) */
function addScaledRow(logits: Float64Array, weights: Float32Array, from: number, x: number): void {
  if (x === 0) return;
  for (let k = 0; k < logits.length; k++) logits[k] += x * weights[from + k];
}

/** Computes what each dense slot adds to the logit of one option; see {@link computeColumnContributions}. */
export function computeSlotContributions(model: ClassifierModel, dense: Float32Array, option: number): Float64Array {
  const { D, K } = model;
  const shares = new Float64Array(D);
  if (model.kind !== 'trees') {
    for (let d = 0; d < D; d++) shares[d] = (dense[d] ?? 0) * (model.dense[d * K + option] ?? 0);
  }
  if (model.kind === 'logistic') return shares;
  const { slotStarts, slotColumns } = model.trees;
  const ofColumns = computeColumnContributions(model.trees, dense, option, K);
  // A column's slots all belong to one field: its whole contribution may stand at the first of them.
  const taken = new Uint8Array(ofColumns.length);
  for (let d = 0; d < D; d++) {
    for (let j = slotStarts[d]; j < slotStarts[d + 1]; j++) {
      const column = slotColumns[j];
      if (taken[column] === 1) continue;
      taken[column] = 1;
      shares[d] += ofColumns[column];
    }
  }
  return shares;
}

/**
 * The model in which the first of some options stands for all of them: they share its probability evenly, but for a
 * hundredth more of the first, so that rounding never decides between them. With fewer than two, the model as it is.
 */
export function shareProbability(model: ClassifierModel, options: readonly number[]): ClassifierModel {
  const [first] = options;
  if (first === undefined || options.length < 2) return model;
  const { K } = model;
  const sources = Int32Array.from({ length: K }, (_, k) => (options.includes(k) ? first : k));
  const copyColumns = (weights: Float32Array) => weights.map((_, i) => weights[i - (i % K) + sources[i % K]]);
  const all = log(options.length + 0.01);
  const bias = copyColumns(model.bias);
  for (const k of options) bias[k] += (k === first ? log(1.01) : 0) - all;
  const linear = model.kind === 'trees' ? {} : { dense: copyColumns(model.dense), ngram: copyColumns(model.ngram) };
  const trees =
    model.kind === 'logistic' ? {} : { trees: { ...model.trees, scoreOptions: copyColumns(model.trees.scoreOptions) } };
  return { ...model, bias, ...linear, ...trees };
}

/** The model whose logits are the sum of a linear and a tree model of the same dense vector and options. */
export function blendModels(linear: ClassifierModel, trees: ClassifierModel): ClassifierModel {
  if (trees.kind === 'logistic') return linear;
  if (linear.kind !== 'logistic' || trees.kind !== 'trees')
    throw new Error('only a linear and a tree model can be blended');
  const bias = linear.bias.map((logit, k) => logit + trees.bias[k]);
  return { ...linear, kind: 'blend', bias, trees: trees.trees };
}
