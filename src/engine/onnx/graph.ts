/** ONNX files as far as classifiers need them: written from a graph, and read back without believing anything. */
import {
  allBytes,
  bytesField,
  floatBytes,
  floatsField,
  message,
  numberField,
  numbersField,
  readFields,
  readNumber,
  readNumbers,
  readText,
  textField,
  type WireField,
} from './protobuf.ts';

/** A file that is ONNX but not a classifier of this product; the message is a clause about the file. */
export class GraphError extends Error {
  override readonly name = 'GraphError';
}

/** Refuses a file that is being read. */
export function refuse(problem: string): never {
  throw new GraphError(problem);
}

/** ONNX element types that are used here. */
export const elementType = { float32: 1, int64: 7 } as const;
type ElementType = (typeof elementType)[keyof typeof elementType];

export const opsetVersion = 17;
export const irVersion = 8;
/** The operators of ONNX for trees have a domain of their own. */
export const treeDomain = 'ai.onnx.ml';
export const treeOpsetVersion = 3;

export type Tensor = { name: string; dims: number[]; type: ElementType; raw: Uint8Array };
/** A whole number, a text, or a list of whole numbers, float32 numbers or texts. */
type Attribute = number | string | Int32Array | Float32Array | readonly string[];
export type Node = {
  op: string;
  domain: '' | typeof treeDomain;
  inputs: string[];
  outputs: string[];
  attributes: Record<string, Attribute>;
};
/** A string in `dims` names a free dimension. */
export type Value = { name: string; type: ElementType; dims: (number | string)[] };
export type Graph = { name: string; nodes: Node[]; initializers: Tensor[]; inputs: Value[]; outputs: Value[] };

/** Row-major float32 tensor, little-endian as ONNX wants it. */
export function floatTensor(name: string, dims: number[], data: Float32Array): Tensor {
  return { name, dims, type: elementType.float32, raw: floatBytes(data) };
}

/** One-dimensional int64 tensor of whole numbers. */
export function intTensor(name: string, values: readonly number[]): Tensor {
  const raw = new Uint8Array(values.length * 8);
  const view = new DataView(raw.buffer);
  values.forEach((value, index) => {
    view.setBigInt64(index * 8, BigInt(value), true);
  });
  return { name, dims: [values.length], type: elementType.int64, raw };
}

/** An AttributeProto; its field 20 names the type of the value. */
function writeAttribute(name: string, value: Attribute): Uint8Array {
  const parts = [textField(1, name)];
  if (typeof value === 'number') parts.push(numberField(3, value), numberField(20, 2));
  else if (typeof value === 'string') parts.push(textField(4, value), numberField(20, 3));
  else if (value instanceof Float32Array) parts.push(floatsField(7, value), numberField(20, 6));
  else if (value instanceof Int32Array) parts.push(numbersField(8, value), numberField(20, 7));
  else parts.push(...value.map((text) => textField(9, text)), numberField(20, 8));
  return message(parts);
}

function writeNode(node: Node, index: number): Uint8Array {
  return message([
    ...node.inputs.map((input) => textField(1, input)),
    ...node.outputs.map((output) => textField(2, output)),
    textField(3, `${node.op}_${index}`),
    textField(4, node.op),
    ...Object.entries(node.attributes).map(([name, value]) => bytesField(5, writeAttribute(name, value))),
    ...(node.domain === '' ? [] : [textField(7, node.domain)]),
  ]);
}

const writeTensor = (tensor: Tensor): Uint8Array =>
  message([
    ...tensor.dims.map((dim) => numberField(1, dim)),
    numberField(2, tensor.type),
    textField(8, tensor.name),
    bytesField(9, tensor.raw),
  ]);

function writeValue(value: Value): Uint8Array {
  const dims = value.dims.map((dim) =>
    bytesField(1, typeof dim === 'number' ? numberField(1, dim) : textField(2, dim)),
  );
  const tensorType = message([numberField(1, value.type), bytesField(2, message(dims))]);
  return message([textField(1, value.name), bytesField(2, bytesField(1, tensorType))]);
}

/** The bytes of an ONNX file (ModelProto) with one graph; it asks for the tree operators only where it has them. */
export function writeModel(graph: Graph, producer: string): Uint8Array {
  const body = message([
    ...graph.nodes.map((node, index) => bytesField(1, writeNode(node, index))),
    textField(2, graph.name),
    ...graph.initializers.map((tensor) => bytesField(5, writeTensor(tensor))),
    ...graph.inputs.map((value) => bytesField(11, writeValue(value))),
    ...graph.outputs.map((value) => bytesField(12, writeValue(value))),
  ]);
  const opsets = [message([textField(1, ''), numberField(2, opsetVersion)])];
  if (graph.nodes.some((node) => node.domain === treeDomain)) {
    opsets.push(message([textField(1, treeDomain), numberField(2, treeOpsetVersion)]));
  }
  return message([
    numberField(1, irVersion),
    textField(2, producer),
    bytesField(7, body),
    ...opsets.map((opset) => bytesField(8, opset)),
  ]);
}

/** A tensor as it stands in a foreign file: nothing about it is checked yet. */
export type ReadTensor = { name: string; dims: number[]; type: number; raw: Uint8Array; external: boolean };
export type ReadNode = {
  op: string;
  domain: string;
  inputs: string[];
  outputs: string[];
  hasSubgraph: boolean;
  /** The fields of each AttributeProto, by its name. */
  attributes: Map<string, WireField[]>;
};
export type ReadModel = {
  irVersion: number;
  opsets: { domain: string; version: number }[];
  graphs: number;
  nodes: ReadNode[];
  initializers: ReadTensor[];
  inputs: string[];
  outputs: string[];
};

/** Reads the outline of an ONNX file. Throws ProtobufError where the bytes are no such file. */
export function readModel(bytes: Uint8Array): ReadModel {
  const model = readFields(bytes);
  const graphs = allBytes(model, 7);
  const graph = readFields(graphs[0] ?? new Uint8Array(0));
  return {
    irVersion: readNumber(model, 1),
    opsets: allBytes(model, 8).map((entry) => {
      const fields = readFields(entry);
      return { domain: readText(fields, 1), version: readNumber(fields, 2) };
    }),
    graphs: graphs.length,
    nodes: allBytes(graph, 1).map((entry) => {
      const fields = readFields(entry);
      const attributes = allBytes(fields, 5).map(readFields);
      return {
        op: readText(fields, 4),
        domain: readText(fields, 7),
        inputs: allBytes(fields, 1).map((value) => readText([{ number: 1, type: 'bytes', value }], 1)),
        outputs: allBytes(fields, 2).map((value) => readText([{ number: 1, type: 'bytes', value }], 1)),
        // Attributes of kind graph (6) or graphs (11) could hide operators from the list.
        hasSubgraph: attributes.some((attribute) => attribute.some(({ number }) => number === 6 || number === 11)),
        attributes: new Map(attributes.map((attribute) => [readText(attribute, 1), attribute])),
      };
    }),
    initializers: allBytes(graph, 5).map((entry) => {
      const fields = readFields(entry);
      return {
        name: readText(fields, 8),
        dims: readNumbers(fields, 1),
        type: readNumber(fields, 2),
        raw: allBytes(fields, 9).at(-1) ?? new Uint8Array(0),
        external: allBytes(fields, 13).length > 0 || readNumber(fields, 14) !== 0,
      };
    }),
    inputs: allBytes(graph, 11).map((entry) => readText(readFields(entry), 1)),
    outputs: allBytes(graph, 12).map((entry) => readText(readFields(entry), 1)),
  };
}
