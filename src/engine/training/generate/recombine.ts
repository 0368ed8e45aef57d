/** New inputs between two of one option: numbers interpolated, the rest copied. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { Random } from '../../random.ts';
import { compareStrings } from '../../units/sides.ts';
import { joinSentences, splitWords } from './sentences.ts';

/** A string of fewer words is a category, not a text. */
const minWords = 3;
/** Whether a string is a text of at least three words, and not a category. */
export const isText = (value: string): boolean => splitWords(value).length >= minWords;

/** Draws one of the values, of which there must be at least one. */
export function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T;
}

/** An input between two of one option (SMOTE, Chawla et al. 2002); with `joins` texts stand behind each other. */
export function recombine(a: JsonObject, b: JsonObject, random: Random, joins = false): JsonObject {
  // In the order of their names: the same content gives the same result, however it was written.
  const members = Object.entries(a).sort(([first], [second]) => compareStrings(first, second));
  return Object.fromEntries(
    members.map(([key, value]) => {
      const other = Object.hasOwn(b, key) ? b[key] : undefined;
      return [key, other === undefined ? value : recombineValues(value, other, random, joins)];
    }),
  );
}

function recombineValues(a: Json, b: Json, random: Random, joins: boolean): Json {
  if (isJsonObject(a) && isJsonObject(b)) return recombine(a, b, random, joins);
  if (typeof a === 'number' && typeof b === 'number') {
    const decimals = Math.max(countDecimals(a), countDecimals(b));
    return Number((a + random() * (b - a)).toFixed(decimals));
  }
  const areTexts = typeof a === 'string' && typeof b === 'string' && isText(a) && isText(b);
  if (joins && areTexts && a !== b) return joinSentences([a, b]);
  return random() < 0.5 ? a : b;
}

/** How many decimals a number is written with, 12 at most. */
export function countDecimals(value: number): number {
  const [mantissa = '', exponent] = String(value).split('e');
  return Math.min(12, Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent ?? 0)));
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
