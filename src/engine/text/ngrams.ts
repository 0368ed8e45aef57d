/** N-grams of a text weighted by TF-IDF: those of words, or in former policies of word pieces. */
import { log } from '../exact-math.ts';
import { isOfWords, type NgramSpec, type PieceNgramSpec, type TextUnit } from '../features/plan.ts';
import { compileWordNgrams, type NgramRow } from './word-ngrams.ts';
import { splitIntoWords } from './words.ts';

/** Token ids stay far below this, so that a pair of ids is one exact integer in a double. */
const bigramBase = 4_194_304;

const bigramKey = (first: number, second: number) => (first + 1) * bigramBase + second;

/** Calls `visit` with the key of every unigram and every bigram of the text. */
function forEachNgram(ids: readonly number[], visit: (key: number) => void): void {
  let previous = -1;
  for (const id of ids) {
    visit(id);
    if (previous >= 0) visit(bigramKey(previous, id));
    previous = id;
  }
}

function listKeys({ unigrams, bigrams }: PieceNgramSpec): number[] {
  const pairs = Array.from({ length: bigrams.length / 2 }, (_, pair) =>
    bigramKey(bigrams[pair * 2] as number, bigrams[pair * 2 + 1] as number),
  );
  return [...unigrams, ...pairs];
}

/** The words or pieces of a text, and its n-grams without those from one place up to another. */
type PartedText = { units: readonly TextUnit[]; weighWithout(from: number, to: number): NgramRow };
/** Reads a text by a vocabulary; `ids` are those of its pieces, which a vocabulary of words does not need. */
export type NgramReader = (text: string, ids: readonly number[]) => PartedText;

const partText = <T extends TextUnit>(units: readonly T[], weigh: (units: readonly T[]) => NgramRow): PartedText => ({
  units,
  weighWithout: (from, to) => weigh(from === to ? units : [...units.slice(0, from), ...units.slice(to)]),
});

/** Compiles a vocabulary of words or of pieces. */
export function compileNgrams(spec: NgramSpec): NgramReader {
  if (isOfWords(spec)) {
    const weigh = compileWordNgrams(spec);
    return (text) => partText(splitIntoWords(text), weigh);
  }
  const weigh = compilePieceNgrams(spec);
  return (_, ids) => partText(ids, weigh);
}

/** Compiles a vocabulary into token ids → (1 + ln count) · idf, L2-normalised, times scale, in float32. */
export function compilePieceNgrams(spec: PieceNgramSpec): (ids: readonly number[]) => NgramRow {
  const position = new Map(listKeys(spec).map((key, index) => [key, index]));
  return (ids) => {
    const counts = new Map<number, number>();
    forEachNgram(ids, (key) => {
      const index = position.get(key);
      if (index !== undefined) counts.set(index, (counts.get(index) ?? 0) + 1);
    });
    const indices = [...counts.keys()];
    const weights = indices.map((index) => (1 + log(counts.get(index) ?? 1)) * (spec.idf[index] ?? 0));
    let squares = 0;
    for (const weight of weights) squares += weight * weight;
    const factor = squares > 0 ? spec.scale / Math.sqrt(squares) : 0;
    return { indices, values: weights.map((weight) => Math.fround(weight * factor)) };
  };
}
