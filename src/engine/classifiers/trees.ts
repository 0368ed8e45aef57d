/** Gradient-boosted trees over binned columns. */
import { exp, log, log1p } from '../exact-math.ts';
import { countOutputs, findMax, softmaxInto } from '../numeric.ts';
import { createRandom } from '../random.ts';
import { type Classifier, type FitRequest, type Fitted, findSign, type Rows } from './classifier.ts';
import { assembleTrees } from './growing/assemble-trees.ts';
import { type BinnedRows, type FieldBins, fitBins, toBins } from './growing/bins.ts';
import { type GrownNode, type Growth, routeBinned, TreeGrower } from './growing/grow-tree.ts';
import { chooseFields, hashRows, sampleRows } from './growing/sampling.ts';
import { absentLogit, type ClassifierModel, type Placement } from './model.ts';
import { compileTrees, listColumns, type Trees } from './trees-model.ts';

/** A round counts as better only if the watched loss falls by more than this share. */
const minImprovement = 1e-5;
const noRows = new Int32Array(0);

export type TreeSettings = Growth & {
  rounds: number;
  /** Share of the rows, and of the fields, that each round may look at. */
  rowShare: number;
  fieldShare: number;
};

/** Rows outside the training to watch the loss on; growing stops when it has not fallen for `patience` rounds. */
type EarlyStopping = { rows: Rows; labels: Int32Array; patience: number };

export type FittedTrees = Fitted & {
  /** Mean negative log-likelihood of the watched rows after each round, the empty model first. */
  watchedLoss: number[];
  /** Logits after the first `rounds` rounds. */
  logitsAfter(rows: Rows, rounds: number): Float64Array;
  /** Histogram entries touched: the cost of the fit in a unit that does not depend on the machine. */
  work: number;
};

type Weighed = Pick<FitRequest<TreeSettings>, 'labels' | 'weights'>;

/** Prior scores: the log of each option's share, with half a row added to each; one log-odds for two options. */
function computePriorScores({ labels, weights }: Weighed, optionCount: number): Float64Array {
  const counts = new Float64Array(optionCount).fill(0.5);
  labels.forEach((label, i) => {
    counts[label] += weights?.[i] ?? 1;
  });
  const all = counts.reduce((sum, count) => sum + count, 0);
  const logs = counts.map((count) => log(count / all));
  return optionCount === 2 ? Float64Array.of(logs[1] - logs[0]) : logs;
}

/** Gradients and hessians of the negative log-likelihood in all scores; `out` arrays are score-major. */
function computeDerivatives(
  scores: Float64Array,
  { labels, weights }: Weighed,
  scoreCount: number,
  gradients: Float64Array[],
  hessians: Float64Array[],
): void {
  const probabilities = new Float64Array(scoreCount);
  // The diagonal of the softmax hessian understates the curvature (Friedman, Hastie & Tibshirani 2000).
  const factor = scoreCount / Math.max(1, scoreCount - 1);
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    const weight = weights === undefined ? 1 : weights[i];
    if (scoreCount === 1) {
      const p = 1 / (1 + exp(-scores[i]));
      gradients[0][i] = weight * (p - label);
      hessians[0][i] = Math.max(1e-16, weight * p * (1 - p));
      continue;
    }
    const from = i * scoreCount;
    softmaxInto(scores, from, scoreCount, findMax(scores, from, scoreCount), probabilities, 0);
    for (let k = 0; k < scoreCount; k++) {
      const p = probabilities[k];
      gradients[k][i] = weight * (p - (k === label ? 1 : 0));
      hessians[k][i] = Math.max(1e-16, weight * factor * p * (1 - p));
    }
  }
}

function computeLoss(scores: Float64Array, labels: Int32Array, scoreCount: number): number {
  const probabilities = new Float64Array(scoreCount);
  let loss = 0;
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    if (scoreCount === 1) {
      const margin = label === 1 ? scores[i] : -scores[i];
      loss += log1p(exp(-Math.abs(margin))) + Math.max(0, -margin);
      continue;
    }
    const from = i * scoreCount;
    softmaxInto(scores, from, scoreCount, findMax(scores, from, scoreCount), probabilities, 0);
    loss -= log(Math.max(1e-300, probabilities[label]));
  }
  return loss / Math.max(1, labels.length);
}

