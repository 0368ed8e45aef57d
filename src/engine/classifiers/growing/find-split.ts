/** The best split of a node, read off its histogram. */
import type { BinnedRows, FieldBins } from './bins.ts';

/** A histogram holds gradient, hessian and row count of each bin, three numbers in turn. */
export type Histogram = Float64Array;
export type NodeSums = { gradient: number; hessian: number; rows: number };

export type SplitLimits = {
  minRows: number;
  l2: number;
};

/** `goesRight[b]` is 1 for the field's bins whose rows go right. */
export type Split = { gain: number; field: number; goesRight: Uint8Array };

/** The directions of the fields in a tree's score, and the bounds of a node's leaf values without the learning rate. */
export type Order = { signs: Int8Array; low: number; high: number };

const minHessian = 1e-3;
const minGain = 1e-9;
/** A gain counts as better only beyond this share: equal splits stay with the first field, in any order of sums. */
const tieMargin = 1 + 1e-9;
/** Categories with more values than this are also split into two groups of values, with more caution. */
const maxSingleCategories = 4;
const groupSmoothing = 10;

/** The best split so far, without its mask: `last` is the last left bin, or the bin or count that goes right. */
type Candidate = { gain: number; field: number; way: 'upTo' | 'oneBin' | 'group'; last: number; missingRight: boolean };

type Search = {
  histogram: Histogram;
  sums: NodeSums;
  limits: SplitLimits;
  order: Order | null;
  parentScore: number;
  best: Candidate;
};

/**
 * Finds the split of a node that gains most among the listed fields (Friedman 2001 with second-order gains as in Chen &
 * Guestrin 2016): for numbers every bound, with missing rows on either side; for categories one value against the rest,
 * and groups of values in the order of their mean gradient (Fisher 1958). Splits whose sides
 * would contradict a field's direction are skipped. Null where no split gains anything.
 */
export function findSplit(
  histogram: Histogram,
  binned: BinnedRows,
  fields: Int32Array,
  sums: NodeSums,
  limits: SplitLimits,
  order: Order | null,
): Split | null {
  const parentScore = computeScore(sums.gradient, sums.hessian, limits.l2, order);
  const best: Candidate = { gain: minGain, field: -1, way: 'upTo', last: 0, missingRight: false };
  const search: Search = { histogram, sums, limits, order, parentScore, best };
  for (const f of fields) {
    const bins = binned.fields[f];
    const from = binned.starts[f];
    if (bins.field.kind === 'number') scanNumber(search, f, bins, from);
    else scanCategory(search, f, bins, from);
  }
  return best.field < 0 ? null : toSplit(best, histogram, binned);
}

/** The score of a node's side, or of both together, with the gradient g and the hessian h. */
function computeScore(g: number, h: number, penalty: number, order: Order | null): number {
  if (order === null) return (g * g) / (h + penalty);
  const value = computeValue(g, h, penalty, order);
  return -(2 * g + (h + penalty) * value) * value;
}

/** The leaf value, without the learning rate, that has the least loss among those which the order allows. */
export function computeValue(g: number, h: number, penalty: number, { low, high }: Order): number {
  return Math.min(high, Math.max(low, -g / (h + penalty)));
}

/** Whether the values of both sides of a number's bound keep its direction, `g` and `h` being those of the left one. */
function keepsOrder({ sums, limits: { l2 }, order }: Search, f: number, g: number, h: number): boolean {
  if (order === null || order.signs[f] === 0) return true;
  const right = computeValue(sums.gradient - g, sums.hessian - h, l2, order);
  return order.signs[f] * (right - computeValue(g, h, l2, order)) >= 0;
}

function keepBetter(best: Candidate, gain: number, field: number, way: Candidate['way'], last: number): boolean {
  if (!(gain > best.gain * tieMargin)) return false;
  best.gain = gain;
  best.field = field;
  best.way = way;
  best.last = last;
  return true;
}

