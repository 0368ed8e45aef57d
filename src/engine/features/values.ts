/** Reading values out of an input by path, and the arithmetic that all field kinds share. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Stat } from './plan.ts';

/** Names of fields that tell one case from another, not one kind of case from another. */
export const identifierPattern =
  /(^|_)(id|ids|uuid|guid|key|hash|email|phone|phone_number|iban|account_number|number_plate|url|ip|ip_address)$/i;

/** Reads the value at `path`, following own keys only; undefined where the path leads nowhere. */
export function readPath(input: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = input;
  for (const segment of path) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, segment)) {
      return undefined;
    }
    value = value[segment];
  }
  return value;
}

/** Prepares {@link readPath} for one path and many inputs as JSON gives them. */
export function compilePath(path: readonly string[]): (input: JsonObject) => Json | undefined {
  const [name] = path;
  // Where no object inherits the name, only an own key can be found under it.
  if (path.length === 1 && name !== undefined && !(name in Object.prototype)) return (input) => input[name];
  return (input) => readPath(input, path);
}

export type Leaf = { path: string[]; value: Json };

/** Lists all leaves of an input: nested objects are opened, arrays and scalars are leaves. Empty objects have none. */
export function listLeaves(input: JsonObject, prefix: readonly string[] = []): Leaf[] {
  return Object.entries(input).flatMap(([key, value]) => {
    const path = [...prefix, key];
    return isJsonObject(value) ? listLeaves(value, path) : [{ path, value }];
  });
}

/** Whether a value is a number, neither NaN nor infinite. */
export function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Standard score, cut to ±8 so that one absurd value cannot outvote everything else. */
export function standardize(x: number, stat: Stat): number {
  return Math.max(-8, Math.min(8, (x - stat.mean) / (stat.std === 0 ? 1 : stat.std)));
}

export const zeroStat: Stat = { mean: 0, std: 0 };

/** Mean and population standard deviation; 0 and 0 of nothing. */
export function computeStat(values: readonly number[]): Stat {
  if (values.length === 0) return zeroStat;
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const std = Math.sqrt(squares / values.length);
  return Number.isFinite(mean) && Number.isFinite(std) ? { mean, std } : zeroStat;
}

/** The middle value (mean of the two middle ones); 0 of nothing. */
export function computeMedian(values: ArrayLike<number>): number {
  if (values.length === 0) return 0;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Reads a value as a category: strings, numbers and booleans; anything else is missing (null). */
export function toCategory(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isFiniteNumber(value)) return JSON.stringify(value);
  return null;
}

/** Lists values seen at least `minCount` times, most frequent first, at most `maxValues`. */
export function listFrequentValues(values: Iterable<string>, minCount: number, maxValues: number): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= minCount)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, maxValues)
    .map(([value]) => value);
}
