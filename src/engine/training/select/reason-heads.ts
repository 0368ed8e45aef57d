/** One small logistic regression per reason code, kept where it knows more than the decided option does. */

import { type Fitted, type Rows, selectRows } from '../../classifiers/classifier.ts';
import { logisticRegression } from '../../classifiers/logistic.ts';
import type { LogisticModel } from '../../classifiers/model.ts';
import { exp, log } from '../../exact-math.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import type { EncodedTexts, LabelledRow } from '../data/labelled-rows.ts';
import { buildFold } from './fold-rows.ts';

type ReasonHeads = {
  /** Codes with a head, and the options whose examples carry them. */
  heads: { code: string; options: string[] }[];
  /** The heads as one softmax model with a last column of zeros; null without heads. */
  model: LogisticModel | null;
};

type ReasonHeadParams = {
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  built: Rows;
  texts: EncodedTexts;
  codes: readonly string[];
  seed: number;
  /** Called in every iteration of a fit; it may throw to stop. */
  tick: () => void;
};

const folds = 3;
/** Coded examples that carry a code, and that do not, from which a head may be learned. */
const minExamples = 20;
const maxHeads = 20;
const maxRows = 5_000;
/** A head's log-loss must be at most this many times that of the option's base rate. */
const worthwhileLossRatio = 0.98;
/** C of each block of columns; one search for every code would cost more than it brings. */
const headC = { tabular: 0.3, ngrams: 30, encoder: 10 };

/**
 * Learns heads from the rows that carry any reason code. A code gets one if at least 20 of those carry it and 20 do
 * not, and if its cross-validated log-loss is at least 2% below that of its share in the option. At most 20 heads.
 */
export function learnReasonHeads(params: ReasonHeadParams): ReasonHeads {
  const { rows, built, codes } = params;
  const coded = rows.flatMap((row, i) => (row.reasonCodes.length > 0 ? [i] : []));
  const candidates = codes
    .map((code) => ({ code, carrying: coded.filter((i) => rows[i]?.reasonCodes.includes(code) === true) }))
    .filter(({ carrying }) => carrying.length >= minExamples && coded.length - carrying.length >= minExamples)
    .sort((a, b) => b.carrying.length - a.carrying.length)
    .slice(0, maxHeads);
  const folded = candidates.length === 0 ? [] : foldCodedRows(params, coded.slice(0, maxRows));
  const learned = candidates.flatMap(({ code, carrying }) => {
    const carries = new Set(carrying);
    const labels = Int32Array.from(rows, (_, i) => Number(carries.has(i)));
    const { headLoss, baseLoss } = crossValidate(params, folded, labels);
    if (headLoss >= worthwhileLossRatio * baseLoss) return [];
    const fitted = fitReasonHead(params, selectRows(built, coded), selectLabels(labels, coded), 'final');
    const options = [...new Set(carrying.flatMap((i) => rows[i]?.decision ?? []))].sort();
    return [{ code, options, parameters: fitted.parameters }];
  });
  const heads = learned.map(({ code, options }) => ({ code, options }));
  const parameters = learned.map((head) => head.parameters);
  return { heads, model: heads.length === 0 ? null : toReasonModel(parameters, built) };
}

const selectLabels = (labels: Int32Array, positions: readonly number[]) =>
  Int32Array.from(positions, (position) => labels[position]);

function fitReasonHead(
  { plan, seed, tick }: ReasonHeadParams,
  rows: Rows,
  labels: Int32Array,
  precision: 'draft' | 'final',
): Fitted {
  const denseC = new Float64Array(rows.denseWidth).fill(headC.encoder);
  denseC.fill(headC.tabular, 0, plan.tabular_size);
  return logisticRegression.fit({
    rows,
    labels,
    optionCount: 2,
    settings: { denseC, sparseC: headC.ngrams },
    seed: deriveSeed(randomStreams.modelFit, seed),
    precision,
    tick,
  });
}

const computeLoss = (probability: number, label: number) =>
  -log(Math.max(1e-9, label === 1 ? probability : 1 - probability));

/** Positions of a fold's rows, and their numbers under the plan that the fold's own rows teach. */
type CodedFold = { others: number[]; held: number[]; otherRows: Rows; heldRows: Rows };

function foldCodedRows({ plan, rows, texts, seed }: ReasonHeadParams, positions: readonly number[]): CodedFold[] {
  const pick = (chosen: readonly number[]) => chosen.flatMap((position) => rows[position] ?? []);
  const foldOf = assignFolds(pick(positions), folds, deriveSeed(randomStreams.reasonFolds, seed));
  return Array.from({ length: folds }, (_, fold) => {
    const others = positions.filter((_position, i) => foldOf[i] !== fold);
    const held = positions.filter((_position, i) => foldOf[i] === fold);
    const built = buildFold(plan, { learned: pick(others), held: pick(held), texts });
    return { others, held, otherRows: built.train, heldRows: built.held };
  });
}

/** Mean log-loss of the head and of the share of the code among the option's examples, both on rows left out. */
function crossValidate(
  params: ReasonHeadParams,
  folded: readonly CodedFold[],
  labels: Int32Array,
): { headLoss: number; baseLoss: number } {
  const { rows } = params;
  let headLoss = 0;
  let baseLoss = 0;
  for (const { others, held, otherRows, heldRows } of folded) {
    const otherLabels = selectLabels(labels, others);
    const estimateBase = learnBaseRates(rows, others, otherLabels);
    const logits = fitReasonHead(params, otherRows, otherLabels, 'draft').logits(heldRows);
    held.forEach((position, i) => {
      const label = labels[position];
      baseLoss += computeLoss(estimateBase(rows[position]?.label ?? 0), label);
      headLoss += computeLoss(1 / (1 + exp(logits[2 * i] - logits[2 * i + 1])), label);
    });
  }
  const count = folded.reduce((sum, { held }) => sum + held.length, 0);
  return { headLoss: headLoss / count, baseLoss: baseLoss / count };
}

/** The share of the code by the label of an option, with one more row counted that carries the overall share. */
function learnBaseRates(
  rows: readonly LabelledRow[],
  positions: readonly number[],
  labels: Int32Array,
): (label: number) => number {
  const overall = labels.reduce((sum, label) => sum + label, 0) / Math.max(1, positions.length);
  const counts = new Map<number, { all: number; carrying: number }>();
  positions.forEach((position, i) => {
    const option = rows[position]?.label ?? 0;
    const count = counts.get(option) ?? { all: 0, carrying: 0 };
    counts.set(option, { all: count.all + 1, carrying: count.carrying + labels[i] });
  });
  return (option) => {
    const { all, carrying } = counts.get(option) ?? { all: 0, carrying: 0 };
    return (carrying + overall) / (all + 1);
  };
}

/** Heads side by side, one column each, and a last column of zeros. */
function toReasonModel(
  parameters: readonly Float64Array[],
  { denseWidth: D, sparse: { width: V } }: Rows,
): LogisticModel {
  const K = parameters.length + 1;
  const weights = new Float32Array((D + V + 1) * K);
  parameters.forEach((column, k) => {
    for (let row = 0; row < D + V + 1; row++) weights[row * K + k] = column[row];
  });
  return {
    kind: 'logistic',
    dense: weights.slice(0, D * K),
    ngram: weights.slice(D * K, (D + V) * K),
    bias: weights.slice((D + V) * K),
    D,
    V,
    K,
  };
}
