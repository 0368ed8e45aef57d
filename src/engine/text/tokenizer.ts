/** Word pieces of a text: the same ids as in Python. */
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';
import { compileUnigram, maxPieces } from './unigram.ts';

export type Tokenizer = {
  /** Token ids of the whole text: no special tokens, no truncation, no padding. */
  encode(text: string): number[];
};

/** A text repeats most of its words; longer ones are hardly ever met again. */
const maxKeptWords = 20_000;
const maxKeptLength = 64;

const maxPieceLength = 256;

const isVocabulary = (vocab: unknown): vocab is Record<string, number> => {
  if (!isJsonObject(vocab)) return false;
  const pieces = Object.entries(vocab);
  return (
    pieces.length <= maxPieces &&
    pieces.every(([piece, id]) => piece.length <= maxPieceLength && Number.isInteger(id) && Number(id) >= 0)
  );
};

/** `tokenizer.json` of a lower-casing BERT, exactly as Python reads it: any other normalizer could take for ever. */
const wordPieceFile = z.object({
  added_tokens: z
    .array(
      z.object({
        id: z.int().nonnegative(),
        content: z.string().min(1).max(maxPieceLength),
        single_word: z.literal(false).optional(),
        normalized: z.literal(false).optional(),
      }),
    )
    .max(1_000),
  normalizer: z.strictObject({
    type: z.literal('BertNormalizer'),
    clean_text: z.literal(true),
    handle_chinese_chars: z.literal(true),
    strip_accents: z.null(),
    lowercase: z.literal(true),
  }),
  pre_tokenizer: z.strictObject({ type: z.literal('BertPreTokenizer') }),
  model: z.object({
    type: z.literal('WordPiece'),
    unk_token: z.literal('[UNK]'),
    continuing_subword_prefix: z.literal('##'),
    max_input_chars_per_word: z.int().min(1).max(1_000),
    // Checked by a predicate: a schema for each piece would take half a second.
    vocab: z.custom<Record<string, number>>(isVocabulary, `must have at most ${maxPieces} pieces, each with its id`),
  }),
});

/** Makes a tokenizer of `tokenizer.json`, without truncation and padding. Throws where Python would not read it. */
export function createTokenizer(tokenizerJson: JsonObject): Tokenizer {
  const { model } = tokenizerJson;
  const isUnigram = isJsonObject(model) && model.type === 'Unigram';
  const encodeWord = isUnigram ? compileUnigram(tokenizerJson) : compileWordPiece(tokenizerJson);
  const known = new Map<string, readonly number[]>();
  function recall(word: string): readonly number[] {
    const found = known.get(word);
    if (found !== undefined) return found;
    const ids = encodeWord(word);
    if (word.length <= maxKeptLength) {
      if (known.size === maxKeptWords) known.clear();
      known.set(word, ids);
    }
    return ids;
  }
  return { encode: (text) => text.split(' ').flatMap(recall) };
}

function compileWordPiece(tokenizerJson: JsonObject): (word: string) => readonly number[] {
  const { model } = wordPieceFile.parse(tokenizerJson);
  if (model.vocab['[UNK]'] === undefined) throw new Error('The vocabulary has no [UNK].');
  const tokenizer = new HuggingFaceTokenizer({ ...tokenizerJson, truncation: null, padding: null }, {});
  boundPieces(tokenizer, tokenizerJson.model);
  const encodeByLibrary = (text: string): readonly number[] =>
    tokenizer.encode(text, { add_special_tokens: false }).ids;
  const findIdeograph = takesIdeographsApart(tokenizerJson) ? prepareLookup(tokenizer) : null;
  return (word) => {
    if (word === '') return [];
    if (findIdeograph === null || !ideographs.test(word)) return encodeByLibrary(word);
    return word.split(ideographsApart).flatMap((part) => {
      if (part === '') return [];
      return ideographs.test(part) ? Array.from(part, findIdeograph) : encodeByLibrary(part);
    });
  };
}

/** Shorter runs are left to the library: to take them apart would cost more than it saves. */
const ideographs = /[\u3400-\u4dbf\u4e00-\u9fff]{8}/;
const ideographsApart = /([\u3400-\u4dbf\u4e00-\u9fff]{8,})/;

/** Whether each ideograph is a word of its own, whatever stands beside it. */
function takesIdeographsApart({ normalizer, model }: JsonObject): boolean {
  const isBert = isJsonObject(normalizer) && normalizer.type === 'BertNormalizer';
  return isBert && normalizer.handle_chinese_chars === true && isJsonObject(model) && model.type === 'WordPiece';
}

/** An ideograph is no other character in any normal form, so that its id stands in the vocabulary as it is. */
function prepareLookup({ model }: HuggingFaceTokenizer): ((ideograph: string) => number) | null {
  const unknown = model?.unk_token_id;
  return model === null || unknown === undefined ? null : (ideograph) => model.tokens_to_ids.get(ideograph) ?? unknown;
}

/** Bounds the pieces looked for: trying all ends of long words takes half a second for 20,000 characters. */
function boundPieces({ model }: HuggingFaceTokenizer, settings: unknown): void {
  if (model === null || !isJsonObject(settings) || settings.type !== 'WordPiece') return;
  const { tokens_to_ids: known, unk_token: unknown = '[UNK]' } = model;
  const prefix = typeof settings.continuing_subword_prefix === 'string' ? settings.continuing_subword_prefix : '##';
  const maxCharacters = Number(settings.max_input_chars_per_word ?? 100);
  const longest = [...known.keys()].reduce((most, piece) => Math.max(most, piece.length), 1);
  const split = (word: string): string[] => {
    const characters = Array.from(word);
    if (characters.length > maxCharacters) return [unknown];
    const isPlain = characters.length === word.length;
    const cut = (from: number, to: number) => (isPlain ? word.slice(from, to) : characters.slice(from, to).join(''));
    const pieces: string[] = [];
    for (let start = 0; start < characters.length; ) {
      let end = Math.min(characters.length, start + longest);
      const write = () => (start === 0 ? '' : prefix) + cut(start, end);
      let piece = write();
      while (end > start && !known.has(piece)) {
        end -= 1;
        piece = write();
      }
      if (end === start) return [unknown];
      pieces.push(piece);
      start = end;
    }
    return pieces;
  };
  model.encode = (words) => words.flatMap(split);
}
