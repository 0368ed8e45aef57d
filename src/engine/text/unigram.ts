/**
 * Pieces of a text by a unigram language model (Kudo 2018), as SentencePiece cuts it: characters are replaced, mostly
 * by a map, blanks part the words, and of each word the likeliest pieces are taken. `_model/unigram.py` does the same.
 */
import { strFromU8, strToU8 } from 'fflate';
import { z } from 'zod';
import { countCodePoints } from '../code-points.ts';
import type { JsonObject } from '../json.ts';

/** In every runtime, but not among the types that the engine may use. */
declare const atob: (base64: string) => string;

const metaspace = z.object({ type: z.literal('Metaspace'), replacement: z.literal('▁') });

/** A step that changes the characters of a word; none of them touches the printable ones of ASCII. */
const normalizerStep = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Precompiled'), precompiled_charsmap: z.base64() }),
  z.object({ type: z.literal('NFKC') }),
  z.object({ type: z.literal('Strip') }),
  z.object({
    type: z.literal('Replace'),
    pattern: z.object({ Regex: z.union([z.literal(' {2,}'), z.string().regex(/^\[[^!-~]+\]$/u)]) }),
    content: z.enum(['', ' ']),
  }),
]);
type NormalizerStep = z.infer<typeof normalizerStep>;

/** Pieces of a vocabulary: the largest models for a hundred languages have a quarter of a million. */
export const maxPieces = 300_000;
/** Characters of a piece; each place of a word is tried with pieces of all lengths. */
const maxPieceLength = 64;
/** Bytes that the map of characters puts in the place of a sequence: the longest are blessings in one character. */
const maxReplacementBytes = 256;

const isScoredPiece = (piece: unknown) =>
  Array.isArray(piece) && typeof piece[0] === 'string' && Number.isFinite(piece[1]);
const isVocabulary = (pieces: unknown) =>
  Array.isArray(pieces) && pieces.length <= maxPieces && pieces.every(isScoredPiece);

/** `tokenizer.json` of a unigram model, as far as it is read. */
const unigramFile = z.object({
  added_tokens: z.array(z.object({ id: z.int().nonnegative() })),
  normalizer: z.union([
    normalizerStep.transform((step) => [step]),
    z.object({ normalizers: z.array(normalizerStep) }).transform(({ normalizers }) => normalizers),
  ]),
  pre_tokenizer: z.union([
    metaspace,
    z.object({ pretokenizers: z.tuple([z.object({ type: z.literal('WhitespaceSplit') }), metaspace]) }),
  ]),
  model: z.object({
    type: z.literal('Unigram'),
    unk_id: z.int().nonnegative(),
    // Checked by a predicate: a schema for each of 128,000 pieces would take half a second.
    vocab: z.custom<[string, number][]>(
      isVocabulary,
      `must be at most ${maxPieces} pieces, each a text with its number`,
    ),
  }),
});

/** Stands before each word. */
const wordStart = '▁';
/** How much less likely than the least likely piece an unknown character is, as a logarithm. */
const unknownPenalty = 10;
/** Bytes that are replaced together at most: a letter with its accents. */
const maxReplacedBytes = 16;

const plainText = /^[!-~]*$/;

/** Compiles `tokenizer.json` into word → ids of its pieces; unknown ones in a row are one. Throws for other kinds. */
export function compileUnigram(tokenizerJson: JsonObject): (word: string) => number[] {
  const { added_tokens: special, normalizer, model } = unigramFile.parse(tokenizerJson);
  const steps = normalizer.map(compileStep);
  const replaceCharacters = (word: string) => steps.reduce((text, step) => step(text), word.toWellFormed());
  const cut = compileCut(model.vocab, model.unk_id, new Set(special.map(({ id }) => id)));
  return (word) => {
    const plain = plainText.test(word) ? word : replaceCharacters(word);
    return plain.split(/[ ▁]+/).flatMap((part) => (part === '' ? [] : cut(wordStart + part)));
  };
}

/** Compiles a step; those that join and strip blanks do nothing more, since blanks part the words. */
function compileStep(step: NormalizerStep): (text: string) => string {
  if (step.type === 'Precompiled') return compileCharacterMap(step.precompiled_charsmap);
  if (step.type === 'NFKC') return (text) => text.normalize('NFKC');
  if (step.type === 'Strip' || step.pattern.Regex === ' {2,}') return (text) => text;
  const replaced = new RegExp(step.pattern.Regex, 'gu');
  return (text) => text.replace(replaced, step.content);
}

