/** Growing one regression tree on gradients, leaf by leaf. */
import type { BinnedRows } from './bins.ts';
import {
  computeValue,
  findSplit,
  type Histogram,
  type NodeSums,
  type Order,
  type Split,
  type SplitLimits,
} from './find-split.ts';

export type Growth = SplitLimits & {
  maxLeaves: number;
  learningRate: number;
};

/** A node of a grown tree in preorder: the left child follows, `split` is null at leaves. */
export type GrownNode = {
  split: { field: number; goesRight: Uint8Array } | null;
  right: number;
  /** Leaf value in float32, 0 at inner nodes. */
  value: number;
  cover: number;
};

/** A leaf of the growing tree: its rows are a range of the sample; it has a histogram while it may be split. */
type Leaf = {
  from: number;
  to: number;
  sums: NodeSums;
  order: Order | null;
  histogram: Histogram | null;
  split: Split | null;
  node: Draft;
};
type Draft = { split: Split | null; left: Draft | null; right: Draft | null; value: number; cover: number };

type TreeRequest = {
  /** The rows to learn from, and the fields that may be tested. */
  sample: Int32Array;
  fields: Int32Array;
  gradients: Float64Array;
  hessians: Float64Array;
  /** Leaf values are added to `scores[row * stride + offset]`. */
  scores: Float64Array;
  stride: number;
  offset: number;
  /** The directions that fields must keep in this score; null if no field has one. */
  signs: Int8Array | null;
};

/** Grows trees over binned rows, one after the other; its buffers are shared by all of them. */
export class TreeGrower {
  readonly #binned: BinnedRows;
  readonly #growth: Growth;
  readonly #histogramSize: number;
  readonly #pool: Histogram[] = [];
  readonly #spare: Int32Array;
  /** The sample, ordered so that the rows of each leaf stand together. */
  #rows = new Int32Array(0);
  #work = 0;

  constructor(binned: BinnedRows, growth: Growth) {
    this.#binned = binned;
    this.#growth = growth;
    this.#histogramSize = 3 * binned.starts[binned.fields.length];
    this.#spare = new Int32Array(binned.count);
  }

  /** Histogram entries touched so far. */
  get work(): number {
    return this.#work;
  }

  /** Grows a tree leaf by leaf, the one that gains most first, and adds its values to the scores of the sample. */
  grow(request: TreeRequest): GrownNode[] {
    const { maxLeaves } = this.#growth;
    this.#rows = Int32Array.from(request.sample);
    const { signs } = request;
    const order = signs && { signs, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
    const root = this.#createLeaf(0, this.#rows.length, this.#sumRows(0, this.#rows.length, request), order);
    const leaves = [root];
    if (maxLeaves > 1 && this.#canSplit(root)) {
      root.histogram = this.#takeHistogram();
      this.#fill(root.histogram, root, request);
      this.#evaluateSplit(root, request.fields);
    }
    while (leaves.length < maxLeaves) {
      const leaf = findMaxGain(leaves);
      if (leaf === null || leaf.split === null) break;
      const { left, right, leftIsSmall } = this.#splitLeaf(leaf, leaf.split, request);
      leaves[leaves.indexOf(leaf)] = left;
      leaves.push(right);
      if (leaf.histogram === null) continue;
      if (leaves.length === maxLeaves || !(this.#canSplit(left) || this.#canSplit(right))) {
        this.#pool.push(leaf.histogram);
        continue;
      }
      // The greater side's histogram is the rest of the parent's.
      const [small, large] = leftIsSmall ? [left, right] : [right, left];
      small.histogram = this.#takeHistogram();
      this.#fill(small.histogram, small, request);
      large.histogram = leaf.histogram;
      subtract(large.histogram, small.histogram);
      for (const side of [left, right]) if (this.#canSplit(side)) this.#evaluateSplit(side, request.fields);
    }
    this.#addValues(leaves, request);
    return toPreorder(root.node);
  }

  #takeHistogram(): Histogram {
    return this.#pool.pop() ?? new Float64Array(this.#histogramSize);
  }

  #canSplit(leaf: Leaf): boolean {
    return leaf.to - leaf.from >= 2 * this.#growth.minRows;
  }

  #evaluateSplit(leaf: Leaf, fields: Int32Array): void {
    const { histogram, sums, order } = leaf;
    if (histogram !== null) leaf.split = findSplit(histogram, this.#binned, fields, sums, this.#growth, order);
  }

  #createLeaf(from: number, to: number, sums: NodeSums, order: Order | null): Leaf {
    const { learningRate, l2 } = this.#growth;
    const value = Math.fround(
      order === null
        ? (-learningRate * sums.gradient) / (sums.hessian + l2)
        : learningRate * computeValue(sums.gradient, sums.hessian, l2, order),
    );
    const node = { split: null, left: null, right: null, value, cover: sums.rows };
    return { from, to, sums, order, node, histogram: null, split: null };
  }

