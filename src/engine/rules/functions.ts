/** The functions that a rule may call: how they are written and what they take. */
import type { Json } from '../json.ts';

/** A type that is known before any input is seen; 'text' is a string. The names are part of the HTTP API. */
export type StaticType = 'any' | 'bool' | 'number' | 'text' | 'list' | 'map' | 'null' | 'timestamp' | 'duration';

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
};

const describe =
  (style: FunctionInfo['style']) =>
  (
    name: string,
    args: StaticType[][],
    returns: StaticType,
    arity: FunctionInfo['arity'] = [args.length, args.length],
  ): FunctionInfo => ({ name, style, args, arity, returns });
const [method, global, either] = [describe('method'), describe('global'), describe('either')];
const text: StaticType[] = ['text'];
const number: StaticType[] = ['number'];

/** A part of a timestamp, in UTC or at a fixed offset, or also of a duration. */
const ofTime = (name: string, ...also: 'duration'[]) => method(name, [['timestamp', ...also], text], 'number', [1, 2]);

const descriptions: FunctionInfo[] = [
  either('size', [['text', 'list', 'map']], 'number'),
  method('contains', [text, text], 'bool'),
  method('startsWith', [text, text], 'bool'),
  method('endsWith', [text, text], 'bool'),
  either('matches', [text, text], 'bool'),
  method('foldCase', [text], 'text'),
  method('lowerAscii', [text], 'text'),
  method('upperAscii', [text], 'text'),
  method('trim', [text], 'text'),
  method('charAt', [text, number], 'text'),
  method('indexOf', [text, text, number], 'number', [2, 3]),
  method('lastIndexOf', [text, text, number], 'number', [2, 3]),
  method('substring', [text, number], 'text', [2, 3]),
  method('replace', [text, text, text, number], 'text', [3, 4]),
  method('split', [text, text, number], 'list', [2, 3]),
  method('join', [['list'], text], 'text', [1, 2]),
  global('int', [['number', 'text', 'timestamp']], 'number'),
  global('double', [['number', 'text']], 'number'),
  global('string', [['text', 'number', 'bool', 'timestamp', 'duration']], 'text'),
  global('bool', [['bool', 'text']], 'bool'),
  global('type', [['any']], 'text'),
  global('abs', [number], 'number'),
  global('ceil', [number], 'number'),
  global('floor', [number], 'number'),
  global('round', [number], 'number'),
  global('min', [['number', 'list']], 'number', [1, 32]),
  global('max', [['number', 'list']], 'number', [1, 32]),
  global('timestamp', [['text', 'number', 'timestamp']], 'timestamp'),
  global('duration', [['text', 'duration']], 'duration'),
  ofTime('getFullYear'),
  ofTime('getMonth'),
  ofTime('getDate'),
  ofTime('getDayOfMonth'),
  ofTime('getDayOfWeek'),
  ofTime('getDayOfYear'),
  ofTime('getHours', 'duration'),
  ofTime('getMinutes', 'duration'),
  ofTime('getSeconds', 'duration'),
  ofTime('getMilliseconds', 'duration'),
];

export const ruleFunctions: ReadonlyMap<string, FunctionInfo> = new Map(descriptions.map((info) => [info.name, info]));

/** True if a function of that name takes that many arguments, the receiver counted. */
export function isFunctionCall(name: string, arity: number): boolean {
  const info = ruleFunctions.get(name);
  return info !== undefined && arity >= info.arity[0] && arity <= info.arity[1];
}
