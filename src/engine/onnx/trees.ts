/** Boosted trees as the ONNX operator TreeEnsembleRegressor (ai.onnx.ml), and back. */
import type { Trees } from '../classifiers/trees-model.ts';
import { decodeFloats } from '../numeric.ts';
import { createNode, type Node, type ReadNode, type Tensor, toFloatTensor, treeDomain } from './graph.ts';
import { listBytes, readNumber, readNumbers, readString, refuse } from './protobuf.ts';

/** The attributes that the operator has here, and no others. */
const attributeNames = new Set([
  'n_targets',
  'aggregate_function',
  'post_transform',
  'nodes_treeids',
  'nodes_nodeids',
  'nodes_featureids',
  'nodes_modes',
  'nodes_values',
  'nodes_truenodeids',
  'nodes_falsenodeids',
  'nodes_hitrates',
  'target_treeids',
  'target_nodeids',
  'target_ids',
  'target_weights',
]);
const branchMode = 'BRANCH_LEQ';
const leafMode = 'LEAF';

/** The nodes that turn `dense` into `tree_scores`; without trees only the outline is right. */
export function buildTreeNodes(trees: Trees | null): Node[] {
  return [
    createNode('MatMul', ['dense', 'tree_columns'], 'tree_inputs'),
    {
      op: 'TreeEnsembleRegressor',
      domain: treeDomain,
      inputs: ['tree_inputs'],
      outputs: ['tree_sums'],
      attributes: trees === null ? {} : toAttributes(trees),
    },
    createNode('MatMul', ['tree_sums', 'tree_options'], 'tree_scores'),
  ];
}

/** The weights that go with {@link buildTreeNodes}: `tree_columns` [D, C] and `tree_options` [S, K]. */
export function buildTreeTensors(trees: Trees, D: number, K: number): Tensor[] {
  const { columnCount: C, slotStarts, slotColumns, slotWeights } = trees;
  const matrix = new Float32Array(D * C);
  for (let d = 0; d < D; d++) {
    for (let j = slotStarts[d]; j < slotStarts[d + 1]; j++) {
      matrix[d * C + slotColumns[j]] = slotWeights[j];
    }
  }
  return [
    toFloatTensor('tree_columns', [D, C], matrix),
    toFloatTensor('tree_options', [trees.scoreCount, K], trees.scoreOptions),
  ];
}

function toAttributes(trees: Trees): Node['attributes'] {
  const { columns, thresholds, values, rights, roots } = trees;
  const size = columns.length;
  const treeIds = new Int32Array(size);
  const nodeIds = new Int32Array(size);
  roots.forEach((root, tree) => {
    const end = roots[tree + 1] ?? size;
    for (let node = root; node < end; node++) {
      treeIds[node] = tree;
      nodeIds[node] = node - root;
    }
  });
  const isLeaf = (node: number) => columns[node] < 0;
  const leaves = Int32Array.from([...columns.keys()].filter(isLeaf));
  const perNode = (value: (node: number) => number) =>
    Int32Array.from(columns, (_, node) => (isLeaf(node) ? 0 : value(node)));
  return {
    n_targets: trees.scoreCount,
    aggregate_function: 'SUM',
    post_transform: 'NONE',
    nodes_treeids: treeIds,
    nodes_nodeids: nodeIds,
    nodes_featureids: perNode((node) => columns[node]),
    nodes_modes: Array.from(columns, (_, node) => (isLeaf(node) ? leafMode : branchMode)),
    nodes_values: thresholds,
    nodes_truenodeids: perNode((node) => nodeIds[node] + 1),
    nodes_falsenodeids: perNode((node) => rights[node] - roots[treeIds[node]]),
    nodes_hitrates: trees.covers,
    target_treeids: leaves.map((node) => treeIds[node]),
    target_nodeids: leaves.map((node) => nodeIds[node]),
    target_ids: leaves.map((node) => trees.targets[treeIds[node]]),
    target_weights: Float32Array.from(leaves, (node) => values[node]),
  };
}

type Matrix = { dims: number[]; data: Float32Array };

/** The attributes of a tree operator by name: lists of whole numbers (field 8) or of float32 numbers (field 7). */
type Attributes = { ints(name: string): number[]; floats(name: string): Float32Array; modes: string[] };

/** Reads trees back; refuses whatever {@link buildTreeNodes} would not write. */
export function readTrees(node: ReadNode, matrix: Matrix, options: Matrix): Trees {
  const scoreCount = options.dims[0] ?? 0;
  const { ints, floats, modes } = readAttributes(node, scoreCount);
  const size = modes.length;
  const treeIds = ints('nodes_treeids');
  const nodeIds = ints('nodes_nodeids');
  const features = ints('nodes_featureids');
  const lefts = ints('nodes_truenodeids');
  const rights = ints('nodes_falsenodeids');
  const thresholds = floats('nodes_values');
  const covers = floats('nodes_hitrates');
  const lists = [treeIds, nodeIds, features, lefts, rights, thresholds, covers];
  if (size === 0 || lists.some((list) => list.length !== size)) refuse('has trees whose lists differ in length');
  if (covers.some((cover) => cover < 0)) refuse('has a tree node with a negative count');
  const roots = findRoots(treeIds, nodeIds);
  const trees: Trees = {
    ...toSparseColumns(matrix),
    scoreCount,
    scoreOptions: options.data,
    roots: Int32Array.from(roots),
    targets: new Int32Array(roots.length),
    columns: new Int32Array(size).fill(-1),
    thresholds,
    rights: new Int32Array(size),
    values: new Float32Array(size),
    covers,
  };
  readBranches(trees, { modes, features, lefts, rights });
  const leaves = { treeIds: ints('target_treeids'), nodeIds: ints('target_nodeids'), scoreIds: ints('target_ids') };
  readLeaves(trees, leaves, floats('target_weights'));
  return trees;
}

