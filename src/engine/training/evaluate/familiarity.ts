/** Learns the limits of familiar inputs, and finds the rows beyond them. */

import type { Rows } from '../../classifiers/classifier.ts';
import { log } from '../../exact-math.ts';
import { compileFeatures } from '../../features/compile.ts';
import {
  type CheckName,
  compileFamiliarity,
  computeRarity,
  computeSimilarity,
  type FamiliarityFile,
  isOutside,
  toIdf,
} from '../../features/familiarity.ts';
import { compileNearest } from '../../features/nearest-example.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import { type EncodedTexts, type LabelledRow, listLabels } from '../data/labelled-rows.ts';
import { toModelInput } from '../data/model-input.ts';
import type { EncodedFold } from '../tune/compare-encoders.ts';
import { type Embeddings, learnNearest } from './learn-nearest.ts';

/** The share of in-scope inputs that may be called unfamiliar. */
export const familiarityLoss = 0.05;
const folds = 5;
const minRows = 40;
/** Words of one text are known in fewer texts than these. */
const fewTexts = 50;
const maxKnownWords = 10_000;

/** Rows under a plan, as examples and as numbers, with their encoded texts. */
export type LearnedRows = {
  plan: FeaturePlan;
  rows: readonly LabelledRow[];
  built: Rows;
  texts: EncodedTexts;
  /** Folds of a tuned text model, whose held-out rows alone do not look too familiar to it. */
  tunedFolds?: readonly EncodedFold[];
};

/** The smallest score that no more than the share of the scores exceeds; 0 without scores. */
export function findUpperQuantile(scores: readonly number[], share: number): number {
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
    for (let d = 0; d < dimensions; d++) sum[d] += built.dense[from + d];
    sums.set(label, sum);
  }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([, sum]) => {
      const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0)) || 1;
      return Array.from(sum, (value) => Math.round((value / length) * 1e4) / 1e4);
    });
}

/** Ranges of every slot, widened by a quarter; a date's first is free: passing time makes none unfamiliar. */
function computeRanges({ plan, built }: LearnedRows, positions: readonly number[]): { low: number[]; high: number[] } {
  const low = new Array<number>(plan.tabular_size).fill(Number.POSITIVE_INFINITY);
  const high = new Array<number>(plan.tabular_size).fill(Number.NEGATIVE_INFINITY);
  for (const i of positions) {
    for (let s = 0; s < plan.tabular_size; s++) {
      const value = built.dense[i * built.denseWidth + s];
      if (value < low[s]) low[s] = value;
      if (value > high[s]) high[s] = value;
    }
  }
  for (let s = 0; s < plan.tabular_size; s++) {
    const margin = 0.25 * (high[s] - low[s]);
    low[s] -= margin;
    high[s] += margin;
  }
  compileFeatures(plan).slots.forEach(({ kind, start }) => {
    if (kind !== 'date') return;
    low[start] = -9;
    high[start] = 9;
  });
  return { low, high };
}

function listWords({ plan, rows, texts }: LearnedRows): (readonly string[])[] {
  const features = compileFeatures(plan);
  return rows.map((row) => texts.get(features.joinText(row.input).text)?.words ?? []);
}

