import { limits } from '../../limits.ts';
import type { Adapters, BatchTextEncoder } from '../../ports.ts';
import { groupByLength, toEncoderInput } from '../../text/encoder-input.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { splitIntoWords } from '../../text/words.ts';

/** A text's words, its token ids, and the embedding of the first ones; both empty without an encoder. */
export type EncodedText = { words: string[]; ids: number[]; embedding: Float32Array; truncated: boolean };
export type EncodedTexts = ReadonlyMap<string, EncodedText>;

/** Parts and embeds every different text once; `report` follows each batch. Rejects as the encoder does. */
export async function encodeTexts(
  texts: readonly string[],
  tokenizer: Tokenizer,
  encoder: BatchTextEncoder | null,
  report: (done: number, total: number) => void,
  adapters: Adapters | null = null,
): Promise<EncodedTexts> {
  const parted = [...new Set(texts)].map((text): [string, Pick<EncodedText, 'words' | 'ids'>] => [
    text,
    { words: splitIntoWords(text), ids: encoder === null ? [] : tokenizer.encode(text) },
  ]);
  return embedTexts(new Map(parted), encoder, adapters, report);
}

/** Embeds texts that are parted already, with adapters or by the plain encoder, as {@link encodeTexts} does. */
export async function embedTexts(
  texts: ReadonlyMap<string, Pick<EncodedText, 'words' | 'ids'>>,
  encoder: BatchTextEncoder | null,
  adapters: Adapters | null,
  report: (done: number, total: number) => void,
): Promise<EncodedTexts> {
  const inputs = [...texts].map(([text, { words, ids }]) => ({
    text,
    words,
    ids,
    input: toEncoderInput(ids, limits.maxEncoderTokens, encoder?.frame),
  }));
  const encoded = new Map<string, EncodedText>();
  for (const group of groupByLength(inputs, ({ input }) => input.ids.length)) {
    const embeddings = await encoder?.embedBatch(
      group.map(({ input }) => input.ids),
      adapters,
    );
    for (const [at, { text, words, ids, input }] of group.entries()) {
      const embedding = embeddings?.[at] ?? new Float32Array();
      encoded.set(text, { words, ids, embedding, truncated: input.truncated });
    }
    report(encoded.size, inputs.length);
  }
  return encoded;
}
