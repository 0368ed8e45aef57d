/** How the texts of a field are read as its kind, in the same way by an import and before a decision. */

import type { Reading, Readings } from '../domain/definition.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { blankMasks, isMask } from '../pii.ts';
import { readDate } from './dates.ts';
import { splitName } from './inputs.ts';
import { readNumber } from './numbers.ts';

/** Marks that say there is no value; they occur in texts as well. */
export const missingMarks = '|n/a|n.a.|n. a.|#n/a|#nv|#n/d|(null)|-|--|–|—|?|k.a.|k. a.|keine angabe|n.d.'.split('|');
/**
 * Words that say so among numbers, dates, yes and no, with the empty dates of MySQL and the errors of spreadsheets;
 * among texts they are values, as Namibia and Mr Null know.
 */
export const missingWords =
  'na|null|nan|<na>|<null>|.|00000000|0000-00-00|0000-00-00 00:00:00|#div/0!|#ref!|#value!|#name?|#num!|#null!'.split(
    '|',
  );

/** Words for yes and no; a pair of single letters counts only where both occur. */
export const yesNoPairs = [
  ['true', 'false'],
  ['yes', 'no'],
  ['ja', 'nein'],
  ['oui', 'non'],
  ['sí', 'no'],
  ['si', 'no'],
  ['sì', 'no'],
  ['wahr', 'falsch'],
  ['vrai', 'faux'],
  ['verdadero', 'falso'],
  ['vero', 'falso'],
  ['y', 'n'],
  ['j', 'n'],
] as const;

const usualMissing = { texts: new Set(missingMarks), other: new Set([...missingMarks, ...missingWords]) };
const usualYes = new Set<string>(yesNoPairs.map(([yes]) => yes));
const usualNo = new Set<string>(yesNoPairs.map(([, no]) => no));
/** No longer text is one of these words, or of those that a reading names. */
export const maxWordLength = 60;

const toWords = (words: readonly string[]) => new Set(['', ...words.map((word) => word.trim().toLowerCase())]);

/** Reads a text: null where it says that there is no value, undefined where it is not of the kind. */
export type TextReader = (text: string) => Json | undefined;

/** Prepares the reading of one field's texts, without the blanks around them. */
export function compileReading(reading: Reading): TextReader {
  const usual = reading.kind === 'text' || reading.kind === 'list' ? usualMissing.texts : usualMissing.other;
  const missing = reading.missing === undefined ? usual : toWords(reading.missing);
  const readText = compileTextReader(reading);
  return (given) => {
    const text = given.trim();
    const isMissing = text.length <= maxWordLength && missing.has(text.toLowerCase());
    return isMissing ? null : readText(text);
  };
}

function compileTextReader(reading: Reading): TextReader {
  switch (reading.kind) {
    case 'number':
      return (text) => {
        const number = readNumber(text, reading.decimal);
        const isOther = reading.unit !== undefined && number?.unit !== '' && number?.unit !== reading.unit;
        return isOther ? undefined : number?.value;
      };
    case 'date':
      return (text) => readDate(text, reading.order, reading.last_year) ?? undefined;
    case 'boolean': {
      const yes = reading.yes === undefined ? usualYes : toWords(['true', ...reading.yes]);
      const no = reading.no === undefined ? usualNo : toWords(['false', ...reading.no]);
      return (text) => {
        const word = text.length > maxWordLength ? text : text.toLowerCase();
        return yes.has(word) ? true : no.has(word) ? false : undefined;
      };
    }
    case 'list':
      return (text) => splitList(text, reading.separator);
    case 'text':
      return (text) => text;
  }
}

export type ListSeparator = Extract<Reading, { kind: 'list' }>['separator'];

/** The texts between the separators of a list, without the blanks around them and without empty ones. */
export const splitList = (text: string, separator: ListSeparator): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

const separatorNames = { ';': 'semicolons', '|': 'bars', ',': 'commas' };
const dateNouns = {
  day_first: 'a date with the day first',
  month_first: 'a date with the month first',
  year_first: 'a date with the year first',
  month_only: 'a month of a year',
};

/** Makes the reader of one column's cells: null where there is no value, undefined where it does not fit. */
export function compileCellReader(reading: Reading | null): (cell: Json | undefined) => Json | undefined {
  const toNull = (cell: Json | undefined) => (cell === undefined || cell === '' ? null : cell);
  if (reading === null) return toNull;
  const readText = compileReading(reading);
  return (cell) => {
    if (typeof cell === 'string') return readText(cell);
    const isOfKind = typeof cell === reading.kind || (reading.kind === 'list' && Array.isArray(cell));
    if (cell === null || isOfKind) return toNull(cell);
    return reading.kind === 'text' ? (typeof cell === 'object' ? cell : String(cell)) : undefined;
  };
}

