/** Surveying the columns of a sheet: what is in each, what it is read as and why, and whether it names its row. */

import type { Reading, Readings } from '../domain/definition.ts';
import { cutTurns, isConversation } from '../features/conversation.ts';
import { parseDate } from '../features/dates.ts';
import { areMarkup } from '../features/readable-text.ts';
import { tellsPerson } from '../features/tell-person.ts';
import { identifierPattern } from '../features/values.ts';
import type { Json } from '../json.ts';
import { limits } from '../limits.ts';
import {
  type ColumnTime,
  type FoundKind,
  findKind,
  isMissing,
  isMissingText,
  kindOf,
  type ValueUses,
} from './kinds.ts';
import { type ColumnKind, readCell, type Sheet } from './sheet.ts';

export type ColumnSurvey = FoundKind & {
  name: string;
  /** The JSON type of the values as read: `mixed` where they have several, `empty` if there is none. */
  type: string;
  isPersonal: boolean;
  /** Rows with a value, and the different ones among them. */
  filled: number;
  distinct: number;
  samples: string[];
  /** The values with their rows, commonest first, where they are few enough to be options. */
  uses: ValueUses | null;
  /** Why the column says only which row it is, as a sentence; null where it says more. */
  identifies: string | null;
};

const maxSamples = 3;
/** This many texts show whether a column holds HTML. */
const maxReadTexts = 100;
/** Objects may have any number of keys: this many are surveyed, and fewer where there are many objects. */
const maxSurveyedKeys = 500;
const maxSurveyedValues = 20_000_000;
/** In fewer rows than this, a column may be different in each without naming it. */
const minRowsToIdentify = 20;
const minDistinctShare = 0.95;
const numberedName = /(?:^|[\s_.-])(?:id|nr|no|num|key|code)\.?$|(?:nummer|number|num[eé]ro)$/i;

const capitalize = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** A cell as text: trimmed, or as JSON. */
export const toText = (cell: Json): string => (typeof cell === 'string' ? cell.trim() : JSON.stringify(cell));

/** Counts the distinct values of a column, and the rows with each word for a missing value. */
function countValues({ rows, columns, header }: Sheet, column: number) {
  const uses = new Map<string, number>();
  const missing = new Map<string, number>();
  const types = new Set<string>();
  for (const row of rows) {
    const cell = readCell(row, columns, column);
    if (cell === null || cell === undefined || cell === '') continue;
    types.add(Array.isArray(cell) ? 'array' : typeof cell);
    const text = toText(cell);
    const count = uses.get(text);
    if (count !== undefined) uses.set(text, count + 1);
    else if (header !== null && isMissing(text)) missing.set(text, (missing.get(text) ?? 0) + 1);
    else uses.set(text, 1);
  }
  return { uses, missing, types };
}

const toJsonType = (reading: Reading | null) => {
  if (reading?.kind === 'list') return 'array';
  return reading?.kind === 'number' || reading?.kind === 'boolean' ? reading.kind : 'string';
};
const toType = (types: ReadonlySet<string>): string => (types.size > 1 ? 'mixed' : ([...types][0] ?? 'empty'));

/** Whether numbers count the rows: one more in each, from 0 or 1 on. */
const isRunning = (texts: readonly string[]) =>
  (texts[0] === '0' || texts[0] === '1') && texts.every((text, index) => Number(text) === Number(texts[0]) + index);

/** A first column without a name, as this program and pandas call it: most often the index of the rows. */
const isUnnamed = (name: string) => /^(?:column 1|Unnamed: 0|__index_level_0__)$/.test(name);

/** Words: parts between blanks, or a run of letters of a script that sets none between its words. */
const words =
  /\s|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]{5}/u;
/** Seconds or milliseconds since 1970, of the years from 2001 on. */
const epochTime = /^1\d{9}(?:\d{3})?(?:\.\d+)?$/;

/** Names of a time at which a row was written, by whatever wrote it. */
const writtenName = /(?:^|[._ -])(?:time[ _-]?stamp|ts|(?:created|updated|inserted|modified|logged)[_ ]?at)$/i;

