import { type Random, shuffle } from '../../random.ts';

/** A text as the encoder reads it, special tokens included, with the label of its row. */
export type TuningText = { ids: readonly number[]; label: number };

/** Tokens of a text that is learned from; what is behind them costs time and memory and teaches little. */
export const maxTuningTokens = 128;
const maxTextsPerBatch = 32;
/** Tokens of a batch, padding included: they bound the memory of a step to about 0.4 GB. */
const maxTokensPerBatch = 1_024;
/** Batches shuffled together before splitting by length, so that little is computed for padding. */
const batchesPerDraw = 8;

/** Deals every text into one batch at random, texts of about the same length together. */
export function dealBatches(texts: readonly TuningText[], random: Random): TuningText[][] {
  const drawn = shuffle(texts, random);
  const batches: TuningText[][] = [];
  const textsPerDraw = batchesPerDraw * maxTextsPerBatch;
  for (let from = 0; from < drawn.length; from += textsPerDraw) {
    const draw = drawn.slice(from, from + textsPerDraw).sort((a, b) => a.ids.length - b.ids.length);
    let batch: TuningText[] = [];
    for (const text of draw) {
      const isFull = batch.length === maxTextsPerBatch || (batch.length + 1) * text.ids.length > maxTokensPerBatch;
      if (batch.length === 0 || isFull) {
        batch = [];
        batches.push(batch);
      }
      batch.push(text);
    }
  }
  return shuffle(batches, random);
}

/** Tokens of batches, padding included: the work that a step over each of them takes. */
export function countPaddedTokens(batches: readonly (readonly TuningText[])[]): number {
  return batches.reduce((sum, batch) => sum + batch.length * Math.max(...batch.map(({ ids }) => ids.length)), 0);
}
