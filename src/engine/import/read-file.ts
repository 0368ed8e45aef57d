/** Reading a file of any format into a sheet: its first bytes say more than its name. */

import { describeFileBound } from '../limits.ts';
import { describeOther, findContainerOfBytes, findContainerOfText, sampledCharacters } from './formats/containers.ts';
import { openJsonCells } from './formats/json/json-cells.ts';
import { parsePlainJson, readJson } from './formats/json/read-json.ts';
import { readToolTable } from './formats/labelling-exports.ts';
import type { WorkbookSheet } from './formats/read-workbook.ts';
import { gatherAnswers } from './gather-answers.ts';
import { type ParseJson, type Sheet, type SheetChoice, type TextFormat, UnreadableFile } from './sheet.ts';
import { decodeText, isEncoding } from './tables/decode-text.ts';
import type { TableLine } from './tables/find-header.ts';
import { findSeparator, nameSeparator } from './tables/find-separator.ts';
import { readDelimited } from './tables/read-delimited.ts';
import { listLines } from './tables/skipped.ts';

/** A file with more of U+0000 is not a text. */
const maxZeroShare = 0.05;

/** Bounds of what is read. `checkText` throws before a text is parsed; its separator is null for JSON. */
type FileLimits = {
  maxBytes: number;
  maxRows?: number;
  parseJson?: ParseJson;
  checkText?(text: string, separator: string | null): void;
};

/** Throws where a file, or what is packed in it, is larger than may be read. */
function refuseSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new UnreadableFile(describeFileBound(bytes, maxBytes));
}

const isNamedLines = (name: string, format: TextFormat | null) =>
  format === 'jsonl' || /\.(?:jsonl|ndjson)$/i.test(name);
const excelXml = 'urn:schemas-microsoft-com:office:spreadsheet';

/** Begins each document of a JSON text sequence (RFC 7464). */
const recordSign = '\x1e';

/** The line that names the separator for Excel. */
const separatorLine = /^"?sep=([^\r\n])"?(?=\r|\n)/i;

/** How the header of exported examples begins, with whatever a spreadsheet puts between its cells. */
const exportedHeader = /^"?id"?([,;\t])"?expected_decision"?\1/;

/**
 * Finds the separator of a text, '' where it has one column. Throws UnreadableFile where the stated format is not the
 * text's: its labels would be lost.
 */
function toSeparator(text: string, format: TextFormat | null, { delimiter, quote }: SheetChoice): string {
  if (delimiter !== undefined) return delimiter;
  const stated = separatorLine.exec(text)?.[1] ?? exportedHeader.exec(text)?.[1];
  const found = stated ?? findSeparator(text, quote);
  if (format === null) return found ?? '';
  const expected = format === 'csv' ? ',' : '\t';
  if (found === null || found === expected) return expected;
  const wanted = format === 'csv' ? 'commas' : 'tabs';
  throw new UnreadableFile(
    `the columns are separated by ${nameSeparator(found)}; separate them by ${wanted}, and quote cells that hold any`,
  );
}

/** Reads a text of a stated format, or of the kind that is found where it is null. Throws UnreadableFile. */
export async function readText(
  name: string,
  text: string,
  format: TextFormat | null,
  choice: SheetChoice,
  limits: FileLimits,
): Promise<Sheet> {
  return gatherAnswers(await readTextOf(name, text, format, choice, limits));
}

async function readTextOf(
  name: string,
  text: string,
  format: TextFormat | null,
  choice: SheetChoice,
  { maxRows, parseJson = parsePlainJson, checkText }: FileLimits,
  detected: string[] = [],
): Promise<Sheet> {
  const clean = text.startsWith(recordSign) ? text.replaceAll(recordSign, '') : text.replace(/^\ufeff/, '');
  if (clean.trim() === '') throw new UnreadableFile('The file is empty.');
  const container = format === null ? findContainerOfText(name, clean) : null;
  if (container !== null && container.reads === undefined) throw new UnreadableFile(describeOther(container));
  if (container?.reads === 'markup') return readMarkup(clean, choice, parseJson);
  if (container?.reads === 'json' || format === 'json' || format === 'jsonl') {
    checkText?.(clean, null);
    return readJson(clean, isNamedLines(name, format), detected, parseJson, maxRows);
  }
  const separator = toSeparator(clean, format, choice);
  checkText?.(clean, separator);
  // The line of the separator stays as a blank one, so that the others keep their numbers.
  const sheet = readDelimited(clean.replace(separatorLine, ''), separator, detected, choice, maxRows);
  return openTable(sheet, parseJson);
}

/** Reads what the cells of a table hold besides their values; an export of examples says that itself. */
const openTable = (sheet: Sheet, parseJson: ParseJson): Sheet =>
  sheet.isOwnExport ? sheet : openJsonCells(readToolTable(sheet), parseJson);

