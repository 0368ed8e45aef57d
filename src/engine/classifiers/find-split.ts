/** The best split of a node, read off its histogram. */
import type { BinnedRows, FieldBins } from './bins.ts';

/** A histogram holds gradient, hessian and row count of each bin, three numbers in turn. */
export type Histogram = Float64Array;
export type NodeSums = { gradient: number; hessian: number; rows: number };

export type SplitLimits = {
  /** Fewest rows on either side. */
  minRows: number;
  /** L2 penalty of leaf values. */
  l2: number;
};

/** `goesRight[b]` is 1 for the field's bins whose rows go right. */
export type Split = { gain: number; field: number; goesRight: Uint8Array };

const minHessian = 1e-3;
/** A gain counts as better only beyond this share: equal splits stay with the first field, whatever the order of sums. */
const tieMargin = 1 + 1e-9;
/** Categories with more values than this are also split into two groups of values, with more caution. */
const fewCategories = 4;
const groupSmoothing = 10;

/** The best split so far, without its mask: `last` is the last left bin, or the one bin or number of bins that goes right. */
type Candidate = { gain: number; field: number; way: 'upTo' | 'oneBin' | 'group'; last: number; missingRight: boolean };

/**
 * Finds the split of a node that gains most among the given fields (Friedman 2001 with second-order gains as in Chen &
 * Guestrin 2016): for numbers every bound, with missing rows on either side; for categories one value against the rest,
 * and groups of values in the order of their mean gradient (Fisher 1958). Null where no split gains anything.
 */
export function findSplit(
  histogram: Histogram,
  binned: BinnedRows,
  fields: Int32Array,
  sums: NodeSums,
  limits: SplitLimits,
): Split | null {
  const { gradient: G, hessian: H, rows: N } = sums;
  const { minRows, l2 } = limits;
  const best: Candidate = { gain: 1e-9, field: -1, way: 'upTo', last: 0, missingRight: false };
  const parent = (G * G) / (H + l2);

  const gainOf = (g: number, h: number, penalty: number): number => {
    const rest = G - g;
    return (g * g) / (h + penalty) + (rest * rest) / (H - h + penalty) - parent;
  };
  const allowed = (h: number, n: number): boolean =>
    n >= minRows && N - n >= minRows && h >= minHessian && H - h >= minHessian;

  const scanNumber = (f: number, given: FieldBins, from: number): void => {
    const known = given.size - (given.hasMissing ? 1 : 0);
    const missingAt = 3 * (from + known);
    const missingG = given.hasMissing ? (histogram[missingAt] as number) : 0;
    const missingH = given.hasMissing ? (histogram[missingAt + 1] as number) : 0;
    const missingN = given.hasMissing ? (histogram[missingAt + 2] as number) : 0;
    let g = 0;
    let h = 0;
    let n = 0;
    const last = missingN > 0 ? known : known - 1;
    for (let b = 0; b < last; b++) {
      const at = 3 * (from + b);
      const inBin = histogram[at + 2] as number;
      if (inBin === 0) continue;
      g += histogram[at] as number;
      h += histogram[at + 1] as number;
      n += inBin;
      if (N - n < minRows) break;
      if (n >= minRows && h >= minHessian && H - h >= minHessian) {
        const gain = gainOf(g, h, l2);
        if (gain > best.gain * tieMargin) {
          best.gain = gain;
          best.field = f;
          best.way = 'upTo';
          best.last = b;
          best.missingRight = true;
        }
      }
      if (missingN === 0 || !allowed(h + missingH, n + missingN)) continue;
      const gain = gainOf(g + missingG, h + missingH, l2);
      if (gain > best.gain * tieMargin) {
        best.gain = gain;
        best.field = f;
        best.way = 'upTo';
        best.last = b;
        best.missingRight = false;
      }
    }
  };

  const scanCategory = (f: number, given: FieldBins, from: number): void => {
    let populated = 0;
    for (let b = 0; b < given.size; b++) {
      const at = 3 * (from + b);
      const n = histogram[at + 2] as number;
      if (n === 0) continue;
      populated += 1;
      const h = histogram[at + 1] as number;
      if (!allowed(h, n)) continue;
      const gain = gainOf(histogram[at] as number, h, l2);
      if (gain > best.gain * tieMargin) {
        best.gain = gain;
        best.field = f;
        best.way = 'oneBin';
        best.last = b;
      }
    }
    if (populated <= fewCategories) return;
    const order = byMeanGradient(histogram, from, given.size);
    let g = 0;
    let h = 0;
    let n = 0;
    for (let i = 0; i + 1 < order.length; i++) {
      const at = 3 * (from + (order[i] as number));
      g += histogram[at] as number;
      h += histogram[at + 1] as number;
      n += histogram[at + 2] as number;
      if (!allowed(h, n)) continue;
      const gain = gainOf(g, h, l2 + groupSmoothing);
      if (gain > best.gain * tieMargin) {
        best.gain = gain;
        best.field = f;
        best.way = 'group';
        best.last = i;
      }
    }
  };

  for (const f of fields) {
    const given = binned.fields[f] as FieldBins;
    const from = binned.starts[f] as number;
    if (given.field.kind === 'number') scanNumber(f, given, from);
    else scanCategory(f, given, from);
  }
  return best.field < 0 ? null : maskOf(best, histogram, binned);
}

/** The bins of a category that have rows, by smoothed mean gradient. */
function byMeanGradient(histogram: Histogram, from: number, size: number): number[] {
  const bins: number[] = [];
  for (let b = 0; b < size; b++) if ((histogram[3 * (from + b) + 2] as number) > 0) bins.push(b);
  const mean = (b: number) => {
    const at = 3 * (from + b);
    return (histogram[at] as number) / ((histogram[at + 1] as number) + groupSmoothing);
  };
  return bins.sort((a, b) => mean(a) - mean(b) || a - b);
}

function maskOf(best: Candidate, histogram: Histogram, binned: BinnedRows): Split {
  const given = binned.fields[best.field] as FieldBins;
  const goesRight = new Uint8Array(given.size);
  if (best.way === 'upTo') {
    goesRight.fill(1, best.last + 1);
    if (given.hasMissing) goesRight[given.size - 1] = best.missingRight ? 1 : 0;
  } else if (best.way === 'oneBin') {
    goesRight[best.last] = 1;
  } else {
    const from = binned.starts[best.field] as number;
    const order = byMeanGradient(histogram, from, given.size);
    const rowsOf = (bins: readonly number[]) =>
      bins.reduce((sum, b) => sum + (histogram[3 * (from + b) + 2] as number), 0);
    const low = order.slice(0, best.last + 1);
    const high = order.slice(best.last + 1);
    // The smaller group is named, so that values which are not in this node go with the greater one.
    for (const b of rowsOf(low) < rowsOf(high) ? low : high) goesRight[b] = 1;
  }
  return { gain: best.gain, field: best.field, goesRight };
}
