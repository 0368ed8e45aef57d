/** Excel workbooks: their fullest sheet, or the one that is chosen. */
import { unzipSync, zipSync } from 'fflate';
import readXlsxFile from 'read-excel-file/universal';
import type { Json } from '../domain.ts';
import { type Sheet, type SheetChoice, UnreadableFile } from './sheet.ts';
import { readTable, type TableLine } from './tables/read-table.ts';

/** A date as JSON holds it, without the time where it is midnight; a big number as a number; the rest as it is. */
export function toJsonValue(value: unknown): Json {
  if (value instanceof Date) return value.toISOString().replace(/(?:T00:00:00)?\.000Z$/, '');
  if (typeof value === 'bigint') return Number(value);
  return (value ?? null) as Json;
}

/**
 * Packs a workbook again uncompressed: its reader inflates large parts in a `blob:` worker, which the page forbids, and
 * waits for ever.
 */
function inflateWorkbook(bytes: Uint8Array, refuseSize: (bytes: number) => void): ArrayBuffer | null {
  let inflatedBytes = 0;
  const parts = unzipSync(bytes, {
    filter({ name, originalSize }) {
      if (!/\.(?:xml|rels)$/.test(name)) return false;
      inflatedBytes += originalSize;
      refuseSize(inflatedBytes);
      return true;
    },
  });
  return 'xl/workbook.xml' in parts ? (zipSync(parts, { level: 0 }).buffer as ArrayBuffer) : null;
}

/** The lines of a sheet that hold something, all of one width. */
function toLines(data: readonly (readonly unknown[])[]): TableLine[] {
  const lines = data
    .map((cells, index) => ({ line: index + 1, cells: cells.map(toJsonValue) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null && cell !== ''));
  const width = lines.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  for (const { cells } of lines) while (cells.length < width) cells.push(null);
  return lines;
}

export type WorkbookSheet = { name: string; lines: TableLine[] };

/** The sheets of a workbook, the fullest first; null where the archive is none. */
export async function readSheets(
  bytes: Uint8Array,
  refuseSize: (bytes: number) => void,
): Promise<WorkbookSheet[] | null> {
  const inflated = inflateWorkbook(bytes, refuseSize);
  if (inflated === null) return null;
  const sheets = (await readXlsxFile(inflated)).map(({ sheet, data }) => ({ name: sheet, lines: toLines(data) }));
  const countCells = ({ lines }: WorkbookSheet) => lines.length * (lines[0]?.cells.length ?? 0);
  return sheets.sort((a, b) => countCells(b) - countCells(a));
}

/** The table of a workbook's fullest or chosen sheet. Throws UnreadableFile for a sheet that it does not have. */
export function readWorkbook(sheets: readonly WorkbookSheet[], choice: SheetChoice): Sheet {
  const chosen = choice.sheet === undefined ? sheets[0] : sheets.find(({ name }) => name === choice.sheet);
  const names = sheets.map(({ name }) => name);
  if (chosen === undefined)
    throw new UnreadableFile(`There is no sheet “${choice.sheet}”. The sheets are: ${names.join(', ')}.`);
  if (chosen.lines.length === 0) throw new UnreadableFile(`The sheet “${chosen.name}” is empty. Choose another one.`);
  return { ...readTable(chosen.lines, ['Excel'], choice), workbook: { sheets: names, sheet: chosen.name } };
}