/** The likeliest pieces of a word (Viterbi 1967); of equal ways that with the longer last piece. */
function compileCut(
  vocabulary: readonly (readonly [string, number])[],
  unknown: number,
  special: ReadonlySet<number>,
): (word: string) => number[] {
  const ids = new Map<string, number>();
  let longest = 1;
  let least = 0;
  for (const [id, [piece, score]] of vocabulary.entries()) {
    least = Math.min(least, score);
    if (special.has(id)) continue;
    if (countCodePoints(piece) > maxPieceLength)
      throw new Error(`Piece ${id} has more than ${maxPieceLength} characters.`);
    ids.set(piece, id);
    longest = Math.max(longest, piece.length);
  }
  const unknownScore = least - unknownPenalty;
  return (word) => {
    const places = listCharacterPlaces(word);
    const count = places.length - 1;
    const scores = new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY);
    scores[0] = 0;
    const starts = new Int32Array(count + 1);
    const pieces = new Int32Array(count + 1);
    for (let start = 0; start < count; start++) {
      const offer = (end: number, id: number, score: number) => {
        const sum = (scores[start] ?? 0) + score;
        if (sum <= (scores[end] ?? 0)) return;
        scores[end] = sum;
        starts[end] = start;
        pieces[end] = id;
      };
      const from = places[start] ?? 0;
      let isKnown = false;
      for (let end = start + 1; end <= count; end++) {
        const to = places[end] ?? 0;
        if (to - from > longest) break;
        const id = ids.get(word.slice(from, to));
        if (id === undefined) continue;
        offer(end, id, vocabulary[id]?.[1] ?? 0);
        isKnown ||= end === start + 1;
      }
      if (!isKnown) offer(start + 1, unknown, unknownScore);
    }
    return followBack(starts, pieces, unknown);
  };
}

/** The pieces on the way to the end of a word, with unknown ones in a row as one. */
function followBack(starts: Int32Array, pieces: Int32Array, unknown: number): number[] {
  const found: number[] = [];
  for (let end = starts.length - 1; end > 0; end = starts[end] ?? 0) {
    const id = pieces[end] ?? 0;
    if (id !== unknown || found.at(-1) !== unknown) found.push(id);
  }
  return found.reverse();
}

/** Where each character of a word begins (UTF-16 indices), and the end. */
function listCharacterPlaces(word: string): number[] {
  const places = [0];
  let at = 0;
  for (const character of word) {
    at += character.length;
    places.push(at);
  }
  return places;
}

/**
 * Compiles SentencePiece's map of characters: at each place the longest sequence that it knows is replaced. It is a
 * double-array trie over UTF-8 (Aoe 1989), in the units of Darts-clone, and the texts it leads to, each ended by 0.
 */
function compileCharacterMap(base64: string): (text: string) => string {
  const file = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const view = new DataView(file.buffer);
  const size = view.getUint32(0, true);
  if (size % 4 !== 0 || size < 4 || size > file.length - 4) throw new Error('The map of characters is cut off.');
  const units = Uint32Array.from({ length: size / 4 }, (_, at) => view.getUint32(4 + 4 * at, true));
  const texts = file.subarray(4 + size);
  checkReplacements(texts);

  /** The longest known sequence at a place: where it ends, and where the text for it begins; null without one. */
  function findLongest(bytes: Uint8Array, from: number): { to: number; text: number } | null {
    let found: { to: number; text: number } | null = null;
    let place = toOffset(units[0] ?? 0);
    const last = Math.min(bytes.length, from + maxReplacedBytes);
    for (let at = from; at < last; at++) {
      const byte = bytes[at] ?? 0;
      place ^= byte;
      const unit = units[place];
      // Zeros fill up the table, and stand in no sequence.
      if (unit === undefined || byte === 0 || (unit & 0x800000ff) >>> 0 !== byte) break;
      place ^= toOffset(unit);
      if ((unit >>> 8) & 1) found = { to: at + 1, text: (units[place] ?? 0) & 0x7fffffff };
    }
    return found;
  }

  return (text) => {
    const bytes = strToU8(text);
    let replaced = '';
    let copiedTo = 0;
    for (let at = 0; at < bytes.length; ) {
      const found = findLongest(bytes, at);
      if (found === null) {
        at += countSequenceBytes(bytes[at] ?? 0);
        continue;
      }
      const end = texts.indexOf(0, found.text);
      replaced += strFromU8(bytes.subarray(copiedTo, at)) + strFromU8(texts.subarray(found.text, end));
      at = found.to;
      copiedTo = at;
    }
    return replaced + strFromU8(bytes.subarray(copiedTo));
  };
}

/** Refuses texts that would make a short text a long one. */
function checkReplacements(texts: Uint8Array): void {
  if (texts.length > 0 && texts.at(-1) !== 0) throw new Error('The map of characters is cut off.');
  for (let start = 0; start < texts.length; ) {
    const end = texts.indexOf(0, start);
    if (end - start > maxReplacementBytes) throw new Error('The map of characters replaces one by too many.');
    start = end + 1;
  }
}

const toOffset = (unit: number) => (unit >>> 10) << ((unit & 0x200) >>> 6);

/** The bytes of a character in UTF-8, by the first of them. */
const countSequenceBytes = (first: number) => (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
