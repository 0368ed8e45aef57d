/** JSON values: which are objects, and one form in which equal ones are equal texts, to compare and digest them. */
import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A JSON object in a body, not walked again: bodies are read from JSON. */
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<
  JsonObject,
  { [key: string]: unknown }
>;

/** A schema that also takes null, the default where the field is left out. */
export const orNull = <Schema extends z.ZodType>(schema: Schema, meaning: string) =>
  z.nullable(schema).default(null).describe(meaning);

/** Whether a value is an object, neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes a JSON value with the keys of every object in code-unit order: equal values give equal strings. */
export function toCanonicalJson(value: Json): string {
  if (Array.isArray(value)) {
    const isFlat = value.every((item) => typeof item !== 'object' || item === null);
    return isFlat ? JSON.stringify(value) : `[${value.map(toCanonicalJson).join()}]`;
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${toCanonicalJson(value[key] ?? null)}`);
  return `{${members.join()}}`;
}
