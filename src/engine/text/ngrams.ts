/** Word-piece unigrams and bigrams weighted by TF-IDF. */
import type { NgramSpec } from '../features/plan.ts';

/** The known n-grams of one text: rows of the n-gram weights and their values, in order of first appearance. */
export type NgramRow = { indices: number[]; values: number[] };

const maxNgrams = 30_000;
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

/** Learns n-grams in 2 texts or more (1 in sets under 50), at most 30,000, with scikit-learn's smoothed idf. */
export function fitNgrams(texts: readonly (readonly number[])[], scale: number): NgramSpec {
  const frequency = new Map<number, number>();
  for (const ids of texts) {
    const seen = new Set<number>();
    forEachNgram(ids, (key) => seen.add(key));
    for (const key of seen) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  }
  const minTexts = texts.length < 50 ? 1 : 2;
  const kept = [...frequency]
    .filter(([, df]) => df >= minTexts)
    .sort(([a, m], [b, n]) => n - m || a - b)
    .slice(0, maxNgrams)
    .sort(([a], [b]) => a - b);
  const unigrams = kept.filter(([key]) => key < bigramBase);
  const bigrams = kept.filter(([key]) => key >= bigramBase);
  return {
    unigrams: unigrams.map(([key]) => key),
    bigrams: bigrams.flatMap(([key]) => [Math.floor(key / bigramBase) - 1, key % bigramBase]),
    idf: [...unigrams, ...bigrams].map(([, df]) => Math.log((1 + texts.length) / (1 + df)) + 1),
    scale,
  };
}

/** The key of each n-gram of a vocabulary, in the order of its weights. */
function listKeys({ unigrams, bigrams }: NgramSpec): number[] {
  const pairs = Array.from({ length: bigrams.length / 2 }, (_, pair) =>
    bigramKey(bigrams[pair * 2] as number, bigrams[pair * 2 + 1] as number),
  );
  return [...unigrams, ...pairs];
}

/**
 * Weights of one vocabulary, as many in each row, the intercepts last, in the order of another; 0 for n-grams that the
 * first does not have.
 */
export function moveWeights(weights: Float64Array, from: NgramSpec, to: NgramSpec): Float64Array {
  const outputs = weights.length / (from.idf.length + 1);
  const rows = new Map(listKeys(from).map((key, row) => [key, weights.subarray(row * outputs, (row + 1) * outputs)]));
  const keys = listKeys(to);
  const moved = new Float64Array((keys.length + 1) * outputs);
  keys.forEach((key, row) => {
    moved.set(rows.get(key) ?? [], row * outputs);
  });
  moved.set(weights.subarray(weights.length - outputs), keys.length * outputs);
  return moved;
}

/** Compiles a vocabulary into token ids → (1 + ln count) · idf, L2-normalised, times scale, in float32. */
export function compileNgrams(spec: NgramSpec): (ids: readonly number[]) => NgramRow {
  const position = new Map(listKeys(spec).map((key, index) => [key, index]));
  return (ids) => {
    const counts = new Map<number, number>();
    forEachNgram(ids, (key) => {
      const index = position.get(key);
      if (index !== undefined) counts.set(index, (counts.get(index) ?? 0) + 1);
    });
    const indices = [...counts.keys()];
    const weights = indices.map((index) => (1 + Math.log(counts.get(index) ?? 1)) * (spec.idf[index] ?? 0));
    let squares = 0;
    for (const weight of weights) squares += weight * weight;
    const factor = squares > 0 ? spec.scale / Math.sqrt(squares) : 0;
    return { indices, values: weights.map((weight) => Math.fround(weight * factor)) };
  };
}
