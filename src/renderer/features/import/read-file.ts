/** Reads a file of any format into a sheet; runs in a worker, so that the page stays quick. */
import type { JsonObject } from '../../../engine/domain.ts';
import { isJsonObject } from '../../../engine/json.ts';
import { decodeText } from './read-text.ts';
import { fromObjects, type Sheet, type SheetRow, toSheet } from './sheet.ts';

/** A file that cannot be read; its message is a whole sentence that names place and remedy. */
export class UnreadableFile extends Error {}

const separators = [
  { sign: ',', name: 'comma' },
  { sign: ';', name: 'semicolon' },
  { sign: '\t', name: 'tab' },
  { sign: '|', name: 'bar' },
] as const;
const sampledLines = 20;

/** The separator that cuts the first lines into the most columns, the same number in each. */
export function findSeparator(text: string): (typeof separators)[number] {
  const lines = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, sampledLines);
  const unquoted = lines.map((line) => line.replace(/"(?:[^"]|"")*"/g, ''));
  const scored = separators.map((separator) => {
    const counts = unquoted.map((line) => line.split(separator.sign).length - 1);
    const first = counts[0] ?? 0;
    const same = counts.filter((count) => count === first).length / Math.max(1, counts.length);
    return { separator, score: first === 0 ? 0 : same * 100 + Math.min(first, 50) };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  return best.separator;
}

async function readDelimited(text: string, told: string[]): Promise<Sheet> {
  const { parse } = await import('csv-parse/browser/esm/sync');
  const separator = findSeparator(text);
  try {
    const records = parse(text, {
      delimiter: separator.sign,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      relax_quotes: true,
      bom: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    const lines = records.map(({ record, info }) => ({ line: info.lines, cells: record }));
    return toSheet(lines, separator.sign === ',' ? told : [...told, `separated by ${separator.name}s`]);
  } catch (error) {
    const line = error instanceof Error && 'lines' in error ? ` at line ${String(error.lines)}` : '';
    throw new UnreadableFile(`The file ends inside a quotation${line}. Close it, then drop the file again.`);
  }
}

/** A date as JSON holds it, a big number as a number; the rest as it is. */
function toJsonValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return Number(value);
  return value ?? null;
}

async function readXlsx(bytes: ArrayBuffer): Promise<Sheet> {
  const { default: readXlsxFile } = await import('read-excel-file/web-worker');
  const sheets = await readXlsxFile(bytes);
  const [sheet] = sheets;
  const [header = [], ...body] = sheet?.data ?? [];
  const texts = header.map((cell) => (cell === null ? '' : String(cell)));
  const { columns } = toSheet([{ line: 1, cells: texts }], []);
  const rows: SheetRow[] = body.map((cells, index) => ({
    line: index + 2,
    values: Object.fromEntries(columns.map((name, at) => [name, toJsonValue(cells[at])])) as JsonObject,
  }));
  const told = sheets.length > 1 ? [`the first of ${sheets.length} sheets, “${sheet?.sheet ?? ''}”`] : [];
  return fromObjects(rows, ['Excel', ...told]);
}

async function readParquet(file: ArrayBuffer): Promise<Sheet> {
  const { parquetReadObjects } = await import('hyparquet');
  const records = await parquetReadObjects({ file });
  const rows = records.map((record, index) => ({
    line: index + 1,
    values: Object.fromEntries(Object.entries(record).map(([name, value]) => [name, toJsonValue(value)])) as JsonObject,
  }));
  return fromObjects(rows, ['Parquet']);
}

function readJson(text: string, told: string[]): Sheet {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(`The file is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const list = isJsonObject(value) ? Object.values(value).find(Array.isArray) : value;
  if (!Array.isArray(list))
    throw new UnreadableFile('The file holds no list of examples. Put them into one JSON array.');
  const rows: SheetRow[] = [];
  const refused: Sheet['refused'] = [];
  for (const [index, item] of list.entries()) {
    if (isJsonObject(item)) rows.push({ line: index + 1, values: item });
    else refused.push({ line: index + 1, message: 'not an object' });
  }
  return fromObjects(rows, told, refused);
}

function readJsonLines(text: string, told: string[]): Sheet {
  const rows: SheetRow[] = [];
  const refused: Sheet['refused'] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    try {
      const values: unknown = JSON.parse(line);
      if (isJsonObject(values)) rows.push({ line: index + 1, values });
      else refused.push({ line: index + 1, message: 'not an object' });
    } catch {
      refused.push({ line: index + 1, message: 'not valid JSON' });
    }
  }
  return fromObjects(rows, told, refused);
}

/** Whether a text is a JSON document, JSON Lines, or columns. */
function findTextFormat(name: string, text: string): 'json' | 'jsonl' | 'columns' {
  if (/\.(jsonl|ndjson)$/i.test(name)) return 'jsonl';
  if (/\.json$/i.test(name)) return 'json';
  const start = text.trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return /\}\s*\n\s*\{/.test(start) ? 'jsonl' : 'json';
  return 'columns';
}

const startsWith = (bytes: Uint8Array, sign: string) =>
  [...sign].every((character, index) => bytes[index] === character.charCodeAt(0));

/** Reads a file: its first bytes say more than its name. Throws UnreadableFile. */
export async function readFile(name: string, buffer: ArrayBuffer): Promise<Sheet> {
  const bytes = new Uint8Array(buffer);
  if (startsWith(bytes, 'PAR1')) return readParquet(buffer);
  if (startsWith(bytes, 'PK')) return readXlsx(buffer);
  const { text, encoding } = decodeText(bytes);
  const told = encoding === 'UTF-8' ? [] : [encoding];
  const clean = text.replace(/^\ufeff/, '');
  if (clean.trim() === '') throw new UnreadableFile('The file is empty.');
  const format = findTextFormat(name, clean);
  if (format === 'json') return readJson(clean, told);
  return format === 'jsonl' ? readJsonLines(clean, told) : readDelimited(clean, told);
}
