/** Bounds of what functions give, by which a test of something else is known to be in vain. */
import { countCodePoints } from '../../code-points.ts';
import { implementations } from '../evaluation/calls.ts';
import { startRun } from '../evaluation/evaluate.ts';
import { type JsonType, ruleFunctions } from '../functions.ts';
import type { RuleNode } from '../tree.ts';
import { anyValue, type FieldSet } from './field-set.ts';

/** Where a literal stands in a text: it is all of it, its start or end, or anywhere. */
export type Place = 'whole' | 'start' | 'end' | 'part';
/** The values that a part of a condition can have, in words too; of a text which literals may stand in it. */
type Range = { set: FieldSet; says: string; texts: Texts | null };
/** Whether a literal may stand in a text, and the nearest one that may. */
type Texts = { fits(literal: string, place: Place): boolean; correct(literal: string): string };

/** The functions that search a text, with where they look. */
export const places: Readonly<Record<string, Place>> = { contains: 'part', startsWith: 'start', endsWith: 'end' };
/** Functions of texts that change nothing a second time. */
const changes = ['foldCase', 'lowerAscii', 'upperAscii', 'trim'] as const;
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
    const divisor = node.op === '%' && node.right.k === 'lit' ? Math.abs(Number(node.right.v)) : 0;
    return divisor >= 1 && Number.isInteger(divisor)
      ? makeNumbers(`% ${divisor} gives`, 1 - divisor, divisor - 1, true)
      : null;
  }
  if (node.k !== 'call') return null;
  const { fn } = node;
  const texts = fn === 'charAt' ? oneCharacter : describeTexts(findChange(node));
  if (texts) return { set: ofType('text'), says: `${fn}() gives other texts`, texts };
  if (wholeFunctions.has(fn)) return makeNumbers(`${fn}() gives`, null, null, true);
  const bound = Object.hasOwn(bounds, fn) ? bounds[fn] : undefined;
  if (!bound || (mayBeDuration(fn) && !isTimestamp(node))) return null;
  return makeNumbers(`${fn}() gives`, bound[0], bound[1], fn !== 'abs');
}

/** Texts of `charAt`. */
const oneCharacter: Texts = {
  fits: (literal) => countCodePoints(literal) <= 1,
  correct: (literal) => String.fromCodePoint(literal.codePointAt(0) ?? 0),
};

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

function makeNumbers(what: string, low: number | null, high: number | null, whole: boolean): Range {
  const ends = low === null ? 'whole numbers' : high === null ? `${low} or more` : `${low} to ${high}`;
  const toBound = (value: number | null) => (value === null ? null : { value, open: false });
  return {
    set: { ...ofType('number'), low: toBound(low), high: toBound(high), whole },
    says: `${what} ${ends}`,
    texts: null,
  };
}

/** The change that a chain of functions makes of a text; null where something else is called. */
function findChange(node: RuleNode): ((text: string) => string) | null {
  if (node.k !== 'call' || !changes.some((name) => name === node.fn)) return null;
  const inner = node.args[0] ? findChange(node.args[0]) : null;
  return (text) => {
    const given = implementations[node.fn]?.([inner ? inner(text) : text], startRun({}));
    return typeof given === 'string' ? given : text;
  };
}

const mayBeDuration = (fn: string) => ruleFunctions.get(fn)?.args[0]?.includes('duration') === true;

/** Whether a part of a time is read of a timestamp for certain: it is made by timestamp(), or a zone is given. */
const isTimestamp = ({ args: [of, zone] }: RuleNode & { k: 'call' }) =>
  zone !== undefined || (of?.k === 'call' && of.fn === 'timestamp');
