/** The pieces of the multilingual text model: shared cases, whose ids are those of Hugging Face's tokenizers. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createTokenizer } from '../../../src/engine/text/tokenizer.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));
const file = read('resources/models/use-multilingual-v3/tokenizer.json');
const { cases } = read('test/cases/embeddings-multilingual.json') as { cases: { text: string; ids: number[] }[] };

describe('the tokenizer of the multilingual text model', () => {
  const { encode } = createTokenizer(file);

  it('gives the shared ids, also of words that it has met before [TRN-6]', () => {
    for (const { text, ids } of [...cases, ...cases]) expect(encode(text)).toEqual(ids);
  });

  it('takes blanks of any number and a half pair of surrogates as something to read', () => {
    expect(encode('  wo   ist\u3000es ')).toEqual(encode('wo ist es'));
    expect(encode('a\ud800b')).toEqual(encode('a\ufffdb'));
  });

  it.each([
    { normalizer: { type: 'Lowercase' } },
    // A pattern of letters could mean something else in another language.
    { normalizer: { type: 'Replace', pattern: { Regex: '[a-z]' }, content: '' } },
    { pre_tokenizer: { type: 'Whitespace' } },
  ])('refuses a file of another kind: %j', (change) => {
    expect(() => createTokenizer({ ...file, ...change })).toThrow();
  });
});

describe('a tokenizer of a unigram model', () => {
  const { added_tokens, model, files } = read('test/cases/unigram.json');

  it.each<{ name: string; normalizer: object; pre_tokenizer: object; cases: { text: string; ids: number[] }[] }>(files)(
    'gives the shared ids: $name [TRN-28]',
    ({ normalizer, pre_tokenizer, cases }) => {
      const { encode } = createTokenizer({ added_tokens, model, normalizer, pre_tokenizer } as JsonObject);
      expect(cases.map(({ text }) => encode(text))).toEqual(cases.map(({ ids }) => ids));
    },
  );
});
