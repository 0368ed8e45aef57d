/** Small files that hold much, over REST: what they hold is asked before they are read, and answers stay small. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeWorkbook } from '../../fixtures/make-workbook.ts';
import { makeType, openForAll } from '../workbench.ts';

const bench = openForAll();
let url: string;
beforeAll(async () => {
  const typeId = await makeType((method, whole, ...rest) => bench.call(method, whole.slice('/api/v1'.length), ...rest));
  url = `/decision-types/${typeId}/examples/import`;
});

const sheetPath = 'xl/worksheets/sheet1.xml';
const readFixture = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../../fixtures/sizes', name)) as Uint8Array<ArrayBuffer>;

/** A workbook whose sheet is followed by blanks, which pack a thousand to one. */
function makeBlankWorkbook(blanks: number): Uint8Array<ArrayBuffer> {
  const parts = unzipSync(makeWorkbook({ data: [['amount', 'answer']] }));
  const sheet = new TextDecoder().decode(parts[sheetPath]).replace('</sheetData>', `${' '.repeat(blanks)}</sheetData>`);
  return zipSync({ ...parts, [sheetPath]: strToU8(sheet) }).slice();
}

const boundary = '--------form-of-a-story';

/** Sends a form, written out here: the platform's takes minutes for many fields. */
function sendForm(fields: readonly string[], file: Uint8Array, name: string) {
  const parts = fields.map((field) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n1\r\n`);
  const start = `${parts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(start), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return bench.call('POST', url, body, { 'content-type': `multipart/form-data; boundary=${boundary}` });
}

describe('a small file that holds much', () => {
  it.each([
    ['blanks.xlsx', () => makeBlankWorkbook(8_000_000), 'A sheet takes 8 MB and holds next to nothing'],
    [
      'rows.parquet',
      () => readFixture('300000-rows.parquet'),
      '300,000 rows; at most 200,000 are read. A decision type holds at most 200,000 examples, all of which a training keeps in memory. Import a random sample of the rows.',
    ],
    [
      'cells.parquet',
      () => readFixture('3200000-cells.parquet'),
      '3,200,000 cells; at most 3,000,000 are read. Import it in several parts. A decision type',
    ],
  ])('is refused by its directory: %s [LRG-4]', async (name, make, sentence) => {
    const file = make();
    expect(file.length).toBeLessThan(100_000);
    const refused = await sendForm([], file, name);
    expect([refused.status, refused.body.error.details[0].msg]).toEqual([422, expect.stringContaining(sentence)]);
  });

  it('is shown in a preview of a megabyte [LRG-4]', async () => {
    const listNumbers = (n: number) => Array.from({ length: 30_000 }, (_, m) => (m * 7_919 + n * 104_729) % 999_983);
    const rows = Array.from({ length: 30 }, (_, n) => [n, listNumbers(n).join(' '), 'yes']);
    const file = makeWorkbook({ data: [['amount', 'text', 'answer'], ...rows] });
    const preview = await sendForm([], file, 'texts.xlsx');
    expect([preview.status, preview.body.examples]).toEqual([200, 30]);
    expect(preview.body.first_examples.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5]);
    expect(preview.text.length).toBeLessThan(1_200_000);
  });

  it('is refused for names without end, and a form for fields without number, in a short answer [LRG-4]', async () => {
    const longColumn = makeWorkbook({
      data: [
        ['amount', 'a'.repeat(1_001)],
        [1, 'yes'],
      ],
    });
    const refused = await sendForm([], longColumn, 'names.xlsx');
    expect(refused.body.error.details[0]).toMatchObject({
      loc: ['body', 'content', 1, 2],
      msg: expect.stringContaining('more than 1,000 characters'),
    });
    const manyFields = Array.from({ length: 200_000 }, (_, n) => `f${n}`);
    const form = await sendForm(manyFields, longColumn, 'names.xlsx');
    expect([form.status, form.body.error.details.length]).toEqual([422, 100]);
    const named = await bench.call('POST', url, { content: 'a,b\n1,2', ['x'.repeat(5_000_000)]: 1 });
    expect([named.status, named.body.error.details[0].loc]).toEqual([422, ['body', `${'x'.repeat(200)}…`]]);
    expect(named.text.length).toBeLessThan(1_000);
  });
});
