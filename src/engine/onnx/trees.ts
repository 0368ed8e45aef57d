/** Boosted trees as the ONNX operator TreeEnsembleRegressor (ai.onnx.ml), and back. */
import type { Trees } from '../classifiers/trees-model.ts';
import { floatTensor, type Node, type ReadNode, type Tensor, treeDomain } from './graph.ts';
import { allBytes, decodeFloats, readNumber, readNumbers, readText } from './protobuf.ts';

const nodeNumbers = [
  'nodes_treeids',
  'nodes_nodeids',
  'nodes_featureids',
  'nodes_truenodeids',
  'nodes_falsenodeids',
] as const;
const targetNumbers = ['target_treeids', 'target_nodeids', 'target_ids'] as const;
const branch = 'BRANCH_LEQ';
const leaf = 'LEAF';

/**
 * The nodes that turn `dense` into `tree_scores`: the columns that trees test, the trees' sums, the options' scores.
 * The training rows that came through a node stand in `nodes_hitrates`. Without trees only the outline is right.
 */
export function treeNodes(trees: Trees | null): Node[] {
  const node = (op: string, inputs: string[], output: string): Node => ({
    op,
    domain: '',
    inputs,
    outputs: [output],
    attributes: {},
  });
  return [
    node('MatMul', ['dense', 'tree_columns'], 'tree_inputs'),
    {
      op: 'TreeEnsembleRegressor',
      domain: treeDomain,
      inputs: ['tree_inputs'],
      outputs: ['tree_sums'],
      attributes: trees === null ? {} : attributesOf(trees),
    },
    node('MatMul', ['tree_sums', 'tree_options'], 'tree_scores'),
  ];
}

/** The weights that go with {@link treeNodes}: `tree_columns` [D, C] and `tree_options` [S, K]. */
export function treeTensors(trees: Trees, D: number, K: number): Tensor[] {
  const { columnCount: C, slotStarts, slotColumns, slotWeights } = trees;
  const matrix = new Float32Array(D * C);
  for (let d = 0; d < D; d++) {
    for (let j = slotStarts[d] as number; j < (slotStarts[d + 1] as number); j++) {
      matrix[d * C + (slotColumns[j] as number)] = slotWeights[j] as number;
    }
  }
  return [
    floatTensor('tree_columns', [D, C], matrix),
    floatTensor('tree_options', [trees.scoreCount, K], trees.scoreOptions),
  ];
}

function attributesOf(trees: Trees): Node['attributes'] {
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
  const isLeaf = (node: number) => (columns[node] as number) < 0;
  const leaves = Int32Array.from([...columns.keys()].filter(isLeaf));
  const perNode = (value: (node: number) => number) =>
    Int32Array.from(columns, (_, node) => (isLeaf(node) ? 0 : value(node)));
  return {
    n_targets: trees.scoreCount,
    aggregate_function: 'SUM',
    post_transform: 'NONE',
    nodes_treeids: treeIds,
    nodes_nodeids: nodeIds,
    nodes_featureids: perNode((node) => columns[node] as number),
    nodes_modes: Array.from(columns, (_, node) => (isLeaf(node) ? leaf : branch)),
    nodes_values: thresholds,
    nodes_truenodeids: perNode((node) => (nodeIds[node] as number) + 1),
    nodes_falsenodeids: perNode((node) => (rights[node] as number) - (roots[treeIds[node] as number] as number)),
    nodes_hitrates: trees.covers,
    target_treeids: leaves.map((node) => treeIds[node] as number),
    target_nodeids: leaves.map((node) => nodeIds[node] as number),
    target_ids: leaves.map((node) => trees.targets[treeIds[node] as number] as number),
    target_weights: Float32Array.from(leaves, (node) => values[node] as number),
  };
}

type Refuse = (problem: string) => never;
type Matrix = { dims: number[]; data: Float32Array };

/**
 * Reads trees back from the operator's attributes. Refuses what {@link treeNodes} would not write: other attributes,
 * nodes out of order, children that are not further on in the same tree or have two parents (so no cycle is possible),
 * columns and scores that do not exist, numbers that are not finite.
 */
