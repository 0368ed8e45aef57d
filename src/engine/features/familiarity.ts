/** Whether an input is like the examples: a classifier may be sure even of nonsense. */

import { z } from 'zod';
import { log } from '../exact-math.ts';
import { compileNearest, nearestFits, nearestSchema } from './nearest-example.ts';
import { type FeaturePlan, isOfWords, type TextUnit } from './plan.ts';

const finite = z.number();

/** `familiarity.json`: a check that does not apply to the policy, or that learned nothing, is null. */
export const familiaritySchema = z.strictObject({
  /** Mean rarity of the words of the text: their idf, `unknown` for words outside the list. */
  words: z
    .strictObject({
      unknown: finite,
      most: finite,
      /** The words of the examples, and in how many texts each occurs; left out where the plan's pieces are the list. */
      known: z
        .strictObject({ words: z.array(z.string()), df: z.array(z.int().nonnegative()) })
        .refine(({ words, df }) => words.length === df.length, { message: 'must have one df per word' })
        .optional(),
    })
    .nullable(),
  /** Largest dot product of the embedding with the mean direction of an option's examples. */
  embedding: z.strictObject({ centroids: z.array(z.array(finite)).min(1), least: finite }).nullable(),
  /** Largest cosine with an example along the directions that tell the options apart; left out where it is not used. */
  nearest: nearestSchema.optional(),
  /** Number of tabular fields with a slot outside the range of the examples. */
  fields: z.strictObject({ low: z.array(finite), high: z.array(finite), most: z.int().nonnegative() }).nullable(),
});
export type FamiliarityFile = z.infer<typeof familiaritySchema>;

export const checkNames = ['words', 'embedding', 'nearest', 'fields'] as const;
export type CheckName = (typeof checkNames)[number];

/** The outcome of one check; `outside` names the tabular fields that are outside their range. */
export type FamiliarityCheck = { check: CheckName; score: number; limit: number; familiar: boolean; outside: string[] };

/** Differences of rounding between implementations must not move a value over an end of its range. */
const slack = 1e-4;

/** Mean rarity of words or pieces; a text without any is as rare as an unknown one. */
export function computeRarity<T extends TextUnit>(
  units: readonly T[],
  findIdf: (unit: T) => number | undefined,
  unknown: number,
): number {
  if (units.length === 0) return unknown;
  let sum = 0;
  for (const unit of units) sum += findIdf(unit) ?? unknown;
  return sum / units.length;
}

/** The idf of a word in `df` texts, where one in none of them has `unknown`. */
export const toIdf = (unknown: number, df: number): number => unknown - log(1 + df);

function listIdf(words: FamiliarityFile['words'], { text }: FeaturePlan): Map<TextUnit, number> {
  const { known, unknown = 0 } = words ?? {};
  if (known !== undefined) return new Map(known.words.map((word, at) => [word, toIdf(unknown, known.df[at] ?? 0)]));
  const ngrams = text?.ngrams;
  if (!ngrams || isOfWords(ngrams)) return new Map();
  return new Map(ngrams.unigrams.map((id, at) => [id, ngrams.idf[at] ?? unknown]));
}

/** Largest dot product of `embedding` with one of the directions. */
export function computeSimilarity(
  embedding: ArrayLike<number>,
  from: number,
  centroids: readonly ArrayLike<number>[],
): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const centroid of centroids) {
    let sum = 0;
    for (let d = 0; d < centroid.length; d++) sum += centroid[d] * embedding[from + d];
    if (sum > largest) largest = sum;
  }
  return largest;
}

/** Whether any slot of a field is outside its range. */
export function isOutside(
  dense: ArrayLike<number>,
  from: number,
  slot: { start: number; size: number },
  range: { low: ArrayLike<number>; high: ArrayLike<number> },
): boolean {
  for (let s = slot.start; s < slot.start + slot.size; s++) {
    const value = dense[from + s];
    if (value < range.low[s] - slack || value > range.high[s] + slack) return true;
  }
  return false;
}

/** Compiles the checks into a function of dense vector and the text's words or pieces, with one outcome per check. */
export function compileFamiliarity(
  file: FamiliarityFile,
  plan: FeaturePlan,
  slots: readonly { field: string; start: number; size: number }[],
): (dense: Float32Array, units: readonly TextUnit[]) => FamiliarityCheck[] {
  const { words, embedding, nearest, fields } = file;
  const findNearest = nearest === undefined ? null : compileNearest(nearest);
  const idf = listIdf(words, plan);
  return (dense, units) => {
    const checks: FamiliarityCheck[] = [];
    const add = (check: CheckName, score: number, limit: number, familiar: boolean) =>
      checks.push({ check, score, limit, familiar, outside: [] });
    if (words !== null) {
      const score = computeRarity(units, (unit) => idf.get(unit), words.unknown);
      add('words', score, words.most, score <= words.most);
    }
    if (embedding !== null) {
      const score = computeSimilarity(dense, plan.tabular_size, embedding.centroids);
      add('embedding', score, embedding.least, score >= embedding.least);
    }
    if (nearest !== undefined && findNearest !== null) {
      const score = findNearest(dense, plan.tabular_size);
      add('nearest', score, nearest.least, score >= nearest.least);
    }
    if (fields !== null) {
      const outside: string[] = [];
      for (const slot of slots) if (isOutside(dense, 0, slot, fields)) outside.push(slot.field);
      const familiar = outside.length <= fields.most;
      checks.push({ check: 'fields', score: outside.length, limit: fields.most, familiar, outside });
    }
    return checks;
  };
}

/** Of words where the plan's n-grams are, of pieces where those are. */
const fitsVocabulary = ({ known }: NonNullable<FamiliarityFile['words']>, { text }: FeaturePlan) =>
  text !== null && text.ngrams !== null && isOfWords(text.ngrams) === (known !== undefined);

/** Whether the file's lists have the lengths that the plan asks for. */
export function fitsPlan(file: FamiliarityFile, plan: FeaturePlan): boolean {
  const { words, embedding, nearest, fields } = file;
  const dimensions = plan.text?.encoder?.dimensions;
  return (
    (words === null || fitsVocabulary(words, plan)) &&
    (embedding === null || embedding.centroids.every((centroid) => centroid.length === dimensions)) &&
    (nearest === undefined || nearestFits(nearest, dimensions)) &&
    (fields === null || (fields.low.length === plan.tabular_size && fields.high.length === plan.tabular_size))
  );
}
