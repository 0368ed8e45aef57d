import type { Json } from '../../domain.ts';
import { hashNumber, hashString } from '../../random.ts';

/** Hashes JSON in any order of keys to 32 bits, several times as fast as its canonical JSON. */
export function hashInput(value: Json, seed: number): number {
  if (typeof value === 'string') return hashString(value, seed);
  if (typeof value === 'number') return hashNumber(value | 0, hashNumber((value % 1) * 2 ** 32, seed + 1));
  if (value === null || typeof value !== 'object') return hashString(String(value), seed + 1);
  let hash = seed;
  if (Array.isArray(value)) {
    for (const member of value) hash = hashNumber(hash, hashInput(member, seed));
    return hashNumber(hash, seed + 2);
  }
  // A sum, so that the order of the members does not matter.
  for (const name in value)
    hash = (hash + hashNumber(hashString(name, seed), hashInput(value[name] ?? null, seed))) | 0;
  return hashNumber(hash, seed + 3);
}