function findIdentity(name: string, kind: ColumnKind, texts: readonly string[], filled: number): string | null {
  if (isUnnamed(name) && texts.length > 1 && texts.length === filled && isRunning(texts))
    return 'It only counts the rows.';
  if (filled < minRowsToIdentify || texts.length < minDistinctShare * filled) return null;
  const isNumber = kind === 'number' || kind === 'number_decimal_comma';
  const time = isNumber ? epochTime : kind.startsWith('date') ? /\d:\d/ : null;
  if (time !== null && writtenName.test(name) && texts.every((text) => time.test(text)))
    return 'It says when the row was written.';
  const isWhole = () => texts.every((text) => /^\d+$/.test(text));
  const isNamed = isUnnamed(name) || identifierPattern.test(name) || numberedName.test(name);
  const names = isNumber
    ? (isNamed && isWhole()) || isRunning(texts)
    : kind === 'text' && texts.filter((text) => words.test(text)).length < 0.1 * texts.length;
  if (!names) return null;
  return `Looks like an ID, so left out: ${texts.length.toLocaleString('en')} different values in ${filled.toLocaleString('en')} rows.`;
}

function tellWords(uses: ValueUses, what: string): string {
  const words = [...uses.keys()].map((word) => `“${word}”`).join(', ');
  return uses.size > 0 ? `${words} ${what} (${sum(uses).toLocaleString('en')})` : '';
}

const sum = (uses: ValueUses): number => [...uses.values()].reduce((total, count) => total + count, 0);

/** A text with a letter for each letter and a digit for each digit: `N/A` and `N/B` are codes of one form. */
const toForm = (text: string) =>
  text
    .replaceAll(/\p{Lu}/gu, 'A')
    .replaceAll(/\p{L}/gu, (letter) => (letter === 'A' ? 'A' : 'a'))
    .replaceAll(/\d/g, '9');

/** Whether a word for no value is one of the codes of a column: N/A beside N/B and N/C alone. */
const isCode = (word: string, uses: ValueUses) =>
  uses.size > 1 && /\p{L}/u.test(word) && [...uses.keys()].every((text) => toForm(text) === toForm(word));

/** Finds the kind that values of JSON would have as cells. */
function findContent(uses: ValueUses, types: ReadonlySet<string>, time: ColumnTime): FoundKind {
  const type = toType(types);
  if (type === 'string' || type === 'mixed') return findKind(uses, false, time);
  return { kind: type === 'number' ? 'number' : 'as_is', reading: null, reason: '', choices: [], isDoubtful: false };
}

/** A number, and a yes or no, as JSON writes them without quotes. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/** A whole number that a double does not hold. */
const longWhole = /^-?\d{16}/;
const jsonBoolean = /^(?:true|false)$/;

/** Numbers and booleans of JSON that all stand in quotes, as warehouses write them, are read as what they are. */
function readQuoted(uses: ValueUses, types: ReadonlySet<string>): FoundKind | null {
  if (!types.has('string') || uses.size === 0) return null;
  const texts = [...uses.keys()];
  const areNumbers = texts.every((text) => jsonNumber.test(text) && !longWhole.test(text));
  if (!areNumbers && (types.size > 1 || !texts.every((text) => jsonBoolean.test(text)))) return null;
  const reading: Reading = areNumbers ? { kind: 'number', decimal: '.' } : { kind: 'boolean' };
  const reason = `${areNumbers ? 'numbers' : 'true and false'} that the file writes as texts`;
  return { kind: kindOf(reading), reading, reason, choices: [], isDoubtful: false };
}

/** Values of JSON keep their types; dates that no feature reads are worth mentioning. */
function takeAsItIs(uses: ValueUses, { kind, reason }: FoundKind): FoundKind {
  const isDate = kind.startsWith('date') && [...uses.keys()].some((text) => parseDate(text) === null);
  const isList = kind.startsWith('list');
  const dateHint = `written like dates, ${reason}: choose that kind to learn from them as dates`;
  const listHint = `${reason}: choose the kind of list to learn from each of them`;
  const hint = isDate ? dateHint : isList ? listHint : '';
  return { kind: 'as_is', reading: null, reason: hint, choices: [], isDoubtful: hint !== '' };
}

