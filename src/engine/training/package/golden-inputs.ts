/** Inputs for golden decisions that nobody sent: put together from what at least five examples share. */

import { parseDate } from '../../features/dates.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { redactToPlaceholder } from '../../pii.ts';
import { createStream, type Random, randomStreams } from '../../random.ts';
import type { RulesFile } from '../../rules/rules-file.ts';
import { compareStrings } from '../../units/sides.ts';
import { countDecimals, pick } from '../generate/recombine.ts';
import {
  createPhraseSampler,
  listComparedFields,
  sampleComparedFields,
  sampleSchema,
} from '../generate/sample-input.ts';
import { splitWords } from '../generate/sentences.ts';

/** Rows that must share a value, a word beside its neighbour, or a pattern of letters, for it to be repeated. */
const minRows = 5;
/** Inputs that are made: not each of them is decided clearly enough. */
const maxInputs = 90;
/** Limits: rows, evenly spread over all; characters of a text; members of a list; draws for a text. */
const maxRows = 2_000;
const maxCharacters = 1_000;
const maxMembers = 20;
const maxDraws = 12;
/** One in this many inputs has values that rules compare with, so that each rule may match. */
const ruledEvery = 3;
const dayMs = 86_400_000;

export type SeenInput = { input: JsonObject; option: string };

/** Sources of an input besides examples; all of them are in the bundle anyway. */
type Known = { decisionType: string; rules: RulesFile; inputSchema: JsonObject | null };

/**
 * Makes up to 90 inputs like those seen, each value of another example: repeated where five share it, else made again
 * between such. Values of `piiFields` are never read; some are what rules compare with.
 */
export function makeGoldenInputs(
  seen: readonly SeenInput[],
  piiFields: readonly string[],
  { decisionType, rules, inputSchema }: Known,
): JsonObject[] {
  const random = createStream(randomStreams.goldenInputs);
  const step = Math.ceil(seen.length / maxRows);
  const rows = seen
    .filter((_, index) => index % step === 0)
    .map(({ input, option }) => ({ input: redactToPlaceholder(input, piiFields), option }));
  const survey = surveyRows(rows);
  const groups = [...Map.groupBy(rows, ({ option }) => option)].sort(([a], [b]) => compareStrings(a, b));
  const compared = listComparedFields(rules.rules.map(({ ast }) => ast));
  const sampled = () =>
    inputSchema === null ? {} : sampleSchema(inputSchema, createPhraseSampler(decisionType), random);
  return Array.from({ length: maxInputs }, (_, index) => {
    const group = groups[index % groups.length];
    const made = group === undefined ? sampled() : remake(group, { survey, random });
    const base = isJsonObject(made) ? made : {};
    const isRuled = group === undefined || Math.floor(index / groups.length) % ruledEvery === ruledEvery - 1;
    return isRuled ? sampleComparedFields(compared, base, random) : base;
  });
}

type Survey = {
  /** Whether at least five rows have this at a path. */
  isShared(kind: 'path' | 'value' | 'word' | 'pair' | 'pattern', path: string, text: string): boolean;
  /** Values other than objects and lists at a path in the rows of an option. */
  listValues(path: string, option: string): readonly Json[];
  /** Numbers at a path, or days of dates, of all rows in ascending order. */
  listNumbers(path: string): readonly number[];
};

const toKey = (...parts: string[]): string => parts.join('\u0000');

function surveyRows(rows: readonly SeenInput[]): Survey {
  const counts = new Map<string, number>();
  const values = new Map<string, Json[]>();
  const numbers = new Map<string, number[]>();
  for (const { input, option } of rows) {
    const found = new Set<string>();
    visitValues(input, '', (path, whole) => {
      found.add(toKey('path', path, ''));
      if (typeof whole === 'object' && whole !== null) return;
      const value = typeof whole === 'string' ? whole.slice(0, maxCharacters) : whole;
      append(values, toKey(path, option), value);
      found.add(toKey('value', path, JSON.stringify(value)));
      const number = typeof value === 'number' ? value : parseDate(value)?.epochDays;
      if (number !== undefined) append(numbers, path, number);
      if (typeof value !== 'string') return;
      found.add(toKey('pattern', path, toPattern(value)));
      splitWords(value).forEach((word, index, words) => {
        found.add(toKey('word', path, word)).add(toKey('pair', path, `${words[index - 1]} ${word}`));
      });
    });
    for (const key of found) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const list of numbers.values()) list.sort((a, b) => a - b);
  return {
    isShared: (kind, path, text) => (counts.get(toKey(kind, path, text)) ?? 0) >= minRows,
    listValues: (path, option) => values.get(toKey(path, option)) ?? [],
    listNumbers: (path) => numbers.get(path) ?? [],
  };
}

