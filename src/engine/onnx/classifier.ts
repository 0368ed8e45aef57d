/** Classifiers as ONNX files, written and read back. */
import type { ClassifierModel } from '../classifiers/model.ts';
import { decodeFloats } from '../numeric.ts';
import {
  createNode,
  elementType,
  type Graph,
  irVersion,
  type Node,
  opsetVersion,
  type ReadModel,
  readModel,
  toFloatTensor,
  toIntTensor,
  treeDomain,
  treeOpsetVersion,
  writeModel,
} from './graph.ts';
import { refuse } from './protobuf.ts';
import { buildTreeNodes, buildTreeTensors, readTrees } from './trees.ts';

/** Which parts a classifier has; the graph adds their scores up. */
type Parts = { dense: boolean; ngrams: boolean; trees: Node[] };

function buildNodes({ dense, ngrams, trees }: Parts): Node[] {
  const nodes: Node[] = [];
  const scores: string[] = [];
  if (dense) {
    nodes.push(createNode('MatMul', ['dense', 'dense_weights'], 'dense_scores'));
    scores.push('dense_scores');
  }
  if (ngrams) {
    nodes.push(
      createNode('Gather', ['ngram_weights', 'ngram_indices'], 'ngram_rows', { axis: 0 }),
      createNode('Unsqueeze', ['ngram_values', 'last_axis'], 'ngram_column'),
      createNode('Mul', ['ngram_rows', 'ngram_column'], 'ngram_products'),
      createNode('ReduceSum', ['ngram_products', 'ngram_axis'], 'ngram_scores', { keepdims: 0 }),
    );
    scores.push('ngram_scores');
  }
  if (trees.length > 0) {
    nodes.push(...trees);
    scores.push('tree_scores');
  }
  const sum = scores.reduce((left, right, index) => {
    const output = index === scores.length - 1 ? 'scores' : `scores_${index}`;
    nodes.push(createNode('Add', [left, right], output));
    return output;
  }, scores.shift() ?? '');
  if (sum === '') nodes.push(createNode('Unsqueeze', ['bias', 'first_axis'], 'logits'));
  else nodes.push(createNode('Add', [sum, 'bias'], 'logits'));
  nodes.push(createNode('Softmax', ['logits'], 'probabilities', { axis: 1 }));
  return nodes;
}

/** The classifier as an ONNX file (opset 17, IR 8; ai.onnx.ml 3): the inputs the model has, and `probabilities`. */
export function exportClassifier(model: ClassifierModel): Uint8Array {
  const { D, V, K } = model;
  const linear = model.kind === 'trees' ? null : model;
  const trees = model.kind === 'logistic' ? null : model.trees;
  if (linear !== null && (linear.dense.length !== D * K || linear.ngram.length !== V * K || model.bias.length !== K)) {
    throw new Error(`classifier with D=${D}, V=${V}, K=${K} has weights of other sizes`);
  }
  const parts = { dense: linear !== null && D > 0, ngrams: linear !== null && V > 0 };
  const nodes = buildNodes({ ...parts, trees: trees === null ? [] : buildTreeNodes(trees) });
  const graph: Graph = { name: model.kind, nodes, initializers: [], inputs: [], outputs: [] };
  if (D > 0) graph.inputs.push({ name: 'dense', type: elementType.float32, dims: ['N', D] });
  if (linear !== null && D > 0) graph.initializers.push(toFloatTensor('dense_weights', [D, K], linear.dense));
  if (linear !== null && V > 0) {
    graph.inputs.push({ name: 'ngram_indices', type: elementType.int64, dims: ['N', 'M'] });
    graph.inputs.push({ name: 'ngram_values', type: elementType.float32, dims: ['N', 'M'] });
    graph.initializers.push(toFloatTensor('ngram_weights', [V, K], linear.ngram));
    graph.initializers.push(toIntTensor('last_axis', [2]), toIntTensor('ngram_axis', [1]));
  }
  if (trees !== null) graph.initializers.push(...buildTreeTensors(trees, D, K));
  if (D === 0 && V === 0) graph.initializers.push(toIntTensor('first_axis', [0]));
  graph.initializers.push(toFloatTensor('bias', [K], model.bias));
  graph.outputs.push({ name: 'probabilities', type: elementType.float32, dims: [D === 0 && V === 0 ? 1 : 'N', K] });
  return writeModel(graph, 'decision-workbench');
}

