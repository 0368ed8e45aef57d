/** The pieces of the multilingual text model: shared cases, whose ids are those of Hugging Face's tokenizers. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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

  it('refuses a file of another kind', () => {
    for (const change of [{ normalizer: { type: 'NFKC' } }, { pre_tokenizer: { type: 'Whitespace' } }]) {
      expect(() => createTokenizer({ ...file, ...change })).toThrow();
    }
  });
});