function readAttributes(node: ReadNode, scoreCount: number): Attributes {
  const stray = [...node.attributes.keys()].find((name) => !attributeNames.has(name));
  if (stray !== undefined)
    refuse(`has trees with the attribute ${JSON.stringify(stray.slice(0, 50))}, which is not allowed`);
  const find = (name: string) => node.attributes.get(name) ?? [];
  if (readNumber(find('n_targets'), 3) !== scoreCount) refuse('has trees with another number of scores');
  if (readString(find('aggregate_function'), 4) !== 'SUM' || readString(find('post_transform'), 4) !== 'NONE') {
    refuse('has trees that are not summed up as they are');
  }
  return {
    ints: (name) => readNumbers(find(name), 8),
    floats(name) {
      const numbers = decodeFloats(listBytes(find(name), 7).at(-1) ?? new Uint8Array(0));
      if (!numbers.every(Number.isFinite)) refuse(`${name} holds a number that is not finite`);
      return numbers;
    },
    modes: listBytes(find('nodes_modes'), 9).map((bytes) => String.fromCharCode(...bytes.subarray(0, 20))),
  };
}

/** Where each tree begins; trees and their nodes are numbered on from 0. */
function findRoots(treeIds: readonly number[], nodeIds: readonly number[]): number[] {
  const roots: number[] = [];
  for (let at = 0; at < treeIds.length; at++) {
    if (nodeIds[at] === 0) roots.push(at);
    if (treeIds[at] !== roots.length - 1 || nodeIds[at] !== at - (roots.at(-1) ?? 0)) {
      refuse('has tree nodes out of order');
    }
  }
  return roots;
}

type Branches = {
  modes: readonly string[];
  features: readonly number[];
  lefts: readonly number[];
  rights: readonly number[];
};

/** Fills in the tested column and the right child of each node that is not a leaf. */
function readBranches(trees: Trees, { modes, features, lefts, rights }: Branches): void {
  const parentCounts = new Uint8Array(modes.length);
  trees.roots.forEach((root, tree) => {
    const end = trees.roots[tree + 1] ?? modes.length;
    for (let at = root; at < end; at++) {
      if (modes[at] === leafMode) continue;
      if (modes[at] !== branchMode)
        refuse(`has a tree node of the kind ${JSON.stringify(modes[at])}, which is not allowed`);
      const right = root + rights[at];
      if (root + lefts[at] !== at + 1 || right <= at + 1 || right >= end) {
        refuse('has a tree node whose children are not further on in its tree');
      }
      if (features[at] >= trees.columnCount) refuse(`has a tree node that tests column ${features[at]}`);
      for (const child of [at + 1, right]) {
        if (parentCounts[child] === 1) refuse('has a tree node with two parents');
        parentCounts[child] = 1;
      }
      trees.columns[at] = features[at];
      trees.rights[at] = right;
    }
    if (parentCounts.subarray(root + 1, end).includes(0)) refuse('has a tree node without a parent');
  });
}

type Leaves = { treeIds: readonly number[]; nodeIds: readonly number[]; scoreIds: readonly number[] };

/** Fills in the leaves' values and each tree's score: one value per leaf, in the order of the leaves. */
function readLeaves(trees: Trees, { treeIds, nodeIds, scoreIds }: Leaves, weights: Float32Array): void {
  let next = 0;
  trees.roots.forEach((root, tree) => {
    const end = trees.roots[tree + 1] ?? trees.columns.length;
    trees.targets[tree] = scoreIds[next] ?? -1;
    for (let at = root; at < end; at++) {
      if (trees.columns[at] >= 0) continue;
      const score = scoreIds[next] ?? -1;
      if (treeIds[next] !== tree || nodeIds[next] !== at - root || score !== trees.targets[tree]) {
        refuse('has tree leaves out of order');
      }
      if (score < 0 || score >= trees.scoreCount) refuse(`has a tree leaf for score ${score}`);
      trees.values[at] = weights[next] ?? Number.NaN;
      next += 1;
    }
  });
  if ([weights, treeIds, nodeIds, scoreIds].some((list) => list.length !== next)) {
    refuse('has trees whose lists differ in length');
  }
}

function toSparseColumns({
  dims,
  data,
}: Matrix): Pick<Trees, 'columnCount' | 'slotStarts' | 'slotColumns' | 'slotWeights'> {
  const [D = 0, C = 0] = dims;
  const slotStarts = new Int32Array(D + 1);
  const slotColumns: number[] = [];
  const slotWeights: number[] = [];
  for (let d = 0; d < D; d++) {
    for (let c = 0; c < C; c++) {
      const weight = data[d * C + c];
      if (weight === 0) continue;
      slotColumns.push(c);
      slotWeights.push(weight);
    }
    slotStarts[d + 1] = slotColumns.length;
  }
  return {
    columnCount: C,
    slotStarts,
    slotColumns: Int32Array.from(slotColumns),
    slotWeights: Float32Array.from(slotWeights),
  };
}
