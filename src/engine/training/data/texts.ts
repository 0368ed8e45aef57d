/** Token ids and sentence embeddings of the training texts; each different text is read once. */
import type { TextEncoder } from '../../ports.ts';
import { toEncoderInput } from '../../text/encoder-input.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';

/** Tokens the encoder reads of one text, both special tokens included. */
export const encoderMaxTokens = 256;

export type ReadText = { ids: number[]; embedding: Float32Array; truncated: boolean };
/** Read texts by the text itself. */
export type ReadTexts = ReadonlyMap<string, ReadText>;

/**
 * Tokenises and embeds every different text, one at a time, as it will be done when deciding. `report` hears of each text.
 * Rejects with whatever the encoder rejects with.
 */
export async function readTexts(
  texts: readonly string[],
  tokenizer: Tokenizer,
  encoder: TextEncoder,
  report: (done: number, total: number) => void,
): Promise<ReadTexts> {
  const different = [...new Set(texts)];
  const read = new Map<string, ReadText>();
  for (const text of different) {
    const ids = tokenizer.encode(text);
    const input = toEncoderInput(ids, encoderMaxTokens);
    read.set(text, { ids, embedding: await encoder.embed(input.ids), truncated: input.truncated });
    report(read.size, different.length);
  }
  return read;
}
