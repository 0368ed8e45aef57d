/** Facts of the encoder's graphs, written beside them by the scripts that build them. */
import { z } from 'zod';
import { WorkbenchError } from '../errors.ts';
import { frameSchema } from '../features/plan.ts';
import { readWirings, type Wiring } from './graph.ts';

const tensor = z.string().min(1);

const ofEveryEncoder = {
  /** The model that it was made from, as model cards name it. */
  base_model: z.string().min(1),
  dimensions: z.int().positive(),
  /** The languages that it was trained on, by ISO 639-1; none where that is not known. */
  languages: z.array(z.string().regex(/^[a-z]{2}$/)),
  /** Left out: [CLS] and [SEP]. */
  frame: frameSchema.optional(),
};

/** A transformer with adapters: the heads of its attention, and names of tensors in its graph. */
const transformerFacts = z.strictObject({
  kind: z.literal('transformer'),
  ...ofEveryEncoder,
  heads: z.int().positive(),
  tensors: z.strictObject({
    /** The sum of the embeddings of words, places and kinds. */
    embedded: tensor,
    /** The output of the last layer. */
    last_layer: tensor,
    /** The tokens that are summed up to the text's embedding. */
    pooled: tensor,
    /** The shapes that attention begins and ends with. */
    to_heads: tensor,
    from_heads: tensor,
  }),
});
export type TransformerFacts = z.infer<typeof transformerFacts>;

/** Any other encoder: its batches are padded, and it is neither tuned nor weighed by words. */
const plainFacts = z.strictObject({ kind: z.literal('plain'), ...ofEveryEncoder });

/** `encoder.json`: the facts of `encoder.onnx`. */
export const encoderFacts = z.discriminatedUnion('kind', [transformerFacts, plainFacts]);
export type EncoderFacts = z.infer<typeof encoderFacts>;

/** `encoder-training-step.json`: the scale of the head in `encoder-training-step.onnx`, and names of tensors there. */
export const tuningGraphFacts = z.strictObject({
  /** The graph multiplies the logits of its head by this. */
  head_scale: z.number().positive(),
  tensors: z.strictObject({
    /** Each layer's attention probabilities times their gradients, centred: [texts, heads, from, to]. */
    attention_gradients: z.array(tensor).min(1),
    last_layer: tensor,
    mean: tensor,
    mean_gradient: tensor,
  }),
});
export type TuningGraphFacts = z.infer<typeof tuningGraphFacts>;

/** Reads the nodes of a graph; throws `unavailable` where it lacks a tensor of the facts, or OnnxError. */
export function readKnownWirings(
  file: Uint8Array,
  { tensors }: { tensors: Readonly<Record<string, string | readonly string[]>> },
): Wiring[] {
  const nodes = readWirings(file);
  const names = new Set(nodes.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]));
  const missing = Object.values(tensors)
    .flat()
    .find((name) => !names.has(name));
  if (missing === undefined) return nodes;
  const message =
    `The graph of the text model has no tensor "${missing}", which the description beside it names. ` +
    'Put back both files, or install the program again.';
  throw new WorkbenchError('unavailable', message);
}
