/** Reading a file of any format into a sheet: its first bytes say more than its name. */

import { openJsonCells } from './formats/json/json-cells.ts';
import { insideCall, parsePlainJson, readJson } from './formats/json/read-json.ts';
import { readToolTable } from './formats/labelling-exports.ts';
import type { WorkbookSheet } from './formats/read-workbook.ts';
import { gatherAnswers } from './gather-answers.ts';
import { type ParseJson, type Sheet, type SheetChoice, type TextFormat, UnreadableFile } from './sheet.ts';
import { decodeText, isEncoding } from './tables/decode-text.ts';
import type { TableLine } from './tables/find-header.ts';
import { findSeparator, nameSeparator } from './tables/find-separator.ts';
import { describeOtherText } from './tables/other-texts.ts';
import { readDelimited } from './tables/read-delimited.ts';
import { listLines } from './tables/skipped.ts';

/** How much of a file's start shows whether it is a text. */
const sampledCharacters = 4_096;
/** A file with more of U+0000 is not a text. */
const maxZeroShare = 0.05;
const readable = 'CSV, TSV, Excel (.xlsx), Parquet, JSON or JSON Lines';

/** The first bytes of files without examples, and the common name of such a file. */
const otherFiles = [
  ['\x89PNG', 'a PNG picture'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['%PDF', 'a PDF document'],
  ['\xd0\xcf\x11\xe0', 'an Excel file of the old kind (.xls), or one with a password'],
  ['\x1f\x8b', 'a gzip archive'],
  ['PARE', 'a Parquet file with a key'],
  ['MIME-Version', 'a web page with its pictures (.mht)'],
] as const;

/** Bounds of what is read. `checkText` throws before a text is parsed; its separator is null for JSON. */
type FileLimits = {
  maxBytes: number;
  maxRows?: number;
  parseJson?: ParseJson;
  checkText?(text: string, separator: string | null): void;
};

const startsWith = (bytes: Uint8Array, sign: string) =>
  [...sign].every((character, index) => bytes[index] === character.charCodeAt(0));

const describeOther = (what: string) => `This is ${what}. Save its table as ${readable}, then choose that file.`;

/** Throws where a file, or what is packed in it, is larger than may be read. */
function refuseSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const [size, most] = [Math.ceil(bytes / 1_000_000), Math.floor(maxBytes / 1_000_000)];
  throw new UnreadableFile(`The file holds ${size} MB; at most ${most} MB are read. Import it in several parts.`);
}

const isJson = (name: string, text: string) =>
  /\.(?:jsonl?|ndjson|geojson)$/i.test(name) || jsonStart.test(text) || insideCall.test(text);
const jsonStart = /^\s*(?:\{\s*["'}/]|\[\s*(?:[[{"'\]/]|(?:-?\d[\d.eE+-]*|true|false|null|NaN)\s*[,\]]))/;
const isNamedLines = (name: string, format: TextFormat | null) =>
  format === 'jsonl' || /\.(?:jsonl|ndjson)$/i.test(name);
/** How a web page or an XML document begins; what begins a cell of a table with a tag is no such element. */
const markup = /^\s*<(?:!doctype|html|head|body|table|meta|style|\?xml)\b/i;
const excelXml = 'urn:schemas-microsoft-com:office:spreadsheet';

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

/** Reads a text of a stated format, or of the one that is found where it is null. Throws UnreadableFile. */
export function readText(
  name: string,
  text: string,
  format: TextFormat | null,
  choice: SheetChoice,
  limits: FileLimits,
): Sheet {
  return gatherAnswers(readTextOf(name, text, format, choice, limits));
}

function readTextOf(
  name: string,
  text: string,
  format: TextFormat | null,
  choice: SheetChoice,
  { maxRows, parseJson = parsePlainJson, checkText }: FileLimits,
  detected: string[] = [],
): Sheet {
  const clean = text.replace(/^\ufeff/, '');
  if (clean.trim() === '') throw new UnreadableFile('The file is empty.');
  if (format === 'json' || format === 'jsonl' || (format === null && isJson(name, clean))) {
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
  if (!Array.isArray(sheets)) throw new UnreadableFile(describeOther(sheets.otherKind));
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
  if (tables.length === 0) throw new UnreadableFile(describeOther('a web page or an XML document without a table'));
  return readWorkbook(tables, 'a web page', choice, parseJson);
}

/** Refuses a text with the sign U+0000, which none has: it is of another kind, or damaged in a line. */
function refuseZeros(text: string): void {
  const at = text.indexOf('\0');
  if (at < 0) return;
  const sample = text.slice(0, sampledCharacters);
  if (sample.split('\0').length - 1 > maxZeroShare * sample.length)
    throw new UnreadableFile(describeOther('a file of an unknown kind'));
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
  if (startsWith(bytes, 'PAR1'))
    return (await import('./formats/read-parquet.ts')).readParquet(bytes, (size) => refuseSize(size, maxBytes));
  if (startsWith(bytes, 'PK\x03\x04'))
    return readWorkbook(await openWorkbook(bytes, maxBytes), 'Excel', choice, fileLimits.parseJson);
  const other = otherFiles.find(([sign]) => startsWith(bytes, sign));
  if (other) throw new UnreadableFile(describeOther(other[1]));
  if (choice.encoding !== undefined && !isEncoding(choice.encoding))
    throw new UnreadableFile(
      `There is no encoding “${choice.encoding}”. Name another, such as windows-1252 or shift_jis.`,
    );
  const { text, encoding, choices, damaged } = await decodeText(bytes, choice.encoding);
  refuseZeros(text);
  const detected = encoding === 'utf-8' ? [] : [nameEncoding(encoding)];
  if (/\.ya?ml$/i.test(name)) throw new UnreadableFile(describeOther('a YAML file'));
  const otherText = describeOtherText(name, text);
  if (otherText !== null) throw new UnreadableFile(otherText);
  const sheet =
    markup.test(text) || /\.xml$/i.test(name)
      ? await readMarkup(text, choice, fileLimits.parseJson)
      : readTextOf(name, text, null, choice, fileLimits, detected);
  const characters = damaged.count === 1 ? 'character' : 'characters';
  const lost = `${damaged.count} ${characters} cannot be read as ${nameEncoding(encoding)} and became “�”, ${damaged.lines.length === 1 ? 'in line' : 'in lines'} ${listLines(damaged.lines, damaged.lines.length)}`;
  return {
    ...sheet,
    encoding: { name: encoding, choices },
    notes: damaged.count > 0 ? [lost, ...sheet.notes] : sheet.notes,
  };
}
