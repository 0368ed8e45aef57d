/** Files of every kind and size in a real browser, under the policy of the page: each is read, or refused by name. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeWorkbook } from '../../fixtures/make-workbook.ts';
import { type Window as Opened, openWindow } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const rowCount = 20_000;
const columnCount = 30;

/** An Excel workbook of one sheet with many numbers. */
function makeMeasures(): Buffer {
  const header = Array.from({ length: columnCount }, (_, column) => (column === 0 ? 'answer' : `measure ${column}`));
  const rows = Array.from({ length: rowCount }, (_, index) =>
    Array.from({ length: columnCount }, (_, column) =>
      column === 0 ? ['keep', 'cancel', 'cancel'][index % 3] : index * columnCount + column,
    ),
  );
  return Buffer.from(makeWorkbook({ Data: [header, ...(rows as (string | number)[][])] }));
}

describe('a file that is chosen in the browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-files-'));
  const workbook = makeMeasures();
  let workbench: RunningWorkbench;
  let opened: Opened;
  const choose = (name: string, bytes: Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return opened.page.locator('input[type=file]').first().setInputFiles(path);
  };
  const refusal = () => opened.page.getByRole('alert');

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    opened = await openWindow(workbench, '#/new');
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is let go of when it is cancelled, and can be chosen again', async () => {
    await choose('measures.xlsx', workbook);
    await opened.page.getByRole('button', { name: 'Cancel' }).click();
    await opened.page.getByRole('heading', { name: 'Drop a file anywhere' }).waitFor();
  });

  test('is refused by what it is, whatever it is called', async () => {
    for (const [name, bytes, says] of [
      ['chart.csv', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'This is a PNG picture.'],
      ['letter.xlsx', Buffer.from('%PDF-1.7\n1 0 obj\n'), 'This is a PDF document.'],
      ['cut.xlsx', workbook.subarray(0, 100_000), 'The Excel file is damaged or incomplete'],
    ] as const) {
      await choose(name, bytes);
      await expect.poll(() => refusal().innerText()).toContain(`${name}: ${says}`);
    }
  });

  test('is refused by its size before it is read', async () => {
    const path = join(folder, 'huge.csv');
    writeFileSync(path, 'text,label\n');
    truncateSync(path, 200_000_000);
    await opened.page.locator('input[type=file]').first().setInputFiles(path);
    await expect.poll(() => refusal().innerText()).toContain('huge.csv: The file holds 200 MB; at most ');
  });

  test('is read as an Excel workbook of 20,000 rows and 30 columns', async () => {
    await choose('measures.xlsx', workbook);
    await opened.page.getByText(/measures\.xlsx · 20,000 rows · Excel/).waitFor();
    expect(await opened.page.getByLabel('Column answer becomes').inputValue()).toBe('decision');
    await opened.page.getByRole('button', { name: 'Create decision type and import 20,000 rows' }).waitFor();
  });

  test('is read as Parquet, whatever packs it, though the page compiles no code [FIL-31]', async () => {
    const cases = join(import.meta.dirname, '../../fixtures/cases');
    for (const name of ['brotli', 'gzip', 'lz4', 'zstd']) {
      const path = join(cases, `parquet-codecs/${name}.parquet`);
      await opened.page.locator('input[type=file]').first().setInputFiles(path);
      await opened.page.getByText(`${name}.parquet · 2 rows · Parquet`).waitFor();
    }
  });

  test('offers a hidden sheet last, and says that it is hidden [FIL-30]', async () => {
    const path = join(import.meta.dirname, '../../fixtures/cases/xlsx-hidden-sheet/hidden.xlsx');
    await opened.page.locator('input[type=file]').first().setInputFiles(path);
    const sheets = opened.page.getByLabel('Sheet (2)');
    await expect.poll(() => sheets.locator('option').allInnerTexts()).toEqual(['Data', 'lists (hidden)']);
    expect(await sheets.inputValue()).toBe('Data');
  });

  test('and nothing goes wrong behind the page', () => {
    // Chromium notes each file that the server refuses.
    expect(opened.faults.filter((fault) => !/status of 422 .*\/api\/v1\/imports\)$/.test(fault))).toEqual([]);
  });
});
