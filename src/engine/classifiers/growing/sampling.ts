/** Which fields and rows a tree may look at; draws depend on the rows' content, not on their order. */
import { hashNumber, type Random } from '../../random.ts';
import type { BinnedRows } from './bins.ts';

/** Draws `size` of `count` positions, ascending. */
export function chooseFields(count: number, size: number, random: Random): Int32Array {
  const all = Int32Array.from({ length: count }, (_, i) => i);
  if (size >= count) return all;
  for (let i = 0; i < size; i++) {
    const other = i + Math.floor(random() * (count - i));
    const held = all[i];
    all[i] = all[other];
    all[other] = held;
  }
  return all.slice(0, size).sort();
}

/** Hashes each row by its content alone, so that drawing rows does not depend on their order. */
export function hashRows(binned: BinnedRows, labels: Int32Array): Int32Array {
  const width = binned.fields.length;
  return labels.map((label, i) => {
    let key = label;
    for (let f = 0; f < width; f++) key = hashNumber(binned.bins[i * width + f], key);
    return key;
  });
}

/** The rows of one round, a share of all; which ones depends on their keys and one random number. */
export function sampleRows(keys: Int32Array, share: number, random: Random): Int32Array {
  const seed = Math.floor(random() * 4294967296);
  const limit = share * 4294967296;
  const chosen = new Int32Array(keys.length);
  let size = 0;
  for (let i = 0; i < keys.length; i++) {
    if (share < 1 && hashNumber(keys[i], seed) >= limit) continue;
    chosen[size] = i;
    size += 1;
  }
  return chosen.subarray(0, size);
}
