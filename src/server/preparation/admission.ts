import { BusyError } from '../../door/errors/busy-error.ts';

const mebibyte = 1024 * 1024;

/** Bytes that large calls may take together while they are processed, those of one caller and those of all. */
export const admissionLimits = { callerBytes: 64 * mebibyte, allBytes: 160 * mebibyte } as const;
const retryAfterSeconds = 1;

/** Admits large calls by their bytes: neither one caller nor all fill the memory; one call always has room. */
export class Admission {
  readonly #byCaller = new Map<string, number>();
  #allBytes = 0;

  /** Takes room for a call and returns the function that gives it back. Throws `rate_limited` or `unavailable`. */
  enter(callerId: string, weightBytes: number): () => void {
    const ownBytes = this.#byCaller.get(callerId) ?? 0;
    if (ownBytes > 0 && ownBytes + weightBytes > admissionLimits.callerBytes) {
      throw new BusyError(
        'rate_limited',
        `Your large calls under way take ${Math.round(ownBytes / mebibyte)} MiB of ${admissionLimits.callerBytes / mebibyte} MiB. Ask again when one of them is answered.`,
        retryAfterSeconds,
      );
    }
    if (this.#allBytes > 0 && this.#allBytes + weightBytes > admissionLimits.allBytes) {
      throw new BusyError(
        'unavailable',
        'Too many large calls are under way. Ask again in a moment; small calls are answered meanwhile.',
        retryAfterSeconds,
      );
    }
    this.#byCaller.set(callerId, ownBytes + weightBytes);
    this.#allBytes += weightBytes;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#allBytes -= weightBytes;
      const leftBytes = (this.#byCaller.get(callerId) ?? 0) - weightBytes;
      if (leftBytes > 0) this.#byCaller.set(callerId, leftBytes);
      else this.#byCaller.delete(callerId);
    };
  }
}
