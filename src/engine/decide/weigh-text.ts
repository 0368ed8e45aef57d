/**
 * Estimates a classifier's prediction for an input without some of its words in one run of the encoder: n-grams are
 * removed exactly, the embedding by a first-order estimate of each token's share of the logit. Rules are not tried.
 */

import type { ClassifierModel, Scorer } from '../classifiers/model.ts';
import { WorkbenchError } from '../errors.ts';
import { exp } from '../exact-math.ts';
import type { CompiledFeatures, InputText } from '../features/compile.ts';
import type { EncoderSpec, TextUnit } from '../features/plan.ts';
import { type PlacedText, readPlaces, toReadablePlace } from '../features/readable-text.ts';
import { readPath } from '../features/values.ts';
import type { JsonObject } from '../json.ts';
import { toEncoderInput } from '../text/encoder-input.ts';
import type { NgramReader } from '../text/ngrams.ts';
import type { TextParts } from './check-bundle.ts';

/** A stretch of the text at a path of the input (UTF-16 indices). */
export type Stretch = { path: readonly string[]; start: number; end: number };

/** The probability of an option without a stretch, by the stretch's number; each call computes it. */
export type Estimates = (at: number) => number;

type WeighedPolicy = {
  features: CompiledFeatures;
  classifier: ClassifierModel;
  denseWidth: number;
  score: Scorer;
  text: (TextParts & { ngrams: NgramReader | null }) | null;
};

/** An option's probability without each stretch; null where the encoder has no gradients or tokens do not part. */
export async function estimateWithout(
  { features, classifier, denseWidth, score, text }: WeighedPolicy,
  input: JsonObject,
  option: number,
  stretches: readonly Stretch[],
): Promise<Estimates | null> {
  if (text === null || text.encoder === null) return null;
  const { tokenizer, port, spec, adapters } = text.encoder;
  if (port.weighTokens === undefined) return null;
  const joined = features.joinText(input);
  const toRead = features.isMarkup ? prepareToRead(input) : (stretch: Stretch) => stretch;
  const read = stretches.map(toRead);
  const ids = tokenizer.encode(joined.text);
  const tokensOf = findUnits((part) => tokenizer.encode(part), joined, ids, read);
  const parted = text.ngrams?.(joined.text, ids);
  const units = parted?.units ?? ids;
  const partOf = (part: string) => text.ngrams?.(part, []).units ?? [];
  const unitsOf = units === ids ? tokensOf : findUnits(partOf, joined, units, read);
  if (tokensOf === null || unitsOf === null) return null;
  const encoderIds = toEncoderInput(ids, spec.max_tokens, spec.frame).ids;
  const embedding = await port.embed(encoderIds, adapters);
  const dense = features.writeTabular(input, new Float32Array(denseWidth));
  dense.set(
    embedding.map((number) => number * spec.scale),
    features.tabularSize,
  );
  const scoreWithout = ({ from, to }: Span) => {
    const ngrams = parted?.weighWithout(from, to);
    return score(dense, ngrams?.indices ?? [], ngrams?.values ?? []);
  };
  const direction = findDirection(classifier, features.tabularSize, spec, scoreWithout(nothing), option);
  const found = await port.weighTokens(encoderIds, direction, adapters).catch((error: unknown) => {
    if (error instanceof WorkbenchError && error.code === 'unavailable') return null;
    throw error;
  });
  if (found === null) return null;
  // [CLS] stands before the text's tokens; what is behind the encoder's end weighs nothing.
  const weights = found.subarray(1, encoderIds.length - 1);
  return (at) => {
    const { from, to } = tokensOf[at] ?? nothing;
    const probability = scoreWithout(unitsOf[at] ?? nothing)[option] ?? 0;
    const kept = probability * exp(-weights.subarray(from, to).reduce((sum, weight) => sum + weight, 0));
    return kept / (kept + 1 - probability);
  };
}

/** Prepares telling where stretches of an input's texts stand in the texts as they are read. */
function prepareToRead(input: JsonObject): (stretch: Stretch) => Stretch {
  const placed = new Map<string, PlacedText | null>();
  return (stretch) => {
    const key = stretch.path.join('\0');
    const value = readPath(input, stretch.path);
    if (!placed.has(key)) placed.set(key, typeof value === 'string' ? readPlaces(value) : null);
    const reading = placed.get(key) ?? null;
    if (reading === null) return stretch;
    const start = toReadablePlace(reading, stretch.start);
    return {
      ...stretch,
      start,
      end: stretch.end > stretch.start ? toReadablePlace(reading, stretch.end - 1) + 1 : start,
    };
  };
}

/** The derivative of the option's log-odds by the embedding. */
function findDirection(
  classifier: ClassifierModel,
  tabularSize: number,
  { dimensions, scale }: EncoderSpec,
  probabilities: Float64Array,
  option: number,
): Float32Array {
  const direction = new Float32Array(dimensions);
  if (classifier.kind === 'trees') return direction;
  const { K, dense } = classifier;
  const others = probabilities.reduce((sum, probability, k) => (k === option ? sum : sum + probability), 0);
  for (let d = 0; d < dimensions; d++) {
    const from = (tabularSize + d) * K;
    let slope = dense[from + option] ?? 0;
    for (let k = 0; k < K && others > 0; k++) {
      if (k !== option) slope -= ((probabilities[k] as number) / others) * (dense[from + k] as number);
    }
    direction[d] = slope * scale;
  }
  return direction;
}

/** Where a text may be cut without changing its tokens: beside white space, punctuation and the signs of ASCII. */
const apart = /^[\s\p{P}!-/:-@[-`{-~]$/u;

/** Places in a row among the tokens or words of a text. */
type Span = { from: number; to: number };
const nothing: Span = { from: 0, to: 0 };

/** The tokens or words of each stretch, or null where those of the whole text are not those of its parts. */
function findUnits<T extends TextUnit>(
  part: (text: string) => readonly T[],
  { text, parts: fields }: InputText,
  units: readonly T[],
  stretches: readonly Stretch[],
): Span[] | null {
  const starts = new Map(fields.map(({ field }, at) => [field, at === 0 ? 0 : (fields[at - 1]?.end ?? 0) + 1]));
  const places = stretches.map(({ path, start, end }) => {
    const at = starts.get(path.join('.'));
    return at === undefined ? { start: 0, end: 0 } : { start: at + start, end: at + end };
  });
  const mayCut = (at: number) => apart.test(text[at - 1] ?? '') || apart.test(text[at] ?? '');
  const cuts = new Set(places.flatMap(({ start, end }) => [start, end]).filter((at) => at < text.length && mayCut(at)));
  const parts: { end: number; from: number; to: number }[] = [];
  const joined: T[] = [];
  for (const end of [...cuts, text.length].sort((a, b) => a - b)) {
    const from = joined.length;
    joined.push(...part(text.slice(parts.at(-1)?.end ?? 0, end)));
    parts.push({ end, from, to: joined.length });
  }
  if (joined.length !== units.length || joined.some((unit, at) => unit !== units[at])) return null;
  return places.map(({ start, end }) => ({
    from: parts.find((each) => each.end > start)?.from ?? 0,
    to: start === end ? 0 : (parts.find((each) => each.end >= end)?.to ?? joined.length),
  }));
}
