/** Token ids and sentence embeddings of the training texts. */
import { limits } from '../../limits.ts';
import type { TextEncoder } from '../../ports.ts';
import { toEncoderInput } from '../../text/encoder-input.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';

/**
 * All token ids of a text; the embedding of those that the encoder reads, and whether these are only the first ones.
 */
export type EncodedText = { ids: number[]; embedding: Float32Array; truncated: boolean };
/** Encoded texts by the text itself. */
export type EncodedTexts = ReadonlyMap<string, EncodedText>;

/**
 * Tokenises and embeds every different text once, one at a time, as it is done when deciding. `report` is called after
 * each text. Rejects with whatever the encoder rejects with.
 */
export async function encodeTexts(
  texts: readonly string[],
  tokenizer: Tokenizer,
  encoder: TextEncoder,
  report: (done: number, total: number) => void,
): Promise<EncodedTexts> {
  const different = [...new Set(texts)];
  const encoded = new Map<string, EncodedText>();
  for (const text of different) {
    const ids = tokenizer.encode(text);
    const input = toEncoderInput(ids, limits.maxEncoderTokens);
    encoded.set(text, { ids, embedding: await encoder.embed(input.ids), truncated: input.truncated });
    report(encoded.size, different.length);
  }
  return encoded;
}