type GrownTree = { nodes: readonly GrownNode[]; target: number };
type ScoredRows = { binned: BinnedRows; scores: Float64Array };
type Boosted = { grown: GrownTree[]; rounds: number; watchedLoss: number[]; work: number };

/** Fits boosted trees (Friedman 2001; LightGBM 2017), deterministic by seed and independent of the order of rows. */
export function fitTrees(request: FitRequest<TreeSettings>, earlyStopping: EarlyStopping | null = null): FittedTrees {
  const { rows, optionCount } = request;
  const scoreCount = countOutputs(optionCount);
  const bins = fitBins(rows, rows.fields);
  const prior = computePriorScores(request, optionCount);
  const { grown, rounds, watchedLoss, work } = boost(request, earlyStopping, bins, prior);
  const assemble = (scoreOptions: Float32Array): Trees =>
    assembleTrees(grown, bins, { denseWidth: rows.denseWidth, scoreCount, scoreOptions });
  const unplaced = assemble(new Float32Array(0));
  const logitsAfter = (others: Rows, count: number): Float64Array =>
    computeLogits(unplaced, Math.min(grown.length, count * scoreCount), prior, others, optionCount);
  return {
    iterations: rounds,
    converged: true,
    parameters: new Float64Array(0),
    watchedLoss,
    work,
    logits: (others) => logitsAfter(others, rounds),
    logitsAfter,
    toModel: (placement) => toTreesModel(prior, assemble(toOptionWeights(placement, scoreCount)), placement, rows),
  };
}

function boost(
  { rows, labels, weights, settings, seed, tick }: FitRequest<TreeSettings>,
  earlyStopping: EarlyStopping | null,
  bins: readonly FieldBins[],
  prior: Float64Array,
): Boosted {
  const scoreCount = prior.length;
  const random = createRandom(seed);
  const training = startScoring(toBins(rows, bins), prior);
  const watched = earlyStopping === null ? null : startScoring(toBins(earlyStopping.rows, bins), prior);
  const grower = new TreeGrower(training.binned, settings);
  const createColumns = () => Array.from({ length: scoreCount }, () => new Float64Array(rows.count));
  const gradients = createColumns();
  const hessians = createColumns();
  const keys = hashRows(training.binned, labels);
  const signs = listSigns(bins, scoreCount);
  const fieldsPerTree = Math.max(1, Math.ceil(settings.fieldShare * bins.length));
  const grown: GrownTree[] = [];
  const watchedLoss: number[] = [];
  const watchLoss = () => {
    if (watched !== null && earlyStopping !== null)
      watchedLoss.push(computeLoss(watched.scores, earlyStopping.labels, scoreCount));
  };
  watchLoss();
  let bestRound = 0;
  let rounds = 0;
  while (rounds < settings.rounds && bins.length > 0) {
    rounds += 1;
    computeDerivatives(training.scores, { labels, weights }, scoreCount, gradients, hessians);
    const sample = sampleRows(keys, settings.rowShare, random);
    let hasSplit = false;
    for (let target = 0; target < scoreCount; target++) {
      tick?.();
      const nodes = grower.grow({
        sample,
        fields: chooseFields(bins.length, fieldsPerTree, random),
        gradients: gradients[target],
        hessians: hessians[target],
        scores: training.scores,
        stride: scoreCount,
        offset: target,
        signs: signs[target] ?? null,
      });
      hasSplit ||= nodes.length > 1;
      grown.push({ nodes, target });
      if (sample.length < rows.count) addTree(nodes, training, sample, scoreCount, target);
      if (watched !== null) addTree(nodes, watched, noRows, scoreCount, target);
    }
    watchLoss();
    if (earlyStopping !== null) {
      const best = watchedLoss[bestRound];
      if (watchedLoss[rounds] < best * (1 - minImprovement)) bestRound = rounds;
      if (rounds - bestRound >= earlyStopping.patience) break;
    }
    // Without sampling a round that found no split would repeat for ever.
    if (!hasSplit && settings.rowShare >= 1 && settings.fieldShare >= 1) break;
  }
  return { grown, rounds, watchedLoss, work: grower.work };
}

