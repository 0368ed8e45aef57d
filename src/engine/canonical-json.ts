/** One form for every JSON value, so that equal values can be compared and digested. */
import type { Json } from './domain.ts';

/** Writes a JSON value with the keys of every object in code-unit order: equal values give equal strings. */
export function toCanonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key] ?? null)}`);
  return `{${members.join()}}`;
}
