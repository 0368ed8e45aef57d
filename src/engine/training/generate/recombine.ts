/** New inputs between two of one option: numbers interpolated, sentences combined, the rest copied. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { Random } from '../../random.ts';
import { compareStrings } from '../data/split.ts';
import { isProse, joinSentences, splitSentences, splitWords } from './sentences.ts';

/** A string of fewer words is a category, not a text. */
const minWords = 3;
/** The part of the texts that stay as they are, beside other numbers: two sentences may be too long for a schema. */
const keptShare = 0.5;

/** Whether a string is a text of at least three words, and not a category. */
export const isText = (value: string): boolean => splitWords(value).length >= minWords;

/** Draws one of the values, of which there must be at least one. */
export function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T;
}

/** Finds the strings that stand in inputs more than once: a choice of values, whatever their length. */
export function findRepeatedStrings(inputs: readonly JsonObject[]): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const walk = (value: Json) => {
    if (typeof value === 'string') (seen.has(value) ? repeated : seen).add(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  inputs.forEach(walk);
  return repeated;
}

/**
 * Makes an input between two of one option: numbers between (SMOTE, Chawla et al. 2002), whole sentences of both, any
 * other value, or one `repeated`, of either. Keys of `a` alone are kept.
 */
export function recombine(a: JsonObject, b: JsonObject, repeated: ReadonlySet<string>, random: Random): JsonObject {
  // In the order of their names: the same content gives the same result, however it was written.
  const members = Object.entries(a).sort(([first], [second]) => compareStrings(first, second));
  return Object.fromEntries(
    members.map(([key, value]) => {
      const other = Object.hasOwn(b, key) ? b[key] : undefined;
      return [key, other === undefined ? value : recombineValues(value, other, repeated, random)];
    }),
  );
}

function recombineValues(a: Json, b: Json, repeated: ReadonlySet<string>, random: Random): Json {
  if (isJsonObject(a) && isJsonObject(b)) return recombine(a, b, repeated, random);
  if (typeof a === 'number' && typeof b === 'number') {
    const decimals = Math.max(countDecimals(a), countDecimals(b));
    return Number((a + random() * (b - a)).toFixed(decimals));
  }
  const isVaried = (value: Json): value is string =>
    typeof value === 'string' && isProse(value) && !repeated.has(value);
  if (isVaried(a) && isVaried(b)) return random() < keptShare ? a : splice(a, b, random);
  return random() < 0.5 ? a : b;
}

/** How many decimals a number is written with, 12 at most. */
export function countDecimals(value: number): number {
  const [mantissa = '', exponent] = String(value).split('e');
  return Math.min(12, Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent ?? 0)));
}

/** Joins the first sentences of `a` and the last of `b`, at least one of each; none stands there twice. */
function splice(a: string, b: string, random: Random): string {
  const head = splitSentences(a);
  const tail = splitSentences(b);
  const share = 0.25 + random() * 0.5;
  const sentences = [...head.slice(0, Math.ceil(head.length * share)), ...tail.slice(Math.floor(tail.length * share))];
  return joinSentences([...new Set(sentences)]);
}

/** A string equal for near-duplicates: words sorted and folded, numbers to three digits. */
export function computeSignature(value: Json): string {
  if (isJsonObject(value)) {
    const members = Object.entries(value).sort(([first], [second]) => compareStrings(first, second));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${computeSignature(member)}`).join()}}`;
  }
  if (Array.isArray(value)) return `[${value.map(computeSignature).join()}]`;
  if (typeof value === 'number') return value.toPrecision(3);
  if (typeof value !== 'string' || !isText(value)) return JSON.stringify(value);
  return JSON.stringify(
    splitWords(
      value
        .normalize('NFKC')
        .toLowerCase()
        .replace(/\d+/g, '0')
        .replace(/[^\p{L}\p{M}0\s]/gu, ' '),
    )
      .sort()
      .join(' '),
  );
}

/** The similarity of two inputs, 0 to 1: the mean over the fields of `a`. */
export function estimateSimilarity(a: Json, b: Json | undefined): number {
  if (b === undefined) return 0;
  if (isJsonObject(a) && isJsonObject(b)) {
    const members = Object.entries(a);
    if (members.length === 0) return 1;
    return members.reduce((sum, [key, member]) => sum + estimateSimilarity(member, b[key]), 0) / members.length;
  }
  if (typeof a === 'number' && typeof b === 'number') {
    const larger = Math.max(Math.abs(a), Math.abs(b));
    return larger === 0 ? 1 : 1 - Math.abs(a - b) / (2 * larger);
  }
  if (typeof a === 'string' && typeof b === 'string' && isText(a) && isText(b)) {
    const first = new Set(splitWords(a.toLowerCase()));
    const second = new Set(splitWords(b.toLowerCase()));
    const shared = [...first].filter((word) => second.has(word)).length;
    return shared / (first.size + second.size - shared);
  }
  return JSON.stringify(a) === JSON.stringify(b) ? 1 : 0;
}
