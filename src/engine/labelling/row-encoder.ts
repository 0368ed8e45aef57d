/** How an input becomes the numbers that the labelling model works on: embedding, fields, and a constant. */

import { compileFeatures } from '../features/compile.ts';
import { inferPlan } from '../features/infer.ts';
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { hashNumber } from '../random.ts';

/** Columns of fields at most; more share them, each with a sign of its own (Weinberger et al. 2009). */
const maxFieldColumns = 512;

export type RowEncoder = {
  readonly width: number;
  /** Columns of the embedding at the beginning of a row: none where no field is text. */
  readonly embeddingWidth: number;
  /** The text of an input that is to be embedded; empty where it has none. */
  readText(input: JsonObject): string;
  /** The numbers of an input with the embedding of its text, null without text. */
  encode(input: JsonObject, embedding: Float32Array | null): Float64Array;
  /** The row of an embedding alone: what is known about an option that no row has yet. */
  encodeText(embedding: Float32Array): Float64Array;
};

/** Learns the fields and their values from some inputs; embeddings have `dimensions` numbers. */
export function fitRowEncoder(
  inputs: readonly JsonObject[],
  inputSchema: JsonObject | null,
  dimensions: number = limits.embeddingDimensions,
): RowEncoder {
  const plan = inferPlan(inputs, inputSchema);
  const features = compileFeatures(plan);
  const embeddingWidth = plan.text === null ? 0 : dimensions;
  const columns = Math.min(features.tabularSize, maxFieldColumns);
  // All fields together weigh about as much as the embedding, whose length is 1.
  const scale = 1 / Math.sqrt(Math.max(1, plan.fields.length));
  const isShared = features.tabularSize > columns;
  const width = embeddingWidth + columns + 1;
  const start = (embedding: Float32Array | null) => {
    const row = new Float64Array(width);
    if (embedding !== null) for (let d = 0; d < embeddingWidth; d++) row[d] = embedding[d] ?? 0;
    row[width - 1] = 1;
    return row;
  };
  return {
    width,
    embeddingWidth,
    readText: (input) => features.joinText(input).text,
    encode(input, embedding) {
      const row = start(embedding);
      features.writeTabular(input).forEach((value, slot) => {
        const hash = isShared ? hashNumber(slot, columns) : slot;
        const column = embeddingWidth + (isShared ? hash % columns : slot);
        const sign = isShared && hash >= 2 ** 31 ? -1 : 1;
        row[column] += sign * scale * value;
      });
      return row;
    },
    encodeText: start,
  };
}
