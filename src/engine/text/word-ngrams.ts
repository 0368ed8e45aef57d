/** Words, pairs of words and the letters within words, weighted by TF-IDF in two halves of equal length. */
import { log } from '../exact-math.ts';
import type { WordNgramSpec } from '../features/plan.ts';

/** The known n-grams of one text: rows of the n-gram weights and their values, in order of first appearance. */
export type NgramRow = { indices: number[]; values: number[] };

const maxNgrams = 30_000;
/** Letters in a row that count, the ends of a word among them. */
const letterLengths = [2, 3, 4];
/** In smaller sets an n-gram of one text is kept, where unknown ones count in a text's length. */
const fewTexts = 50;
/** Words whose n-grams are remembered: a language has more, but most of a text is in its frequent ones. */
const maxRemembered = 20_000;
const isWord = /^[\p{L}\p{M}\p{N}]/u;

const toPair = (first: string, second: string) => `${first} ${second}`;

/** Two to four letters in a row of a word between its ends, but the whole; none of a sign. */
function listLetters(word: string): string[] {
  if (!isWord.test(word)) return [];
  const signs = ['<', ...word, '>'];
  return letterLengths
    .filter((length) => length < signs.length)
    .flatMap((length) =>
      Array.from({ length: signs.length - length + 1 }, (_, at) => signs.slice(at, at + length).join('')),
    );
}

/** Numbers n-grams in the order in which they are first met, and counts the texts in which each occurs. */
function createTally() {
  const numbers = new Map<string, number>();
  const texts: number[] = [];
  const last: number[] = [];
  return {
    find(ngram: string): number {
      const known = numbers.get(ngram);
      if (known !== undefined) return known;
      numbers.set(ngram, numbers.size);
      texts.push(0);
      last.push(-1);
      return numbers.size - 1;
    },
    count(number: number, text: number): void {
      if (last[number] === text) return;
      last[number] = text;
      texts[number] = (texts[number] ?? 0) + 1;
    },
    list: (minTexts: number) =>
      [...numbers].flatMap(([ngram, number]) => {
        const df = texts[number] ?? 0;
        return df >= minTexts ? [{ ngram, df }] : [];
      }),
  };
}

/** Learns at most 30,000 n-grams of 2 texts or more; `unknown` ones of one text are kept in sets under 50. */
export function fitWordNgrams(texts: readonly (readonly string[])[], unknown: boolean): WordNgramSpec {
  const [words, pairs, letters] = [createTally(), createTally(), createTally()];
  const lettersOf = new Map<string, number[]>();
  for (const [text, units] of texts.entries()) {
    let previous: string | null = null;
    for (const word of units) {
      words.count(words.find(word), text);
      if (previous !== null) pairs.count(pairs.find(toPair(previous, word)), text);
      let own = lettersOf.get(word);
      if (own === undefined) {
        own = listLetters(word).map(letters.find);
        lettersOf.set(word, own);
      }
      for (const letter of own) letters.count(letter, text);
      previous = word;
    }
  }
  const minTexts = unknown && texts.length < fewTexts ? 1 : 2;
  const kept = [words, pairs, letters]
    .flatMap((tally, kind) => tally.list(minTexts).map((found) => ({ ...found, kind })))
    .sort((a, b) => b.df - a.df || a.kind - b.kind || (a.ngram < b.ngram ? -1 : 1))
    .slice(0, maxNgrams)
    .sort((a, b) => a.kind - b.kind || (a.ngram < b.ngram ? -1 : 1));
  const list = (kind: number) => kept.flatMap((each) => (each.kind === kind ? [each.ngram] : []));
  return {
    words: list(0),
    pairs: list(1),
    letters: list(2),
    texts: texts.length,
    df: kept.map(({ df }) => df),
    unknown,
    scale: 1,
  };
}

/** The n-grams of a vocabulary for which `isKept` is true of their place; the others become unknown ones. */
export function keepNgrams(spec: WordNgramSpec, isKept: (place: number) => boolean): WordNgramSpec {
  const { words, pairs, letters, df } = spec;
  const keepFrom = <T>(list: readonly T[], from: number) => list.filter((_, at) => isKept(from + at));
  return {
    ...spec,
    words: keepFrom(words, 0),
    pairs: keepFrom(pairs, words.length),
    letters: keepFrom(letters, words.length + pairs.length),
    df: keepFrom(df, 0),
  };
}

