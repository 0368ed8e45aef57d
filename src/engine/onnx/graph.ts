/** ONNX files as far as they are needed here: written from a graph, extended, and read without believing anything. */
import { strFromU8 } from 'fflate';
import { toFloatBytes } from '../numeric.ts';
import {
  encodeBytes,
  encodeField,
  encodeMessage,
  encodeNumber,
  encodeNumbers,
  encodeParts,
  encodeString,
  listBytes,
  readFields,
  readNumber,
  readNumbers,
  readString,
  type WireField,
} from './protobuf.ts';

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
type Value = { name: string; type: ElementType; dims: (number | string)[] };
export type Graph = { name: string; nodes: Node[]; initializers: Tensor[]; inputs: Value[]; outputs: Value[] };

/** A node of a standard operator with one output. */
export const createNode = (
  op: string,
  inputs: string[],
  output: string,
  attributes: Node['attributes'] = {},
): Node => ({ op, domain: '', inputs, outputs: [output], attributes });

/** Row-major float32 tensor, little-endian as ONNX wants it. */
export function toFloatTensor(name: string, dims: number[], data: Float32Array): Tensor {
  return { name, dims, type: elementType.float32, raw: toFloatBytes(data) };
}

/** One-dimensional int64 tensor of whole numbers. */
export function toIntTensor(name: string, values: readonly number[]): Tensor {
  const raw = new Uint8Array(values.length * 8);
  const view = new DataView(raw.buffer);
  values.forEach((value, index) => {
    view.setBigInt64(index * 8, BigInt(value), true);
  });
  return { name, dims: [values.length], type: elementType.int64, raw };
}

/** An AttributeProto; its field 20 names the type of the value. */
function writeAttribute(name: string, value: Attribute): Uint8Array {
  const parts = [encodeString(1, name)];
  if (typeof value === 'number') parts.push(encodeNumber(3, value), encodeNumber(20, 2));
  else if (typeof value === 'string') parts.push(encodeString(4, value), encodeNumber(20, 3));
  else if (value instanceof Float32Array) parts.push(encodeBytes(7, toFloatBytes(value)), encodeNumber(20, 6));
  else if (value instanceof Int32Array) parts.push(encodeNumbers(8, value), encodeNumber(20, 7));
  else parts.push(...value.map((text) => encodeString(9, text)), encodeNumber(20, 8));
  return encodeMessage(parts);
}

function writeNode(node: Node, index: number): Uint8Array {
  return encodeMessage([
    ...node.inputs.map((input) => encodeString(1, input)),
    ...node.outputs.map((output) => encodeString(2, output)),
    encodeString(3, `${node.op}_${index}`),
    encodeString(4, node.op),
    ...Object.entries(node.attributes).map(([name, value]) => encodeBytes(5, writeAttribute(name, value))),
    ...(node.domain === '' ? [] : [encodeString(7, node.domain)]),
  ]);
}

const writeTensor = (tensor: Tensor): Uint8Array =>
  encodeMessage([
    ...tensor.dims.map((dim) => encodeNumber(1, dim)),
    encodeNumber(2, tensor.type),
    encodeString(8, tensor.name),
    encodeBytes(9, tensor.raw),
  ]);

function writeValue(value: Value): Uint8Array {
  const dims = value.dims.map((dim) =>
    encodeBytes(1, typeof dim === 'number' ? encodeNumber(1, dim) : encodeString(2, dim)),
  );
  const tensorType = encodeMessage([encodeNumber(1, value.type), encodeBytes(2, encodeMessage(dims))]);
  return encodeMessage([encodeString(1, value.name), encodeBytes(2, encodeBytes(1, tensorType))]);
}

const writeGraph = (name: Uint8Array[], graph: Omit<Graph, 'name'>): Uint8Array =>
  encodeMessage([
    ...graph.nodes.map((node, index) => encodeBytes(1, writeNode(node, index))),
    ...name,
    ...graph.initializers.map((tensor) => encodeBytes(5, writeTensor(tensor))),
    ...graph.inputs.map((value) => encodeBytes(11, writeValue(value))),
    ...graph.outputs.map((value) => encodeBytes(12, writeValue(value))),
  ]);

/** A node: its operator, and the names of the tensors that it reads and writes. */
export type Wiring = { op: string; inputs: string[]; outputs: string[] };

/** An ONNX file with more nodes, constants and outputs behind its own, which `rewire` may change. */
export function extendModel(
  file: Uint8Array,
  addition: Omit<Graph, 'name' | 'inputs'>,
  rewire: (wiring: Wiring) => Wiring,
): Uint8Array {
  const model = readFields(file);
  const graph = listBytes(model, 7).flatMap(readFields);
  return encodeMessage([
    ...model.filter(({ number }) => number !== 7).map(encodeField),
    ...encodeParts(7, [
      ...graph.flatMap((field) => {
        if (field.type !== 'bytes') return [encodeField(field)];
        return encodeParts(field.number, [field.number === 1 ? rewireNode(field.value, rewire) : field.value]);
      }),
      writeGraph([], { ...addition, inputs: [] }),
    ]),
  ]);
}

