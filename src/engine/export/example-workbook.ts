/** Examples as an Excel workbook, written as a stream. */
import { strToU8, Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { ExampleTable } from './example-columns.ts';
import { type Examples, joinPieces, type Pieces } from './pieces.ts';
import { firstZipDay, listParts, sheetPath, toSheetFrame, writeRow } from './write-workbook.ts';

const columnWidth = 16;
/** As fast as it goes: one level more takes half as long again, for a file a tenth smaller. */
const compressionLevel = 3;
/** Characters that a sheet's name may have, and those that it may not hold. */
const maxSheetName = 31;
const sheetNameOf = (name: string) => name.replace(/[\\/?*[\]:]/g, ' ').slice(0, maxSheetName);

/** Writes examples as a workbook of one sheet. */
export async function* writeExampleWorkbook(name: string, table: ExampleTable, examples: Examples): Pieces {
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  const takeReady = () => {
    const taken = ready;
    ready = [];
    return taken;
  };
  for (const [path, bytes] of listParts(sheetNameOf(name))) {
    const part = Object.assign(new ZipPassThrough(path), { mtime: firstZipDay() });
    zip.add(part);
    part.push(bytes, true);
  }
  const sheet = Object.assign(new ZipDeflate(sheetPath, { level: compressionLevel }), { mtime: firstZipDay() });
  zip.add(sheet);
  for await (const text of joinPieces(writeLines(table, examples))) {
    sheet.push(strToU8(text));
    yield* takeReady();
  }
  sheet.push(new Uint8Array(0), true);
  zip.end();
  yield* takeReady();
}

async function* writeLines(table: ExampleTable, examples: Examples): AsyncGenerator<string> {
  const { start, end } = toSheetFrame(table.headers.map(() => columnWidth));
  yield start + writeRow(table.headers, 1);
  let line = 1;
  for await (const example of examples) {
    line += 1;
    yield writeRow(table.toCells(example), line);
  }
  yield end;
}
