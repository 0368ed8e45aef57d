/** The functions of the rules language. Arguments arrive evaluated, the receiver first. */
import { countCodePoints, foldCase } from '../../code-points.ts';
import { compileLinearPattern, type LinearPattern } from '../../patterns.ts';
import { ruleLimits } from '../rule-limits.ts';
import { chargeString, readShift } from './operators.ts';
import { stringFunctions } from './strings.ts';
import {
  badValue,
  Duration,
  formatDuration,
  formatTimestamp,
  isList,
  isMap,
  limitReached,
  nameType,
  type Outcome,
  parseDuration,
  parseTimestamp,
  type Run,
  Timestamp,
  toTimestamp,
  typeMismatch,
  type Value,
} from './values.ts';

/** Calls a function with arguments of any type; a wrong type is a failure like any other. */
type RuleFunction = (args: readonly Value[], run: Run) => Outcome;

const whitespace = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leadingWhitespace = new RegExp(`^[${whitespace}]+`);

/** Trims Unicode white space; a loop at the end, because a regular expression takes quadratic time there. */
function trimWhitespace(text: string): string {
  const start = text.replace(leadingWhitespace, '');
  let end = start.length;
  while (end > 0 && leadingWhitespace.test(start.charAt(end - 1))) end--;
  return start.slice(0, end);
}

/** Units of a string that are changed in one step, as a power of two. */
const changeShift = 5;

function onString(work: (text: string) => Value): RuleFunction {
  return ([text], run) => {
    if (typeof text !== 'string') return typeMismatch;
    return chargeString(text, changeShift, run) ? work(text) : limitReached;
  };
}

/** Makes a test of one string for another, which must not be half a surrogate pair. */
function onTwoStrings(work: (text: string, part: string) => boolean): RuleFunction {
  return ([text, part], run) => {
    if (typeof text !== 'string' || typeof part !== 'string') return typeMismatch;
    if (!chargeString(text, readShift, run)) return limitReached;
    return part.isWellFormed() ? work(text, part) : badValue;
  };
}

/** Makes a function of one number; adding 0 turns −0 into 0. */
function onNumber(work: (value: number) => number): RuleFunction {
  return ([value]) => (typeof value === 'number' ? work(value) + 0 : typeMismatch);
}

function roundHalfAway(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

/** Makes `min` or `max`, of numbers or of one list of numbers. */
function onNumbers(isBetter: (a: number, b: number) => boolean): RuleFunction {
  return (args, run) => {
    const [first] = args;
    const values = args.length === 1 && first !== undefined && isList(first) ? first : args;
    run.steps -= values.length;
    if (run.steps < 0) return limitReached;
    let best: number | null = null;
    for (const value of values) {
      if (typeof value !== 'number') return typeMismatch;
      if (best === null || isBetter(value, best)) best = value;
    }
    return best ?? badValue;
  };
}

const size: RuleFunction = ([value], run) => {
  if (typeof value === 'string') return chargeString(value, readShift, run) ? countCodePoints(value) : limitReached;
  if (value === undefined) return typeMismatch;
  if (isList(value)) return value.length;
  if (!isMap(value)) return typeMismatch;
  const count = Object.keys(value).length;
  run.steps -= count;
  return run.steps < 0 ? limitReached : count;
};

const integerPattern = /^[+-]?[0-9]{1,400}$/;
const decimalPattern = /^[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,5})?$/;
/** Integers of CEL have 64 bits. */
const integerLimit = 2 ** 63;

const toInt: RuleFunction = ([value]) => {
  if (value instanceof Timestamp) return Math.floor(value.ms / 1000);
  if (typeof value === 'string' && !integerPattern.test(value)) return badValue;
  if (typeof value !== 'string' && typeof value !== 'number') return typeMismatch;
  const whole = Math.trunc(Number(value)) + 0;
  return Math.abs(whole) < integerLimit ? whole : badValue;
};

const toDouble: RuleFunction = ([value]) => {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return typeMismatch;
  const number = decimalPattern.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : badValue;
};

const toCelString: RuleFunction = ([value]) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value instanceof Timestamp) return formatTimestamp(value);
  return value instanceof Duration ? formatDuration(value) : typeMismatch;
};

const trueWords = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const falseWords = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

const toBool: RuleFunction = ([value]) => {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return typeMismatch;
  if (trueWords.includes(value)) return true;
  return falseWords.includes(value) ? false : badValue;
};

const zonePattern = /^([+-]?)([0-9]{2}):([0-9]{2})$/;

