/** The functions that a rule may call: how they are written, what they take, and a description for the editor. */

/** A type that is known before any input is seen; 'text' is a string. The names are part of the HTTP API. */
export type StaticType = 'any' | 'bool' | 'number' | 'text' | 'list' | 'map' | 'null' | 'timestamp' | 'duration';

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

const timeTypes: StaticType[] = ['timestamp', 'duration'];
function describe(
  name: string,
  style: FunctionInfo['style'],
  args: StaticType[][],
  returns: StaticType,
  help: string,
  arity: [number, number] = [args.length, args.length],
): FunctionInfo {
  return { name, style, args, arity, returns, help };
}

const descriptions: FunctionInfo[] = [
  describe(
    'size',
    'either',
    [['text', 'list', 'map']],
    'number',
    'The number of characters of a string, or of members of a list or map.',
  ),
  describe('contains', 'method', [['text'], ['text']], 'bool', 'True if the string contains the other string.'),
  describe('startsWith', 'method', [['text'], ['text']], 'bool', 'True if the string starts with the other string.'),
  describe('endsWith', 'method', [['text'], ['text']], 'bool', 'True if the string ends with the other string.'),
  describe('matches', 'either', [['text'], ['text']], 'bool', 'True if the RE2 pattern matches a part of the string.'),
  describe('lowerAscii', 'method', [['text']], 'text', 'The string with A–Z lower-cased.'),
  describe('upperAscii', 'method', [['text']], 'text', 'The string with a–z upper-cased.'),
  describe('trim', 'method', [['text']], 'text', 'The string without white space at both ends.'),
  describe(
    'charAt',
    'method',
    [['text'], ['number']],
    'text',
    'The character at a place, from 0; the empty string right behind the last one.',
  ),
  describe(
    'indexOf',
    'method',
    [['text'], ['text'], ['number']],
    'number',
    'The place of the first occurrence of the other string, at a given place or later; -1 if there is none.',
    [2, 3],
  ),
  describe(
    'lastIndexOf',
    'method',
    [['text'], ['text'], ['number']],
    'number',
    'The place of the last occurrence of the other string, at a given place or earlier; -1 if there is none.',
    [2, 3],
  ),
  describe(
    'substring',
    'method',
    [['text'], ['number']],
    'text',
    'The characters from a place to the end, or to a second place, which is not included.',
    [2, 3],
  ),
  describe(
    'replace',
    'method',
    [['text'], ['text'], ['text'], ['number']],
    'text',
    'The string with each occurrence of the first string replaced by the second, or only the first few.',
    [3, 4],
  ),
  describe(
    'split',
    'method',
    [['text'], ['text'], ['number']],
    'list',
    'The parts of the string between the occurrences of a separator, at most so many.',
    [2, 3],
  ),
  describe(
    'join',
    'method',
    [['list'], ['text']],
    'text',
    'The strings of a list, with a separator between them.',
    [1, 2],
  ),
  describe(
    'int',
    'global',
    [['number', 'text', 'timestamp']],
    'number',
    'A whole number: a number truncated towards zero, a string of digits, or a timestamp in seconds.',
  ),
  describe('double', 'global', [['number', 'text']], 'number', 'A number from a number or a string.'),
  describe(
    'string',
    'global',
    [['text', 'number', 'bool', 'timestamp', 'duration']],
    'text',
    'The value as a string; whole numbers have no fraction.',
  ),
  describe('bool', 'global', [['bool', 'text']], 'bool', 'True or false from a string such as "true".'),
  describe('abs', 'global', [['number']], 'number', 'The absolute value of the number.'),
  describe('ceil', 'global', [['number']], 'number', 'The number rounded up to a whole number.'),
  describe('floor', 'global', [['number']], 'number', 'The number rounded down to a whole number.'),
  describe('round', 'global', [['number']], 'number', 'The nearest whole number; halves are rounded away from zero.'),
  describe(
    'min',
    'global',
    [['number', 'list']],
    'number',
    'The smallest of the numbers, or of a list of numbers.',
    [1, 32],
  ),
  describe(
    'max',
    'global',
    [['number', 'list']],
    'number',
    'The largest of the numbers, or of a list of numbers.',
    [1, 32],
  ),
  describe(
    'timestamp',
    'global',
    [['text', 'timestamp']],
    'timestamp',
    'A point in time from an RFC 3339 string such as "2026-01-31T09:00:00Z".',
  ),
  describe('duration', 'global', [['text', 'duration']], 'duration', 'A span of time from a string such as "1h30m".'),
  describe('getFullYear', 'method', [['timestamp'], ['text']], 'number', 'The year.', [1, 2]),
  describe('getMonth', 'method', [['timestamp'], ['text']], 'number', 'The month, 0 for January.', [1, 2]),
  describe('getDate', 'method', [['timestamp'], ['text']], 'number', 'The day of the month, from 1.', [1, 2]),
  describe('getDayOfWeek', 'method', [['timestamp'], ['text']], 'number', 'The day of the week, 0 for Sunday.', [1, 2]),
  describe(
    'getHours',
    'method',
    [timeTypes, ['text']],
    'number',
    'The hour of a timestamp, or the whole hours of a duration.',
    [1, 2],
  ),
];

export const ruleFunctions: ReadonlyMap<string, FunctionInfo> = new Map(descriptions.map((info) => [info.name, info]));

/** True if a function of that name takes that many arguments, the receiver counted. */
export function isFunctionCall(name: string, arity: number): boolean {
  const info = ruleFunctions.get(name);
  return info !== undefined && arity >= info.arity[0] && arity <= info.arity[1];
}
