/** Word pieces of a text (Devlin et al. 2019, BERT): the same ids as in Python. */
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

function compileWordPiece(tokenizerJson: JsonObject): (text: string) => readonly number[] {
  const { model, added_tokens } = wordPieceFile.parse(tokenizerJson);
  const ids = new Map(Object.entries(model.vocab));
  const unknown = ids.get('[UNK]');
  if (unknown === undefined) throw new Error('The vocabulary has no [UNK].');
  const special = new Map(added_tokens.map(({ content, id }) => [content, id]));
  const contents = [...special.keys()].sort((a, b) => b.length - a.length);
  const specials = new RegExp(`(${contents.map(escapePattern).join('|') || '(?!)'})`);
  const cut = compileCut(ids, unknown, model.max_input_chars_per_word);
  return (text) => text.split(specials).flatMap((part) => special.get(part) ?? splitWords(part).flatMap(cut));
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Characters that are left out: controls but for the ends of lines, and what could not be decoded. */
const unread = /\ufffd|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const ideograph = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g;
/** A run of letters, or a sign: punctuation, and what ASCII has beside letters and digits. */
const wordOrSign = /[^\s\p{P}!-/:-@[-`{-~]+|[\p{P}!-/:-@[-`{-~]/gu;

/** Words of a text in lower case, without accents; each sign and each ideograph is a word. */
function splitWords(text: string): string[] {
  const apart = text.replace(unread, '').replace(ideograph, ' $& ');
  return (
    apart
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      .match(wordOrSign) ?? []
  );
}

/** Cuts a word into the longest known pieces from the left on; the unknown one alone where a rest has none. */
function compileCut(
  ids: ReadonlyMap<string, number>,
  unknown: number,
  maxCharacters: number,
): (word: string) => number | number[] {
  // Without a bound, trying all ends of long words takes half a second for 20,000 characters.
  const longest = [...ids.keys()].reduce((most, piece) => Math.max(most, piece.length), 1);
  return (word) => {
    const characters = Array.from(word);
    if (characters.length > maxCharacters) return unknown;
    const pieces: number[] = [];
    for (let start = 0; start < characters.length; ) {
      let end = Math.min(characters.length, start + longest);
      const find = () => ids.get((start === 0 ? '' : '##') + characters.slice(start, end).join(''));
      let id = find();
      while (id === undefined && end > start + 1) {
        end -= 1;
        id = find();
      }
      if (id === undefined) return unknown;
      pieces.push(id);
      start = end;
    }
    return pieces;
  };
}
