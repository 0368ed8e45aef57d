/** One small logistic regression per reason code, kept where it knows more than the decided option does. */
import { type Rows, selectRows } from '../../classifiers/classifier.ts';
import { logisticRegression } from '../../classifiers/logistic.ts';
import type { LogisticModel } from '../../classifiers/model.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import type { LabelledRow } from '../data/prepare.ts';
import { assignFolds } from '../data/split.ts';

export type ReasonHeads = {
  heads: { code: string; options: string[] }[];
  /** The heads as one softmax model with a last column of zeros; null without heads. */
  model: LogisticModel | null;
};

const folds = 3;
/** Coded examples that carry a code, and that do not, from which a head may be learned. */
const minExamples = 20;
const maxHeads = 20;
const maxRows = 5_000;
/** A head must lower the log-loss at least this much below that of the option's base rate. */
const worthwhile = 0.98;
/** Inverse penalties; one search for every code would cost more than it brings. */
const headC = { tabular: 0.3, ngrams: 30, encoder: 10 };

type Given = { plan: FeaturePlan; rows: readonly LabelledRow[]; built: Rows; seed: number; tick: () => void };

const pick = (labels: Int32Array, positions: readonly number[]) =>
  Int32Array.from(positions, (position) => labels[position] as number);

function fitHead(given: Given, rows: Rows, labels: Int32Array, precision: 'draft' | 'final') {
  const denseC = new Float64Array(rows.denseWidth).fill(headC.encoder);
  denseC.fill(headC.tabular, 0, given.plan.tabular_size);
  return logisticRegression.fit({
    rows,
    labels,
    optionCount: 2,
    settings: { denseC, sparseC: headC.ngrams },
    seed: deriveSeed(randomStreams.modelFit, given.seed),
    precision,
    tick: given.tick,
  });
}

const lossOf = (probability: number, label: number) =>
  -Math.log(Math.max(1e-9, label === 1 ? probability : 1 - probability));

/** Cross-validated mean log-loss of the head and of the share of the code among the option's other examples. */
function compare(given: Given, positions: readonly number[], labels: Int32Array): { head: number; base: number } {
  const kept = positions.slice(0, maxRows);
  const foldOf = assignFolds(
    kept.map((position) => given.rows[position] as LabelledRow),
    folds,
    deriveSeed(randomStreams.reasonFolds, given.seed),
  );
  let head = 0;
  let base = 0;
  for (let fold = 0; fold < folds; fold++) {
    const others = kept.filter((_, i) => foldOf[i] !== fold);
    const held = kept.filter((_, i) => foldOf[i] === fold);
    const otherLabels = pick(labels, others);
    const overall = otherLabels.reduce((sum, label) => sum + label, 0) / Math.max(1, others.length);
    const counts = new Map<number, { all: number; carrying: number }>();
    others.forEach((position, i) => {
      const option = given.rows[position]?.label ?? 0;
      const count = counts.get(option) ?? { all: 0, carrying: 0 };
      counts.set(option, { all: count.all + 1, carrying: count.carrying + (otherLabels[i] as number) });
    });
    const logits = fitHead(given, selectRows(given.built, others), otherLabels, 'draft').logits(
      selectRows(given.built, held),
    );
    held.forEach((position, i) => {
      const label = labels[position] as number;
      const count = counts.get(given.rows[position]?.label ?? 0) ?? { all: 0, carrying: 0 };
      base += lossOf((count.carrying + overall) / (count.all + 1), label);
      head += lossOf(1 / (1 + Math.exp((logits[2 * i] as number) - (logits[2 * i + 1] as number))), label);
    });
  }
  return { head: head / kept.length, base: base / kept.length };
}

/**
 * Learns heads from the rows that carry any reason code. A code gets one if at least 20 of those carry it and 20 do not,
 * and if its cross-validated log-loss is at least 2 % below that of its share in the option. At most 20 heads.
 */
export function learnReasonHeads(given: Given, codes: readonly string[]): ReasonHeads {
  const { rows, built } = given;
  const coded = rows.flatMap((row, i) => (row.reasonCodes.length > 0 ? [i] : []));
  const candidates = codes
    .map((code) => ({ code, carrying: coded.filter((i) => rows[i]?.reasonCodes.includes(code) === true) }))
    .filter(({ carrying }) => carrying.length >= minExamples && coded.length - carrying.length >= minExamples)
    .sort((a, b) => b.carrying.length - a.carrying.length)
    .slice(0, maxHeads);
  const learned = candidates.flatMap(({ code, carrying }) => {
    const carries = new Set(carrying);
    const labels = Int32Array.from(rows, (_, i) => Number(carries.has(i)));
    const { head, base } = compare(given, coded, labels);
    if (head >= worthwhile * base) return [];
    const fitted = fitHead(given, selectRows(built, coded), pick(labels, coded), 'final');
    const options = [...new Set(carrying.flatMap((i) => rows[i]?.decision ?? []))].sort();
    return [{ code, options, parameters: fitted.parameters }];
  });
  const heads = learned.map(({ code, options }) => ({ code, options }));
  if (learned.length === 0) return { heads, model: null };
  const D = built.denseWidth;
  const V = built.sparse.width;
  const K = learned.length + 1;
  const weights = new Float32Array((D + V + 1) * K);
  learned.forEach(({ parameters }, k) => {
    for (let row = 0; row < D + V + 1; row++) weights[row * K + k] = parameters[row] as number;
  });
  const model: LogisticModel = {
    kind: 'logistic',
    dense: weights.slice(0, D * K),
    ngram: weights.slice(D * K, (D + V) * K),
    bias: weights.slice((D + V) * K),
    D,
    V,
    K,
  };
  return { heads, model };
}
