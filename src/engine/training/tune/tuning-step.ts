/** One step of fine-tuning: cross-entropy of a linear head plus supervised contrastive loss (Khosla et al. 2020). */
import { limits } from '../../limits.ts';
import type { ModelFeed, ModelSession } from '../../ports.ts';
import { countAdapterWeights, listAdapterMatrices, toAdapterFeeds } from '../../text/adapters.ts';
import { padTexts } from '../../text/encoder-input.ts';
import type { TuningText } from './deal-batches.ts';

/** The share of a target that goes to all options alike. */
const labelSmoothing = 0.05;
/** How much the contrastive loss counts beside the cross-entropy. */
const contrastiveShare = 0.3;

/** Adapters, and a linear head for the tuning alone: a row per option, then intercepts. */
export type TunedParameters = { rank: number; adapters: Float32Array; head: Float32Array };

/** Numbers of a head over the embedding. */
export const countHeadWeights = (optionCount: number): number => optionCount * (limits.embeddingDimensions + 1);

/** Where a head holds an option's weight of a dimension; one dimension further stands the option's intercept. */
export const placeInHead = (dimension: number, option: number, optionCount: number): number =>
  dimension < limits.embeddingDimensions
    ? option * limits.embeddingDimensions + dimension
    : optionCount * limits.embeddingDimensions + option;

/** Runs the step: loss and gradients in the layout of the parameters. Rejects as the session does. */
export async function runTuningStep(
  session: ModelSession,
  batch: readonly TuningText[],
  { rank, adapters, head }: TunedParameters,
  optionCount: number,
  dropout: number,
): Promise<{ loss: number; adapterGradients: Float32Array; headGradients: Float32Array }> {
  const { dims, ids, mask } = padTexts(batch.map((text) => text.ids));
  const labels = batch.map(({ label }) => label);
  const headSize = optionCount * limits.embeddingDimensions;
  const outputs = await session.run([
    { name: 'input_ids', dims, data: ids },
    { name: 'attention_mask', dims, data: mask },
    { name: 'drop', dims: [], data: Float32Array.of(dropout) },
    ...toAdapterFeeds({ rank, weights: adapters }),
    { name: 'head_w', dims: [optionCount, limits.embeddingDimensions], data: head.subarray(0, headSize) },
    { name: 'head_b', dims: [optionCount], data: head.subarray(headSize) },
    createTargets(labels, optionCount),
    createPositives(labels),
  ]);
  const read = (name: string): Float32Array => {
    const values = outputs[name];
    if (values === undefined) throw new Error(`The graph of a tuning step has no output "${name}".`);
    return values;
  };
  const adapterGradients = new Float32Array(countAdapterWeights(rank));
  for (const { name, from } of listAdapterMatrices(rank)) adapterGradients.set(read(`${name}_grad`), from);
  const headGradients = new Float32Array(head.length);
  headGradients.set(read('head_w_grad'));
  headGradients.set(read('head_b_grad'), headSize);
  const loss = read('loss')[0] ?? Number.NaN;
  if (!Number.isFinite(loss)) throw new Error('A step of the tuning gave a loss that is not finite.');
  return { loss, adapterGradients, headGradients };
}

/** The distribution over the options that each text should get: its label's, smoothed. */
function createTargets(labels: readonly number[], optionCount: number): ModelFeed {
  const data = new Float32Array(labels.length * optionCount).fill(labelSmoothing / optionCount);
  labels.forEach((label, row) => {
    data[row * optionCount + label] = data[row * optionCount + label] + 1 - labelSmoothing;
  });
  return { name: 'target', dims: [labels.length, optionCount], data };
}

/** How much each text counts as a positive of each: others of its label, alike in sum. */
function createPositives(labels: readonly number[]): ModelFeed {
  const counts = new Map<number, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const othersOf = (label: number) => (counts.get(label) ?? 1) - 1;
  const rowsWithAny = labels.filter((label) => othersOf(label) > 0).length;
  const data = new Float32Array(labels.length ** 2);
  labels.forEach((label, row) => {
    labels.forEach((other, column) => {
      if (row !== column && label === other)
        data[row * labels.length + column] = contrastiveShare / othersOf(label) / rowsWithAny;
    });
  });
  return { name: 'positives', dims: [labels.length, labels.length], data };
}
