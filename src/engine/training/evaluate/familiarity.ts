/** Learning what a familiar input looks like, and finding the rows that are not familiar. */
import type { Rows } from '../../classifiers/classifier.ts';
import { compileFeatures, type Slot } from '../../features/compile.ts';
import {
  compileFamiliarity,
  computeRarity,
  computeSimilarity,
  type FamiliarityFile,
  isOutside,
} from '../../features/familiarity.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import type { EncodedTexts } from '../data/encode-texts.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { toModelInput } from '../data/model-input.ts';
import { assignFolds } from '../data/split.ts';

/** The share of in-scope inputs that may be called unfamiliar. */
export const familiarityLoss = 0.05;
const folds = 5;
const minRows = 40;

/** Rows under a plan, as examples and as numbers, with their encoded texts. */
export type LearnedRows = {
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  built: Rows;
  texts: EncodedTexts;
};

/** The smallest score that no more than the share of the scores exceeds; 0 without scores. */
function findUpperQuantile(scores: readonly number[], share: number): number {
  const sorted = [...scores].sort((a, b) => b - a);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Mean direction of each label's embeddings over the rows at `positions`, rounded to 4 decimals. */
function computeCentroids({ plan, rows, built }: LearnedRows, positions: readonly number[]): number[][] {
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

/**
 * Smallest and largest value of every slot over the rows at `positions`, widened by a quarter of the distance. The
 * first slot of a date is left free: that time passes makes no input unfamiliar.
 */
function computeRanges({ plan, built }: LearnedRows, positions: readonly number[]): { low: number[]; high: number[] } {
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

/** The rarity of every row's text, computed as if the row itself were not in the vocabulary's statistics. */
function computeHeldOutRarities({ plan, rows, texts }: LearnedRows, unknown: number): number[] {
  const features = compileFeatures(plan);
  const ngrams = plan.text?.ngrams;
  const minOthers = rows.length < 50 ? 1 : 2;
  const without = new Map(
    ngrams?.unigrams.map((id, index) => {
      const others = Math.round((1 + rows.length) / Math.exp((ngrams.idf[index] as number) - 1)) - 2;
      return [id, others < minOthers ? undefined : Math.log((1 + rows.length) / (1 + others)) + 1];
    }),
  );
  return rows.map((row) =>
    computeRarity(texts.get(features.joinText(row.input).text)?.ids ?? [], (id) => without.get(id), unknown),
  );
}

/** Scores of every row against the rows of the other folds: its similarity, and how many of its slots lie outside. */
function scoreAgainstOthers(
  learned: LearnedRows,
  slots: readonly Slot[],
): { similarities: number[]; outsideCounts: number[] } {
  const { plan, rows, built } = learned;
  const foldOf = assignFolds(rows, folds, deriveSeed(randomStreams.familiarityFolds));
  const all = [...rows.keys()];
  const readsEmbedding = (plan.text?.encoder ?? null) !== null;
  const similarities: number[] = [];
  const outsideCounts: number[] = [];
  for (let fold = 0; fold < folds; fold++) {
    const others = all.filter((i) => foldOf[i] !== fold);
    const centroids = readsEmbedding ? computeCentroids(learned, others) : [];
    const ranges = computeRanges(learned, others);
    for (const i of all) {
      if (foldOf[i] !== fold) continue;
      const from = i * built.denseWidth;
      if (readsEmbedding) similarities.push(computeSimilarity(built.dense, from + plan.tabular_size, centroids));
      outsideCounts.push(slots.filter((slot) => isOutside(built.dense, from, slot, ranges)).length);
    }
  }
  return { similarities, outsideCounts };
}

/**
 * Learns the checks that fit the plan from the rows it was learned from. The limits come from scores of rows that were
 * left out (five folds), so that together the checks lose about 5 % of inputs like the examples: each gets an equal
 * part of it. Null below 40 rows and where nothing can be told apart.
 */
export function learnFamiliarity(learned: LearnedRows): FamiliarityFile | null {
  const { plan, rows } = learned;
  const readsNgrams = (plan.text?.ngrams ?? null) !== null;
  const readsEmbedding = (plan.text?.encoder ?? null) !== null;
  const parts = Number(readsNgrams) + Number(readsEmbedding) + Number(plan.tabular_size > 0);
  if (rows.length < minRows || parts === 0) return null;
  const share = familiarityLoss / parts;
  const { slots } = compileFeatures(plan);
  const { similarities, outsideCounts } = scoreAgainstOthers(learned, slots);
  const all = [...rows.keys()];
  const unknown = Math.log(1 + rows.length) + 1;
  const maxOutside = findUpperQuantile(outsideCounts, share);
  const negated = similarities.map((similarity) => -similarity);
  const file: FamiliarityFile = {
    words: readsNgrams ? { unknown, most: findUpperQuantile(computeHeldOutRarities(learned, unknown), share) } : null,
    embedding: readsEmbedding
      ? { centroids: computeCentroids(learned, all), least: -findUpperQuantile(negated, share) }
      : null,
    // With every field allowed outside there is nothing left to notice.
    fields: maxOutside >= slots.length ? null : { ...computeRanges(learned, all), most: maxOutside },
  };
  return file.words === null && file.embedding === null && file.fields === null ? null : file;
}

/** For every row whether a policy with these checks would call it unfamiliar. */
export function findUnfamiliarRows(file: FamiliarityFile | null, { plan, rows, built, texts }: LearnedRows): boolean[] {
  if (file === null) return rows.map(() => false);
  const features = compileFeatures(plan);
  const check = compileFamiliarity(file, plan, features.slots);
  return rows.map((row, i) => {
    const ids = texts.get(features.joinText(row.input).text)?.ids ?? [];
    return check(toModelInput(built, i).dense, ids).some(({ familiar }) => !familiar);
  });
}
