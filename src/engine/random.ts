/** Seeded random numbers and stable hashes: the only sources of chance in the engine. */

/** A generator of uniform numbers in [0, 1). */
export type Random = () => number;

/** Mulberry32: small, fast, good enough for shuffling and search; the same seed gives the same sequence. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** FNV-1a over UTF-16 code units with MurmurHash3's finaliser; an unsigned 32-bit integer. */
export function hashString(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
  }
  return finalise(hash);
}

/** Mixes a whole number with a seed (MurmurHash3's finaliser); an unsigned 32-bit integer. */
export function hashNumber(value: number, seed: number): number {
  return finalise(Math.imul(value ^ seed, 0x9e3779b1) ^ (seed >>> 15));
}

/** MurmurHash3's finaliser: spreads every bit over all others. */
function finalise(mixed: number): number {
  let hash = mixed;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0;
}