/** Makes a function of a timestamp, in UTC or at a fixed offset, and perhaps of a duration, whose fraction is cut. */
function onTimestamp(read: (date: Date) => number, readDuration?: (ms: number) => number): RuleFunction {
  return ([value, zone]) => {
    if (value instanceof Duration && readDuration && zone === undefined) return Math.trunc(readDuration(value.ms)) + 0;
    if (!(value instanceof Timestamp)) return typeMismatch;
    if (zone === undefined) return read(new Date(value.ms));
    if (typeof zone !== 'string') return typeMismatch;
    const minutes = readOffsetMinutes(zone);
    return minutes === null ? badValue : read(new Date(value.ms + minutes * 60_000));
  };
}

/** Reads "UTC" or a fixed offset such as "+02:00"; null for any other text, such as the name of a time zone. */
export function readOffsetMinutes(zone: string): number | null {
  if (zone === 'UTC') return 0;
  const match = zonePattern.exec(zone);
  const minutes = match ? Number(match[2]) * 60 + Number(match[3]) : Number.NaN;
  if (!match || minutes > 14 * 60 || Number(match[3]) > 59) return null;
  return match[1] === '-' ? -minutes : minutes;
}

function countDaysOfYear(date: Date): number {
  const first = new Date(date);
  first.setUTCMonth(0, 1);
  return (date.getTime() - first.getTime()) / 86_400_000;
}

const toPointInTime: RuleFunction = ([value]) => {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'string') return parseTimestamp(value);
  if (typeof value !== 'number') return typeMismatch;
  return Number.isInteger(value) ? toTimestamp(value * 1000) : badValue;
};

/** The functions by name; `matches` is compiled from its pattern instead. */
export const implementations: Readonly<Record<string, RuleFunction>> = {
  size,
  contains: onTwoStrings((text, part) => text.includes(part)),
  startsWith: onTwoStrings((text, part) => text.startsWith(part)),
  endsWith: onTwoStrings((text, part) => text.endsWith(part)),
  foldCase: onString(foldCase),
  lowerAscii: onString((text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  upperAscii: onString((text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  trim: onString(trimWhitespace),
  ...stringFunctions,
  int: toInt,
  double: toDouble,
  string: toCelString,
  bool: toBool,
  abs: onNumber(Math.abs),
  ceil: onNumber(Math.ceil),
  floor: onNumber(Math.floor),
  round: onNumber(roundHalfAway),
  min: onNumbers((a, b) => a < b),
  max: onNumbers((a, b) => a > b),
  type: ([value]) => (value === undefined ? typeMismatch : nameType(value)),
  timestamp: toPointInTime,
  duration: ([value]) =>
    value instanceof Duration ? value : typeof value === 'string' ? parseDuration(value) : typeMismatch,
  getFullYear: onTimestamp((date) => date.getUTCFullYear()),
  getMonth: onTimestamp((date) => date.getUTCMonth()),
  getDate: onTimestamp((date) => date.getUTCDate()),
  getDayOfMonth: onTimestamp((date) => date.getUTCDate() - 1),
  getDayOfWeek: onTimestamp((date) => date.getUTCDay()),
  getDayOfYear: onTimestamp(countDaysOfYear),
  getHours: onTimestamp(
    (date) => date.getUTCHours(),
    (ms) => ms / 3_600_000,
  ),
  getMinutes: onTimestamp(
    (date) => date.getUTCMinutes(),
    (ms) => ms / 60_000,
  ),
  getSeconds: onTimestamp(
    (date) => date.getUTCSeconds(),
    (ms) => ms / 1000,
  ),
  getMilliseconds: onTimestamp(
    (date) => date.getUTCMilliseconds(),
    (ms) => ms % 1000,
  ),
};

/** Instructions that the patterns of a decision type's rules may still have together. */
export type PatternBudget = { left: number };

/** Instructions of a pattern that are carried out on a character in one step. */
const instructionsPerStep = 32;

/** The cost of a text that is not a pattern. */
const sizeOfNoPattern = 1_000;

/** Compiles an RE2 pattern into `matches`, or null; takes its size from `budget`. */
export function compilePattern(pattern: string, budget: PatternBudget | null = null): RuleFunction | null {
  let compiled: LinearPattern;
  try {
    compiled = compileLinearPattern(pattern);
  } catch {
    // The library's message quotes the pattern; callers only say that it is not one.
    if (budget !== null) budget.left -= sizeOfNoPattern;
    return null;
  }
  const { size, weight } = compiled;
  if (budget !== null) budget.left -= Math.max(size, pattern.length);
  if (size > ruleLimits.maxPatternSize) return null;
  return ([text], run) => {
    if (typeof text !== 'string') return typeMismatch;
    run.steps -= Math.floor((text.length * weight) / instructionsPerStep);
    if (run.steps < 0) return limitReached;
    return text.isWellFormed() ? compiled.test(text) : badValue;
  };
}
