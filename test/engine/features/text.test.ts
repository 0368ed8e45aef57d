import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import { featurePlanSchema } from '../../../src/engine/features/plan.ts';
import { toEncoderInput } from '../../../src/engine/text/encoder-input.ts';
import { compilePieceNgrams } from '../../../src/engine/text/ngrams.ts';
import { createTokenizer } from '../../../src/engine/text/tokenizer.ts';

const file = new URL('../../../resources/models/all-MiniLM-L6-v2/tokenizer.json', import.meta.url);
const tokenizer = createTokenizer(JSON.parse(readFileSync(file, 'utf8')));

describe('the tokenizer', () => {
  it('gives word pieces without special tokens, padding or truncation', () => {
    expect(tokenizer.encode('Hello world')).toEqual([7592, 2088]);
    expect(tokenizer.encode('')).toEqual([]);
    expect(tokenizer.encode('word '.repeat(400)).length).toBe(400);
  });

  it('gives odd texts the ids that Python gives them', () => {
    const { cases } = JSON.parse(readFileSync(new URL('../../cases/tokens.json', import.meta.url), 'utf8'));
    for (const { text, ids } of cases) expect([text, tokenizer.encode(text)]).toEqual([text, ids]);
  });
});

describe('a text of a megabyte', () => {
  it('is read as far as 20,000 characters, and the fields that were cut are named [DEC-10]', () => {
    const plan = featurePlanSchema.parse({
      format: 1,
      fields: [],
      tabular_size: 0,
      left_out: [],
      text: { fields: [['a'], ['b'], ['c']], ngrams: null, encoder: null },
    });
    const features = compileFeatures(plan);
    const input = { a: 'word '.repeat(10), b: 'long '.repeat(200_000), c: 'last' };
    const { text, parts, cut } = features.joinText(input);
    expect(text).toHaveLength(20_000);
    expect(cut).toEqual(['b', 'c']);
    expect(parts.map(({ end }) => end)).toEqual([50, 20_000, 20_000]);
  });
});

describe("the encoder's input", () => {
  it('stands between the special tokens and tells when it was cut', () => {
    expect(toEncoderInput([], 256)).toEqual({ ids: [101, 102], truncated: false });
    expect(toEncoderInput([5, 6, 7], 5)).toEqual({ ids: [101, 5, 6, 7, 102], truncated: false });
    expect(toEncoderInput([5, 6, 7, 8], 5)).toEqual({ ids: [101, 5, 6, 7, 102], truncated: true });
  });
});

describe('n-grams of word pieces, which former policies read', () => {
  it('weigh known word pieces and pairs by TF-IDF and normalise', () => {
    const spec = { unigrams: [10, 20], bigrams: [10, 20, 20, 20], idf: [1, 2, 3, 4], scale: 5 };
    const row = compilePieceNgrams(spec)([10, 20, 20, 99]);
    const raw = [1, (1 + Math.log(2)) * 2, 3, 4];
    const norm = Math.hypot(...raw);
    expect(row.indices).toEqual([0, 1, 2, 3]);
    row.values.forEach((value, i) => {
      expect(value).toBeCloseTo(((raw[i] ?? 0) / norm) * 5, 6);
    });
  });

  it('give an empty row for a text without known n-grams', () => {
    const spec = { unigrams: [10], bigrams: [], idf: [1], scale: 1 };
    expect(compilePieceNgrams(spec)([])).toEqual({ indices: [], values: [] });
    expect(compilePieceNgrams(spec)([11, 12])).toEqual({ indices: [], values: [] });
  });
});
