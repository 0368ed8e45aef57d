/** Reading an example file into records: CSV and TSV by columns, JSON and JSON Lines by objects. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Json, JsonObject } from '../../engine/domain.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { isJsonObject } from '../../engine/json.ts';
import { limits } from '../../engine/limits.ts';
import type { importFormats } from '../contract/examples.ts';
import { readJsonBody } from '../hot-path/json-body.ts';
import { parseJsonText } from '../hot-path/json-faults.ts';

export type ImportFormat = (typeof importFormats)[number];
/** One record of a file: the line it starts on, counted from 1, and its values by column. */
export type SourceRecord = { line: number; values: JsonObject };

/** What a body may hold, too: a wider input could not be sent back. */
const maxColumns = 2_000;
/** Problems of a file that its refusal lists. */
const maxReportedProblems = 100;
/** Records of a file that are worked on before other calls get their turn. */
const recordsPerTurn = 1_000;
const piecesLength = 32_768;

/** Refuses a file with its first hundred problems. */
export function refuseFile(problems: readonly ErrorDetail[]): never {
  throw new WorkbenchError('validation_error', 'The file cannot be imported.', problems.slice(0, maxReportedProblems));
}

/** Returns the problem of a place in a file. */
export function toFileProblem(line: number, column: string | number, msg: string): ErrorDetail {
  return { type: 'unreadable', loc: ['body', 'content', line, column], msg: `line ${line}: ${msg}` };
}

/** As `Array.map`, in turns of the event loop, so that a large file does not hold up other calls. */
export async function mapInTurns<T, R>(items: readonly T[], convert: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    results.push(convert(item, index));
    if (index % recordsPerTurn === recordsPerTurn - 1) await nextTurn();
  }
  return results;
}

/**
 * Reads the records of a file. Cells of CSV and TSV get the type that all filled cells of their column have (number,
 * boolean, string); an empty cell is null. Throws `validation_error` whose `loc` names line and column of each problem.
 */
export async function readRecords(format: ImportFormat, content: string): Promise<SourceRecord[]> {
  const text = content.replace(/^\ufeff/, '');
  const records = await readFormat(format, text);
  if (records.length === 0) {
    refuseFile([{ type: 'empty', loc: ['body', 'content'], msg: 'the file holds no examples' }]);
  }
  if (records.length > limits.maxExamples) {
    refuseFile([{ type: 'too_many', loc: ['body', 'content'], msg: `more than ${limits.maxExamples} examples` }]);
  }
  return records;
}

async function readFormat(format: ImportFormat, text: string): Promise<SourceRecord[]> {
  switch (format) {
    case 'csv':
      return readDelimited(text, ',');
    case 'tsv':
      return readDelimited(text, '\t');
    case 'json':
      return readJson(text);
    case 'jsonl':
      return readJsonLines(text);
  }
}

/** Yields a text in pieces, one for each turn of the event loop. */
async function* splitInTurns(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += piecesLength) {
    yield text.slice(start, start + piecesLength);
    await nextTurn();
  }
}

async function readDelimited(text: string, delimiter: string): Promise<SourceRecord[]> {
  const [header, ...body] = await parseRows(text, delimiter);
  if (header === undefined) return [];
  const names = header.cells;
  if (names.length > maxColumns) refuseFile([toFileProblem(1, maxColumns + 1, `more than ${maxColumns} columns`)]);
  const problems = [...listHeaderProblems(names), ...listWidthProblems(names.length, body)];
  if (problems.length > 0) refuseFile(problems);
  const readers: ReturnType<typeof createCellReader>[] = [];
  for (const index of names.keys()) {
    readers.push(createCellReader(body.map((row) => row.cells[index] ?? '')));
    await nextTurn();
  }
  return mapInTurns(body, ({ line, cells }) => ({
    line,
    values: Object.fromEntries(names.map((name, index) => [name, readers[index]?.(cells[index] ?? '') ?? null])),
  }));
}

type DelimitedRow = { line: number; cells: string[] };

async function parseRows(text: string, delimiter: string): Promise<DelimitedRow[]> {
  const { CsvError, parse } = await import('csv-parse');
  const rows: DelimitedRow[] = [];
  const options = { delimiter, info: true, skip_empty_lines: true, relax_column_count: true };
  try {
    for await (const { record, info } of Readable.from(splitInTurns(text)).pipe(parse(options))) {
      rows.push({ line: info.lines, cells: record });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = 'lines' in error && typeof error.lines === 'number' ? error.lines : 1;
    const column =
      'column' in error && (typeof error.column === 'number' || typeof error.column === 'string') ? error.column : 1;
    refuseFile([toFileProblem(line, column, error.message.replace(/: .*$/s, ''))]);
  }
  return rows;
}

function listHeaderProblems(names: readonly string[]): ErrorDetail[] {
  return names.flatMap((name, index) => [
    ...(name.trim() === '' ? [toFileProblem(1, index + 1, 'a column has no name')] : []),
    ...(names.indexOf(name) === index ? [] : [toFileProblem(1, index + 1, `the column "${name}" occurs twice`)]),
  ]);
}

function listWidthProblems(width: number, body: readonly DelimitedRow[]): ErrorDetail[] {
  return body
    .filter(({ cells }) => cells.length !== width)
    .map(({ line, cells }) =>
      toFileProblem(line, Math.min(cells.length, width) + 1, `${cells.length} cells instead of ${width}`),
    );
}

const numberCell = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Makes the reader of one column from all its cells: the type is the one that every filled cell has. */
function createCellReader(cells: readonly string[]): (cell: string) => Json {
  const filled = cells.filter((cell) => cell !== '');
  const areAll = (test: (cell: string) => boolean) => filled.length > 0 && filled.every(test);
  if (areAll((cell) => numberCell.test(cell) && Number.isFinite(Number(cell))))
    return (cell) => (cell === '' ? null : Number(cell));
  if (areAll((cell) => /^(?:true|false)$/i.test(cell)))
    return (cell) => (cell === '' ? null : cell.toLowerCase() === 'true');
  return (cell) => (cell === '' ? null : cell);
}

/** Reads JSON of a file as strictly as a body: what a body may not hold would come back as something else. */
function parseJsonAt(text: string, firstLine: number): unknown {
  const parsed = parseJsonText(text);
  if (!parsed.ok) {
    const { line, column, message } = parsed.fault;
    return refuseFile([toFileProblem(firstLine + line - 1, column, message)]);
  }
  try {
    return readJsonBody(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    const [detail] = (error.details ?? []) as ErrorDetail[];
    return refuseFile([toFileProblem(firstLine, detail?.loc.slice(1).join('.') ?? 1, detail?.msg ?? error.message)]);
  }
}

function readJson(content: string): SourceRecord[] {
  const value = parseJsonAt(content, 1);
  const list = isJsonObject(value) && Array.isArray(value['examples']) ? value['examples'] : value;
  if (!Array.isArray(list)) return refuseFile([toFileProblem(1, 1, 'expected an array of examples')]);
  return list.map((values: unknown, index) => {
    if (!isJsonObject(values))
      return refuseFile([toFileProblem(index + 1, 1, `element ${index + 1} is not an object`)]);
    return { line: index + 1, values };
  });
}

async function readJsonLines(content: string): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  await mapInTurns(content.split(/\r?\n/), (text, index) => {
    if (text.trim() === '') return;
    const values = parseJsonAt(text, index + 1);
    if (!isJsonObject(values)) return refuseFile([toFileProblem(index + 1, 1, 'not an object')]);
    records.push({ line: index + 1, values });
  });
  return records;
}