/** Words, pairs and letters of a vocabulary as keys that no two of them share, in the order of their weights. */
export const listKeys = ({ words, pairs, letters }: WordNgramSpec) => [
  ...words,
  ...pairs,
  ...letters.map((letter) => ` ${letter}`),
];

/** A vocabulary's weights, row by row and intercepts last, in the order of another; 0 for n-grams it lacks. */
export function moveWeights(weights: Float64Array, from: WordNgramSpec, to: WordNgramSpec): Float64Array {
  const outputs = weights.length / (from.df.length + 1);
  const rows = new Map(listKeys(from).map((key, row) => [key, weights.subarray(row * outputs, (row + 1) * outputs)]));
  const moved = new Float64Array((to.df.length + 1) * outputs);
  listKeys(to).forEach((key, row) => {
    moved.set(rows.get(key) ?? [], row * outputs);
  });
  moved.set(weights.subarray(weights.length - outputs), to.df.length * outputs);
  return moved;
}

/** A word as it counts: its place and those of its letters (−1 where unknown), and its number among pairs (0: none). */
type KnownWord = { place: number; letters: Int32Array; inPairs: number };

/**
 * Compiles a vocabulary into words → (1 + ln count) · idf of the n-grams. Words with pairs, and letters, are each
 * brought to half of the squared length `scale`; unknown ones count in it one by one where the vocabulary says so.
 */
export function compileWordNgrams(spec: WordNgramSpec): (words: readonly string[]) => NgramRow {
  const { words, pairs, letters, texts, df, scale } = spec;
  const idf = Float64Array.from(df, (count) => log((1 + texts) / (1 + count)) + 1);
  const unknownSquare = spec.unknown ? (log(1 + texts) + 1) ** 2 : 0;
  const places = new Map(words.map((word, place) => [word, place]));
  const letterPlaces = new Map(letters.map((letter, at) => [letter, words.length + pairs.length + at]));
  const pairNumbers = new Map<string, number>();
  const numberOf = (word: string) => {
    const number = pairNumbers.get(word) ?? pairNumbers.size + 1;
    pairNumbers.set(word, number);
    return number;
  };
  // Both numbers stay far below this, so that a pair of them is one exact integer in a double.
  const base = 2 * pairs.length + 2;
  const pairPlaces = new Map(
    pairs.map((pair, at) => {
      const [first = '', second = ''] = pair.split(' ');
      return [numberOf(first) * base + numberOf(second), words.length + at];
    }),
  );
  const remembered = new Map<string, KnownWord>();
  const recall = (word: string): KnownWord => {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    const found = {
      place: places.get(word) ?? -1,
      letters: Int32Array.from(listLetters(word), (letter) => letterPlaces.get(letter) ?? -1),
      inPairs: pairNumbers.get(word) ?? 0,
    };
    if (remembered.size === maxRemembered) remembered.clear();
    remembered.set(word, found);
    return found;
  };
  const counts = new Int32Array(df.length);
  return (units) => {
    const halves: [number[], number[]] = [[], []];
    const unknown: [number, number] = [0, 0];
    const add = (half: 0 | 1, place: number) => {
      const count = counts[place];
      if (count === undefined) {
        unknown[half] += 1;
        return;
      }
      if (count === 0) halves[half].push(place);
      counts[place] = count + 1;
    };
    let previous = -1;
    for (const word of units) {
      const known = recall(word);
      add(0, known.place);
      if (previous >= 0) add(0, pairPlaces.get(previous * base + known.inPairs) ?? -1);
      for (const letter of known.letters) add(1, letter);
      previous = known.inPairs;
    }
    const values: number[] = [];
    halves.forEach((half, at) => {
      const weights = half.map((place) => (1 + log(counts[place] ?? 1)) * (idf[place] ?? 0));
      let squares = (unknown[at] ?? 0) * unknownSquare;
      for (const weight of weights) squares += weight * weight;
      const factor = scale / Math.sqrt(2 * squares);
      for (const weight of weights) values.push(Math.fround(weight * factor));
      for (const place of half) counts[place] = 0;
    });
    return { indices: [...halves[0], ...halves[1]], values };
  };
}
