/** Type guards for JSON values. */
import type { JsonObject } from './domain.ts';

/** True if a value that was read from JSON is an object: neither null, nor an array, nor a primitive. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
