/** Training columns cut into bins, so that trees look for splits in histograms instead of sorted values. */
import type { Rows, TreeField } from '../classifier.ts';

/** How one field's values become bins. The missing bin is the last one, and only there if a training row misses it. */
export type FieldBins = {
  field: TreeField;
  size: number;
  /** Upper bound of each bin of a number but the last, float32 values between the training values. */
  bounds: Float32Array;
  hasMissing: boolean;
};

/** Rows as bins: `bins[row * fields + f]` counts on over the fields, field f having those from `starts[f]` on. */
export type BinnedRows = {
  count: number;
  fields: readonly FieldBins[];
  starts: Int32Array;
  bins: Uint16Array | Uint32Array;
};

const maxBins = 255;

/** Finds a float32 number between two neighbouring float32 values: at least `low` and below `high`. */
function findBetween(low: number, high: number): number {
  const middle = Math.fround(low + (high - low) / 2);
  return middle < high ? middle : low;
}

/** Bounds between the sorted distinct values, or where there are too many, between about equally full groups. */
function findBounds(values: Float32Array): Float32Array {
  const sorted = values.slice().sort();
  const distinct: number[] = [];
  const counts: number[] = [];
  for (const value of sorted) {
    if (distinct.at(-1) === value) counts[counts.length - 1] += 1;
    else {
      distinct.push(value);
      counts.push(1);
    }
  }
  const bounds: number[] = [];
  let held = 0;
  let left = sorted.length;
  for (let i = 0; i + 1 < distinct.length; i++) {
    held += counts[i];
    const fill = distinct.length <= maxBins ? 0 : left / (maxBins - bounds.length);
    if (held < fill) continue;
    bounds.push(findBetween(distinct[i], distinct[i + 1]));
    left -= held;
    held = 0;
    if (bounds.length === maxBins - 1) break;
  }
  return Float32Array.from(bounds);
}

/** Learns each field's bins: one per category, or at most `maxBins` about equally full ranges of a number. */
export function fitBins(rows: Rows, fields: readonly TreeField[]): FieldBins[] {
  const { count, dense, denseWidth } = rows;
  return fields.map((field) => {
    if (field.kind === 'category') return { field, size: field.size, bounds: new Float32Array(0), hasMissing: false };
    const present = new Float32Array(count);
    let size = 0;
    for (let i = 0; i < count; i++) {
      const row = i * denseWidth;
      if (field.missingSlot !== null && dense[row + field.missingSlot] > 0.5) continue;
      present[size] = dense[row + field.slot];
      size += 1;
    }
    const bounds = findBounds(present.subarray(0, size));
    const hasMissing = size < count;
    return { field, size: bounds.length + 1 + (hasMissing ? 1 : 0), bounds, hasMissing };
  });
}

/** The bin of a field's value in the row that starts at `row`. */
function findBin({ field, bounds, hasMissing, size }: FieldBins, dense: Float64Array, row: number): number {
  if (field.kind === 'category') {
    for (let s = 0; s < field.size; s++) if (dense[row + field.slot + s] > 0.5) return s;
    return field.size - 1;
  }
  if (hasMissing && field.missingSlot !== null && dense[row + field.missingSlot] > 0.5) {
    return size - 1;
  }
  const value = Math.fround(dense[row + field.slot]);
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= bounds[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Puts each row's fields into their bins, numbered over all fields. */
export function toBins(rows: Rows, fields: readonly FieldBins[]): BinnedRows {
  const starts = new Int32Array(fields.length + 1);
  fields.forEach((field, f) => {
    starts[f + 1] = starts[f] + field.size;
  });
  const total = starts[fields.length];
  const bins =
    total <= 65_536 ? new Uint16Array(rows.count * fields.length) : new Uint32Array(rows.count * fields.length);
  for (let i = 0; i < rows.count; i++) {
    fields.forEach((field, f) => {
      bins[i * fields.length + f] = starts[f] + findBin(field, rows.dense, i * rows.denseWidth);
    });
  }
  return { count: rows.count, fields, starts, bins };
}