function readFloats(model: ReadModel, name: string, rank: number): { dims: number[]; data: Float32Array } | null {
  const found = model.initializers.filter((tensor) => tensor.name === name);
  const tensor = found[0];
  if (tensor === undefined) return null;
  if (found.length > 1) refuse(`has ${name} twice`);
  if (tensor.type !== elementType.float32 || tensor.dims.length !== rank)
    refuse(`${name} is not float32 of rank ${rank}`);
  const size = tensor.dims.reduce((product, dim) => product * dim, 1);
  if (size === 0 || tensor.raw.length !== size * 4) {
    refuse(`${name} declares [${tensor.dims.join(', ')}] but holds ${tensor.raw.length} bytes`);
  }
  const data = decodeFloats(tensor.raw);
  if (!data.every(Number.isFinite)) refuse(`${name} holds a number that is not finite`);
  return { dims: tensor.dims, data };
}

/** Refuses every graph but the one {@link exportClassifier} writes: other operators would mean other probabilities. */
function checkStructure(model: ReadModel, parts: Parts): void {
  if (model.graphs !== 1) refuse(`has ${model.graphs} graphs`);
  if (model.irVersion !== irVersion) refuse(`has IR version ${model.irVersion}, not ${irVersion}`);
  const opsets = model.opsets.map(({ domain, version }) => `${domain} ${version}`).join();
  const wanted = [` ${opsetVersion}`, ...(parts.trees.length > 0 ? [`${treeDomain} ${treeOpsetVersion}`] : [])].join();
  if (opsets !== wanted) refuse(`does not use exactly opset ${opsetVersion}`);
  if (model.initializers.some((tensor) => tensor.external)) refuse('refers to data outside the file');
  const expected = buildNodes(parts);
  const allowed = new Set(expected.map((entry) => `${entry.domain} ${entry.op}`));
  const foreign = model.nodes.find((entry) => !allowed.has(`${entry.domain} ${entry.op}`) || entry.hasSubgraph);
  if (foreign !== undefined)
    refuse(`uses the operator ${JSON.stringify(foreign.op.slice(0, 50))}, which is not allowed`);
  const shape = (entries: readonly { op: string; inputs: string[]; outputs: string[] }[]): string =>
    JSON.stringify(entries.map((entry) => [entry.op, entry.inputs, entry.outputs]));
  if (shape(model.nodes) !== shape(expected)) refuse('is not the graph of a classifier of this product');
  const inputs = [
    ...(parts.dense || parts.trees.length > 0 ? ['dense'] : []),
    ...(parts.ngrams ? ['ngram_indices', 'ngram_values'] : []),
  ];
  if (model.inputs.join() !== inputs.join() || model.outputs.join() !== 'probabilities') {
    refuse('has other inputs or outputs than a classifier of this product');
  }
}

/** Reads back what {@link exportClassifier} wrote; throws OnnxError for anything else. */
export function readClassifier(bytes: Uint8Array): ClassifierModel {
  const model = readModel(bytes);
  const bias = readFloats(model, 'bias', 1);
  const dense = readFloats(model, 'dense_weights', 2);
  const ngram = readFloats(model, 'ngram_weights', 2);
  const columns = readFloats(model, 'tree_columns', 2);
  const options = readFloats(model, 'tree_options', 2);
  const ensemble = model.nodes.find((entry) => entry.op === 'TreeEnsembleRegressor');
  checkStructure(model, {
    dense: dense !== null,
    ngrams: ngram !== null,
    trees: ensemble === undefined ? [] : buildTreeNodes(null),
  });
  if (bias === null) return refuse('has no bias');
  const K = bias.data.length;
  for (const part of [dense, ngram, options]) {
    if (part !== null && part.dims[1] !== K) refuse(`has weights for ${part.dims[1]} options and biases for ${K}`);
  }
  const linear = { dense: dense?.data ?? new Float32Array(0), ngram: ngram?.data ?? new Float32Array(0) };
  const D = dense?.dims[0] ?? columns?.dims[0] ?? 0;
  const shape = { bias: bias.data, D, V: ngram?.dims[0] ?? 0, K };
  if (ensemble === undefined) return { kind: 'logistic', ...linear, ...shape };
  if (columns === null || options === null) return refuse('has trees without columns or options');
  if (columns.dims[0] !== D) refuse(`has ${D} dense slots and trees over ${columns.dims[0]}`);
  const trees = readTrees(ensemble, columns, options);
  return dense === null && ngram === null
    ? { kind: 'trees', trees, ...shape }
    : { kind: 'blend', ...linear, trees, ...shape };
}