/** For each score the directions of all fields; null where none has one. */
function listSigns(bins: readonly FieldBins[], scoreCount: number): (Int8Array | null)[] {
  return Array.from({ length: scoreCount }, (_, score) => {
    const signs = Int8Array.from(bins, ({ field }) => findSign(field, score, scoreCount));
    return signs.some((sign) => sign !== 0) ? signs : null;
  });
}

function startScoring(binned: BinnedRows, prior: Float64Array): ScoredRows {
  const scores = Float64Array.from({ length: binned.count * prior.length }, (_, i) => prior[i % prior.length]);
  return { binned, scores };
}

/** Adds a tree's values to the scores of all rows but those of `sample` (ascending), which growing has added. */
function addTree(
  nodes: readonly GrownNode[],
  { binned, scores }: ScoredRows,
  sample: Int32Array,
  stride: number,
  offset: number,
): void {
  let next = 0;
  for (let i = 0; i < binned.count; i++) {
    if (sample[next] === i) next += 1;
    else {
      const at = i * stride + offset;
      scores[at] += routeBinned(nodes, binned, i);
    }
  }
}

/** Logits of all options by the first `treeCount` trees, row-major; the log-odds of two options are split evenly. */
function computeLogits(
  trees: Trees,
  treeCount: number,
  prior: Float64Array,
  rows: Rows,
  optionCount: number,
): Float64Array {
  const addScores = compileTrees(trees, treeCount);
  const columns = new Float32Array(trees.columnCount);
  const logits = new Float64Array(rows.count * optionCount);
  for (let i = 0; i < rows.count; i++) {
    listColumns(trees, rows.dense, i * rows.denseWidth, columns);
    const scores = Float64Array.from(prior);
    addScores(columns, scores);
    if (scores.length > 1) logits.set(scores, i * optionCount);
    else logits.set([-scores[0] / 2, scores[0] / 2], i * optionCount);
  }
  return logits;
}

/** How scores become logits of all options; the log-odds of two are split evenly between them. */
function toOptionWeights({ positions, optionCount, weight }: Placement, scoreCount: number): Float32Array {
  const weights = new Float32Array(scoreCount * optionCount);
  positions.forEach((position, k) => {
    if (scoreCount === 1) weights[position] = weight * (k === 0 ? -0.5 : 0.5);
    else weights[k * optionCount + position] = weight;
  });
  return weights;
}

function toTreesModel(prior: Float64Array, trees: Trees, placement: Placement, rows: Rows): ClassifierModel {
  const { positions, optionCount: K, weight } = placement;
  const logits = prior.length === 1 ? [-prior[0] / 2, prior[0] / 2] : [...prior];
  const centre = logits.reduce((sum, logit) => sum + logit, 0) / logits.length;
  const bias = new Float32Array(K).fill(absentLogit);
  positions.forEach((position, k) => {
    bias[position] = (logits[k] - centre) * weight;
  });
  // Trees without any split say what the prior says already, and ONNX has no matrix without columns.
  if (trees.columnCount === 0) {
    return {
      kind: 'logistic',
      dense: new Float32Array(rows.denseWidth * K),
      ngram: new Float32Array(rows.sparse.width * K),
      bias,
      D: rows.denseWidth,
      V: rows.sparse.width,
      K,
    };
  }
  return { kind: 'trees', trees, bias, D: rows.denseWidth, V: 0, K };
}

/** Gradient-boosted trees; they see the dense columns that `rows.fields` names, never the n-grams. */
export const boostedTrees: Classifier<TreeSettings> = { kind: 'trees', fit: (request) => fitTrees(request) };
