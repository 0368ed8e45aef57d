import {
  allBytes,
  bytesField,
  message,
  numberField,
  numberOf,
  numbersOf,
  readFields,
  textField,
  textOf,
} from './protobuf.ts';

/** ONNX element types that are used here. */
export const elementType = { float32: 1, int64: 7 } as const;
type ElementType = (typeof elementType)[keyof typeof elementType];

export const opsetVersion = 17;
export const irVersion = 8;

export type Tensor = { name: string; dims: number[]; type: ElementType; raw: Uint8Array };
export type Node = { op: string; inputs: string[]; outputs: string[]; attributes: Record<string, number> };
/** A string in `dims` names a free dimension. */
export type Value = { name: string; type: ElementType; dims: (number | string)[] };
export type Graph = { name: string; nodes: Node[]; initializers: Tensor[]; inputs: Value[]; outputs: Value[] };

/** Row-major float32 tensor, little-endian as ONNX wants it. */
export function floatTensor(name: string, dims: number[], data: Float32Array): Tensor {
  const raw = new Uint8Array(data.length * 4);
  const view = new DataView(raw.buffer);
  data.forEach((value, index) => {
    view.setFloat32(index * 4, value, true);
  });
  return { name, dims, type: elementType.float32, raw };
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

function writeNode(node: Node, index: number): Uint8Array {
  const attributes = Object.entries(node.attributes).map(([name, value]) =>
    bytesField(5, message([textField(1, name), numberField(3, value), numberField(20, 2)])),
  );
  return message([
    ...node.inputs.map((input) => textField(1, input)),
    ...node.outputs.map((output) => textField(2, output)),
    textField(3, `${node.op}_${index}`),
    textField(4, node.op),
    ...attributes,
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

/** The bytes of an ONNX file (ModelProto) with one graph of standard operators. */
export function writeModel(graph: Graph, producer: string): Uint8Array {
  const body = message([
    ...graph.nodes.map((node, index) => bytesField(1, writeNode(node, index))),
    textField(2, graph.name),
    ...graph.initializers.map((tensor) => bytesField(5, writeTensor(tensor))),
    ...graph.inputs.map((value) => bytesField(11, writeValue(value))),
    ...graph.outputs.map((value) => bytesField(12, writeValue(value))),
  ]);
  const opset = message([textField(1, ''), numberField(2, opsetVersion)]);
  return message([numberField(1, irVersion), textField(2, producer), bytesField(7, body), bytesField(8, opset)]);
}

/** A tensor as it stands in a foreign file: nothing about it is checked yet. */
export type ReadTensor = { name: string; dims: number[]; type: number; raw: Uint8Array; external: boolean };
export type ReadModel = {
  irVersion: number;
  opsets: { domain: string; version: number }[];
  graphs: number;
  nodes: { op: string; domain: string; inputs: string[]; outputs: string[]; hasSubgraph: boolean }[];
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
    irVersion: numberOf(model, 1),
    opsets: allBytes(model, 8).map((entry) => {
      const fields = readFields(entry);
      return { domain: textOf(fields, 1), version: numberOf(fields, 2) };
    }),
    graphs: graphs.length,
    nodes: allBytes(graph, 1).map((entry) => {
      const fields = readFields(entry);
      return {
        op: textOf(fields, 4),
        domain: textOf(fields, 7),
        inputs: allBytes(fields, 1).map((value) => textOf([{ number: 1, type: 'bytes', value }], 1)),
        outputs: allBytes(fields, 2).map((value) => textOf([{ number: 1, type: 'bytes', value }], 1)),
        // Attributes of kind graph (6) or graphs (11) could hide operators from the list.
        hasSubgraph: allBytes(fields, 5).some((attribute) =>
          readFields(attribute).some(({ number }) => number === 6 || number === 11),
        ),
      };
    }),
    initializers: allBytes(graph, 5).map((entry) => {
      const fields = readFields(entry);
      return {
        name: textOf(fields, 8),
        dims: numbersOf(fields, 1),
        type: numberOf(fields, 2),
        raw: allBytes(fields, 9).at(-1) ?? new Uint8Array(0),
        external: allBytes(fields, 13).length > 0 || numberOf(fields, 14) !== 0,
      };
    }),
    inputs: allBytes(graph, 11).map((entry) => textOf(readFields(entry), 1)),
    outputs: allBytes(graph, 12).map((entry) => textOf(readFields(entry), 1)),
  };
}
