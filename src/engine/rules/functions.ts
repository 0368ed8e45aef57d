/** The functions that a rule may call: how they are written, what they take, and a description for the editor. */
import type { Json } from '../json.ts';

/** A type that is known before any input is seen; 'text' is a string. The names are part of the HTTP API. */
export type StaticType = 'any' | 'bool' | 'number' | 'text' | 'list' | 'map' | 'null' | 'timestamp' | 'duration';

/** The types of JSON values. */
export type JsonType = Exclude<StaticType, 'any' | 'timestamp' | 'duration'>;

/** The type of a JSON value in the words of the rules language. */
export function findJsonType(value: Json): JsonType {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'list' : 'map';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'bool';
}

export type FunctionInfo = {
  name: string;
  /** Written `value.name(…)`, `name(value, …)` or either. */
  style: 'method' | 'global' | 'either';
  /** Types that each argument may have, the receiver first; the last entry counts for all further ones. */
  args: StaticType[][];
  /** The minimum and the maximum number of arguments, the receiver counted. */
  arity: [number, number];
  returns: StaticType;
  help: string;
};

const describe =
  (style: FunctionInfo['style']) =>
  (
    name: string,
    args: StaticType[][],
    returns: StaticType,
    help: string,
    arity: FunctionInfo['arity'] = [args.length, args.length],
  ): FunctionInfo => ({ name, style, args, arity, returns, help });
const [method, global, either] = [describe('method'), describe('global'), describe('either')];
const text: StaticType[] = ['text'];
const number: StaticType[] = ['number'];

/** A part of a timestamp, in UTC or at a fixed offset, or also of a duration. */
const ofTime = (name: string, help: string, ...also: 'duration'[]) =>
  method(name, [['timestamp', ...also], text], 'number', help, [1, 2]);

const descriptions: FunctionInfo[] = [
  either(
    'size',
    [['text', 'list', 'map']],
    'number',
    'The number of characters of a string, or of members of a list or map.',
  ),
  method('contains', [text, text], 'bool', 'True if the string contains the other string.'),
  method('startsWith', [text, text], 'bool', 'True if the string starts with the other string.'),
  method('endsWith', [text, text], 'bool', 'True if the string ends with the other string.'),
  either('matches', [text, text], 'bool', 'True if the RE2 pattern matches a part of the string.'),
  method(
    'foldCase',
    [text],
    'text',
    'The string for comparisons that ignore case in every language, and how accents are stored: ÄRGER becomes ärger.',
  ),
  method('lowerAscii', [text], 'text', 'The string with A–Z lower-cased.'),
  method('upperAscii', [text], 'text', 'The string with a–z upper-cased.'),
  method('trim', [text], 'text', 'The string without white space at both ends.'),
  method(
    'charAt',
    [text, number],
    'text',
    'The character at a place, from 0; the empty string right behind the last one.',
  ),
  method(
    'indexOf',
    [text, text, number],
    'number',
    'The place of the first occurrence of the other string, at a given place or later; -1 if there is none.',
    [2, 3],
  ),
  method(
    'lastIndexOf',
    [text, text, number],
    'number',
    'The place of the last occurrence of the other string, at a given place or earlier; -1 if there is none.',
    [2, 3],
  ),
  method(
    'substring',
    [text, number],
    'text',
    'The characters from a place to the end, or to a second place, which is not included.',
    [2, 3],
  ),
  method(
    'replace',
    [text, text, text, number],
    'text',
    'The string with each occurrence of the first string replaced by the second, or only the first few.',
    [3, 4],
  ),
  method(
    'split',
    [text, text, number],
    'list',
    'The parts of the string between the occurrences of a separator, at most that number.',
    [2, 3],
  ),
  method('join', [['list'], text], 'text', 'The strings of a list, with a separator between them.', [1, 2]),
  global(
    'int',
    [['number', 'text', 'timestamp']],
    'number',
    'A whole number: a number truncated towards zero, a string of digits, or a timestamp in seconds.',
  ),
  global('double', [['number', 'text']], 'number', 'A number from a number or a string.'),
  global(
    'string',
    [['text', 'number', 'bool', 'timestamp', 'duration']],
    'text',
    'The value as a string; whole numbers have no fraction.',
  ),
  global('bool', [['bool', 'text']], 'bool', 'True or false from a string such as "true".'),
  global('type', [['any']], 'text', 'The type of the value, compared as in type(ctx.a) == string.'),
  global('abs', [number], 'number', 'The absolute value of the number.'),
  global('ceil', [number], 'number', 'The number rounded up to a whole number.'),
  global('floor', [number], 'number', 'The number rounded down to a whole number.'),
  global('round', [number], 'number', 'The nearest whole number; halves are rounded away from zero.'),
  global('min', [['number', 'list']], 'number', 'The smallest of the numbers, or of a list of numbers.', [1, 32]),
  global('max', [['number', 'list']], 'number', 'The largest of the numbers, or of a list of numbers.', [1, 32]),
  global(
    'timestamp',
    [['text', 'number', 'timestamp']],
    'timestamp',
    'A point in time from an RFC 3339 string such as "2026-01-31T09:00:00Z", or from whole seconds since 1970.',
  ),
  global('duration', [['text', 'duration']], 'duration', 'A span of time from a string such as "1h30m".'),
  ofTime('getFullYear', 'The year.'),
  ofTime('getMonth', 'The month, 0 for January.'),
  ofTime('getDate', 'The day of the month, from 1.'),
  ofTime('getDayOfMonth', 'The day of the month, from 0.'),
  ofTime('getDayOfWeek', 'The day of the week, 0 for Sunday.'),
  ofTime('getDayOfYear', 'The day of the year, from 0.'),
  ofTime('getHours', 'The hour of a timestamp, or the whole hours of a duration.', 'duration'),
  ofTime('getMinutes', 'The minute of a timestamp, or the whole minutes of a duration.', 'duration'),
  ofTime('getSeconds', 'The second of a timestamp, or the whole seconds of a duration.', 'duration'),
  ofTime('getMilliseconds', 'The milliseconds behind the whole seconds of a timestamp or duration.', 'duration'),
];

export const ruleFunctions: ReadonlyMap<string, FunctionInfo> = new Map(descriptions.map((info) => [info.name, info]));

/** True if a function of that name takes that many arguments, the receiver counted. */
export function isFunctionCall(name: string, arity: number): boolean {
  const info = ruleFunctions.get(name);
  return info !== undefined && arity >= info.arity[0] && arity <= info.arity[1];
}
