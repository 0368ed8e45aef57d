/** Probabilities of every labelled row by models that have not seen it. */
import { countOutputs } from '../../numeric.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import type { EncodedTexts, LabelledRow } from '../data/labelled-rows.ts';
import { listTreeFields } from '../data/tree-fields.ts';
import { type ColdFit, fitChoice } from '../select/fit-choice.ts';
import { scoreRows } from './score-rows.ts';

type OutOfFoldParams = ColdFit & {
  /** Those of the rows that may be learned from: of a held-out label no doubt of another row may tell. */
  trainRows: readonly LabelledRow[];
  /** How often rows are dealt at most; left out: four times. */
  maxDeals?: number;
};

/** Each row's probabilities; null where no other input has its label. */
export type OutOfFold = (readonly number[] | null)[];

/** Many folds where they are cheap: every further row counts on a small set. */
const manyFolds = { folds: 5, upToRows: 3000 };
const fewFolds = 3;
/** Averaging over differently dealt folds takes away the luck of one deal. */
const usualDeals = 4;
/** Multiplications of one deal's fits, and of all, alike on every machine; histogram entries count four. */
const dealBudget = 4e10;
const repeatBudget = 5e9;
const histogramEntryCost = 4;
/** Passes over the rows that a fit of draft precision typically takes. */
const typicalPasses = 80;
/** Histogram entries that a row and field cost in a round of trees. */
const entriesPerRound = 4;
/** N-grams of a text for each of its words, about: many occur in it again. */
const ngramsPerWord = 9;
const minFittedRows = 600;
/** Numbers of a fit's dense block (200 MB): beside it the final model's rows are in memory. */
const maxDenseNumbers = 25_000_000;

/** How the rows are dealt: into how many folds, how often, and how many rows one fit may see. */
type Deal = { folds: number; deals: number; maxFittedRows: number };

function planDeals({ choice, rows, presentOptions, texts, maxDeals = usualDeals }: OutOfFoldParams): Deal {
  const { plan, linear, trees } = choice;
  const outputs = countOutputs(presentOptions.length);
  const denseWidth = Math.max(1, plan.tabular_size + (plan.text?.encoder?.dimensions ?? 0));
  const ngrams = plan.text?.ngrams ? ngramsPerWord * computeMeanLength(texts) : 0;
  const linearCost = linear === null ? 0 : typicalPasses * (denseWidth + ngrams);
  const treeEntries = trees === null ? 0 : entriesPerRound * listTreeFields(plan).length * trees.settings.rounds;
  const costPerRow = outputs * (linearCost + histogramEntryCost * treeEntries);
  const folds = rows.length <= manyFolds.upToRows ? manyFolds.folds : fewFolds;
  const dealCost = Math.max(1, costPerRow * rows.length * (folds - 1));
  const maxFittedRows = Math.min(dealBudget / folds / Math.max(1, costPerRow), maxDenseNumbers / denseWidth);
  return {
    folds,
    deals: Math.max(1, Math.min(maxDeals, Math.floor(repeatBudget / dealCost))),
    maxFittedRows: Math.max(minFittedRows, Math.floor(maxFittedRows)),
  };
}

/** Mean number of words of the texts; 0 without texts. */
function computeMeanLength(texts: EncodedTexts): number {
  let count = 0;
  for (const { words } of texts.values()) count += words.length;
  return count / Math.max(1, texts.size);
}

/** The rows of one fold, and those to fit on; a label that only the fold has stays on the side of the fit. */
function splitFold(
  rows: readonly LabelledRow[],
  foldOf: Int32Array,
  fold: number,
  heldOutFold: number,
  maxFittedRows: number,
): { fitted: LabelledRow[]; left: number[] } {
  const others = rows.filter((_, i) => foldOf[i] !== fold && foldOf[i] !== heldOutFold);
  const known = new Set(others.map(({ label }) => label));
  const left: number[] = [];
  const kept: LabelledRow[] = [];
  rows.forEach((row, i) => {
    if (foldOf[i] !== fold) return;
    if (known.has(row.label)) left.push(i);
    else if (fold !== heldOutFold) kept.push(row);
  });
  return { fitted: [...takePart(others, maxFittedRows), ...kept], left };
}

/** At most about `maxRows` rows, spread evenly over the labels; every label keeps some. */
function takePart(rows: readonly LabelledRow[], maxRows: number): readonly LabelledRow[] {
  if (rows.length <= maxRows) return rows;
  const part = assignFolds(rows, Math.ceil(rows.length / maxRows), deriveSeed(randomStreams.outOfFoldPart));
  const known = new Set<number>();
  return rows.filter((row, i) => {
    const isTaken = part[i] === 0 || !known.has(row.label);
    if (isTaken) known.add(row.label);
    return isTaken;
  });
}

/** Predicts every row by the classifier fitted on other inputs (Stone 1974), averaged over deals where cheap. */
export function predictOutOfFold(params: OutOfFoldParams): OutOfFold {
  const { rows, trainRows, report, ...fit } = params;
  const { optionCount, texts, seed } = fit;
  const { folds, deals, maxFittedRows } = planDeals(params);
  const sums: (Float64Array | null)[] = rows.map(() => null);
  const placeOf = new Map(trainRows.map((row, place) => [row, place]));
  const steps = folds * deals + 1;
  for (let step = 0; step < steps; step++) {
    const dealSeed = deriveSeed(randomStreams.outOfFoldFolds, seed) + Math.floor(step / folds);
    const dealt = assignFolds(trainRows, folds, dealSeed);
    const foldOf = Int32Array.from(rows, (row) => dealt[placeOf.get(row) ?? -1] ?? folds);
    const fold = step === folds * deals ? folds : step % folds;
    const { fitted, left } = splitFold(rows, foldOf, fold, folds, maxFittedRows);
    if (left.length === 0) continue;
    const model = fitChoice({
      ...fit,
      rows: fitted,
      // The parameters of an earlier fit know the labels that are to be checked.
      starts: {},
      tunedHead: null,
      precision: 'draft',
      report: (share) => report((step + share) / steps),
    });
    const inputs = left.map((i) => rows[i]?.input ?? {});
    const probabilities = scoreRows(model.calibrated, buildFeatureRows(model.plan, inputs, texts));
    left.forEach((i, k) => {
      const sum = sums[i] ?? new Float64Array(optionCount);
      probabilities[k]?.forEach((probability, option) => {
        sum[option] += probability;
      });
      sums[i] = sum;
    });
  }
  return sums.map((sum) => (sum === null ? null : toDistribution(sum)));
}

/** Scales to a sum of 1. */
function toDistribution(sum: Float64Array): number[] {
  const total = sum.reduce((all, probability) => all + probability, 0);
  return Array.from(sum, (probability) => probability / total);
}
