/** Texts in the encodings that people have: read right, or asked about, and never read otherwise without a word. */
import { describe, expect, it } from 'vitest';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { decodeText } from '../../../src/engine/import/tables/decode-text.ts';
import encodings from '../../cases/encodings.json' with { type: 'json' };

const fromBase64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const oneByte = (text: string) => Uint8Array.from([...text].map((character) => character.charCodeAt(0)));
const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));

describe('the encoding of a text', () => {
  it('is found by its letters, or asked about with the right one among the choices [FIL-23]', async () => {
    let asked = 0;
    for (const { language, encoding, text, bytes } of encodings.cases) {
      const decoded = await decodeText(fromBase64(bytes));
      const read = [decoded.text];
      for (const { encoding: choice } of decoded.choices) read.push((await decodeText(fromBase64(bytes), choice)).text);
      expect([language, encoding, read.includes(text)]).toEqual([language, encoding, true]);
      if (decoded.choices.length > 0) asked += 1;
    }
    expect(asked).toBeLessThan(0.2 * encodings.cases.length);
  });

  it.each([
    ['100 \x80,keep', '100 €,keep'],
    ['5 \xb0C,keep', '5 °C,keep'],
    ['it\x92s \x93fine\x94,keep', 'it’s “fine”,keep'],
    ['Ren\xe9,keep', 'René,keep'],
    ['Gr\xf6\xdfe,keep', 'Größe,keep'],
  ])('is a Western one where few signs are all that tells: %j [FIL-23]', async (bytes, text) => {
    const decoded = await decodeText(oneByte(`text,label\n${bytes}\n`));
    expect([decoded.text, decoded.choices]).toEqual([`text,label\n${text}\n`, []]);
  });

  it('is UTF-16 with and without a mark, whatever its script [FIL-23]', async () => {
    const text = 'текст,label\nверните деньги,keep\n';
    const big = (bytes: Uint8Array) => new Uint8Array(Buffer.from(bytes).swap16());
    for (const [bytes, encoding] of [
      [utf16(text), 'utf-16le'],
      [utf16(`\ufeff${text}`), 'utf-16le'],
      [big(utf16(text)), 'utf-16be'],
      [big(utf16(`\ufeff${text}`)), 'utf-16be'],
    ] as const) {
      expect(await decodeText(bytes)).toMatchObject({ text, encoding, choices: [] });
    }
  });

  it('stays UTF-8 where a few of its bytes are damaged, which are named by their lines [FIL-23]', async () => {
    const good = Array.from({ length: 20 }, (_, index) => `größe ${index}\n`).join('');
    const bytes = new Uint8Array([...utf8(good), 0x66, 0xfc, 0x0a, ...utf8('ende\n')]);
    const decoded = await decodeText(bytes);
    expect([decoded.encoding, decoded.text]).toEqual(['utf-8', `${good}f\ufffd\nende\n`]);
    expect(decoded.damaged).toEqual({ count: 1, lines: [21] });
  });

  it('is the one that is stated, and one that does not exist is refused [FIL-23]', async () => {
    const bytes = oneByte('text,label\n\xe4\xf6,keep\n');
    const read = (encoding: string) => readFile({ name: 'x.csv', bytes }, { encoding }, { maxBytes: 1e6 });
    expect((await read('koi8-r')).rows[0]).toMatchObject({ cells: ['ДЖ', 'keep'] });
    await expect(read('latin-0')).rejects.toThrow('There is no encoding “latin-0”. Name another, such as windows-1252');
  });
});
