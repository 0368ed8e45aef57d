/** Bounds of what functions give, by which a test of something else is known to be in vain. */
import { countCodePoints } from '../../code-points.ts';
import { implementations } from '../evaluation/calls.ts';
import { startRun } from '../evaluation/evaluate.ts';
import { Duration, nameType, Timestamp } from '../evaluation/values.ts';
import { type JsonType, ruleFunctions } from '../functions.ts';
import type { RuleNode } from '../tree.ts';
import { anyValue, type FieldSet, type Literal } from './field-set.ts';

/** Where a literal stands in a text: it is all of it, its start or end, or anywhere. */
export type Place = 'whole' | 'start' | 'end' | 'part';
/** The values that a part of a condition can have, in words too; of a text which literals may stand in it. */
type Range = { set: FieldSet; says: string; texts: Texts | null };
/** Whether a literal may stand in a text, and the nearest one that may; null if it is too short. */
type Texts = { fits(literal: string, place: Place): boolean; correct(literal: string): string | null };

/** The functions that search a text, with where they look. */
export const places: Readonly<Record<string, Place>> = {
  contains: 'part',
  startsWith: 'start',
  endsWith: 'end',
  indexOf: 'part',
  lastIndexOf: 'part',
  replace: 'part',
  split: 'part',
};
/** Functions of texts that change nothing a second time: those of single letters, then all. */
const caseChanges: readonly string[] = ['foldCase', 'lowerAscii', 'upperAscii'];
const changes: readonly string[] = [...caseChanges, 'trim'];
/** The names that `type()` gives. */
const typeNames = [null, true, 0, '', [], {}, new Timestamp(0), new Duration(0)].map(nameType);
/** Bounds for timestamps; hours to milliseconds of a duration have others, so these count without a duration. */
const bounds: Readonly<Record<string, [low: number, high: number | null]>> = {
  size: [0, null],
  indexOf: [-1, null],
  lastIndexOf: [-1, null],
  abs: [0, null],
  getMonth: [0, 11],
  getDate: [1, 31],
  getDayOfMonth: [0, 30],
  getDayOfWeek: [0, 6],
  getDayOfYear: [0, 365],
  getHours: [0, 23],
  getMinutes: [0, 59],
  getSeconds: [0, 59],
  getMilliseconds: [0, 999],
};
const wholeFunctions = new Set(['int', 'ceil', 'floor', 'round']);

/** Finds what a part of a condition can give; null where nothing is known of it. */
export function findRange(node: RuleNode): Range | null {
  if (node.k === 'op') {
    if (['+', '-', '*', '/'].includes(node.op)) return unbounded;
    const divisor = node.op === '%' && node.right.k === 'lit' ? Math.abs(Number(node.right.v)) : 0;
    return divisor >= 1 && Number.isInteger(divisor)
      ? makeNumbers(`% ${divisor} gives`, 1 - divisor, divisor - 1, true)
      : null;
  }
  if (node.k !== 'call') return null;
  const { fn } = node;
  const texts = findCut(node) ?? describeTexts(findChange(node, changes));
  if (texts) return { set: ofType('text'), says: `${fn}() gives other texts`, texts };
  if (fn === 'timestamp' || fn === 'duration') return unbounded;
  if (fn === 'type')
    return {
      set: { ...anyValue, only: new Set(typeNames) },
      says: `type() gives ${typeNames.join(', ')}`,
      texts: null,
    };
  return findNumbers(node);
}

function findNumbers(node: RuleNode & { k: 'call' }): Range | null {
  const { fn, args } = node;
  if (wholeFunctions.has(fn)) return makeNumbers(`${fn}() gives`, null, null, true);
  if (fn === 'min' || fn === 'max') {
    const numbers = args.flatMap((arg) => (arg.k === 'lit' && typeof arg.v === 'number' ? [arg.v] : []));
    const end = numbers.length > 0 ? Math[fn](...numbers) : null;
    return end === null ? null : makeNumbers(`${fn}() gives`, fn === 'max' ? end : null, fn === 'min' ? end : null);
  }
  const bound = Object.hasOwn(bounds, fn) ? bounds[fn] : undefined;
  if (!bound || (mayBeDuration(fn) && !isTimestamp(node))) return null;
  return makeNumbers(`${fn}() gives`, bound[0], bound[1], fn !== 'abs');
}

