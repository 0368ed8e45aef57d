import type { JsonObject } from './domain.ts';

/** True for a JSON object: neither null nor a list nor a plain value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
