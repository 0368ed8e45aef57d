/** The tokenizer gives what its library gives, in a time that is bounded by the length of the text. */
import { readFileSync } from 'node:fs';
import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { createTokenizer } from '../../../src/engine/text/tokenizer.ts';

const file = new URL('../../../resources/models/all-MiniLM-L6-v2/tokenizer.json', import.meta.url);
const json = JSON.parse(readFileSync(file, 'utf8'));
const tokenizer = createTokenizer(json);
const library = new LibraryTokenizer({ ...json, truncation: null, padding: null }, {});

const random = createRandom(1);
const pick = (from: number, count: number) => String.fromCodePoint(from + Math.floor(random() * count));
const write = (length: number, next: (at: number) => string) => Array.from({ length }, (_, at) => next(at)).join('');

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

  it.each<[string, string]>([
    ['ideographs', write(20_000, () => pick(0x4e00, 20_000))],
    ['ideographs between letters', write(10_000, () => `a${pick(0x4e00, 20_000)}`)],
    ['words of 99 letters', write(200, () => `${write(99, () => pick(97, 26))} `)],
    ['words of 99 equal letters', `${'q'.repeat(99)} `.repeat(200)],
    ['syllables that fall apart', write(20_000, (at) => (at % 4 === 0 ? ' ' : pick(0xac00, 11_000)))],
    ['one long word', 'a'.repeat(20_000)],
  ])('reads 20,000 characters soon: %s [FEA-4]', (_name, text) => {
    tokenizer.encode(text.slice(0, 2_000));
    const before = process.cpuUsage();
    tokenizer.encode(text);
    const { user, system } = process.cpuUsage(before);
    // Four times what was measured, because test machines are busy.
    expect((user + system) / 1000).toBeLessThan(250);
  });
});
