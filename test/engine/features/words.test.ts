import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  compileWordNgrams,
  fitWordNgrams,
  keepNgrams,
  moveWeights,
  type NgramRow,
} from '../../../src/engine/text/word-ngrams.ts';
import { splitIntoWords } from '../../../src/engine/text/words.ts';

const readCases = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../cases/${name}.json`, import.meta.url), 'utf8'));
const toMap = ({ indices, values }: NgramRow) => new Map(indices.map((index, at) => [index, values[at] ?? 0]));

describe('the words of a text', () => {
  it('are those that Python finds, in texts of twenty scripts with signs between', () => {
    const { cases } = readCases('words') as { cases: [string, string][] };
    expect(cases.length).toBeGreaterThan(1_500);
    for (const [text, words] of cases) expect([text, splitIntoWords(text).join(' ')]).toEqual([text, words]);
  });

  it('tell signs apart, whatever is unseen between them', () => {
    expect(splitIntoWords('👍 👎 😡 ጥሩ ከፋ')).toEqual(['👍', '👎', '😡', 'ጥሩ', 'ከፋ']);
    expect(splitIntoWords('re\u00adfund\u200b \u202ere\ufb01ll ❤\ufe0f')).toEqual(['refund', 'refill', '❤']);
    expect(splitIntoWords('東京タワー 🇩🇪🇫🇷')).toEqual(['東', '京', 'タ', 'ワ', 'ー', '🇩🇪', '🇫🇷']);
  });
});

describe('n-grams of words', () => {
  const { learned, vocabularies, cases } = readCases('word-ngrams');

  it('are learned from texts in any order, and weigh as in Python', () => {
    const texts: string[][] = learned.map(splitIntoWords);
    expect(fitWordNgrams(texts, true)).toEqual(vocabularies[0]);
    expect({ ...fitWordNgrams([...texts].reverse(), false), scale: 2 }).toEqual(vocabularies[1]);
    const weigh = vocabularies.map(compileWordNgrams);
    for (const { vocabulary, text, ...expected } of cases) {
      const found = toMap(weigh[vocabulary](splitIntoWords(text)));
      expect([...found.keys()]).toEqual([...toMap(expected).keys()]);
      for (const [index, value] of toMap(expected)) expect(found.get(index)).toBeCloseTo(value, 6);
    }
  });

  it('share the length of a text between words and letters, and unknown ones take their part of it', () => {
    const spec = { words: ['ab'], pairs: ['ab cd'], letters: ['<a'], texts: 9, df: [4, 1, 9], scale: 1 };
    const ab = Math.log(10 / 5) + 1;
    const pair = Math.log(10 / 2) + 1;
    const unknown = Math.log(10) + 1;
    const known = compileWordNgrams({ ...spec, unknown: false })(['ab', 'cd']);
    expect(known.indices).toEqual([0, 1, 2]);
    expect(known.values[0]).toBeCloseTo(ab / Math.hypot(ab, pair) / Math.SQRT2, 6);
    expect(known.values[2]).toBeCloseTo(Math.SQRT1_2, 6);
    const counted = compileWordNgrams({ ...spec, unknown: true })(['ab', 'cd']);
    // Unknown are the word cd, and of the letters all but <a: ab, b>, <ab, ab>, and the five of cd.
    expect(counted.values[0]).toBeCloseTo(ab / Math.hypot(ab, pair, unknown) / Math.SQRT2, 6);
    expect(counted.values[2]).toBeCloseTo(1 / Math.hypot(1, ...Array<number>(9).fill(unknown)) / Math.SQRT2, 6);
  });

  it('keep those that are asked for and take their weights along', () => {
    const from = {
      words: ['a', 'b'],
      pairs: ['a b'],
      letters: ['<a'],
      texts: 4,
      df: [3, 2, 2, 3],
      unknown: true,
      scale: 1,
    };
    const to = keepNgrams(from, (place) => place !== 0);
    expect(to).toEqual({ ...from, words: ['b'], df: [2, 2, 3] });
    const other = { ...from, words: ['b', 'c'] };
    const weights = Float64Array.of(1, 10, 2, 20, 12, 120, 7, 70, 5, 50);
    expect([...moveWeights(weights, from, to)]).toEqual([2, 20, 12, 120, 7, 70, 5, 50]);
    expect([...moveWeights(weights, from, other)]).toEqual([2, 20, 0, 0, 12, 120, 7, 70, 5, 50]);
  });

  it('of a set of fifty texts or more occur in two of them', () => {
    const spec = fitWordNgrams(
      Array.from({ length: 60 }, (_, i) => ['same', String.fromCodePoint(0x4e00 + i)]),
      true,
    );
    expect([spec.words, spec.pairs]).toEqual([['same'], []]);
  });
});
