/** The feature plan: how an input becomes numbers. A file of the bundle, so its shape changes with `format`. */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { nameDays } from '../rules/days.ts';

const path = z.array(z.string()).min(1);
const finite = z.number();
const stat = z.strictObject({ mean: finite, std: finite.nonnegative() });

/** Mean and standard deviation with which a number is standardised. */
export type Stat = z.infer<typeof stat>;

export const fieldSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('number'),
    path,
    /** The date since which the days until the one at `path` are the value; left out where `path` holds a number. */
    since: path.optional(),
    median: finite,
    mean: finite,
    std: finite.nonnegative(),
  }),
  z.strictObject({ kind: z.literal('boolean'), path }),
  z.strictObject({ kind: z.literal('category'), path, values: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('date'), path, mean: finite, std: finite.nonnegative() }),
  z.strictObject({ kind: z.literal('numbers'), path, stats: z.array(stat).length(5) }),
  z.strictObject({
    kind: z.literal('strings'),
    path,
    stats: z.array(stat).length(1),
    values: z.array(z.string()).max(50),
  }),
  z.strictObject({
    kind: z.literal('objects'),
    path,
    stats: z.array(stat).length(1),
    /** Numbers of the members: mean, minimum, maximum and sum of what stands at each path. */
    members: z
      .array(z.strictObject({ path, stats: z.array(stat).length(4) }))
      .max(8)
      .default([]),
  }),
]);
export type Field = z.infer<typeof fieldSchema>;
export type FieldKind = Field['kind'];

const pieceNgramSpecSchema = z
  .strictObject({
    unigrams: z.array(z.int().nonnegative()),
    bigrams: z.array(z.int().nonnegative()),
    idf: z.array(finite),
    scale: finite,
  })
  .refine((spec) => spec.bigrams.length % 2 === 0, { message: 'bigrams must be a flat list of pairs' })
  .refine((spec) => spec.idf.length === spec.unigrams.length + spec.bigrams.length / 2, {
    message: 'idf must have one entry per n-gram',
  });
/** The vocabulary of word-piece n-grams, which no training makes any more. */
export type PieceNgramSpec = z.infer<typeof pieceNgramSpecSchema>;

const wordNgramSpecSchema = z
  .strictObject({
    words: z.array(z.string().min(1)),
    /** Two words with a blank between them. */
    pairs: z.array(z.string().regex(/^[^ ]+ [^ ]+$/)),
    /** Two to four letters of a word between the ends `<` and `>`. */
    letters: z.array(z.string().min(2)),
    /** The number of texts it was learned from, and in how many of them each n-gram occurs. */
    texts: z.int().nonnegative(),
    df: z.array(z.int().nonnegative()),
    /** Whether n-grams that are not in it count in the length of a text. */
    unknown: z.boolean(),
    scale: finite,
  })
  .refine(({ words, pairs, letters, df }) => df.length === words.length + pairs.length + letters.length, {
    message: 'df must have one entry per n-gram',
  });
/** The vocabulary of words, pairs of words and letters within words. */
export type WordNgramSpec = z.infer<typeof wordNgramSpecSchema>;

const ngramSpecSchema = z.union([wordNgramSpecSchema, pieceNgramSpecSchema]);
export type NgramSpec = z.infer<typeof ngramSpecSchema>;

/** A unit of n-grams: a word, or the id of a tokenizer's piece. */
export type TextUnit = string | number;

/** Whether a vocabulary is of words, not of the pieces of a tokenizer. */
export const isOfWords = (spec: NgramSpec): spec is WordNgramSpec => 'words' in spec;

/** The number of n-grams of a vocabulary: rows of the classifier. */
export const countNgrams = (spec: NgramSpec | null | undefined): number =>
  spec ? (isOfWords(spec) ? spec.df : spec.idf).length : 0;

/** Whether texts are parted by a tokenizer: for the encoder, or for n-grams of its pieces. */
export const needsTokenizer = ({ text }: FeaturePlan): boolean =>
  text !== null && (text.encoder !== null || (text.ngrams !== null && !isOfWords(text.ngrams)));

/** The ids around those of a text: the last stands behind it, all others before it, such as those of a prefix. */
export const frameSchema = z.array(z.int().nonnegative()).min(2).max(limits.maxFrameTokens);

const encoderSpecSchema = z
  .strictObject({
    dimensions: z.int().positive(),
    max_tokens: z.int().min(3),
    scale: finite,
    /** Left out: [CLS] and [SEP]. */
    frame: frameSchema.optional(),
    /** The adapters that the encoder is fed with; left out where it is the plain one. */
    adapters: z.strictObject({ rank: z.int().min(1).max(limits.maxAdapterRank) }).optional(),
  })
  .refine(({ max_tokens, frame = [] }) => max_tokens > frame.length, {
    path: ['max_tokens'],
    message: 'must leave room for a token of the text',
  });
export type EncoderSpec = z.infer<typeof encoderSpecSchema>;

const textSpecSchema = z.strictObject({
  fields: z.array(path).min(1),
  /** Whether texts that are HTML are read as what a person sees of them; left out where none of the examples was. */
  markup: z.literal(true).optional(),
  /** Those of the fields that are lists of turns; left out where none is. */
  conversations: z.array(path).min(1).optional(),
  ngrams: ngramSpecSchema.nullable(),
  encoder: encoderSpecSchema.nullable(),
});

export const featurePlanSchema = z.strictObject({
  format: z.literal(1),
  fields: z.array(fieldSchema),
  tabular_size: z.int().nonnegative(),
  left_out: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  text: textSpecSchema.nullable(),
});
/** A number with a direction: as it rises, scores of labels with 1 never fall, those of labels with -1 never rise. */
export type FieldDirection = { path: string[]; signs: readonly number[] };
/** The plan as a bundle has it; during a training also with the directions that its classifier has to keep. */
export type FeaturePlan = z.infer<typeof featurePlanSchema> & { directions?: readonly FieldDirection[] };

/** Whether a field is the days between two dates, which are fields of their own. */
export const isBetweenDates = (field: Field): boolean => field.kind === 'number' && field.since !== undefined;

/** Names a field: by its dotted path, or “reported − damaged, days”. */
export function nameField(field: Field): string {
  const isDays = field.kind === 'number' && field.since !== undefined;
  return isDays ? nameDays(field.path, field.since ?? []) : field.path.join('.');
}

/** The fields that are read as text, with their kinds in the input contract. */
export function listTextFields({ text }: FeaturePlan): { path: string[]; kind: 'text' | 'conversation' }[] {
  const keys = new Set(text?.conversations?.map((path) => path.join('\0')));
  return (text?.fields ?? []).map((path) => ({ path, kind: keys.has(path.join('\0')) ? 'conversation' : 'text' }));
}