/** In how many of the texts each word occurs that is known from them: in 2 or more, or in any of fewer than 50. */
function countWords(texts: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const minTexts = texts.length < fewTexts ? 1 : 2;
  const known = [...counts].filter(([, df]) => df >= minTexts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return new Map(known.slice(0, maxKnownWords));
}

/** The rarity of a word in no text of so many. */
const toUnknown = (texts: number) => log(1 + texts) + 1;

/** The rarity of every row's text, computed as if the row itself were not among those that were counted. */
function computeHeldOutRarities(texts: readonly (readonly string[])[], known: ReadonlyMap<string, number>): number[] {
  const unknown = toUnknown(texts.length);
  const minOthers = texts.length < fewTexts ? 1 : 2;
  const findIdf = (word: string) => {
    const others = (known.get(word) ?? 0) - 1;
    return others < minOthers ? undefined : toIdf(unknown, others);
  };
  return texts.map((words) => computeRarity(words, findIdf, unknown));
}

/** Where the embeddings of the rows stand; null where the plan reads none. */
function findEmbeddings({ plan, built }: LearnedRows): Embeddings | null {
  const dimensions = plan.text?.encoder?.dimensions;
  if (dimensions === undefined) return null;
  return { values: built.dense, stride: built.denseWidth, from: plan.tabular_size, dimensions };
}

/** Fits a check and returns a row's score, higher for less familiar; null without anything to check. */
export function learnUnfamiliarity(
  learned: LearnedRows,
  positions: readonly number[],
  check: CheckName,
): ((position: number) => number) | null {
  const { plan, rows, built } = learned;
  const embeddings = findEmbeddings(learned);
  const features = compileFeatures(plan);
  const startOf = (i: number) => i * built.denseWidth;
  switch (check) {
    case 'words': {
      const words = listWords(learned);
      const known = countWords(positions.map((i) => words[i]));
      const unknown = toUnknown(positions.length);
      const findIdf = (word: string) => {
        const df = known.get(word);
        return df === undefined ? undefined : toIdf(unknown, df);
      };
      return (i) => computeRarity(words[i], findIdf, unknown);
    }
    case 'embedding': {
      const centroids = computeCentroids(learned, positions);
      return (i) => -computeSimilarity(built.dense, startOf(i) + plan.tabular_size, centroids);
    }
    case 'nearest': {
      const file = embeddings === null ? null : learnNearest(embeddings, listLabels(rows), positions);
      if (file === null) return null;
      const findNearest = compileNearest(file);
      return (i) => -findNearest(built.dense, startOf(i) + plan.tabular_size);
    }
    case 'fields': {
      const ranges = computeRanges(learned, positions);
      return (i) => features.slots.filter((slot) => isOutside(built.dense, startOf(i), slot, ranges)).length;
    }
  }
}

/** Positions from which checks learn, and others that they judge. */
type Part = { learned: LearnedRows; from: readonly number[]; judged: readonly number[] };

/** Scores rows by what other folds teach; of a tuned encoder, rows that it had not seen. */
function* listParts(learned: LearnedRows): Generator<Part> {
  const { plan, tunedFolds = [] } = learned;
  for (const { learned: seen, held, texts } of tunedFolds) {
    const rows = [...seen, ...held];
    const inputs = rows.map((row) => row.input);
    const under = { plan, rows, built: buildFeatureRows(plan, inputs, texts), texts };
    yield { learned: under, from: [...seen.keys()], judged: held.map((_, i) => seen.length + i) };
  }
  if (tunedFolds.length > 0) return;
  const foldOf = assignFolds(learned.rows, folds, deriveSeed(randomStreams.familiarityFolds));
  const all = [...learned.rows.keys()];
  for (let fold = 0; fold < folds; fold++) {
    const isJudged = (i: number) => foldOf[i] === fold;
    yield { learned, from: all.filter((i) => !isJudged(i)), judged: all.filter(isJudged) };
  }
}

function scoreAgainstOthers(
  learned: LearnedRows,
  checks: readonly CheckName[],
  tick: () => void,
): Map<CheckName, number[]> {
  const scores = new Map(checks.map((check): [CheckName, number[]] => [check, []]));
  for (const part of listParts(learned)) {
    for (const check of checks) {
      const measure = learnUnfamiliarity(part.learned, part.from, check);
      if (measure !== null) scores.get(check)?.push(...part.judged.map(measure));
    }
    tick();
  }
  return scores;
}

/** The checks that the plan has columns for, as they are used where no comparison chose others. */
export function listUsualChecks(plan: FeaturePlan): CheckName[] {
  const checks: CheckName[] = [];
  if ((plan.text?.ngrams ?? null) !== null) checks.push('words');
  if ((plan.text?.encoder ?? null) !== null) checks.push('embedding');
  if (plan.tabular_size > 0) checks.push('fields');
  return checks;
}

/** Learns the checks, with limits that lose about 5% of inputs like the examples; null below 40 rows. */
export function learnFamiliarity(
  learned: LearnedRows,
  checks: readonly CheckName[],
  tick: () => void,
): FamiliarityFile | null {
  const { plan, rows } = learned;
  if (rows.length < minRows || checks.length === 0) return null;
  const share = familiarityLoss / checks.length;
  const scores = scoreAgainstOthers(
    learned,
    checks.filter((check) => check !== 'words'),
    tick,
  );
  const findLimit = (check: CheckName) => findUpperQuantile(scores.get(check) ?? [], share);
  const all = [...rows.keys()];
  const embeddings = findEmbeddings(learned);
  const nearest =
    embeddings !== null && checks.includes('nearest') ? learnNearest(embeddings, listLabels(rows), all) : null;
  const file: FamiliarityFile = {
    words: checks.includes('words') ? learnWords(learned, share) : null,
    embedding: checks.includes('embedding')
      ? { centroids: computeCentroids(learned, all), least: -findLimit('embedding') }
      : null,
    ...(nearest === null ? {} : { nearest: { ...nearest, least: -findLimit('nearest') } }),
    // With every field allowed outside there is nothing left to notice.
    fields:
      checks.includes('fields') && findLimit('fields') < compileFeatures(plan).slots.length
        ? { ...computeRanges(learned, all), most: findLimit('fields') }
        : null,
  };
  return Object.values(file).every((part) => part === null) ? null : file;
}

function learnWords(learned: LearnedRows, share: number): FamiliarityFile['words'] {
  const texts = listWords(learned);
  const known = countWords(texts);
  return {
    unknown: toUnknown(texts.length),
    most: findUpperQuantile(computeHeldOutRarities(texts, known), share),
    known: { words: [...known.keys()], df: [...known.values()] },
  };
}

/** For every row whether a policy with these checks would call it unfamiliar. */
export function findUnfamiliarRows(file: FamiliarityFile | null, { plan, rows, built, texts }: LearnedRows): boolean[] {
  if (file === null) return rows.map(() => false);
  const features = compileFeatures(plan);
  const check = compileFamiliarity(file, plan, features.slots);
  return rows.map((row, i) => {
    const words = texts.get(features.joinText(row.input).text)?.words ?? [];
    return check(toModelInput(built, i).dense, words).some(({ familiar }) => !familiar);
  });
}
