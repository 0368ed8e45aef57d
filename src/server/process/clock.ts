import { createHash, randomFillSync } from 'node:crypto';
import type { Sha256 } from '../../engine/ports.ts';

/** Time as the server sees it; tests pass their own. */
export type Clock = {
  /** Wall clock, milliseconds since 1970. Stored and shown, never used to measure. */
  now(): number;
  /** Monotonic milliseconds: durations, windows, leases. */
  monotonic(): number;
};

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

const hexDigits = Buffer.from('0123456789abcdef');
/** Where the digits of nine random bytes stand in a UUID; two bits of a tenth go beside the variant, at 19. */
const randomDigits = [15, 16, 17, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35] as const;

/**
 * Makes a source of UUIDs of version 7 (RFC 9562): the first 48 bits are milliseconds, so that new ids go to the end of
 * an index, the other 74 are random. Each call of the service takes one, so the text is written digit by digit into one
 * buffer: a quarter of the time of putting strings together.
 */
export function createIdSource(now: () => number): () => string {
  const random = Buffer.alloc(256 * 10);
  const text = Buffer.from('00000000-0000-7000-8000-000000000000');
  let taken = random.length;
  let lastMs = Number.NaN;
  return () => {
    const ms = now();
    if (ms !== lastMs) {
      const time = ms.toString(16).padStart(12, '0');
      text.write(`${time.slice(0, 8)}-${time.slice(8)}`, 'latin1');
      lastMs = ms;
    }
    if (taken === random.length) {
      randomFillSync(random);
      taken = 0;
    }
    for (let digit = 0; digit < randomDigits.length; digit += 2) {
      const byte = random[taken++] as number;
      text[randomDigits[digit] as number] = hexDigits[byte >> 4] as number;
      text[randomDigits[digit + 1] as number] = hexDigits[byte & 15] as number;
    }
    text[19] = hexDigits[8 | ((random[taken++] as number) & 3)] as number;
    return text.toString('latin1');
  };
}

export const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Wall-clock milliseconds as the wire writes them. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** As `isoTime`, keeping null. */
export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}
