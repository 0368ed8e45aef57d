/** The encoder's input: token ids between the two special tokens, cut to the encoder's length. */

const classToken = 101;
const separatorToken = 102;

export type EncoderInput = { ids: number[]; truncated: boolean };

/** Puts [CLS] and [SEP] around the first `maxTokens - 2` ids and tells whether ids were cut off. */
export function toEncoderInput(ids: readonly number[], maxTokens: number): EncoderInput {
  const room = maxTokens - 2;
  return { ids: [classToken, ...ids.slice(0, room), separatorToken], truncated: ids.length > room };
}
