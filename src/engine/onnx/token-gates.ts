/**
 * How much each token of a text adds to a linear function of the text's embedding. A gate on a token scales how much all
 * attention looks at it, and its part in the mean that the embedding is; closed, the token is as good as left out. The
 * derivative by the gate, at a gate that is open, is what leaving the token out takes away, to first order (gates on
 * attention: Michel et al. 2019, there on heads). One run of the graph gives it for all tokens of the text.
 */
import { limits } from '../limits.ts';
import type { Adapters, ModelFeed } from '../ports.ts';
import { toAdapterFeeds } from '../text/adapters.ts';
import { padTexts } from '../text/encoder-input.ts';
import { createNode, elementType, extendModel, type Node, toIntTensor, type Wiring } from './graph.ts';

const layers = 6;
/** What {@link addTokenGates} adds to the outputs of the graph: float32 [texts, tokens]. */
export const gatesOutput = 'token_gates';
/** The graph multiplies the logits of its head by this. */
const headScale = 20;

/** Takes away the dimensions that it sums over. */
const sumOver = (inputs: string[], output: string): Node => createNode('ReduceSum', inputs, output, { keepdims: 0 });

/**
 * The graph of a tuning step (`encoder-training-step.onnx`) with one more output, in which the gates' derivatives stand.
 * They are made of what the graph has anyway: of each layer the attention's probabilities times their gradients, centred
 * (`b…_ds0`, [texts, heads, from, to]), and of the mean its tokens (`l5_x2`) and its gradient (`dm3`).
 */
export function addTokenGates(tuningGraph: Uint8Array): Uint8Array {
  const ofLayers = Array.from({ length: layers }, (_, layer) =>
    sumOver([`b${layer}_ds0`, 'gates_axes'], `gates_attention${layer}`),
  );
  const nodes = [
    ...ofLayers,
    createNode('Unsqueeze', ['mean', 'ax1'], 'gates_mean'),
    createNode('Sub', [`l${layers - 1}_x2`, 'gates_mean'], 'gates_centred'),
    createNode('Mul', ['gates_centred', 'dm3'], 'gates_products'),
    sumOver(['gates_products', 'axm1'], 'gates_pooling'),
    createNode('Sum', [...ofLayers.flatMap(({ outputs }) => outputs), 'gates_pooling'], gatesOutput),
  ];
  const addition = {
    nodes,
    initializers: [toIntTensor('gates_axes', [1, 2])],
    outputs: [{ name: gatesOutput, type: elementType.float32, dims: ['B', 'S'] }],
  };
  // Without dropout nothing is drawn, but its random numbers, each compared with 0, would take an eighth of the time.
  const drawNothing = (node: Wiring): Wiring => (node.op === 'RandomUniformLike' ? { ...node, op: 'Abs' } : node);
  return extendModel(tuningGraph, addition, drawNothing);
}

/**
 * What the graph is fed with to weigh the tokens of a text by `embedding · direction`. A head of one option has a loss
 * that never changes, and the logit itself as its gradient where the target is nothing.
 */
export function feedTokenGates(ids: readonly number[], direction: Float32Array, adapters: Adapters): ModelFeed[] {
  const text = padTexts([ids]);
  return [
    { name: 'input_ids', dims: text.dims, data: text.ids },
    { name: 'attention_mask', dims: text.dims, data: text.mask },
    { name: 'drop', dims: [], data: Float32Array.of(0) },
    ...toAdapterFeeds(adapters),
    {
      name: 'head_w',
      dims: [1, limits.embeddingDimensions],
      data: direction.map((number) => number / headScale),
    },
    { name: 'head_b', dims: [1], data: Float32Array.of(0) },
    { name: 'target', dims: [1, 1], data: Float32Array.of(0) },
    { name: 'positives', dims: [1, 1], data: Float32Array.of(0) },
  ];
}
