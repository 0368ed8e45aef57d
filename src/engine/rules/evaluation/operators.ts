/** Arithmetic, order, membership and access on rule values. Failures are returned as RuleError values. */
import { countCodePoints } from '../../code-points.ts';
import { ruleLimits } from '../rule-limits.ts';
import type { BinaryOperator } from '../tree.ts';
import {
  badValue,
  compareStrings,
  Duration,
  divisionByZero,
  indexOutOfRange,
  isEqual,
  isList,
  isMap,
  limitReached,
  missingField,
  type Outcome,
  overflow,
  type Run,
  Timestamp,
  toDuration,
  toTimestamp,
  typeMismatch,
  type Value,
} from './values.ts';

/** Applies an operator to operands of any type; a wrong type is a failure like any other. */
export type BinaryFunction = (a: Value, b: Value, run: Run) => Outcome;

/** Returns the number where JSON can represent it, else an overflow. */
function toFinite(value: number): Outcome {
  return Number.isFinite(value) ? value : overflow;
}

/** Units of a string that are read in one step, as a power of two; see `chargeString`. */
export const readShift = 7;

/** Takes one step for every 2^`shift` UTF-16 units of a string that is read once; false when no steps are left. */
export function chargeString(text: string, shift: number, run: Run): boolean {
  run.steps -= text.length >> shift;
  return run.steps >= 0;
}

function add(a: Value, b: Value, run: Run): Outcome {
  if (typeof a === 'number') return typeof b === 'number' ? toFinite(a + b) : typeMismatch;
  if (typeof a === 'string') return typeof b === 'string' ? concatenate(a, b, run) : typeMismatch;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return typeMismatch;
  if (a instanceof Duration) {
    if (b instanceof Duration) return toDuration(a.ms + b.ms);
    return b instanceof Timestamp ? toTimestamp(a.ms + b.ms) : typeMismatch;
  }
  if (a instanceof Timestamp) return b instanceof Duration ? toTimestamp(a.ms + b.ms) : typeMismatch;
  if (!isList(a) || !isList(b)) return typeMismatch;
  run.steps -= a.length + b.length;
  return a.length + b.length > ruleLimits.maxListLength || run.steps < 0 ? limitReached : [...a, ...b];
}

function concatenate(a: string, b: string, run: Run): Outcome {
  const last = a.charCodeAt(a.length - 1);
  // Two halves of a surrogate pair must not become one character: other languages keep them apart.
  if (last >= 0xd800 && last <= 0xdbff) return badValue;
  if (!chargeString(a, readShift, run) || !chargeString(b, readShift, run)) return limitReached;
  const text = a + b;
  return text.length > ruleLimits.maxStringLength && countCodePoints(text) > ruleLimits.maxStringLength
    ? limitReached
    : text;
}

function subtract(a: Value, b: Value): Outcome {
  if (typeof a === 'number') return typeof b === 'number' ? toFinite(a - b) : typeMismatch;
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) return toDuration(a.ms - b.ms);
    return b instanceof Duration ? toTimestamp(a.ms - b.ms) : typeMismatch;
  }
  return a instanceof Duration && b instanceof Duration ? toDuration(a.ms - b.ms) : typeMismatch;
}

function multiply(a: Value, b: Value): Outcome {
  return typeof a === 'number' && typeof b === 'number' ? toFinite(a * b) : typeMismatch;
}

function divide(a: Value, b: Value): Outcome {
  if (typeof a !== 'number' || typeof b !== 'number') return typeMismatch;
  return b === 0 ? divisionByZero : toFinite(a / b);
}

function remainder(a: Value, b: Value): Outcome {
  if (typeof a !== 'number' || typeof b !== 'number') return typeMismatch;
  if (b === 0) return divisionByZero;
  return Number.isInteger(a) && Number.isInteger(b) ? a % b : badValue;
}

/** Compares two values of one type: negative, zero or positive; NaN where they have no order. */
function compare(a: Value, b: Value): number {
  if (typeof a === 'number') return typeof b === 'number' ? (a < b ? -1 : a > b ? 1 : 0) : Number.NaN;
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : Number.NaN;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : Number.NaN;
  if (a instanceof Timestamp) return b instanceof Timestamp ? a.ms - b.ms : Number.NaN;
  return a instanceof Duration && b instanceof Duration ? a.ms - b.ms : Number.NaN;
}

const less: BinaryFunction = (a, b, run) => checkComparison(a, b, run, compare(a, b) < 0);
const lessOrEqual: BinaryFunction = (a, b, run) => checkComparison(a, b, run, compare(a, b) <= 0);
const greater: BinaryFunction = (a, b, run) => checkComparison(a, b, run, compare(a, b) > 0);
const greaterOrEqual: BinaryFunction = (a, b, run) => checkComparison(a, b, run, compare(a, b) >= 0);

/** Charges for a comparison and checks that the two have an order, else `result` is void. */
function checkComparison(a: Value, b: Value, run: Run, result: boolean): Outcome {
  if (typeof a === 'number' && typeof b === 'number') return result;
  if (Number.isNaN(compare(a, b))) return typeMismatch;
  return typeof a === 'string' && !chargeString(a, readShift, run) ? limitReached : result;
}

function isIn(a: Value, b: Value, run: Run): Outcome {
  if (isList(b)) {
    for (const item of b) {
      if (--run.steps < 0) return limitReached;
      if (isEqual(a, item, run)) return run.steps < 0 ? limitReached : true;
    }
    return run.steps < 0 ? limitReached : false;
  }
  if (isMap(b)) return typeof a === 'string' && Object.hasOwn(b, a);
  return typeMismatch;
}

const equals: BinaryFunction = (a, b, run) => {
  const result = isEqual(a, b, run);
  return run.steps < 0 ? limitReached : result;
};
const notEquals: BinaryFunction = (a, b, run) => {
  const result = isEqual(a, b, run);
  return run.steps < 0 ? limitReached : !result;
};

export const binaryFunctions: Readonly<Record<BinaryOperator, BinaryFunction>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '<': less,
  '<=': lessOrEqual,
  '>': greater,
  '>=': greaterOrEqual,
  '==': equals,
  '!=': notEquals,
  in: isIn,
};

/** Selects an own member of a map, `value.field`. */
export function select(value: Value, field: string): Outcome {
  if (!isMap(value)) return typeMismatch;
  return Object.hasOwn(value, field) ? (value[field] as Value) : missingField;
}

/** Indexes a list by a whole number (from 0) or a map by a string, `value[by]`. */
export function index(value: Value, by: Value): Outcome {
  if (isList(value)) {
    if (typeof by !== 'number') return typeMismatch;
    if (!Number.isInteger(by)) return badValue;
    return by >= 0 && by < value.length ? (value[by] as Value) : indexOutOfRange;
  }
  if (!isMap(value) || typeof by !== 'string') return typeMismatch;
  return Object.hasOwn(value, by) ? (value[by] as Value) : missingField;
}