export function readTrees(node: ReadNode, matrix: Matrix, options: Matrix, refuse: Refuse): Trees {
  const attribute = (name: string) => node.attributes.get(name) ?? [];
  const ints = (name: string) => readNumbers(attribute(name), 8);
  const floats = (name: string): Float32Array => {
    const numbers = decodeFloats(allBytes(attribute(name), 7).at(-1) ?? new Uint8Array(0));
    if (!numbers.every(Number.isFinite)) refuse(`${name} holds a number that is not finite`);
    return numbers;
  };
  const known = [...nodeNumbers, ...targetNumbers, 'nodes_modes', 'nodes_values', 'nodes_hitrates', 'target_weights'];
  const settings = ['n_targets', 'aggregate_function', 'post_transform'];
  const stray = [...node.attributes.keys()].find((name) => !known.includes(name) && !settings.includes(name));
  if (stray !== undefined)
    refuse(`has trees with the attribute ${JSON.stringify(stray.slice(0, 50))}, which is not allowed`);
  const scoreCount = options.dims[0] ?? 0;
  if (readNumber(attribute('n_targets'), 3) !== scoreCount) refuse('has trees with another number of scores');
  if (readText(attribute('aggregate_function'), 4) !== 'SUM' || readText(attribute('post_transform'), 4) !== 'NONE') {
    refuse('has trees that are not summed up as they are');
  }
  const modes = allBytes(attribute('nodes_modes'), 9).map((bytes) => String.fromCharCode(...bytes.subarray(0, 20)));
  const size = modes.length;
  const [treeIds, nodeIds, features, lefts, rights] = nodeNumbers.map(ints) as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ];
  const thresholds = floats('nodes_values');
  const covers = floats('nodes_hitrates');
  if (
    size === 0 ||
    [treeIds, nodeIds, features, lefts, rights, thresholds, covers].some((list) => list.length !== size)
  ) {
    refuse('has trees whose lists differ in length');
  }
  if (covers.some((cover) => cover < 0)) refuse('has a tree node with a negative count');

  const roots: number[] = [];
  for (let at = 0; at < size; at++) {
    if (nodeIds[at] === 0) roots.push(at);
    if (treeIds[at] !== roots.length - 1 || nodeIds[at] !== at - (roots.at(-1) ?? 0))
      refuse('has tree nodes out of order');
  }
  const trees: Trees = {
    ...sparseColumns(matrix),
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
  const parents = new Uint8Array(size);
  roots.forEach((root, tree) => {
    const end = roots[tree + 1] ?? size;
    for (let at = root; at < end; at++) {
      if (modes[at] === leaf) continue;
      if (modes[at] !== branch)
        refuse(`has a tree node of the kind ${JSON.stringify(modes[at])}, which is not allowed`);
      const right = root + (rights[at] as number);
      if (root + (lefts[at] as number) !== at + 1 || right <= at + 1 || right >= end) {
        refuse(`has a tree node whose children are not further on in its tree`);
      }
      if ((features[at] as number) >= trees.columnCount) refuse(`has a tree node that tests column ${features[at]}`);
      for (const child of [at + 1, right]) {
        if (parents[child] === 1) refuse('has a tree node with two parents');
        parents[child] = 1;
      }
      trees.columns[at] = features[at] as number;
      trees.rights[at] = right;
    }
    if (parents.subarray(root + 1, end).includes(0)) refuse('has a tree node without a parent');
  });
  readLeaves(trees, targetNumbers.map(ints) as [number[], number[], number[]], floats('target_weights'), refuse);
  return trees;
}

/** Fills in the leaves' values and each tree's score: one value per leaf, in the order of the leaves. */
function readLeaves(
  trees: Trees,
  [treeIds, nodeIds, scoreIds]: [number[], number[], number[]],
  weights: Float32Array,
  refuse: Refuse,
): void {
  const lengths = [treeIds, nodeIds, scoreIds].map((list) => list.length);
  let next = 0;
  trees.roots.forEach((root, tree) => {
    const end = trees.roots[tree + 1] ?? trees.columns.length;
    trees.targets[tree] = scoreIds[next] ?? -1;
    for (let at = root; at < end; at++) {
      if ((trees.columns[at] as number) >= 0) continue;
      const score = scoreIds[next] ?? -1;
      if (treeIds[next] !== tree || nodeIds[next] !== at - root || score !== trees.targets[tree]) {
        refuse('has tree leaves out of order');
      }
      if (score < 0 || score >= trees.scoreCount) refuse(`has a tree leaf for score ${score}`);
      trees.values[at] = weights[next] ?? Number.NaN;
      next += 1;
    }
  });
  if (weights.length !== next || lengths.some((length) => length !== next)) {
    refuse('has trees whose lists differ in length');
  }
}

function sparseColumns({
  dims,
  data,
}: Matrix): Pick<Trees, 'columnCount' | 'slotStarts' | 'slotColumns' | 'slotWeights'> {
  const [D = 0, C = 0] = dims;
  const slotStarts = new Int32Array(D + 1);
  const slotColumns: number[] = [];
  const slotWeights: number[] = [];
  for (let d = 0; d < D; d++) {
    for (let c = 0; c < C; c++) {
      const weight = data[d * C + c] as number;
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