/** Notes when values are learned in another form than written. */
function tellForm(texts: readonly string[], types: ReadonlySet<string>): string {
  const [first] = texts;
  if (first !== undefined && toType(types) === 'array')
    return isConversation(JSON.parse(first)) ? 'a conversation: learned and shown as turns' : '';
  return types.has('string') && areMarkup(texts.slice(0, maxReadTexts)) ? 'HTML: learned and shown as its text' : '';
}

/** Texts that show whether a column holds conversations, and the share of them that must be some. */
const sampledTexts = 20;
const minTalkShare = 0.8;
const minSomeTalk = 0.2;
const maxExampleLength = 40;

/** Notes that texts whose lines begin turns, as in chats, are conversations: all of them, or only some. */
function tellTalk(texts: readonly string[]): string {
  const talks = texts.filter((text) => cutTurns(text) !== null);
  const share = talks.length / texts.length;
  if (share >= minTalkShare) return 'conversations, by the lines at which turns begin';
  if (!(share >= minSomeTalk)) return '';
  const [example = ''] = talks;
  const begin = example.slice(0, maxExampleLength).replaceAll(/\s+/g, ' ').trim();
  return `${talks.length} of ${texts.length} texts are conversations, as “${begin}…”, and shown as turns; the others are shown as they stand`;
}

type Known = { readings: Readings; year: number };

function surveyColumn(sheet: Sheet, column: number, isCommaUsual: boolean, { readings, year }: Known): ColumnSurvey {
  const name = sheet.columns[column] ?? '';
  const time = { name, year };
  const { uses, missing, types } = countValues(sheet, column);
  const isTable = sheet.header !== null;
  const content = isTable
    ? findKind(uses, isCommaUsual, time, Object.hasOwn(readings, name) ? readings[name] : undefined)
    : findContent(uses, types, time);
  const found = isTable ? content : (readQuoted(uses, types) ?? takeAsItIs(uses, content));
  const codes =
    found.kind === 'text' ? [...missing.keys()].filter((word) => isMissingText(word) && isCode(word, uses)) : [];
  const isValue = (word: string) => found.kind === 'text' && (!isMissingText(word) || codes.includes(word));
  const values = new Map([...missing].filter(([word]) => isValue(word)));
  for (const [word, count] of values) {
    missing.delete(word);
    uses.set(word, count);
  }
  const talk = found.kind === 'text' ? tellTalk([...uses.keys()].slice(0, sampledTexts)) : '';
  const blanks = tellWords(missing, 'counts as empty');
  const kept = tellWords(values, 'is a value here');
  const texts = [...uses.keys()];
  const filled = sum(uses);
  const isPersonal = tellsPerson(name, texts);
  const person = isPersonal ? 'it tells who somebody is' : '';
  return {
    ...found,
    ...(codes.length > 0 && isTable ? { reading: { kind: 'text' as const, missing: [...missing.keys()] } } : {}),
    name,
    reason: capitalize(
      [found.reason, talk, tellForm(texts, types), person, blanks, kept].filter((part) => part !== '').join('; '),
    ),
    type: (isTable && texts.length > 0) || found.reading !== null ? toJsonType(found.reading) : toType(types),
    isPersonal,
    filled,
    distinct: texts.length,
    samples: texts.slice(0, maxSamples),
    uses: texts.length > limits.maxOptions ? null : new Map([...uses].sort(([, a], [, b]) => b - a)),
    identifies: found.isDoubtful ? null : findIdentity(name, content.kind, texts, filled),
  };
}

/**
 * Surveys a sheet's columns; those with `readings` of the type are read so. JSON values keep their kinds. `year` is the
 * one in which the file is read: it tells which years two digits mean.
 */
export function surveyColumns(sheet: Sheet, year: number, readings: Readings = {}): ColumnSurvey[] {
  const known = { readings, year };
  const maxKeys = Math.min(maxSurveyedKeys, Math.ceil(maxSurveyedValues / sheet.rows.length));
  const columns = sheet.header === null ? sheet.columns.slice(0, maxKeys) : sheet.columns;
  const surveys = columns.map((_, column) => surveyColumn(sheet, column, false, known));
  if (!surveys.some(({ kind }) => kind === 'number_decimal_comma')) return surveys;
  return surveys.map((survey, column) =>
    survey.kind === 'number' ? surveyColumn(sheet, column, true, known) : survey,
  );
}
