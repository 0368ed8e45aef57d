/** Word pieces of a text: the same ids as the Hugging Face tokenizers give in Python. */
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import type { JsonObject } from '../domain.ts';

export type Tokenizer = {
  /** Token ids of the whole text: no special tokens, no truncation, no padding. */
  encode(text: string): number[];
};

/**
 * Makes a tokenizer from the content of a `tokenizer.json`. Truncation and padding that the file asks for are
 * switched off, because n-grams are counted over the whole text and the encoder's input is cut elsewhere.
 */
export function createTokenizer(tokenizerJson: JsonObject): Tokenizer {
  const tokenizer = new HuggingFaceTokenizer({ ...tokenizerJson, truncation: null, padding: null }, {});
  return {
    encode(text) {
      return text === '' ? [] : [...tokenizer.encode(text, { add_special_tokens: false }).ids];
    },
  };
}
