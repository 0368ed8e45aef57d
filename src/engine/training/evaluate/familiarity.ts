/** Learning what a familiar input looks like, and what noticing the others does to the held-out rows. */
import type { Rows } from '../../classifiers/classifier.ts';
import { compileFeatures } from '../../features/compile.ts';
import {
  compileFamiliarity,
  computeRarity,
  computeSimilarity,
  type FamiliarityFile,
  isOutside,
} from '../../features/familiarity.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import type { LabelledRow } from '../data/prepare.ts';
import { assignFolds } from '../data/split.ts';
import type { ReadTexts } from '../data/texts.ts';
import { modelInput } from '../select/score.ts';

/** The share of in-scope inputs that may be called unfamiliar. */
export const familiarityLoss = 0.05;
const folds = 5;
const minRows = 40;

type Given = { plan: FeaturePlan; rows: readonly LabelledRow[]; built: Rows; texts: ReadTexts };

/** The value that at most the given share of the scores exceed. */
function quantileAbove(scores: readonly number[], share: number): number {
  const sorted = [...scores].sort((a, b) => b - a);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Mean direction of each label's embeddings over the rows at `positions`, rounded to 4 decimals. */
function centroidsOf({ plan, rows, built }: Given, positions: readonly number[]): number[][] {
  const dimensions = plan.text?.encoder?.dimensions ?? 0;
  const sums = new Map<number, Float64Array>();
  for (const i of positions) {
    const label = rows[i]?.label ?? 0;
    const sum = sums.get(label) ?? new Float64Array(dimensions);
    const from = i * built.denseWidth + plan.tabular_size;
    for (let d = 0; d < dimensions; d++) sum[d] = (sum[d] as number) + (built.dense[from + d] as number);
    sums.set(label, sum);
  }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([, sum]) => {
      const length = Math.hypot(...sum) || 1;
      return Array.from(sum, (value) => Math.round((value / length) * 1e4) / 1e4);
    });
}

/** Least and greatest value of every slot, widened by a quarter of the distance; the passing of time is no surprise. */
function rangesOf({ plan, built }: Given, positions: readonly number[]): { low: number[]; high: number[] } {
  const low = new Array<number>(plan.tabular_size).fill(Number.POSITIVE_INFINITY);
  const high = new Array<number>(plan.tabular_size).fill(Number.NEGATIVE_INFINITY);
  for (const i of positions) {
    for (let s = 0; s < plan.tabular_size; s++) {
      const value = built.dense[i * built.denseWidth + s] as number;
      if (value < (low[s] as number)) low[s] = value;
      if (value > (high[s] as number)) high[s] = value;
    }
  }
  for (let s = 0; s < plan.tabular_size; s++) {
    const margin = 0.25 * ((high[s] as number) - (low[s] as number));
    low[s] = (low[s] as number) - margin;
    high[s] = (high[s] as number) + margin;
  }
  compileFeatures(plan).slots.forEach(({ kind, start }) => {
    if (kind !== 'date') return;
    low[start] = -9;
    high[start] = 9;
  });
  return { low, high };
}

/** Rarity of every row's text as if the row itself were not in the vocabulary's statistics. */
function ownRarities({ plan, rows, texts }: Given, unknown: number): number[] {
  const features = compileFeatures(plan);
  const ngrams = plan.text?.ngrams;
  const least = rows.length < 50 ? 1 : 2;
  const without = new Map(
    ngrams?.unigrams.map((id, index) => {
      const others = Math.round((1 + rows.length) / Math.exp((ngrams.idf[index] as number) - 1)) - 2;
      return [id, others < least ? undefined : Math.log((1 + rows.length) / (1 + others)) + 1];
    }),
  );
  return rows.map((row) =>
    computeRarity(texts.get(features.joinText(row.input).text)?.ids ?? [], (id) => without.get(id), unknown),
  );
}

/**
 * Learns the checks that fit the plan from the rows it was learned from. The limits come from scores of rows that were
 * left out (five folds), so that together the checks lose about 5 % of inputs like the examples: each gets an equal part
 * of it. Null below 40 rows and where nothing can be told apart.
 */
export function learnFamiliarity(given: Given): FamiliarityFile | null {
  const { plan, rows, built } = given;
  const ngrams = plan.text?.ngrams ?? null;
  const encoder = plan.text?.encoder ?? null;
  const parts = Number(ngrams !== null) + Number(encoder !== null) + Number(plan.tabular_size > 0);
  if (rows.length < minRows || parts === 0) return null;
  const share = familiarityLoss / parts;
  const foldOf = assignFolds(rows, folds, 11);
  const all = rows.map((_, i) => i);
  const { slots } = compileFeatures(plan);
  const similarities: number[] = [];
  const counts: number[] = [];
  for (let fold = 0; fold < folds; fold++) {
    const others = all.filter((i) => foldOf[i] !== fold);
    const centroids = encoder === null ? [] : centroidsOf(given, others);
    const ranges = rangesOf(given, others);
    for (const i of all) {
      if (foldOf[i] !== fold) continue;
      const from = i * built.denseWidth;
      if (encoder !== null) similarities.push(computeSimilarity(built.dense, from + plan.tabular_size, centroids));
      counts.push(slots.filter((slot) => isOutside(built.dense, from, slot, ranges)).length);
    }
  }
  const unknown = Math.log(1 + rows.length) + 1;
  const most = quantileAbove(counts, share);
  const file: FamiliarityFile = {
    words: ngrams === null ? null : { unknown, most: quantileAbove(ownRarities(given, unknown), share) },
    embedding:
      encoder === null
        ? null
        : {
            centroids: centroidsOf(given, all),
            least: -quantileAbove(
              similarities.map((s) => -s),
              share,
            ),
          },
    // With every field allowed outside there is nothing left to notice.
    fields: most >= slots.length ? null : { ...rangesOf(given, all), most },
  };
  return file.words === null && file.embedding === null && file.fields === null ? null : file;
}

/** For every row whether a policy with these checks would call it unfamiliar. */
export function unfamiliarRows(file: FamiliarityFile | null, given: Given): boolean[] {
  const { plan, rows, built, texts } = given;
  if (file === null) return rows.map(() => false);
  const features = compileFeatures(plan);
  const check = compileFamiliarity(file, plan, features.slots);
  return rows.map((row, i) => {
    const ids = texts.get(features.joinText(row.input).text)?.ids ?? [];
    return check(modelInput(built, i).dense, ids).some(({ familiar }) => !familiar);
  });
}
