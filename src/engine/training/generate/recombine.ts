/**
 * New inputs between two of the same option: numbers are interpolated, texts spliced and varied, the rest is copied.
 */
import type { Json, JsonObject } from '../../domain.ts';
import type { Random } from '../../random.ts';
import { compareStrings } from '../data/split.ts';

/** What varies within the examples of one option: for two neighbouring words, the words that stand between them. */
export type Slots = ReadonlyMap<string, readonly string[]>;

/** A string of fewer words is a category, not a text. */
const minWords = 3;
const maxSlotTexts = 2_000;
const maxSubstitutions = 2;

/** Whether a JSON value is an object, and no array. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The words of a text: what stands between white space. */
export const splitWords = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
/** Whether a string is a text of at least three words, and not a category. */
export const isText = (value: string): boolean => splitWords(value).length >= minWords;

/** Draws one of the values, of which there must be at least one. */
export function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T;
}

/** Learns the slots of the texts within inputs: for every two neighbours, the different words seen between them. */
export function learnSlots(inputs: readonly JsonObject[]): Slots {
  const fillers = new Map<string, Set<string>>();
  let texts = 0;
  const walk = (value: Json) => {
    if (typeof value === 'string') {
      if (!isText(value) || texts >= maxSlotTexts) return;
      texts += 1;
      const words = splitWords(value);
      words.forEach((word, i) => {
        const key = slotKey(words, i);
        const known = fillers.get(key) ?? new Set();
        fillers.set(key, known.add(word));
      });
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  inputs.forEach(walk);
  return new Map([...fillers].filter(([, words]) => words.size > 1).map(([key, words]) => [key, [...words]]));
}

const slotKey = (words: readonly string[], i: number) => `${words[i - 1] ?? ''} ${words[i + 1] ?? ''}`.toLowerCase();

/**
 * Makes an input between `a` and `b`, which belong to the same option. Numbers lie between the two (SMOTE, Chawla et
 * al. 2002) with as many decimals as they have; texts begin as one and end as the other, cut between sentences or at a
 * shared word, with slots and digits varied; any other value comes from one of them. Keys that only `a` has are kept.
 */
export function recombine(a: JsonObject, b: JsonObject, slots: Slots, random: Random): JsonObject {
  // In the order of their names: the same content gives the same result, however it was written.
  const members = Object.entries(a).sort(([first], [second]) => compareStrings(first, second));
  return Object.fromEntries(
    members.map(([key, value]) => {
      const other = Object.hasOwn(b, key) ? b[key] : undefined;
      return [key, other === undefined ? value : recombineValues(value, other, slots, random)];
    }),
  );
}

function recombineValues(a: Json, b: Json, slots: Slots, random: Random): Json {
  if (isJsonObject(a) && isJsonObject(b)) return recombine(a, b, slots, random);
  if (typeof a === 'number' && typeof b === 'number') {
    const decimals = Math.max(countDecimals(a), countDecimals(b));
    return Number((a + random() * (b - a)).toFixed(decimals));
  }
  if (typeof a === 'string' && typeof b === 'string' && isText(a) && isText(b)) {
    return varyWords(splice(a, b, random), slots, random);
  }
  return random() < 0.5 ? a : b;
}

function countDecimals(value: number): number {
  const [mantissa = '', exponent] = String(value).split('e');
  return Math.min(12, Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent ?? 0)));
}

/** Joins the beginning of `a` and the end of `b`; `a` itself where the two share no place to be cut at. */
function splice(a: string, b: string, random: Random): string {
  const head = splitSentences(a);
  const tail = splitSentences(b);
  if (head.length >= 2 && tail.length >= 2) {
    const share = 0.25 + random() * 0.5;
    return [...head.slice(0, Math.ceil(head.length * share)), ...tail.slice(Math.floor(tail.length * share))].join(' ');
  }
  const first = splitWords(a);
  const second = splitWords(b);
  const placesInSecond = new Map(second.map((word, place) => [word.toLowerCase(), place]));
  const cuts = first.flatMap((word, place) => {
    const other = placesInSecond.get(word.toLowerCase());
    const inside = place < first.length - 1 && other !== undefined && other > 0;
    return inside ? [{ place, other }] : [];
  });
  if (cuts.length === 0) return a;
  const { place, other } = pick(cuts, random);
  return [...first.slice(0, place + 1), ...second.slice(other + 1)].join(' ');
}

const splitSentences = (text: string) => text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.trim() !== '');

/** Puts other words of the option into at most two slots, and other digits into long numbers, which name no option. */
function varyWords(text: string, slots: Slots, random: Random): string {
  const words = splitWords(text);
  for (let done = 0; done < maxSubstitutions; done += 1) {
    const place = Math.floor(random() * words.length);
    const fillers = slots.get(slotKey(words, place));
    if (fillers !== undefined) words[place] = pick(fillers, random);
  }
  return words
    .join(' ')
    .replace(/\d{3,}/g, (digits) =>
      digits.replace(/\d/g, (_digit, i: number) =>
        String(i === 0 ? 1 + Math.floor(random() * 9) : Math.floor(random() * 10)),
      ),
    );
}

/**
 * A string that is equal for near-duplicates: texts as their sorted words without case, punctuation and digits, numbers
 * to three significant digits, everything else as it is.
 */
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

/**
 * The similarity of two inputs from 0 to 1: the mean over the fields of `a`; numbers by ratio, texts by shared words.
 */
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
