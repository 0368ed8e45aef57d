import { createHash, randomUUID } from 'node:crypto';
import type { Sha256 } from '../../engine/ports.ts';

/** Time as the server sees it; tests pass their own. */
export type Clock = {
  /** Wall clock, milliseconds since 1970. Stored and shown, never used to measure. */
  now(): number;
  /** Monotonic milliseconds: durations, windows, leases. */
  monotonic(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Makes a source of UUIDs of version 7 (RFC 9562): 48 bits of milliseconds, so that ids grow, then chance. */
export function createIdSource(now: () => number): () => string {
  return () => {
    const time = now().toString(16).padStart(12, '0');
    // After the version, a random UUID has 12 random bits, the variant and 62 random bits.
    return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
  };
}

/** The time of a UUID of version 7 in milliseconds since 1970. */
export const readIdTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The SHA-256 digest of some bytes, in hexadecimal. */
export const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** The last time that RFC 3339 can write. */
export const maxTimeMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Wall-clock milliseconds as the wire writes them; a time past the last is the last: no row breaks its list. */
export function isoTime(epochMs: number): string {
  return new Date(Math.min(epochMs, maxTimeMs)).toISOString();
}

/** A time in milliseconds since 1970 as ISO 8601, null as null. */
export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}
