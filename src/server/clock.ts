import { createHash, randomUUID } from 'node:crypto';
import type { Sha256 } from '../engine/ports.ts';

/** Time as the server sees it; tests pass their own. */
export type Clock = {
  /** Wall clock, milliseconds since 1970. Stored and shown, never used to measure. */
  now(): number;
  /** Monotonic milliseconds: durations, windows, leases. */
  monotonic(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

export const newId = (): string => randomUUID();

export const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Wall-clock milliseconds as the wire writes them. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** As `isoTime`, keeping null. */
export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}
