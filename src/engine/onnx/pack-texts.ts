/** Texts of a batch without padding, one behind the other but for attention (Zhai et al. 2023, ByteTransformer). */
import { readKnownWirings, type TransformerFacts } from './encoder-facts.ts';
import { createNode, extendModel, type Node, toIntTensor, type Wiring } from './graph.ts';

type Tensors = TransformerFacts['tensors'];

/**
 * The encoder's graph with packed texts: the same embeddings but for the order of sums. Fill must follow the tokens.
 * Throws as {@link readKnownWirings}.
 */
export function packTexts(encoder: Uint8Array, facts: TransformerFacts): Uint8Array {
  const nodes = readKnownWirings(encoder, facts);
  const { heads, tensors, dimensions } = facts;
  const addition = {
    // ONNX Runtime brings nodes in order itself.
    nodes: [...listPlaces(), ...nodes.flatMap((node) => moveTokens(node, tensors))],
    initializers: [
      toIntTensor('packing_flat', [-1]),
      toIntTensor('packing_zero', [0]),
      toIntTensor('packing_one', [1]),
      toIntTensor('packing_tokens', [-1, dimensions]),
      toIntTensor('packing_heads', [heads, dimensions / heads]),
      toIntTensor('packing_dimensions', [dimensions]),
    ],
    outputs: [],
  };
  return extendModel(encoder, addition, (node) => rewire(node, tensors));
}

/** Nodes that make the places of tokens: `packed_from` and `padded_from`. */
function listPlaces(): Node[] {
  return [
    createNode('Reshape', ['attention_mask', 'packing_flat'], 'packing_mask'),
    createNode('NonZero', ['packing_mask'], 'packing_places'),
    createNode('Reshape', ['packing_places', 'packing_flat'], 'packed_from'),
    // Where a text has ended, its last token stands: nothing looks at it there, and it does not count.
    createNode('CumSum', ['packing_mask', 'packing_zero'], 'packing_count'),
    createNode('Sub', ['packing_count', 'packing_one'], 'packing_last'),
    createNode('Max', ['packing_last', 'packing_zero'], 'padded_from'),
    createNode('Shape', ['attention_mask'], 'packing_shape'),
    createNode('Concat', ['packing_shape', 'packing_heads'], 'packing_to_heads', { axis: 0 }),
    createNode('Concat', ['packing_shape', 'packing_dimensions'], 'packing_to_texts', { axis: 0 }),
  ];
}

/** Nodes that pack or unpack what a node of the encoder reads or writes. */
function moveTokens({ inputs, outputs }: Wiring, tensors: Tensors): Node[] {
  const { embedded, last_layer: last } = tensors;
  const [first = '', second] = inputs;
  const [output = ''] = outputs;
  if (second === tensors.to_heads) return [createNode('Gather', [first, 'padded_from'], `${first}_padded`)];
  if (second === tensors.from_heads) return [createNode('Gather', [`${output}_padded`, 'packed_from'], output)];
  if (output === embedded) {
    return [
      createNode('Reshape', [embedded, 'packing_tokens'], `${embedded}_padded`),
      createNode('Gather', [`${embedded}_padded`, 'packed_from'], `${embedded}_packed`),
    ];
  }
  if (output !== last) return [];
  return [
    createNode('Gather', [last, 'padded_from'], `${last}_padded`),
    createNode('Reshape', [`${last}_padded`, 'packing_to_texts'], `${last}_texts`),
  ];
}

/** Rewires a node of the encoder to what is packed or unpacked for it. */
function rewire({ op, inputs, outputs }: Wiring, tensors: Tensors): Wiring {
  const { embedded, last_layer: last } = tensors;
  const [first = '', second = '', ...rest] = inputs;
  const [output = ''] = outputs;
  if (second === tensors.to_heads) return { op, inputs: [`${first}_padded`, 'packing_to_heads'], outputs };
  if (second === tensors.from_heads) return { op, inputs: [first, 'packing_tokens'], outputs: [`${output}_padded`] };
  if (first === embedded) return { op, inputs: [`${embedded}_packed`, second, ...rest], outputs };
  if (output === tensors.pooled) return { op, inputs: [`${last}_texts`, second], outputs };
  return { op, inputs, outputs };
}
