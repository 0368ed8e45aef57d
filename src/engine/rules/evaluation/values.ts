/** The values a rule computes with: their types, errors, equality, order, and how they are read and formatted. */
import { isHighSurrogate, isLowSurrogate } from '../../code-points.ts';

/** A point in time, in whole milliseconds since 1970 (UTC). */
export class Timestamp {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

/** A span of time in whole milliseconds. */
export class Duration {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

/** A value of the rules language: JSON, a timestamp or a duration. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Timestamp
  | Duration
  | readonly Value[]
  | { readonly [key: string]: Value };

/** Every reason for which a rule can fail on an input; docs/rules.md explains them. */
export const errorKinds = [
  'missing_field',
  'type_mismatch',
  'division_by_zero',
  'overflow',
  'bad_value',
  'index_out_of_range',
  'duplicate_key',
  'limit',
] as const;
export type ErrorKind = (typeof errorKinds)[number];

/** Why a rule could not be evaluated. It is returned as a value and contains nothing of the input. */
export class RuleError {
  readonly kind: ErrorKind;
  /** The expression (source text) that failed; null until tracing fills it in. */
  readonly expression: string | null;
  constructor(kind: ErrorKind, expression: string | null = null) {
    this.kind = kind;
    this.expression = expression;
  }
}

export type Outcome = Value | RuleError;

export const missingField = new RuleError('missing_field');
export const typeMismatch = new RuleError('type_mismatch');
export const divisionByZero = new RuleError('division_by_zero');
export const overflow = new RuleError('overflow');
export const badValue = new RuleError('bad_value');
export const indexOutOfRange = new RuleError('index_out_of_range');
export const duplicateKey = new RuleError('duplicate_key');
export const limitReached = new RuleError('limit');

/** One evaluation of a rule: input, loop variables (outer, inner), and steps left; below zero it is void. */
export type Run = { ctx: Value; first: Value; second: Value; steps: number };

type ValueMap = { readonly [key: string]: Value };

/** True for a map: a JSON object or a map literal. */
export function isMap(value: Value): value is ValueMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Timestamp) &&
    !(value instanceof Duration)
  );
}

/** True for a list: a JSON array or a list literal. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The type of a value by its name in CEL, in which every number is a double. */
export function nameType(value: Value): string {
  if (value === null) return 'null_type';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  return isList(value) ? 'list' : 'map';
}

/** CEL equality, deep; a step per list member, two maps' key and 1,024 UTF-16 units; below zero it is void. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch per type of value, on the path of every comparison
export function isEqual(a: Value, b: Value, run: Run): boolean {
  if (typeof a === 'string' && typeof b === 'string') run.steps -= a.length >> 10;
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      if (--run.steps < 0) return false;
      if (!isEqual(a[i] as Value, b[i] as Value, run)) return false;
    }
    return true;
  }
  if (isList(b)) return false;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.ms === b.ms;
  if (a instanceof Duration) return b instanceof Duration && a.ms === b.ms;
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b).length;
  run.steps -= keys.length + others;
  if (run.steps < 0 || keys.length !== others) return false;
  for (const key of keys.sort(compareStrings)) {
    if (!Object.hasOwn(b, key) || !isEqual(a[key] as Value, b[key] as Value, run)) return false;
  }
  return true;
}

/** Lists a map's keys in code-point order, so that every language goes over a map the same way. */
export function listKeys(map: ValueMap): string[] {
  return Object.keys(map).sort(compareStrings);
}

/** Compares two strings by code points: negative, zero or positive. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x < 0xd800 || y < 0xd800) return x - y;
    // A pair of surrogates stands for one code point, above every single code unit.
    const start = i > 0 && isHighSurrogate(a.charCodeAt(i - 1)) && (isLowSurrogate(x) || isLowSurrogate(y)) ? i - 1 : i;
    return (a.codePointAt(start) ?? 0) - (b.codePointAt(start) ?? 0);
  }
  return a.length - b.length;
}

/** Formats a timestamp by RFC 3339 in UTC, with milliseconds only where there are any. */
export function formatTimestamp(value: Timestamp): string {
  return new Date(value.ms)
    .toISOString()
    .replace(/\.(\d*?)0+Z$/, (_, digits: string) => (digits ? `.${digits}Z` : 'Z'));
}

/** Formats a duration in seconds, such as `90s` or `0.5s`. */
export function formatDuration(value: Duration): string {
  const sign = value.ms < 0 ? '-' : '';
  const absolute = Math.abs(value.ms);
  const milliseconds = absolute % 1000;
  const fraction = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0').replace(/0+$/, '')}`;
  return `${sign}${(absolute - milliseconds) / 1000}${fraction}s`;
}

const minTimestampMs = -62_135_596_800_000;
const maxTimestampMs = 253_402_300_799_999;
/** Makes a timestamp of the years 1 to 9999, else an overflow. */
export function toTimestamp(ms: number): Outcome {
  return ms >= minTimestampMs && ms <= maxTimestampMs ? new Timestamp(ms) : overflow;
}

const maxDurationMs = 315_576_000_000_000;
/** Makes a duration of at most 10,000 years, else an overflow. */
export function toDuration(ms: number): Outcome {
  return Math.abs(ms) <= maxDurationMs ? new Duration(ms + 0) : overflow;
}

const timestampPattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Parses an RFC 3339 timestamp; digits after the millisecond are cut. */
export function parseTimestamp(text: string): Outcome {
  const match = timestampPattern.exec(text);
  if (!match) return badValue;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && leap ? 29 : (monthDays[month - 1] ?? 0);
  if (year < 1 || day < 1 || day > days || hour > 23 || minute > 59 || second > 59) return badValue;
  const ms = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (offsetHour > 23 || offsetMinute > 59) return badValue;
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return toTimestamp(date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + ms);
}

const durationPattern = /^([+-])?((?:\d{1,15}(?:\.\d{1,9})?(?:ms|us|ns|h|m|s))+|0)$/;
const durationPart = /(\d+)(?:\.(\d+))?(ms|us|ns|h|m|s)/g;
const unitNs: Record<string, bigint> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
};

/** Parses a duration such as `1h30m` or `-2.5s`; what is left below the millisecond is cut. */
export function parseDuration(text: string): Outcome {
  const match = durationPattern.exec(text);
  if (!match) return badValue;
  let ns = 0n;
  for (const [, whole, fraction = '', unit] of (match[2] ?? '').matchAll(durationPart)) {
    const size = unitNs[unit ?? 's'] ?? 0n;
    ns += BigInt(whole ?? 0) * size + (BigInt(fraction || 0) * size) / 10n ** BigInt(fraction.length);
  }
  const ms = Number(ns / 1_000_000n);
  return toDuration(match[1] === '-' && ms !== 0 ? -ms : ms);
}