async function openWorkbook(bytes: Uint8Array, maxBytes: number): Promise<WorkbookSheet[]> {
  const { readSheets } = await import('./formats/read-workbook.ts');
  const sheets = readSheets(bytes, (size) => refuseSize(size, maxBytes));
  if (!Array.isArray(sheets)) throw new UnreadableFile(describeOther(sheets));
  return sheets;
}

/** The sheets of an Excel workbook with their lines, the fullest first, hidden ones last. Throws UnreadableFile. */
export async function readSheets(bytes: Uint8Array, maxBytes: number): Promise<{ name: string; lines: TableLine[] }[]> {
  const { toLines } = await import('./formats/worksheet.ts');
  return (await openWorkbook(bytes, maxBytes)).map((sheet) => ({ name: sheet.name, lines: toLines(sheet) }));
}

async function readWorkbook(
  sheets: readonly WorkbookSheet[],
  kind: string,
  choice: SheetChoice,
  parseJson: ParseJson = parsePlainJson,
): Promise<Sheet> {
  const sheet = (await import('./formats/read-workbook.ts')).readWorkbook(sheets, kind, choice);
  return openTable(sheet, parseJson);
}

async function readMarkup(text: string, choice: SheetChoice, parseJson?: ParseJson): Promise<Sheet> {
  const { readHtml, readXmlWorkbook } = await import('./formats/read-markup.ts');
  if (text.includes(excelXml)) return readWorkbook(readXmlWorkbook(text), 'Excel 2003 (XML)', choice, parseJson);
  const tables = readHtml(text);
  if (tables.length === 0)
    throw new UnreadableFile(describeOther({ what: 'a web page or an XML document without a table' }));
  return readWorkbook(tables, 'a web page', choice, parseJson);
}

/** Refuses a text with the sign U+0000, which none has: it is of another kind, or damaged in a line. */
function refuseZeros(text: string): void {
  const at = text.indexOf('\0');
  if (at < 0) return;
  const sample = text.slice(0, sampledCharacters);
  if (sample.split('\0').length - 1 > maxZeroShare * sample.length)
    throw new UnreadableFile(describeOther({ what: 'a file of an unknown kind' }));
  const line = text.slice(0, at).split('\n').length;
  throw new UnreadableFile('The line holds the sign U+0000, which no text has. Take it out, or save the file again.', {
    line,
  });
}

/** An encoding as people know it, where that is another name than the platform's. */
const nameEncoding = (encoding: string) =>
  encoding === 'windows-1252'
    ? 'Windows-1252 (Latin-1)'
    : encoding.startsWith('utf')
      ? encoding.toUpperCase()
      : encoding;

/** Reads the bytes of a file. Throws UnreadableFile. */
export async function readFile(
  file: { name: string; bytes: Uint8Array },
  choice: SheetChoice,
  limits: FileLimits,
): Promise<Sheet> {
  return gatherAnswers(await readContainer(file, choice, limits));
}

async function readContainer(
  { name, bytes }: { name: string; bytes: Uint8Array },
  choice: SheetChoice,
  fileLimits: FileLimits,
): Promise<Sheet> {
  refuseSize(bytes.length, fileLimits.maxBytes);
  const { maxBytes } = fileLimits;
  const container = findContainerOfBytes(name, bytes);
  if (container?.reads === 'parquet')
    return (await import('./formats/read-parquet.ts')).readParquet(bytes, (size) => refuseSize(size, maxBytes));
  if (container?.reads === 'workbook')
    return readWorkbook(await openWorkbook(bytes, maxBytes), 'Excel', choice, fileLimits.parseJson);
  if (container !== null) throw new UnreadableFile(describeOther(container));
  if (choice.encoding !== undefined && !isEncoding(choice.encoding))
    throw new UnreadableFile(
      `There is no encoding “${choice.encoding}”. Name another, such as windows-1252 or shift_jis.`,
    );
  const { text, encoding, choices, damaged } = await decodeText(bytes, choice.encoding);
  refuseZeros(text);
  const detected = encoding === 'utf-8' ? [] : [nameEncoding(encoding)];
  const sheet = await readTextOf(name, text, null, choice, fileLimits, detected);
  const characters = damaged.count === 1 ? 'character' : 'characters';
  const lost = `${damaged.count} ${characters} cannot be read as ${nameEncoding(encoding)} and became “�”, ${damaged.lines.length === 1 ? 'in line' : 'in lines'} ${listLines(damaged.lines, damaged.lines.length)}`;
  return {
    ...sheet,
    encoding: { name: encoding, choices },
    notes: damaged.count > 0 ? [lost, ...sheet.notes] : sheet.notes,
  };
}