/** A part that may give anything, but is compared with several bounds. */
const unbounded: Range = { set: anyValue, says: '', texts: null };

/** Describes the texts of `charAt`, and of `substring` with both its places; null for any other call. */
function findCut({ fn, args: [of, start, end] }: RuleNode & { k: 'call' }): Texts | null {
  const isBetween = fn === 'substring' && start?.k === 'lit' && end?.k === 'lit';
  const length = fn === 'charAt' ? 1 : isBetween ? Number(end.v) - Number(start.v) : null;
  if (length === null || length < 0 || !of) return null;
  const change = findChange(of, caseChanges) ?? ((text) => text);
  return {
    fits(literal, place) {
      const count = countCodePoints(literal);
      return (place === 'whole' && isBetween ? count === length : count <= length) && change(literal) === literal;
    },
    correct: (literal) =>
      isBetween && countCodePoints(literal) < length ? null : [...change(literal)].slice(0, length).join(''),
  };
}

/** Describes the texts that a function gives which changes nothing a second time. */
function describeTexts(change: ((text: string) => string) | null): Texts | null {
  if (change === null) return null;
  const fits = (literal: string, place: Place) => {
    // A digit may stand beside everything, and none of the functions changes it.
    const [before, after] = [
      place === 'end' || place === 'part' ? '0' : '',
      place === 'start' || place === 'part' ? '0' : '',
    ];
    const text = before + literal + after;
    return change(text) === text;
  };
  return { fits, correct: change };
}

const ofType = (type: JsonType): FieldSet => ({ ...anyValue, types: [type] });

function makeNumbers(what: string, low: number | null, high: number | null, whole = false): Range {
  const [upTo, from] = [high === null ? 'whole numbers' : `${high} or less`, high === null ? 'or more' : `to ${high}`];
  const ends = low === null ? upTo : `${low} ${from}`;
  const toBound = (value: number | null) => (value === null ? null : { value, open: false });
  return {
    set: { ...ofType('number'), low: toBound(low), high: toBound(high), whole },
    says: `${what} ${ends}`,
    texts: null,
  };
}

/** The change that a chain of the functions `known` makes of a text; null where something else is called. */
function findChange(node: RuleNode, known: readonly string[]): ((text: string) => string) | null {
  if (node.k !== 'call' || !known.includes(node.fn)) return null;
  const inner = node.args[0] ? findChange(node.args[0], known) : null;
  return (text) => {
    const given = implementations[node.fn]?.([inner ? inner(text) : text], startRun({}));
    return typeof given === 'string' ? given : text;
  };
}

/** The value of a literal, or the milliseconds of a time made of literals; undefined for any other part. */
export function readConstant(node: RuleNode): Literal | undefined {
  if (node.k === 'lit') return node.v;
  if (node.k !== 'call' || (node.fn !== 'timestamp' && node.fn !== 'duration')) return undefined;
  const args = node.args.flatMap((arg) => (arg.k === 'lit' ? [arg.v] : []));
  const time = args.length === node.args.length ? implementations[node.fn]?.(args, startRun({})) : null;
  return time instanceof Timestamp || time instanceof Duration ? time.ms : undefined;
}

const mayBeDuration = (fn: string) => ruleFunctions.get(fn)?.args[0]?.includes('duration') === true;

/** Whether a part of a time is read of a timestamp for certain: it is made by timestamp(), or a zone is given. */
const isTimestamp = ({ args: [of, zone] }: RuleNode & { k: 'call' }) =>
  zone !== undefined || (of?.k === 'call' && of.fn === 'timestamp');
