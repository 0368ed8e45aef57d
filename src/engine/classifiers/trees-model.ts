/** Boosted trees as they are stored and scored; growing them is in trees.ts and grow-tree.ts. */

/**
 * Trees over columns that are sums of dense slots: a category split tests whether one of several slots is set, a
 * number that may be missing is moved far to one side by its missing slot. Column c of a row is the sum of
 * `slotWeights[j] * dense[slot]` over the entries j of that slot with `slotColumns[j] = c`, in float32.
 * Nodes lie in preorder, tree after tree; the left child (column ≤ threshold) is the next node.
 */
export type Trees = {
  columnCount: number;
  /** Entries of slot d stand at `slotStarts[d]` up to `slotStarts[d + 1]`; D + 1 numbers. */
  slotStarts: Int32Array;
  slotColumns: Int32Array;
  slotWeights: Float32Array;
  /** First node of each tree. */
  roots: Int32Array;
  /** The score that each tree adds to, 0 … scoreCount - 1. */
  targets: Int32Array;
  scoreCount: number;
  /** Column tested by each node, -1 at leaves. */
  columns: Int32Array;
  thresholds: Float32Array;
  /** Right child of each inner node, 0 at leaves. */
  rights: Int32Array;
  /** The value that each leaf adds to its score; 0 at inner nodes. */
  values: Float32Array;
  /** Training rows that came through each node. */
  covers: Float32Array;
  /** Scores to logits of the options, `scoreOptions[s * K + k]`. */
  scoreOptions: Float32Array;
};

/** Writes the columns of one dense row into `columns` (columnCount numbers, overwritten). */
export function listColumns(trees: Trees, dense: ArrayLike<number>, offset: number, columns: Float32Array): void {
  columns.fill(0);
  const { slotStarts, slotColumns, slotWeights } = trees;
  for (let slot = 0; slot + 1 < slotStarts.length; slot++) {
    const from = slotStarts[slot];
    const to = slotStarts[slot + 1];
    if (from === to) continue;
    const x = dense[offset + slot];
    if (x === 0) continue;
    for (let j = from; j < to; j++) {
      const column = slotColumns[j];
      columns[column] += x * slotWeights[j];
    }
  }
}

/** Adds every tree's value for a row with these columns to `scores` (scoreCount numbers). */
type TreeScorer = (columns: Float32Array, scores: Float64Array) => void;

/** Prepares trees for scoring many rows: what belongs to a node lies together, as reading memory takes the time. */
export function compileTrees(trees: Trees, treeCount: number): TreeScorer {
  const { roots, targets } = trees;
  const size = trees.columns.length;
  const nodes = new Int32Array(4 * size);
  const numbers = new Float32Array(nodes.buffer);
  for (let node = 0; node < size; node++) {
    const column = trees.columns[node];
    nodes[4 * node] = column;
    numbers[4 * node + 1] = column < 0 ? trees.values[node] : trees.thresholds[node];
    nodes[4 * node + 2] = 4 * trees.rights[node];
  }
  return (columns, scores) => {
    for (let tree = 0; tree < treeCount; tree++) {
      let at = 4 * roots[tree];
      for (let column = nodes[at]; column >= 0; column = nodes[at]) {
        at = columns[column] <= numbers[at + 1] ? at + 4 : nodes[at + 2];
      }
      const target = targets[tree];
      scores[target] += numbers[at + 1];
    }
  };
}

/** Mean leaf value below each node, weighted by the training rows that came there. */
function computeExpectedValues(trees: Trees): Float64Array {
  const expected = Float64Array.from(trees.values);
  for (let node = expected.length - 1; node >= 0; node--) {
    if (trees.columns[node] < 0) continue;
    const right = trees.rights[node];
    const leftCover = trees.covers[node + 1];
    const rightCover = trees.covers[right];
    const share = leftCover + rightCover > 0 ? leftCover / (leftCover + rightCover) : 0.5;
    expected[node] = share * expected[node + 1] + (1 - share) * expected[right];
  }
  return expected;
}

/** Computes what each column adds to an option's logit for one row (Saabas 2014); trees' means complete the sum. */
export function computeColumnContributions(trees: Trees, dense: Float32Array, option: number, K: number): Float64Array {
  const columns = new Float32Array(trees.columnCount);
  listColumns(trees, dense, 0, columns);
  const expected = computeExpectedValues(trees);
  const contributions = new Float64Array(trees.columnCount);
  trees.roots.forEach((root, tree) => {
    const weight = trees.scoreOptions[trees.targets[tree] * K + option];
    let node = root;
    for (let column = trees.columns[node]; column >= 0; column = trees.columns[node]) {
      const left = columns[column] <= trees.thresholds[node];
      const next = left ? node + 1 : trees.rights[node];
      const change = expected[next] - expected[node];
      contributions[column] += weight * change;
      node = next;
    }
  });
  return contributions;
}