/** Hands over every value of an input with its path, in which every member of a list has the same place. */
function visitValues(value: Json, path: string, take: (path: string, value: Json) => void): void {
  take(path, value);
  if (Array.isArray(value)) for (const member of value) visitValues(member, `${path}[]`, take);
  else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) visitValues(member, `${path}.${key}`, take);
  }
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

type Source = { survey: Survey; random: Random };

/** An input with the keys of one of the option's rows that others have, too, and values of any of these rows. */
function remake([option, rows]: [string, SeenInput[]], source: Source): Json {
  const { survey, random } = source;
  const make = (value: Json, path: string): Json => {
    if (Array.isArray(value)) return value.slice(0, maxMembers).map((member) => make(member, `${path}[]`));
    if (!isJsonObject(value)) return makeValue(pick(survey.listValues(path, option), random), path, option, source);
    const members = Object.entries(value)
      .filter(([key]) => survey.isShared('path', `${path}.${key}`, ''))
      .sort(([a], [b]) => compareStrings(a, b));
    return Object.fromEntries(members.map(([key, member]) => [key, make(member, `${path}.${key}`)]));
  };
  return make(pick(rows, random).input, '');
}

/** A value like one that was seen: itself where five rows have it, else one made again. */
function makeValue(value: Json, path: string, option: string, source: Source): Json {
  const { survey, random } = source;
  const isRepeated = survey.isShared('value', path, JSON.stringify(value));
  if (isRepeated || (typeof value !== 'string' && typeof value !== 'number')) return value;
  if (typeof value === 'number') return Number(drawNumber(path, source).toFixed(countDecimals(value)));
  if (parseDate(value) !== null) {
    const day = new Date(Math.floor(drawNumber(path, source)) * dayMs).toISOString().slice(0, 10);
    return `${day}${value.slice(day.length).replaceAll(/\d/g, '0')}`;
  }
  const text = makeText(value, path, option, source);
  if (text !== '') return text;
  const pattern = toPattern(value);
  if (!survey.isShared('pattern', path, pattern)) return createPhraseSampler(option)(random, value.length);
  return pattern.replaceAll(/[Aa0]/g, (first) => {
    const kinds = first === '0' ? 10 : 26;
    return String.fromCharCode(first.charCodeAt(0) + Math.floor(random() * kinds));
  });
}

/** A number between two that were seen, with three more between them. */
function drawNumber(path: string, { survey, random }: Source): number {
  const sorted = survey.listNumbers(path);
  const middle = Math.floor(random() * sorted.length);
  const reach = (minRows - 1) / 2;
  const low = sorted[Math.max(0, middle - reach)] ?? 0;
  const high = sorted[Math.min(sorted.length - 1, middle + reach)] ?? 0;
  return low + random() * (high - low);
}

/** A code with the first letter or digit of its kind for each of its own. */
const toPattern = (value: string): string =>
  value
    .replaceAll(/\p{Lu}/gu, 'A')
    .replaceAll(/\p{Ll}/gu, 'a')
    .replaceAll(/\p{N}/gu, '0');

/** A text of at most as many words as `like`, in runs out of the option's texts; '' where rows share no words. */
function makeText(like: string, path: string, option: string, { survey, random }: Source): string {
  const texts = survey.listValues(path, option);
  const wanted = splitWords(like).length;
  const words: string[] = [];
  for (let draw = 0; draw < maxDraws && words.length < wanted && wanted > 1; draw += 1) {
    const runs = listSharedRuns(String(pick(texts, random)), path, survey);
    if (runs.length > 0) words.push(...pick(runs, random));
  }
  return words.slice(0, wanted).join(' ');
}

/** The runs of words of a text of which each two neighbours stand side by side in at least five rows. */
function listSharedRuns(text: string, path: string, survey: Survey): string[][] {
  const runs: string[][] = [];
  splitWords(text).forEach((word, index, words) => {
    if (!survey.isShared('word', path, word)) return;
    const before = words[index - 1] ?? '';
    const last = runs.at(-1);
    if (last?.at(-1) === before && survey.isShared('pair', path, `${before} ${word}`)) last.push(word);
    else runs.push([word]);
  });
  return runs;
}
