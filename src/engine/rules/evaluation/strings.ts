/** CEL's string extension by code points; no string may have half a surrogate pair. */
import { countCodePoints } from '../../code-points.ts';
import { ruleLimits } from '../rule-limits.ts';
import { chargeString } from './operators.ts';
import {
  badValue,
  indexOutOfRange,
  isList,
  limitReached,
  type Outcome,
  RuleError,
  type Run,
  typeMismatch,
  type Value,
} from './values.ts';

type StringFunction = (args: readonly Value[], run: Run) => Outcome;

/** Returns arguments that must be strings without half a surrogate pair. */
function readStrings(values: readonly (Value | undefined)[]): readonly string[] | RuleError {
  if (!values.every((value) => typeof value === 'string')) return typeMismatch;
  return values.every((value) => value.isWellFormed()) ? values : badValue;
}

/** Returns an argument that must be a whole number; `otherwise` where it is left out. */
function readWhole(value: Value | undefined, otherwise: number): number | RuleError {
  if (value === undefined) return otherwise;
  if (typeof value !== 'number') return typeMismatch;
  return Number.isInteger(value) ? value : badValue;
}

/** Takes a search's steps: per 1,024 UTF-16 units of text, and per 4,096 products with the part's. */
function chargeSearch(text: string, part: string, run: Run): boolean {
  run.steps -= (text.length >> 10) + Math.floor((text.length * Math.min(part.length, text.length)) / 4096);
  return run.steps >= 0;
}

/** Returns the UTF-16 units of the character at an offset. */
function measureCharacter(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

/** Returns the UTF-16 offset that is `count` code points behind another one, or null past the end. */
function moveOn(text: string, from: number, count: number): number | null {
  let offset = from;
  for (let passed = 0; passed < count; passed++) {
    if (offset >= text.length) return null;
    offset += measureCharacter(text, offset);
  }
  return offset;
}

/** `text.substring(start)`, or from `start` to `end`, the end exclusive. */
const substring: StringFunction = ([value, start, end], run) => {
  const strings = readStrings([value]);
  if (strings instanceof RuleError) return strings;
  const [text = ''] = strings;
  const from = readWhole(start, 0);
  if (from instanceof RuleError) return from;
  const to = readWhole(end, Number.POSITIVE_INFINITY);
  if (to instanceof RuleError) return to;
  if (!chargeString(text, 8, run)) return limitReached;
  const first = from < 0 || to < from ? null : moveOn(text, 0, from);
  if (first === null) return indexOutOfRange;
  if (end === undefined) return text.slice(first);
  const last = moveOn(text, first, to - from);
  return last === null ? indexOutOfRange : text.slice(first, last);
};

/** `text.charAt(place)`: the character there, or the empty string right behind the last one. */
const charAt: StringFunction = (args, run) => {
  const rest = substring(args, run);
  return typeof rest === 'string' ? rest.slice(0, measureCharacter(rest, 0)) : rest;
};

/** Makes `indexOf` (at the place or later) or `lastIndexOf` (there or earlier); −1 if there is none. */
function onSearch(search: 'indexOf' | 'lastIndexOf'): StringFunction {
  return ([value, sought, place], run) => {
    const strings = readStrings([value, sought]);
    if (strings instanceof RuleError) return strings;
    const [text = '', part = ''] = strings;
    const from = readWhole(place, 0);
    if (from instanceof RuleError) return from;
    if (!chargeSearch(text, part, run)) return limitReached;
    const end = place === undefined && search === 'lastIndexOf' ? text.length : null;
    const offset = end ?? (from < 0 ? null : moveOn(text, 0, from));
    if (offset === null) return indexOutOfRange;
    const found = text[search](part, offset);
    return found < 0 ? -1 : countCodePoints(text.slice(0, found));
  };
}

/** Finds the offsets of the first `most` occurrences; the empty string stands before each character and at the end. */
function findOccurrences(text: string, part: string, most: number): number[] {
  const found: number[] = [];
  let from = 0;
  while (found.length < most && from <= text.length) {
    const at = text.indexOf(part, from);
    if (at < 0) break;
    found.push(at);
    from = at + (part === '' ? measureCharacter(text, at) : part.length);
  }
  return found;
}

/** `text.replace(part, replacement, count)`: all occurrences, or the first `count`; a negative count means all. */
const replace: StringFunction = ([value, sought, by, count], run) => {
  const strings = readStrings([value, sought, by]);
  if (strings instanceof RuleError) return strings;
  const [text = '', part = '', replacement = ''] = strings;
  const most = readWhole(count, -1);
  if (most instanceof RuleError) return most;
  if (!chargeString(text, 8, run) || !chargeSearch(text, part, run)) return limitReached;
  const { maxStringLength } = ruleLimits;
  const bound = maxStringLength + 1;
  const places = findOccurrences(text, part, most < 0 ? bound : Math.min(most, bound));
  const size = countCodePoints(text) + places.length * (countCodePoints(replacement) - countCodePoints(part));
  if (places.length === bound || size > maxStringLength) return limitReached;
  let result = '';
  let from = 0;
  for (const place of places) {
    result += text.slice(from, place) + replacement;
    from = place + part.length;
  }
  result += text.slice(from);
  return chargeString(result, 8, run) ? result : limitReached;
};

/** `text.split(separator, count)`: the last part has the rest, a negative count means all. */
const split: StringFunction = ([value, at, count], run) => {
  const strings = readStrings([value, at]);
  if (strings instanceof RuleError) return strings;
  const [text = '', separator = ''] = strings;
  const most = readWhole(count, -1);
  if (most instanceof RuleError) return most;
  if (!chargeString(text, 8, run) || !chargeSearch(text, separator, run)) return limitReached;
  if (most === 0 || (text === '' && separator === '')) return [];
  const { maxListLength } = ruleLimits;
  const cuts = most < 0 ? maxListLength : Math.min(most - 1, maxListLength);
  const found = findOccurrences(text, separator, separator === '' ? cuts + 1 : cuts);
  // The empty string is found before the first character and behind the last one too.
  const places = separator === '' ? found.filter((place) => place > 0 && place < text.length) : found;
  run.steps -= places.length + 1;
  if (places.length === maxListLength || run.steps < 0) return limitReached;
  const starts = [0, ...places.map((place) => place + separator.length)];
  return starts.map((start, i) => text.slice(start, places[i] ?? text.length));
};

/** `list.join(separator)`: the strings of a list, with the separator, or nothing, between them. */
const join: StringFunction = ([list, separator = ''], run) => {
  if (list === undefined || !isList(list)) return typeMismatch;
  run.steps -= list.length;
  if (run.steps < 0) return limitReached;
  const strings = readStrings([separator, ...list]);
  if (strings instanceof RuleError) return strings;
  const [between = '', ...parts] = strings;
  const gaps = Math.max(0, parts.length - 1) * countCodePoints(between);
  const size = parts.reduce((sum, part) => sum + countCodePoints(part), gaps);
  if (size > ruleLimits.maxStringLength) return limitReached;
  const result = parts.join(between);
  return chargeString(result, 8, run) ? result : limitReached;
};

export const stringFunctions: Readonly<Record<string, StringFunction>> = {
  charAt,
  indexOf: onSearch('indexOf'),
  lastIndexOf: onSearch('lastIndexOf'),
  replace,
  split,
  join,
  substring,
};
