/** Token ids and sentence embeddings of the training texts. */
import { limits } from '../../limits.ts';
import type { BatchTextEncoder } from '../../ports.ts';
import { groupByLength, toEncoderInput } from '../../text/encoder-input.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';

/**
 * All token ids of a text; the embedding of those that the encoder reads, and whether these are only the first ones.
 */
export type EncodedText = { ids: number[]; embedding: Float32Array; truncated: boolean };
/** Encoded texts by the text itself. */
export type EncodedTexts = ReadonlyMap<string, EncodedText>;

/**
 * Tokenises every different text once and embeds them in batches of texts of about the same length. `report` is called
 * after each batch. Rejects with whatever the encoder rejects with.
 */
export async function encodeTexts(
  texts: readonly string[],
  tokenizer: Tokenizer,
  encoder: BatchTextEncoder,
  report: (done: number, total: number) => void,
): Promise<EncodedTexts> {
  const different = [...new Set(texts)].map((text) => {
    const ids = tokenizer.encode(text);
    return { text, ids, input: toEncoderInput(ids, limits.maxEncoderTokens) };
  });
  const encoded = new Map<string, EncodedText>();
  for (const group of groupByLength(different, ({ input }) => input.ids.length)) {
    const embeddings = await encoder.embedBatch(group.map(({ input }) => input.ids));
    for (const [at, { text, ids, input }] of group.entries()) {
      encoded.set(text, { ids, embedding: embeddings[at] as Float32Array, truncated: input.truncated });
    }
    report(encoded.size, different.length);
  }
  return encoded;
}