  #sumRows(from: number, to: number, { gradients, hessians }: TreeRequest): NodeSums {
    const rows = this.#rows;
    let gradient = 0;
    let hessian = 0;
    for (let i = from; i < to; i++) {
      gradient += gradients[rows[i]];
      hessian += hessians[rows[i]];
    }
    return { gradient, hessian, rows: to - from };
  }

  #fill(histogram: Histogram, { from, to }: Leaf, request: TreeRequest): void {
    fillHistogram(histogram, this.#binned, this.#rows.subarray(from, to), request);
    this.#work += (to - from) * request.fields.length + this.#histogramSize;
  }

  /** Makes an inner node of a leaf. The sums of its smaller side are taken from the rows, the others are the rest. */
  #splitLeaf(leaf: Leaf, split: Split, request: TreeRequest): { left: Leaf; right: Leaf; leftIsSmall: boolean } {
    const middle = this.#partition(leaf, split);
    const leftIsSmall = middle - leaf.from <= leaf.to - middle;
    const smallSums = leftIsSmall ? this.#sumRows(leaf.from, middle, request) : this.#sumRows(middle, leaf.to, request);
    const largeSums = subtractSums(leaf.sums, smallSums);
    const [leftSums, rightSums] = leftIsSmall ? [smallSums, largeSums] : [largeSums, smallSums];
    const [below, above] = this.#divideOrder(leaf.order, split, leftSums, rightSums);
    const left = this.#createLeaf(leaf.from, middle, leftSums, below);
    const right = this.#createLeaf(middle, leaf.to, rightSums, above);
    leaf.node.split = split;
    leaf.node.left = left.node;
    leaf.node.right = right.node;
    return { left, right, leftIsSmall };
  }

  /** Where a field keeps a direction, no leaf below one side may pass the middle of both sides' values. */
  #divideOrder(order: Order | null, { field }: Split, left: NodeSums, right: NodeSums): [Order | null, Order | null] {
    const sign = order?.signs[field] ?? 0;
    if (order === null || sign === 0) return [order, order];
    const [a, b] = [left, right].map(({ gradient, hessian }) =>
      computeValue(gradient, hessian, this.#growth.l2, order),
    );
    const middle = (a + b) / 2;
    const [lower, upper] = [
      { ...order, high: middle },
      { ...order, low: middle },
    ];
    return sign > 0 ? [lower, upper] : [upper, lower];
  }

  /** Puts the leaf's rows that go left first, both sides in their former order; returns where the right side begins. */
  #partition({ from, to }: Leaf, split: Split): number {
    const { bins, starts } = this.#binned;
    const rows = this.#rows;
    const spare = this.#spare;
    const fieldCount = this.#binned.fields.length;
    const start = starts[split.field];
    let left = from;
    let right = 0;
    for (let i = from; i < to; i++) {
      const row = rows[i];
      if (split.goesRight[bins[row * fieldCount + split.field] - start] === 1) {
        spare[right] = row;
        right += 1;
      } else {
        rows[left] = row;
        left += 1;
      }
    }
    rows.set(spare.subarray(0, right), left);
    return left;
  }

  /** Adds each leaf's value to the scores of its rows and takes its histogram back. */
  #addValues(leaves: readonly Leaf[], { scores, stride, offset }: TreeRequest): void {
    for (const leaf of leaves) {
      if (leaf.histogram !== null) this.#pool.push(leaf.histogram);
      for (let i = leaf.from; i < leaf.to; i++) {
        const at = this.#rows[i] * stride + offset;
        scores[at] += leaf.node.value;
      }
    }
  }
}

function fillHistogram(
  histogram: Histogram,
  { bins, fields: { length: fieldCount } }: BinnedRows,
  rows: Int32Array,
  { fields, gradients, hessians }: TreeRequest,
): void {
  histogram.fill(0);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    const g = gradients[row];
    const h = hessians[row];
    const base = row * fieldCount;
    for (let j = 0; j < fields.length; j++) {
      const at = 3 * bins[base + fields[j]];
      histogram[at] += g;
      histogram[at + 1] += h;
      histogram[at + 2] += 1;
    }
  }
}

function findMaxGain(leaves: readonly Leaf[]): Leaf | null {
  let best: Leaf | null = null;
  for (const leaf of leaves) {
    if (leaf.split !== null && leaf.split.gain > (best?.split?.gain ?? 0)) best = leaf;
  }
  return best;
}

function subtractSums(all: NodeSums, part: NodeSums): NodeSums {
  return {
    gradient: all.gradient - part.gradient,
    hessian: all.hessian - part.hessian,
    rows: all.rows - part.rows,
  };
}

/** a ← a - b */
function subtract(a: Histogram, b: Histogram): void {
  for (let i = 0; i < a.length; i++) a[i] -= b[i];
}

function toPreorder(root: Draft): GrownNode[] {
  const nodes: GrownNode[] = [];
  const visit = (draft: Draft): void => {
    const { split, left, right, cover } = draft;
    if (split === null || left === null || right === null) {
      nodes.push({ split: null, right: 0, value: draft.value, cover });
      return;
    }
    const node: GrownNode = { split, right: 0, value: 0, cover };
    nodes.push(node);
    visit(left);
    node.right = nodes.length;
    visit(right);
  };
  visit(root);
  return nodes;
}

/** Finds the leaf value of a grown tree for a row in bins. */
export function routeBinned(nodes: readonly GrownNode[], binned: BinnedRows, row: number): number {
  let at = 0;
  for (;;) {
    const node = nodes[at];
    if (node.split === null) return node.value;
    const { field, goesRight } = node.split;
    const bin = binned.bins[row * binned.fields.length + field] - binned.starts[field];
    at = goesRight[bin] === 1 ? node.right : at + 1;
  }
}
