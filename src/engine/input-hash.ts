import type { JsonObject } from './domain.ts';
import { toCanonicalJson } from './json.ts';
import { hashString } from './random.ts';

/** Hashes what an input says, whatever the order of its keys: an unsigned 32-bit integer. */
export function hashInput(input: JsonObject): number {
  return hashString(toCanonicalJson(input));
}
