/**
 * How much each token of a text adds to a linear function of the text's embedding. A gate on a token scales how much
 * all attention looks at it, and its part in the mean that the embedding is; closed, the token is as good as left out.
 * The derivative by the gate, at a gate that is open, is what leaving the token out takes away, to first order (gates
 * on attention: Michel et al. 2019, there on heads). One run of the graph gives it for all tokens of the text.
 */
import { limits } from '../limits.ts';
import type { Adapters, ModelFeed } from '../ports.ts';
import { toAdapterFeeds } from '../text/adapters.ts';
import { padTexts } from '../text/encoder-input.ts';
import { readKnownWirings, type TuningGraphFacts } from './encoder-facts.ts';
import { createNode, elementType, extendModel, type Node, toIntTensor, type Wiring } from './graph.ts';

/** The output that {@link addTokenGates} adds to the graph: float32 [texts, tokens]. */
export const gatesOutput = 'token_gates';

const sumOver = (inputs: string[], output: string): Node => createNode('ReduceSum', inputs, output, { keepdims: 0 });

/** The graph of a tuning step with the gates' derivatives as output. Throws as {@link readKnownWirings}. */
export function addTokenGates(tuningGraph: Uint8Array, facts: TuningGraphFacts): Uint8Array {
  readKnownWirings(tuningGraph, facts);
  const { attention_gradients, last_layer, mean, mean_gradient } = facts.tensors;
  const ofLayers = attention_gradients.map((gradient, layer) =>
    sumOver([gradient, 'gates_axes'], `gates_attention${layer}`),
  );
  const nodes = [
    ...ofLayers,
    createNode('Unsqueeze', [mean, 'gates_token_axis'], 'gates_mean'),
    createNode('Sub', [last_layer, 'gates_mean'], 'gates_centred'),
    createNode('Mul', ['gates_centred', mean_gradient], 'gates_products'),
    sumOver(['gates_products', 'gates_dimension_axis'], 'gates_pooling'),
    createNode('Sum', [...ofLayers.flatMap(({ outputs }) => outputs), 'gates_pooling'], gatesOutput),
  ];
  const addition = {
    nodes,
    initializers: [
      toIntTensor('gates_axes', [1, 2]),
      toIntTensor('gates_token_axis', [1]),
      toIntTensor('gates_dimension_axis', [-1]),
    ],
    outputs: [{ name: gatesOutput, type: elementType.float32, dims: ['B', 'S'] }],
  };
  // Without dropout nothing is drawn, but its random numbers, each compared with 0, would take an eighth of the time.
  const drawNothing = (node: Wiring): Wiring => (node.op === 'RandomUniformLike' ? { ...node, op: 'Abs' } : node);
  return extendModel(tuningGraph, addition, drawNothing);
}

/** Builds the feeds that weigh tokens by `embedding · direction`: the gradient of a head of one option. */
export function feedTokenGates(
  ids: readonly number[],
  direction: Float32Array,
  adapters: Adapters,
  headScale: number,
): ModelFeed[] {
  const text = padTexts([ids]);
  return [
    { name: 'input_ids', dims: text.dims, data: text.ids },
    { name: 'attention_mask', dims: text.dims, data: text.mask },
    { name: 'drop', dims: [], data: Float32Array.of(0) },
    ...toAdapterFeeds(adapters),
    { name: 'head_w', dims: [1, limits.embeddingDimensions], data: direction.map((number) => number / headScale) },
    { name: 'head_b', dims: [1], data: Float32Array.of(0) },
    { name: 'target', dims: [1, 1], data: Float32Array.of(0) },
    { name: 'positives', dims: [1, 1], data: Float32Array.of(0) },
  ];
}
