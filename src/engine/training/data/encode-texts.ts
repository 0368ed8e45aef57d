import { limits } from '../../limits.ts';
import type { Adapters, BatchTextEncoder } from '../../ports.ts';
import { groupByLength, toEncoderInput } from '../../text/encoder-input.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';

/** A text's token ids, and the embedding of the first ones, which the encoder reads; empty without one. */
export type EncodedText = { ids: number[]; embedding: Float32Array; truncated: boolean };
export type EncodedTexts = ReadonlyMap<string, EncodedText>;

/** Tokenises and embeds every different text once; `report` follows each batch. Rejects as the encoder does. */
export async function encodeTexts(
  texts: readonly string[],
  tokenizer: Tokenizer,
  encoder: BatchTextEncoder | null,
  report: (done: number, total: number) => void,
  adapters: Adapters | null = null,
): Promise<EncodedTexts> {
  const tokenised = new Map([...new Set(texts)].map((text) => [text, { ids: tokenizer.encode(text) }]));
  return embedTexts(tokenised, encoder, adapters, report);
}

/** Embeds texts whose tokens are known, with adapters or by the plain encoder, as {@link encodeTexts} does. */
export async function embedTexts(
  texts: ReadonlyMap<string, Pick<EncodedText, 'ids'>>,
  encoder: BatchTextEncoder | null,
  adapters: Adapters | null,
  report: (done: number, total: number) => void,
): Promise<EncodedTexts> {
  const inputs = [...texts].map(([text, { ids }]) => ({
    text,
    ids,
    input: toEncoderInput(ids, limits.maxEncoderTokens, encoder?.frame),
  }));
  const encoded = new Map<string, EncodedText>();
  for (const group of groupByLength(inputs, ({ input }) => input.ids.length)) {
    const embeddings = await encoder?.embedBatch(
      group.map(({ input }) => input.ids),
      adapters,
    );
    for (const [at, { text, ids, input }] of group.entries()) {
      encoded.set(text, { ids, embedding: embeddings?.[at] ?? new Float32Array(), truncated: input.truncated });
    }
    report(encoded.size, inputs.length);
  }
  return encoded;
}
