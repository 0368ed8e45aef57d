/** Reading a file of any format into a sheet: its first bytes say more than its name. */
import { parsePlainJson, readJson, readJsonLines } from './read-json.ts';
import type { WorkbookSheet } from './read-workbook.ts';
import { fromObjects, type ParseJson, type Sheet, type SheetChoice, type TextFormat, UnreadableFile } from './sheet.ts';
import { decodeText } from './tables/decode-text.ts';
import { findSeparator, nameSeparator } from './tables/find-separator.ts';
import { readDelimited } from './tables/read-delimited.ts';

/** How much of a file's start shows whether it is a text. */
const sampledCharacters = 4_096;
const readable = 'CSV, TSV, Excel (.xlsx), Parquet, JSON or JSON Lines';

/** The first bytes of files without examples, and what people call such a file. */
const otherFiles = [
  ['\x89PNG', 'a PNG picture'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['%PDF', 'a PDF document'],
  ['\xd0\xcf\x11\xe0', 'an Excel file of the old kind (.xls), or one with a password'],
  ['\x1f\x8b', 'a gzip archive'],
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
export function refuseSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const [size, most] = [Math.ceil(bytes / 1_000_000), Math.floor(maxBytes / 1_000_000)];
  throw new UnreadableFile(`The file holds ${size} MB; at most ${most} MB are read. Import it in several parts.`);
}

/** Whether a text is a JSON document, JSON Lines, or columns. */
function findTextFormat(name: string, text: string): 'json' | 'jsonl' | null {
  if (/\.(jsonl|ndjson)$/i.test(name)) return 'jsonl';
  if (/\.json$/i.test(name)) return 'json';
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return /\}\s*\n\s*\{/.test(start) ? 'jsonl' : 'json';
  return null;
}

/** The line in which Excel is told the separator. */
const separatorLine = /^"?sep=([^\r\n])"?(?=\r|\n)/i;

/** The separator of a text, '' where it has one column; a format that is stated, and is not the text's, would lose the labels. Throws UnreadableFile. */
function toSeparator(text: string, format: TextFormat | null, { delimiter, quote }: SheetChoice): string {
  if (delimiter !== undefined) return delimiter;
  const stated = separatorLine.exec(text)?.[1];
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
  { maxRows, parseJson = parsePlainJson, checkText }: FileLimits,
  detected: string[] = [],
): Sheet {
  const clean = text.replace(/^\ufeff/, '');
  if (clean.trim() === '') throw new UnreadableFile('The file is empty.');
  const found = format ?? findTextFormat(name, clean);
  if (found === 'json' || found === 'jsonl') {
    checkText?.(clean, null);
    if (found === 'json') return readJson(clean, detected, parseJson);
    return readJsonLines(clean, detected, parseJson, maxRows);
  }
  const separator = toSeparator(clean, found, choice);
  checkText?.(clean, separator);
  // The line of the separator stays as a blank one, so that the others keep their numbers.
  return readDelimited(clean.replace(separatorLine, ''), separator, detected, choice, maxRows);
}

async function readParquet(bytes: Uint8Array): Promise<Sheet> {
  const { parquetReadObjects } = await import('hyparquet');
  const { toJsonValue } = await import('./read-workbook.ts');
  const records = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  const rows = records.map((record, index) => ({
    line: index + 1,
    values: Object.fromEntries(Object.entries(record).map(([name, value]) => [name, toJsonValue(value)])),
  }));
  return fromObjects(rows, ['Parquet']);
}

/** The sheets of an Excel workbook, the fullest first. Throws UnreadableFile. */
export async function readSheets(bytes: Uint8Array, maxBytes: number): Promise<WorkbookSheet[]> {
  const { readSheets } = await import('./read-workbook.ts');
  const sheets = await readPacked(
    'Excel',
    readSheets(bytes, (size) => refuseSize(size, maxBytes)),
  );
  if (sheets === null) throw new UnreadableFile(describeOther('a ZIP archive'));
  return sheets;
}

async function readWorkbook(bytes: Uint8Array, choice: SheetChoice, maxBytes: number): Promise<Sheet> {
  const sheets = await readSheets(bytes, maxBytes);
  return (await import('./read-workbook.ts')).readWorkbook(sheets, choice);
}

/** Reads a packed file; what its reader throws becomes a sentence about the file. */
async function readPacked<Read>(kind: string, read: Promise<Read>): Promise<Read> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const message = `The ${kind} file is damaged or incomplete: ${error instanceof Error ? error.message : String(error)}.`;
    throw new UnreadableFile(`${message} Save or download it again.`, { cause: error });
  }
}

/** Reads the bytes of a file. Throws UnreadableFile. */
export async function readFile(
  { name, bytes }: { name: string; bytes: Uint8Array },
  choice: SheetChoice,
  fileLimits: FileLimits,
): Promise<Sheet> {
  refuseSize(bytes.length, fileLimits.maxBytes);
  if (startsWith(bytes, 'PAR1')) return readPacked('Parquet', readParquet(bytes));
  if (startsWith(bytes, 'PK\x03\x04')) return readWorkbook(bytes, choice, fileLimits.maxBytes);
  const other = otherFiles.find(([sign]) => startsWith(bytes, sign));
  if (other) throw new UnreadableFile(describeOther(other[1]));
  const { text, encoding } = decodeText(bytes);
  if (text.slice(0, sampledCharacters).includes('\0'))
    throw new UnreadableFile(describeOther('a file of an unknown kind'));
  return readText(name, text, null, choice, fileLimits, encoding === 'UTF-8' ? [] : [encoding]);
}
