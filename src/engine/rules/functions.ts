/** The functions a rule may call: how they are written, what they take, and one sentence for the editor. */

export type StaticType = 'any' | 'bool' | 'number' | 'text' | 'list' | 'map' | 'null' | 'timestamp' | 'duration';

export type FunctionInfo = {
  name: string;
  /** Written `value.name(…)`, `name(value, …)` or either. */
  style: 'method' | 'global' | 'either';
  /** Types that each argument may have, the receiver first. */
  args: StaticType[][];
  /** Fewest and most arguments, the receiver counted. */
  arity: [number, number];
  returns: StaticType;
  help: string;
};

const when: StaticType[] = ['timestamp', 'duration'];
const info = (
  name: string,
  style: FunctionInfo['style'],
  args: StaticType[][],
  returns: StaticType,
  help: string,
  arity: [number, number] = [args.length, args.length],
): FunctionInfo => ({ name, style, args, arity, returns, help });

const all: FunctionInfo[] = [
  info(
    'size',
    'either',
    [['text', 'list', 'map']],
    'number',
    'Number of characters of a text, or of members of a list or map.',
  ),
  info('contains', 'method', [['text'], ['text']], 'bool', 'True if the text contains the other text.'),
  info('startsWith', 'method', [['text'], ['text']], 'bool', 'True if the text starts with the other text.'),
  info('endsWith', 'method', [['text'], ['text']], 'bool', 'True if the text ends with the other text.'),
  info('matches', 'either', [['text'], ['text']], 'bool', 'True if the RE2 pattern is found in the text.'),
  info('lowerAscii', 'method', [['text']], 'text', 'The text with A–Z made small.'),
  info('upperAscii', 'method', [['text']], 'text', 'The text with a–z made large.'),
  info('trim', 'method', [['text']], 'text', 'The text without white space at both ends.'),
  info(
    'int',
    'global',
    [['number', 'text', 'timestamp']],
    'number',
    'A whole number: a number cut towards zero, a text of digits, or a timestamp in seconds.',
  ),
  info('double', 'global', [['number', 'text']], 'number', 'A number from a number or a text.'),
  info(
    'string',
    'global',
    [['text', 'number', 'bool', 'timestamp', 'duration']],
    'text',
    'The value as text; whole numbers have no fraction.',
  ),
  info('bool', 'global', [['bool', 'text']], 'bool', 'True or false from a text such as "true".'),
  info('abs', 'global', [['number']], 'number', 'The number without its sign.'),
  info('ceil', 'global', [['number']], 'number', 'The next whole number at or above.'),
  info('floor', 'global', [['number']], 'number', 'The next whole number at or below.'),
  info('round', 'global', [['number']], 'number', 'The nearest whole number; halves go away from zero.'),
  info(
    'min',
    'global',
    [['number', 'list']],
    'number',
    'The smallest of the numbers, or of a list of numbers.',
    [1, 32],
  ),
  info(
    'max',
    'global',
    [['number', 'list']],
    'number',
    'The largest of the numbers, or of a list of numbers.',
    [1, 32],
  ),
  info(
    'timestamp',
    'global',
    [['text', 'timestamp']],
    'timestamp',
    'A point in time from RFC 3339 text such as "2026-01-31T09:00:00Z".',
  ),
  info('duration', 'global', [['text', 'duration']], 'duration', 'A span of time from text such as "1h30m".'),
  info('getFullYear', 'method', [['timestamp'], ['text']], 'number', 'The year.', [1, 2]),
  info('getMonth', 'method', [['timestamp'], ['text']], 'number', 'The month, 0 for January.', [1, 2]),
  info('getDate', 'method', [['timestamp'], ['text']], 'number', 'The day of the month, from 1.', [1, 2]),
  info('getDayOfWeek', 'method', [['timestamp'], ['text']], 'number', 'The day of the week, 0 for Sunday.', [1, 2]),
  info(
    'getHours',
    'method',
    [when, ['text']],
    'number',
    'The hour of a timestamp, or the whole hours of a duration.',
    [1, 2],
  ),
];

export const ruleFunctions: ReadonlyMap<string, FunctionInfo> = new Map(all.map((entry) => [entry.name, entry]));

/** True if a function of that name takes that many arguments, the receiver counted. */
export function isFunctionCall(name: string, arity: number): boolean {
  const found = ruleFunctions.get(name);
  return found !== undefined && arity >= found.arity[0] && arity <= found.arity[1];
}