/** Describes the expected value in words. */
export function nounOf(reading: Reading): string {
  switch (reading.kind) {
    case 'number':
      return `a number${reading.decimal === ',' ? ' with a decimal comma' : ''}${reading.unit ? ` in ${reading.unit}` : ''}`;
    case 'date':
      return dateNouns[reading.order];
    case 'boolean':
      return `yes or no${reading.yes?.[0] && reading.no?.[0] ? ` (${reading.yes[0]}, ${reading.no[0]})` : ''}`;
    case 'list':
      return `a list with ${separatorNames[reading.separator]}`;
    case 'text':
      return 'a text';
  }
}

export type PathReading = { path: string[]; reading: Reading };
/** Readings with their names split into paths. */
export const toPathReadings = (readings: Readings): PathReading[] =>
  Object.entries(readings).map(([name, reading]) => ({ path: splitName(name), reading }));

/** Makes the readings a setting of a manifest, unless there are none, as earlier readers know no such setting. */
export const toManifestReadings = (readings: Readings): { readings?: PathReading[] } =>
  Object.keys(readings).length === 0 ? {} : { readings: toPathReadings(readings) };

/** Texts left as they are: masks of personal values, and texts not of their kind, which otherwise become null. */
type Kept = { masks?: boolean; unfit?: boolean };
type Field = { readText: TextReader; noun: string; keepsUnfit: boolean };
type ReadLevel = Map<string, Field | ReadLevel>;
/** Sentences about one input; of more only their number is given. */
const maxSentences = 20;
/** An input as it is read; of each value that is not of its kind, which counts as missing, its name and a sentence. */
export type ReadInput = { input: JsonObject; misread: readonly string[]; unreadable: readonly string[] };

const nothing: readonly string[] = [];

/**
 * Prepares reading stored inputs as their type reads today: examples may be older than a reading, and the log has what
 * was sent. Masks of personal values stay: they are neither missing nor unreadable.
 */
export const compileReadings = (readings: Readings) => compilePathReadings(toPathReadings(readings), { masks: true });

/** As `compileReadings`, for inputs that are stored again: a text that cannot be read stays as it was sent. */
export const compileStoringReadings = (readings: Readings) =>
  compilePathReadings(toPathReadings(readings), { masks: true, unfit: true });

/** As `compileReadings`, with null for the masks under `piiFields`, whose values are not known. */
export function compileKnownReadings(readings: Readings, piiFields: readonly string[]) {
  const read = compileReadings(readings);
  return (stored: JsonObject) => {
    const { input, unreadable } = read(stored);
    return { ...blankMasks(input, piiFields), unreadable };
  };
}

/** Prepares the reading of inputs. Only texts are read: a number, a list and the like stay what they are. */
export function compilePathReadings(
  readings: readonly PathReading[],
  { masks = false, unfit: keepsUnfit = false }: Kept = {},
): (input: JsonObject) => ReadInput {
  if (readings.length === 0) return (input) => ({ input, misread: nothing, unreadable: nothing });
  const fields: ReadLevel = new Map();
  for (const { path, reading } of readings) {
    let level = fields;
    for (const segment of path.slice(0, -1)) {
      const inner = level.get(segment);
      const next: ReadLevel = inner instanceof Map ? inner : new Map();
      level.set(segment, next);
      level = next;
    }
    const readText = compileReading(reading);
    const readUnmasked: TextReader = masks ? (text) => (isMask(text) ? text : readText(text)) : readText;
    level.set(path.at(-1) ?? '', { readText: readUnmasked, noun: nounOf(reading), keepsUnfit });
  }
  return (input) => {
    const unfit: Unfit[] = [];
    const read = readLevel(input, fields, '', unfit);
    if (unfit.length === 0) return { input: read, misread: nothing, unreadable: nothing };
    const misread = unfit.slice(0, maxSentences).map(({ name, noun }) => `${quote(name)} must be ${noun}`);
    const more = unfit.length - maxSentences;
    if (more > 0) misread.push(`and ${more} more`);
    return { input: read, misread, unreadable: unfit.map(({ name }) => name) };
  };
}

/** A value that is not of its kind: the dotted name of its field, and what it must be. */
type Unfit = { name: string; noun: string };

const quote = (name: string) => `'${JSON.stringify(name).slice(1, -1)}'`;

function readLevel(values: JsonObject, level: ReadLevel, above: string, unfit: Unfit[]): JsonObject {
  let changed: JsonObject | null = null;
  for (const name of Object.keys(values)) {
    const field = level.get(name);
    if (field === undefined) continue;
    const value = values[name] as Json;
    let read: Json | undefined = value;
    if (!(field instanceof Map)) {
      if (typeof value !== 'string') continue;
      read = field.readText(value);
      if (read === undefined) {
        unfit.push({ name: above + name, noun: field.noun });
        if (field.keepsUnfit) continue;
      }
    } else if (isJsonObject(value)) read = readLevel(value, field, `${above}${name}.`, unfit);
    if (read === value) continue;
    changed ??= { ...values };
    changed[name] = read ?? null;
  }
  return changed ?? values;
}