function scanNumber(search: Search, f: number, { size, hasMissing }: FieldBins, from: number): void {
  const { histogram, order, parentScore, best } = search;
  const { gradient: G, hessian: H, rows: N } = search.sums;
  const { minRows, l2 } = search.limits;
  const known = size - (hasMissing ? 1 : 0);
  const missingAt = 3 * (from + known);
  const missingG = hasMissing ? histogram[missingAt] : 0;
  const missingH = hasMissing ? histogram[missingAt + 1] : 0;
  const missingN = hasMissing ? histogram[missingAt + 2] : 0;
  let g = 0;
  let h = 0;
  let n = 0;
  const last = missingN > 0 ? known : known - 1;
  for (let b = 0; b < last; b++) {
    const at = 3 * (from + b);
    const inBin = histogram[at + 2];
    if (inBin === 0) continue;
    g += histogram[at];
    h += histogram[at + 1];
    n += inBin;
    if (N - n < minRows) break;
    if (n >= minRows && h >= minHessian && H - h >= minHessian) {
      const gain = computeScore(g, h, l2, order) + computeScore(G - g, H - h, l2, order) - parentScore;
      if (keepsOrder(search, f, g, h) && keepBetter(best, gain, f, 'upTo', b)) best.missingRight = true;
    }
    if (missingN === 0) continue;
    const gLeft = g + missingG;
    const hLeft = h + missingH;
    const nLeft = n + missingN;
    if (nLeft < minRows || N - nLeft < minRows || hLeft < minHessian || H - hLeft < minHessian) continue;
    const gain = computeScore(gLeft, hLeft, l2, order) + computeScore(G - gLeft, H - hLeft, l2, order) - parentScore;
    if (keepsOrder(search, f, gLeft, hLeft) && keepBetter(best, gain, f, 'upTo', b)) best.missingRight = false;
  }
}

function scanCategory(search: Search, f: number, { size }: FieldBins, from: number): void {
  const { histogram, order, parentScore, best } = search;
  const { gradient: G, hessian: H, rows: N } = search.sums;
  const { minRows, l2 } = search.limits;
  let populated = 0;
  for (let b = 0; b < size; b++) {
    const at = 3 * (from + b);
    const n = histogram[at + 2];
    if (n === 0) continue;
    populated += 1;
    const g = histogram[at];
    const h = histogram[at + 1];
    if (n < minRows || N - n < minRows || h < minHessian || H - h < minHessian) continue;
    const gain = computeScore(g, h, l2, order) + computeScore(G - g, H - h, l2, order) - parentScore;
    keepBetter(best, gain, f, 'oneBin', b);
  }
  if (populated > maxSingleCategories) scanGroups(search, f, size, from);
}

/** Tries the first bins in the order of their mean gradient against the others. */
function scanGroups(search: Search, f: number, size: number, from: number): void {
  const { histogram, order, parentScore, best } = search;
  const { gradient: G, hessian: H, rows: N } = search.sums;
  const { minRows } = search.limits;
  const penalty = search.limits.l2 + groupSmoothing;
  const sorted = sortByMeanGradient(histogram, from, size);
  let g = 0;
  let h = 0;
  let n = 0;
  for (let i = 0; i + 1 < sorted.length; i++) {
    const at = 3 * (from + sorted[i]);
    g += histogram[at];
    h += histogram[at + 1];
    n += histogram[at + 2];
    if (n < minRows || N - n < minRows || h < minHessian || H - h < minHessian) continue;
    const gain = computeScore(g, h, penalty, order) + computeScore(G - g, H - h, penalty, order) - parentScore;
    keepBetter(best, gain, f, 'group', i);
  }
}

function sortByMeanGradient(histogram: Histogram, from: number, size: number): number[] {
  const bins: number[] = [];
  for (let b = 0; b < size; b++) if (histogram[3 * (from + b) + 2] > 0) bins.push(b);
  const mean = (b: number) => {
    const at = 3 * (from + b);
    return histogram[at] / (histogram[at + 1] + groupSmoothing);
  };
  return bins.sort((a, b) => mean(a) - mean(b) || a - b);
}

function toSplit(best: Candidate, histogram: Histogram, binned: BinnedRows): Split {
  const bins = binned.fields[best.field];
  const goesRight = new Uint8Array(bins.size);
  if (best.way === 'upTo') {
    goesRight.fill(1, best.last + 1);
    if (bins.hasMissing) goesRight[bins.size - 1] = best.missingRight ? 1 : 0;
  } else if (best.way === 'oneBin') {
    goesRight[best.last] = 1;
  } else {
    const from = binned.starts[best.field];
    const order = sortByMeanGradient(histogram, from, bins.size);
    const countRows = (group: readonly number[]) => group.reduce((sum, b) => sum + histogram[3 * (from + b) + 2], 0);
    const low = order.slice(0, best.last + 1);
    const high = order.slice(best.last + 1);
    // The smaller group is named, so that values which are not in this node go with the greater one.
    for (const b of countRows(low) < countRows(high) ? low : high) goesRight[b] = 1;
  }
  return { gain: best.gain, field: best.field, goesRight };
}
