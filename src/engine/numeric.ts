/** Numeric steps that several parts share; sums keep their order, as a policy repeats to the last bit. */
import { exp, log } from './exact-math.ts';

/** Index of the largest value; the first one of equals, 0 for an empty list. */
export function argmax(values: ArrayLike<number>): number {
  let best = 0;
  for (let k = 1; k < values.length; k++) if ((values[k] as number) > (values[best] as number)) best = k;
  return best;
}

/** Number of columns of scores: one per option, but the second's log-odds alone for two. */
export function countOutputs(optionCount: number): number {
  return optionCount === 2 ? 1 : optionCount;
}

/** Largest of the `size` numbers from `from` on; -Infinity of none. */
export function findMax(values: Float64Array, from: number, size: number): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let k = from; k < from + size; k++) if ((values[k] as number) > max) max = values[k] as number;
  return max;
}

/** Writes the softmax of `size` numbers to `out`, maybe in place; `max` is the largest. Returns Σ exp(v − max). */
export function softmaxInto(
  values: Float64Array,
  from: number,
  size: number,
  max: number,
  out: Float64Array,
  outFrom: number,
): number {
  let sum = 0;
  for (let k = 0; k < size; k++) {
    const e = exp((values[from + k] as number) - max);
    out[outFrom + k] = e;
    sum += e;
  }
  for (let k = outFrom; k < outFrom + size; k++) out[k] = (out[k] as number) / sum;
  return sum;
}

/** Replaces logits by their softmax and returns them. */
export function softmaxInPlace(logits: Float64Array): Float64Array {
  softmaxInto(logits, 0, logits.length, findMax(logits, 0, logits.length), logits, 0);
  return logits;
}

/** log Σ exp(value / divisor) over the `size` numbers from `from` on, without overflow. */
export function logSumExp(values: Float64Array, from: number, size: number, divisor: number): number {
  const max = findMax(values, from, size) / divisor;
  let sum = 0;
  for (let k = from; k < from + size; k++) sum += exp((values[k] as number) / divisor - max);
  return log(sum) + max;
}

/** The percentile of numbers by nearest rank, for a share from 0 to 1; 0 without numbers. */
export function computePercentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
}

/** The scalar product of two vectors of one length. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

/** A count as people read it: 20000 is `20,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** A number with its noun: “1 row”, “1,234 rows”. */
export const countOf = (count: number, one: string): string => `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;

/** A share (0–1) in percent, with one decimal where it has one: `38%`, `0.5%`. */
export function formatShare(share: number): string {
  return `${Number((share * 100).toFixed(1))}%`;
}

/** From one share (0–1) to another, with one sign for both: `38.7 to 78.1%`. */
export function formatRange({ low, high }: { low: number; high: number }): string {
  return `${formatShare(low).slice(0, -1)} to ${formatShare(high)}`;
}

/** y ← y + factor · x */
export function addScaled(y: Float64Array, factor: number, x: Float64Array): void {
  for (let i = 0; i < y.length; i++) y[i] = (y[i] as number) + factor * (x[i] as number);
}

/** Float32 numbers in little-endian bytes. */
export function toFloatBytes(values: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, index) => {
    view.setFloat32(index * 4, value, true);
  });
  return new Uint8Array(view.buffer);
}

/** The float32 numbers in little-endian bytes; a rest of less than four bytes is ignored. */
export function decodeFloats(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length >> 2 }, (_, index) => view.getFloat32(index * 4, true));
}

const goldenRatio = (Math.sqrt(5) - 1) / 2;

/** Where a function of one number is least between two others, by golden-section search to 0.001 (Kiefer 1953). */
export function findLeast(compute: (at: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let a = high - goldenRatio * (high - low);
  let b = low + goldenRatio * (high - low);
  let atA = compute(a);
  let atB = compute(b);
  while (high - low > 1e-3) {
    if (atA <= atB) {
      [high, b, atB] = [b, a, atA];
      a = high - goldenRatio * (high - low);
      atA = compute(a);
    } else {
      [low, a, atA] = [a, b, atB];
      b = low + goldenRatio * (high - low);
      atB = compute(b);
    }
  }
  return (low + high) / 2;
}
