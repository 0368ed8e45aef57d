import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toLetters } from '../../../src/engine/export/column-letters.ts';
import { writeWorkbook } from '../../../src/engine/export/write-workbook.ts';
import { readSheets } from '../../../src/engine/import/read-file.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a workbook that is written', () => {
  test('comes back with every text as it was, whatever its characters [END-1]', async () => {
    const texts = fc
      .oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('=1+1', '1000', 'true', '_x0041_', '_x005F_', '<a href="&amp;">', 'a\r\n\tb', '\u0001\ufffe'),
      )
      // The reader takes spaces at both ends away.
      .map((text) => `.${text}.`);
    const tables = fc.array(fc.tuple(texts, texts, texts), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(tables, async (lines) => {
        const [sheet] = await readSheets(writeWorkbook('Rules', lines), 1_000_000);
        expect(sheet?.name).toBe('Rules');
        expect(sheet?.lines.map(({ cells }) => cells)).toEqual(lines);
      }),
      { numRuns: 30 },
    );
  });

  test('has the same bytes wherever the machine stands [END-1]', () => {
    const written = ['America/Los_Angeles', 'UTC', 'Pacific/Kiritimati'].map((zone) => {
      vi.stubEnv('TZ', zone);
      return { offset: new Date(0).getTimezoneOffset(), bytes: writeWorkbook('Rules', [['name']]) };
    });
    expect(written.map(({ offset }) => offset)).toEqual([480, 0, 640]);
    expect(written[0]?.bytes).toEqual(written[1]?.bytes);
    expect(written[2]?.bytes).toEqual(written[1]?.bytes);
  });

  test('holds 200 lines of long texts, and cells are counted as spreadsheets do [END-1]', async () => {
    const lines = Array.from({ length: 200 }, (_, line) =>
      Array.from({ length: 30 }, (_, column) => (column % 3 === 0 ? '' : `${line} ${column} `.repeat(200).trim())),
    );
    const [sheet] = await readSheets(writeWorkbook('Rules', lines), 10_000_000);
    expect(sheet?.lines.map(({ cells }) => cells.map((cell) => cell ?? ''))).toEqual(lines);
    expect([0, 25, 26, 701, 702].map(toLetters)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA']);
  });
});
