/** Growing one regression tree on gradients, leaf by leaf. */
import type { BinnedRows } from './bins.ts';
import { findSplit, type Histogram, type NodeSums, type Split, type SplitLimits } from './find-split.ts';

export type Growth = SplitLimits & {
  maxLeaves: number;
  /** Factor on every leaf value. */
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

/** A leaf of the growing tree with its rows; it has a histogram while it may still be split. */
type Leaf = { from: number; to: number; sums: NodeSums; histogram: Histogram | null; split: Split | null; node: Draft };
type Draft = { split: Split | null; left: Draft | null; right: Draft | null; value: number; cover: number };

export type TreeGrower = {
  /**
   * Grows a tree on the rows `sample` and adds the leaf values of these rows to `scores[row * stride + offset]`.
   * Deterministic; `work` counts the histogram entries touched so far.
   */
  grow(given: {
    sample: Int32Array;
    fields: Int32Array;
    gradients: Float64Array;
    hessians: Float64Array;
    scores: Float64Array;
    stride: number;
    offset: number;
  }): GrownNode[];
  work(): number;
};

/** Makes a grower over binned rows; its buffers are shared by all the trees it grows. */
export function createTreeGrower(binned: BinnedRows, growth: Growth): TreeGrower {
  const fieldCount = binned.fields.length;
  const histogramSize = 3 * (binned.starts[fieldCount] as number);
  const pool: Histogram[] = [];
  const spare = new Int32Array(binned.count);
  let rows = new Int32Array(0);
  let work = 0;

  const takeHistogram = (): Histogram => pool.pop() ?? new Float64Array(histogramSize);

  const fill = (
    histogram: Histogram,
    from: number,
    to: number,
    fields: Int32Array,
    gradients: Float64Array,
    hessians: Float64Array,
  ): void => {
    const { bins } = binned;
    const used = fields.length;
    histogram.fill(0);
    for (let i = from; i < to; i++) {
      const row = rows[i] as number;
      const g = gradients[row] as number;
      const h = hessians[row] as number;
      const base = row * fieldCount;
      for (let j = 0; j < used; j++) {
        const at = 3 * (bins[base + (fields[j] as number)] as number);
        histogram[at] = (histogram[at] as number) + g;
        histogram[at + 1] = (histogram[at + 1] as number) + h;
        histogram[at + 2] = (histogram[at + 2] as number) + 1;
      }
    }
    work += (to - from) * used + histogramSize;
  };

  /** Rows that go left first, both sides in their former order; answers where the right side begins. */
  const partition = (from: number, to: number, split: Split): number => {
    const { bins, starts } = binned;
    const start = starts[split.field] as number;
    let left = from;
    let right = 0;
    for (let i = from; i < to; i++) {
      const row = rows[i] as number;
      if (split.goesRight[(bins[row * fieldCount + split.field] as number) - start] === 1) {
        spare[right] = row;
        right += 1;
      } else {
        rows[left] = row;
        left += 1;
      }
    }
    rows.set(spare.subarray(0, right), left);
    return left;
  };

  const leafValue = (sums: NodeSums): number =>
    Math.fround((-growth.learningRate * sums.gradient) / (sums.hessian + growth.l2));

  return {
    work: () => work,
    grow({ sample, fields, gradients, hessians, scores, stride, offset }) {
      rows = Int32Array.from(sample);
      const sumsOf = (from: number, to: number): NodeSums => {
        let gradient = 0;
        let hessian = 0;
        for (let i = from; i < to; i++) {
          gradient += gradients[rows[i] as number] as number;
          hessian += hessians[rows[i] as number] as number;
        }
        return { gradient, hessian, rows: to - from };
      };
      const leafOf = (from: number, to: number, sums: NodeSums): Leaf => {
        const node = { split: null, left: null, right: null, value: leafValue(sums), cover: sums.rows };
        return { from, to, sums, node, histogram: null, split: null };
      };
      const judge = (leaf: Leaf): void => {
        if (leaf.histogram !== null) leaf.split = findSplit(leaf.histogram, binned, fields, leaf.sums, growth);
      };
      const canSplit = (leaf: Leaf): boolean => leaf.to - leaf.from >= 2 * growth.minRows;

      const first = leafOf(0, rows.length, sumsOf(0, rows.length));
      const leaves = [first];
      if (growth.maxLeaves > 1 && canSplit(first)) {
        first.histogram = takeHistogram();
        fill(first.histogram, 0, rows.length, fields, gradients, hessians);
        judge(first);
      }
      while (leaves.length < growth.maxLeaves) {
        const leaf = maxGain(leaves);
        if (leaf === null || leaf.split === null) break;
        const middle = partition(leaf.from, leaf.to, leaf.split);
        const leftIsSmall = middle - leaf.from <= leaf.to - middle;
        const smallSums = leftIsSmall ? sumsOf(leaf.from, middle) : sumsOf(middle, leaf.to);
        const largeSums = restOf(leaf.sums, smallSums);
        const left = leafOf(leaf.from, middle, leftIsSmall ? smallSums : largeSums);
        const right = leafOf(middle, leaf.to, leftIsSmall ? largeSums : smallSums);
        leaf.node.split = leaf.split;
        leaf.node.left = left.node;
        leaf.node.right = right.node;
        leaves[leaves.indexOf(leaf)] = left;
        leaves.push(right);
        if (leaf.histogram === null) continue;
        if (leaves.length === growth.maxLeaves || !(canSplit(left) || canSplit(right))) {
          pool.push(leaf.histogram);
          continue;
        }
        // The greater side's histogram is what is left of the parent's.
        const [small, large] = leftIsSmall ? [left, right] : [right, left];
        small.histogram = takeHistogram();
        fill(small.histogram, small.from, small.to, fields, gradients, hessians);
        large.histogram = leaf.histogram;
        subtract(large.histogram, small.histogram);
        for (const side of [left, right]) if (canSplit(side)) judge(side);
      }
      for (const leaf of leaves) {
        if (leaf.histogram !== null) pool.push(leaf.histogram);
        for (let i = leaf.from; i < leaf.to; i++) {
          const at = (rows[i] as number) * stride + offset;
          scores[at] = (scores[at] as number) + leaf.node.value;
        }
      }
      return preorder(first.node);
    },
  };
}

function maxGain(leaves: readonly Leaf[]): Leaf | null {
  let most: Leaf | null = null;
  for (const leaf of leaves) {
    if (leaf.split !== null && leaf.split.gain > (most?.split?.gain ?? 0)) most = leaf;
  }
  return most;
}

function restOf(all: NodeSums, part: NodeSums): NodeSums {
  return {
    gradient: all.gradient - part.gradient,
    hessian: all.hessian - part.hessian,
    rows: all.rows - part.rows,
  };
}

/** a ← a - b */
function subtract(a: Histogram, b: Histogram): void {
  for (let i = 0; i < a.length; i++) a[i] = (a[i] as number) - (b[i] as number);
}

function preorder(root: Draft): GrownNode[] {
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

/** The leaf value of a grown tree for a row given as bins. */
export function routeBinned(nodes: readonly GrownNode[], binned: BinnedRows, row: number): number {
  let at = 0;
  for (;;) {
    const node = nodes[at] as GrownNode;
    if (node.split === null) return node.value;
    const { field, goesRight } = node.split;
    const bin = (binned.bins[row * binned.fields.length + field] as number) - (binned.starts[field] as number);
    at = goesRight[bin] === 1 ? node.right : at + 1;
  }
}
