/** Sets of values that a field may have: the arithmetic behind the rule checks. */
import type { Json } from '../../json.ts';
import { compareStrings } from '../evaluation/values.ts';
import { findJsonType, type JsonType } from '../functions.ts';

export type Literal = string | number | boolean | null;
/** Whether a JSON value is neither a list nor an object. */
export const isLiteral = (value: Json): value is Literal => value === null || typeof value !== 'object';
/** Types of rule values by the names that JSON Schema has for them. */
export const typesBySchemaName: Record<string, JsonType> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'bool',
  array: 'list',
  object: 'map',
  null: 'null',
};

type Bound = { value: number | string; open: boolean };
/** The values that one field may have; `types` and `only` null: no limit. With bounds it is of their type alone. */
export type FieldSet = {
  present: boolean;
  types: readonly JsonType[] | null;
  only: ReadonlySet<Literal> | null;
  not: readonly Literal[];
  low: Bound | null;
  high: Bound | null;
  whole: boolean;
};

export const anyValue: FieldSet = {
  present: true,
  types: null,
  only: null,
  not: [],
  low: null,
  high: null,
  whole: false,
};
export const missing: FieldSet = { ...anyValue, present: false };
/** Numbers or texts beyond a bound. */
export const withBound = (side: 'low' | 'high', bound: Bound): FieldSet => ({
  ...anyValue,
  types: [findJsonType(bound.value)],
  [side]: bound,
});
const noValue: FieldSet = { ...anyValue, only: new Set() };

/** The values in both sets. */
export function intersect(a: FieldSet, b: FieldSet): FieldSet {
  if (a.present !== b.present) return noValue;
  if (!a.present) return a;
  const set: FieldSet = {
    present: true,
    types: a.types && b.types ? a.types.filter((type) => b.types?.includes(type)) : (a.types ?? b.types),
    only: a.only && b.only ? new Set([...a.only].filter((value) => b.only?.has(value))) : (a.only ?? b.only),
    not: a.not.length === 0 ? b.not : b.not.length === 0 ? a.not : [...new Set([...a.not, ...b.not])],
    low: pickTighter(a.low, b.low, 1),
    high: pickTighter(a.high, b.high, -1),
    whole: a.whole || b.whole,
  };
  return set.only ? { ...set, only: new Set([...set.only].filter((value) => isWithin(set, value))) } : set;
}

function every(values: ReadonlySet<Literal>, isSo: (value: Literal) => boolean): boolean {
  for (const value of values) if (!isSo(value)) return false;
  return true;
}

function pickTighter(a: Bound | null, b: Bound | null, sign: 1 | -1): Bound | null {
  if (!a || !b) return a ?? b;
  if (a.value === b.value) return { value: a.value, open: a.open || b.open };
  return compare(a.value, b.value) * sign > 0 ? a : b;
}

/** The order of two values of one type; those of two are in no set together. */
function compare(a: Bound['value'], b: Bound['value']): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : 0;
  return typeof b === 'string' ? compareStrings(a, b) : 0;
}

function contains(set: FieldSet, value: Literal): boolean {
  return set.present && !(set.only && !set.only.has(value)) && isWithin(set, value);
}

/** True if a set that lists the value, or lists none, has it. */
function isWithin(set: FieldSet, value: Literal): boolean {
  if (set.not.includes(value)) return false;
  if (set.types && !set.types.includes(findJsonType(value))) return false;
  const { low, high } = set;
  if (typeof value !== 'number' && typeof value !== 'string') return !low && !high;
  if (set.whole && typeof value === 'number' && !Number.isInteger(value)) return false;
  return isBeyond(value, low, 1) && isBeyond(value, high, -1);
}

function isBeyond(value: Bound['value'], bound: Bound | null, sign: 1 | -1): boolean {
  if (bound === null) return true;
  const order = compare(value, bound.value) * sign;
  return typeof value === typeof bound.value && (bound.open ? order > 0 : order >= 0);
}

/** True exactly if the set is empty: the field can have no value, and cannot be missing either. */
export function isEmpty(set: FieldSet): boolean {
  if (!set.present) return false;
  if (set.only) return every(set.only, (value) => !isWithin(set, value));
  return set.types !== null && !set.types.some((type) => hasValueOfType(set, type));
}

function hasValueOfType(set: FieldSet, type: JsonType): boolean {
  if (set.types && !set.types.includes(type)) return false;
  if (type === 'null') return contains(set, null);
  if (type === 'bool') return contains(set, true) || contains(set, false);
  if (type === 'number') return hasNumber(set);
  return type === 'text' ? hasText(set) : !set.low && !set.high;
}

/** Tries more texts, each followed at once by itself with a zero character, than the set leaves out. */
function hasText(set: FieldSet): boolean {
  const low = set.low?.value ?? '';
  if (typeof low !== 'string') return false;
  return [...set.not, null, null].some((_, index) => contains(set, low + '\0'.repeat(index)));
}

function hasNumber(set: FieldSet): boolean {
  const low = set.low?.value ?? Number.NEGATIVE_INFINITY;
  const high = set.high?.value ?? Number.POSITIVE_INFINITY;
  if (typeof low !== 'number' || typeof high !== 'number') return false;
  if (low > high) return false;
  if (low === high) return contains(set, low);
  if (!set.whole) {
    // There may be no double between the two.
    const middle = low / 2 + high / 2;
    return Number.isNaN(middle) || (middle > low && middle < high) || contains(set, low) || contains(set, high);
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return true;
  // One candidate more than there are excluded values must be in the set, unless the range ends first.
  for (let value = Math.ceil(low), tries = 0; value <= high; value++) {
    if (contains(set, value) || tries++ > set.not.length + 1) return true;
  }
  return false;
}

/** True if every value of `a` is one of `b`; false also where that is not certain. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (!a.present || !b.present) return a.present === b.present;
  if (a.only) return every(a.only, (value) => !isWithin(a, value) || contains(b, value));
  if (b.only) return false;
  if (b.types && !a.types?.every((type) => b.types?.includes(type))) return false;
  if (b.whole && !a.whole) return false;
  if (!isTighter(a.low, b.low, 1) || !isTighter(a.high, b.high, -1)) return false;
  return b.not.every((value) => !contains(a, value));
}

function isTighter(a: Bound | null, b: Bound | null, sign: 1 | -1): boolean {
  if (a === null || b === null) return b === null;
  const order = compare(a.value, b.value) * sign;
  return order > 0 || (order === 0 && (a.open || !b.open));
}

/** True if the field may be a map, with fields of its own. */
export function canBeMap(set: FieldSet): boolean {
  return set.present && !set.only && !set.low && !set.high && (!set.types || set.types.includes('map'));
}
