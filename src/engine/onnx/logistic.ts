import type { LogisticModel } from '../classifiers/logistic-model.ts';
import { WorkbenchError } from '../errors.ts';
import {
  elementType,
  floatTensor,
  type Graph,
  intTensor,
  irVersion,
  type Node,
  opsetVersion,
  type ReadModel,
  readModel,
  writeModel,
} from './graph.ts';
import { ProtobufError } from './protobuf.ts';

const node = (op: string, inputs: string[], output: string, attributes: Record<string, number> = {}): Node => ({
  op,
  inputs,
  outputs: [output],
  attributes,
});

/** The scores' graph; which inputs exist depends on whether there are dense slots and n-grams. */
function nodesFor(hasDense: boolean, hasNgrams: boolean): Node[] {
  const nodes: Node[] = [];
  const scores: string[] = [];
  if (hasDense) {
    nodes.push(node('MatMul', ['dense', 'dense_weights'], 'dense_scores'));
    scores.push('dense_scores');
  }
  if (hasNgrams) {
    nodes.push(
      node('Gather', ['ngram_weights', 'ngram_indices'], 'ngram_rows', { axis: 0 }),
      node('Unsqueeze', ['ngram_values', 'last_axis'], 'ngram_column'),
      node('Mul', ['ngram_rows', 'ngram_column'], 'ngram_products'),
      node('ReduceSum', ['ngram_products', 'ngram_axis'], 'ngram_scores', { keepdims: 0 }),
    );
    scores.push('ngram_scores');
  }
  if (scores.length === 2) nodes.push(node('Add', scores, 'scores'));
  const last = scores.length === 2 ? 'scores' : scores[0];
  if (last === undefined) nodes.push(node('Unsqueeze', ['bias', 'first_axis'], 'logits'));
  else nodes.push(node('Add', [last, 'bias'], 'logits'));
  nodes.push(node('Softmax', ['logits'], 'probabilities', { axis: 1 }));
  return nodes;
}

/**
 * The classifier as an ONNX file (opset 17, IR 8): inputs `dense` [N, D], `ngram_indices` and `ngram_values` [N, M]
 * as far as the model has them, output `probabilities` [N, K]. A model without any input gives one row.
 */
export function exportLogistic(model: LogisticModel): Uint8Array {
  const { D, V, K } = model;
  if (model.dense.length !== D * K || model.ngram.length !== V * K || model.bias.length !== K) {
    throw new Error(`logistic model with D=${D}, V=${V}, K=${K} has weights of other sizes`);
  }
  const graph: Graph = { name: 'logistic', nodes: nodesFor(D > 0, V > 0), initializers: [], inputs: [], outputs: [] };
  if (D > 0) {
    graph.inputs.push({ name: 'dense', type: elementType.float32, dims: ['N', D] });
    graph.initializers.push(floatTensor('dense_weights', [D, K], model.dense));
  }
  if (V > 0) {
    graph.inputs.push({ name: 'ngram_indices', type: elementType.int64, dims: ['N', 'M'] });
    graph.inputs.push({ name: 'ngram_values', type: elementType.float32, dims: ['N', 'M'] });
    graph.initializers.push(floatTensor('ngram_weights', [V, K], model.ngram));
    graph.initializers.push(intTensor('last_axis', [2]), intTensor('ngram_axis', [1]));
  }
  if (D === 0 && V === 0) graph.initializers.push(intTensor('first_axis', [0]));
  graph.initializers.push(floatTensor('bias', [K], model.bias));
  graph.outputs.push({ name: 'probabilities', type: elementType.float32, dims: [D === 0 && V === 0 ? 1 : 'N', K] });
  return writeModel(graph, 'decision-workbench');
}

function refuse(problem: string): never {
  throw new WorkbenchError(
    'validation_error',
    `Bundle entry classifier.onnx: ${problem}. Export the bundle again, or train the type again.`,
    [{ type: 'bundle', loc: ['bundle', 'classifier.onnx'], msg: problem }],
  );
}

function outline(bytes: Uint8Array): ReadModel {
  try {
    return readModel(bytes);
  } catch (error) {
    if (error instanceof ProtobufError) return refuse(`is not an ONNX file (${error.message})`);
    throw error;
  }
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
  const view = new DataView(tensor.raw.buffer, tensor.raw.byteOffset, tensor.raw.byteLength);
  const data = new Float32Array(size);
  for (let index = 0; index < size; index++) {
    const value = view.getFloat32(index * 4, true);
    if (!Number.isFinite(value)) refuse(`${name} holds a number that is not finite`);
    data[index] = value;
  }
  return { dims: tensor.dims, data };
}

/** Refuses every graph but the one {@link exportLogistic} writes: other operators would mean other probabilities. */
function checkStructure(model: ReadModel, hasDense: boolean, hasNgrams: boolean): void {
  if (model.graphs !== 1) refuse(`has ${model.graphs} graphs`);
  if (model.irVersion !== irVersion) refuse(`has IR version ${model.irVersion}, not ${irVersion}`);
  const opset = model.opsets[0];
  if (model.opsets.length !== 1 || opset?.domain !== '' || opset.version !== opsetVersion) {
    refuse(`does not use exactly opset ${opsetVersion}`);
  }
  if (model.initializers.some((tensor) => tensor.external)) refuse('refers to data outside the file');
  const expected = nodesFor(hasDense, hasNgrams);
  const allowed = new Set(expected.map((entry) => entry.op));
  const foreign = model.nodes.find((entry) => entry.domain !== '' || !allowed.has(entry.op) || entry.hasSubgraph);
  if (foreign !== undefined)
    refuse(`uses the operator ${JSON.stringify(foreign.op.slice(0, 50))}, which is not allowed`);
  const shape = (entries: readonly { op: string; inputs: string[]; outputs: string[] }[]): string =>
    JSON.stringify(entries.map((entry) => [entry.op, entry.inputs, entry.outputs]));
  if (shape(model.nodes) !== shape(expected)) refuse('is not the graph of a logistic classifier');
  const inputs = [...(hasDense ? ['dense'] : []), ...(hasNgrams ? ['ngram_indices', 'ngram_values'] : [])];
  if (model.inputs.join() !== inputs.join() || model.outputs.join() !== 'probabilities') {
    refuse('has other inputs or outputs than a logistic classifier');
  }
}

/**
 * Reads the weights back out of a file that {@link exportLogistic} wrote. Anything else (other operators, data outside
 * the file, sizes that do not match the bytes, numbers that are not finite) is a WorkbenchError 'validation_error'.
 */
export function readLogistic(bytes: Uint8Array): LogisticModel {
  const model = outline(bytes);
  const bias = readFloats(model, 'bias', 1);
  const dense = readFloats(model, 'dense_weights', 2);
  const ngram = readFloats(model, 'ngram_weights', 2);
  checkStructure(model, dense !== null, ngram !== null);
  if (bias === null) return refuse('has no bias');
  const K = bias.data.length;
  for (const part of [dense, ngram]) {
    if (part !== null && part.dims[1] !== K) refuse(`has weights for ${part.dims[1]} options and biases for ${K}`);
  }
  return {
    kind: 'logistic',
    dense: dense?.data ?? new Float32Array(0),
    ngram: ngram?.data ?? new Float32Array(0),
    bias: bias.data,
    D: dense?.dims[0] ?? 0,
    V: ngram?.dims[0] ?? 0,
    K,
  };
}