function rewireNode(bytes: Uint8Array, rewire: (wiring: Wiring) => Wiring): Uint8Array {
  const fields = readFields(bytes);
  const before = readWiring(fields);
  const { op, inputs, outputs } = rewire(before);
  const replaced = op === before.op ? [1, 2, 4] : [1, 2, 4, 5];
  return encodeMessage([
    ...inputs.map((input) => encodeString(1, input)),
    ...outputs.map((output) => encodeString(2, output)),
    encodeString(4, op),
    ...fields.filter(({ number }) => !replaced.includes(number)).map(encodeField),
  ]);
}

/** The bytes of an ONNX file (ModelProto) with one graph; it asks for the tree operators only where it has them. */
export function writeModel(graph: Graph, producer: string): Uint8Array {
  const body = writeGraph([encodeString(2, graph.name)], graph);
  const opsets = [encodeMessage([encodeString(1, ''), encodeNumber(2, opsetVersion)])];
  if (graph.nodes.some((node) => node.domain === treeDomain)) {
    opsets.push(encodeMessage([encodeString(1, treeDomain), encodeNumber(2, treeOpsetVersion)]));
  }
  return encodeMessage([
    encodeNumber(1, irVersion),
    encodeString(2, producer),
    encodeBytes(7, body),
    ...opsets.map((opset) => encodeBytes(8, opset)),
  ]);
}

/** A tensor as it stands in a foreign file: nothing about it is checked yet. */
type ReadTensor = { name: string; dims: number[]; type: number; raw: Uint8Array; external: boolean };
export type ReadNode = Wiring & {
  domain: string;
  hasSubgraph: boolean;
  attributes: Map<string, WireField[]>;
};
export type ReadModel = ReturnType<typeof readModel>;

function readWiring(node: readonly WireField[]): Wiring {
  const listNames = (field: number) => listBytes(node, field).map((value) => strFromU8(value));
  return { op: readString(node, 4), inputs: listNames(1), outputs: listNames(2) };
}

/** The nodes of an ONNX file without their attributes. Throws OnnxError where the bytes are no such file. */
export const readWirings = (file: Uint8Array): Wiring[] =>
  listBytes(listBytes(readFields(file), 7).flatMap(readFields), 1).map((node) => readWiring(readFields(node)));

/** Reads inputs and outputs of an ONNX file, whatever its nodes are. Throws OnnxError if it is not one. */
export function readInterface(bytes: Uint8Array) {
  const graph = listBytes(readFields(bytes), 7).flatMap(readFields);
  const read = (number: number) => listBytes(graph, number).map(readFields);
  const within = (fields: readonly WireField[], number: number) => listBytes(fields, number).flatMap(readFields);
  const weights = read(5);
  const known = new Set(weights.map((fields) => readString(fields, 8)));
  return {
    /** Without those that have a value in the file. */
    inputs: read(11)
      .map((fields) => readString(fields, 1))
      .filter((name) => !known.has(name)),
    /** The last dimension of each output, null where it is not fixed. */
    outputs: new Map(
      read(12).map((fields) => {
        // The shape of its tensor's type.
        const width = listBytes(within(within(within(fields, 2), 1), 2), 1).at(-1);
        return [readString(fields, 1), width === undefined ? null : readNumber(readFields(width), 1) || null];
      }),
    ),
    /** Whether weights lie in another file. */
    isExternal: weights.some((fields) => listBytes(fields, 13).length > 0),
  };
}

/** Reads the outline of an ONNX file. Throws OnnxError where the bytes are no such file. */
export function readModel(bytes: Uint8Array) {
  const model = readFields(bytes);
  const graphs = listBytes(model, 7);
  const graph = readFields(graphs[0] ?? new Uint8Array(0));
  return {
    irVersion: readNumber(model, 1),
    opsets: listBytes(model, 8).map((entry) => {
      const fields = readFields(entry);
      return { domain: readString(fields, 1), version: readNumber(fields, 2) };
    }),
    graphs: graphs.length,
    nodes: listBytes(graph, 1).map((entry): ReadNode => {
      const fields = readFields(entry);
      const attributes = listBytes(fields, 5).map(readFields);
      return {
        ...readWiring(fields),
        domain: readString(fields, 7),
        // Attributes of kind graph (6) or graphs (11) could hide operators from the list.
        hasSubgraph: attributes.some((attribute) => attribute.some(({ number }) => number === 6 || number === 11)),
        attributes: new Map(attributes.map((attribute) => [readString(attribute, 1), attribute])),
      };
    }),
    initializers: listBytes(graph, 5).map((entry): ReadTensor => {
      const fields = readFields(entry);
      return {
        name: readString(fields, 8),
        dims: readNumbers(fields, 1),
        type: readNumber(fields, 2),
        raw: listBytes(fields, 9).at(-1) ?? new Uint8Array(0),
        external: listBytes(fields, 13).length > 0 || readNumber(fields, 14) !== 0,
      };
    }),
    inputs: listBytes(graph, 11).map((entry) => readString(readFields(entry), 1)),
    outputs: listBytes(graph, 12).map((entry) => readString(readFields(entry), 1)),
  };
}
