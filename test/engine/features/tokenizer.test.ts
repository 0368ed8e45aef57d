import { readFileSync } from 'node:fs';
import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenizer } from '../../../src/engine/text/tokenizer.ts';

const file = new URL('../../../resources/models/all-MiniLM-L6-v2/tokenizer.json', import.meta.url);
const json = JSON.parse(readFileSync(file, 'utf8'));
const tokenizer = createTokenizer(json);
const library = new LibraryTokenizer({ ...json, truncation: null, padding: null }, {});

describe('the tokenizer', () => {
  it('gives the ids of its library for every text [TRN-6]', () => {
    const ideographs = fc.string({
      unit: fc.integer({ min: 0x33f0, max: 0xa010 }).map((code) => String.fromCodePoint(code)),
      minLength: 1,
      maxLength: 20,
    });
    const piece = fc.oneof(
      ideographs,
      fc.constantFrom(
        '\u0301',
        ' ',
        '[CLS]',
        '[UNK]',
        '\u3000',
        '。',
        '豈',
        '\ufeff',
        '\u0000',
        'ǆ',
        'é',
        '##ing',
        '한국',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('unbelievable', 'antidisestablishmentarianism', 'q'.repeat(99), 'q'.repeat(101), 'x1y2z3'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const expected = text === '' ? [] : library.encode(text, { add_special_tokens: false }).ids;
        expect(tokenizer.encode(text)).toEqual([...expected]);
      }),
      { numRuns: 500, seed: 20_240_131 },
    );
  });
});
