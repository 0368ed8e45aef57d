/** Reading an example file into records: CSV and TSV by columns, JSON and JSON Lines by objects. */
import { CsvError, parse } from 'csv-parse/sync';
import type { Json, JsonObject } from '../../engine/domain.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { isJsonObject } from '../../engine/json.ts';
import { limits } from '../../engine/limits.ts';
import { formatCount } from '../contract/common.ts';
import type { ImportResult, importFormats } from '../contract/examples.ts';
import { checkStrictness, hasMoreValues } from '../hot-path/json-body.ts';
import { parseJsonText } from '../hot-path/json-faults.ts';

export type ImportFormat = (typeof importFormats)[number];
/** One record of a file: the line it starts on, counted from 1, and its values by column. */
export type SourceRecord = { line: number; values: JsonObject };
/** The records of a file. */
export type SourceRecords = {
  length: number;
  /**
   * A table makes each record when it is asked for, because its cells as objects take many times the file, and only with
   * the columns that are wanted, where they are named.
   */
  at(index: number, wanted?: readonly string[]): SourceRecord;
  surveyColumns(): ImportedColumn[];
};
/** What is in a column: the type of its values, `mixed` where they have several, `empty` where there is none. */
type ImportedColumn = ImportResult['columns'][number];

/** What a body may hold, too: a wider input could not be sent back. */
const maxColumns = 2_000;
/** Problems of a file that its refusal lists. */
const maxReportedProblems = 100;
/** Values that a JSON file may hold; they fit the memory of the process that reads them. */
const maxValues = 1_500_000;
/** Cells that a table may hold; they fit that memory, too. */
const maxCells = 3_000_000;

/** Refuses a file with its first hundred problems. */
export function refuseFile(problems: readonly ErrorDetail[]): never {
  throw new WorkbenchError('validation_error', 'The file cannot be imported.', problems.slice(0, maxReportedProblems));
}

/** Returns the problem of a place in a file. */
export function toFileProblem(line: number, column: string | number, msg: string): ErrorDetail {
  return { type: 'unreadable', loc: ['body', 'content', line, column], msg: `line ${line}: ${msg}` };
}

/**
 * Reads the records of a file. Cells of CSV and TSV get the type that all filled cells of their column have (number,
 * boolean, string); an empty cell is null. Throws `validation_error` whose `loc` names line and column of each problem.
 */
export function readRecords(format: ImportFormat, content: string): SourceRecords {
  const text = content.replace(/^\ufeff/, '');
  const records = readFormat(format, text);
  if (records.length === 0) {
    refuseFile([{ type: 'empty', loc: ['body', 'content'], msg: 'the file holds no examples' }]);
  }
  if (records.length > limits.maxExamples) {
    refuseFile([{ type: 'too_many', loc: ['body', 'content'], msg: `more than ${limits.maxExamples} examples` }]);
  }
  return records;
}

function readFormat(format: ImportFormat, text: string): SourceRecords {
  switch (format) {
    case 'csv':
      return readDelimited(text, ',');
    case 'tsv':
      return readDelimited(text, '\t');
    case 'json':
      return toRecords(readJson(text));
    case 'jsonl':
      return toRecords(readJsonLines(text));
  }
}

const toRecords = (records: readonly SourceRecord[]): SourceRecords => ({
  length: records.length,
  at: (index) => records[index] ?? refuseFile([]),
  surveyColumns: () => surveyColumns(records),
});

const maxSamples = 3;
const maxSampleLength = 200;
const toSample = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxSampleLength);

function surveyColumns(records: readonly SourceRecord[]): ImportedColumn[] {
  const columns = new Map<string, { kinds: Set<string>; samples: string[] }>();
  for (const { values } of records) {
    for (const [name, value] of Object.entries(values)) {
      let column = columns.get(name);
      if (column === undefined) {
        column = { kinds: new Set(), samples: [] };
        columns.set(name, column);
      }
      if (value === null) continue;
      column.kinds.add(Array.isArray(value) ? 'array' : typeof value);
      if (column.samples.length < maxSamples) column.samples.push(toSample(value));
    }
  }
  return Array.from(columns, ([name, { kinds, samples }]) => {
    const [kind = 'empty'] = kinds;
    return { name, kind: kinds.size > 1 ? 'mixed' : kind, samples };
  });
}

function readDelimited(text: string, delimiter: ',' | '\t'): SourceRecords {
  refuseManyCells(text, delimiter);
  const [header, ...body] = parseRows(text, delimiter);
  if (header === undefined) return toRecords([]);
  const names = header.cells;
  if (names.length > maxColumns) refuseFile([toFileProblem(1, maxColumns + 1, `more than ${maxColumns} columns`)]);
  const problems = [...listHeaderProblems(names), ...listWidthProblems(names.length, body)];
  if (problems.length > 0) refuseFile(problems);
  const readers = createCellReaders(body, names.length);
  const places = new Map(names.map((name, column) => [name, column]));
  return {
    length: body.length,
    at(index, wanted = names) {
      const { line, cells } = body[index] ?? refuseFile([]);
      const values: JsonObject = {};
      for (const name of wanted) {
        const column = places.get(name) ?? -1;
        values[name] = readers[column]?.(cells[column] ?? '') ?? null;
      }
      return { line, values };
    },
    surveyColumns: () => names.map((name, column) => ({ name, ...surveyCells(body, column, readers[column]) })),
  };
}

/** Refuses a table whose cells would not fit the memory. */
function refuseManyCells(text: string, delimiter: string): void {
  let cells = 0;
  for (let index = text.indexOf(delimiter); index >= 0; index = text.indexOf(delimiter, index + 1)) cells += 1;
  if (cells <= maxCells) return;
  const msg = `more than ${formatCount(maxCells)} cells; import it in several parts`;
  refuseFile([{ type: 'too_many', loc: ['body', 'content'], msg }]);
}

/** All filled cells of a column have one type. */
function surveyCells(body: readonly DelimitedRow[], column: number, read: CellReader | undefined) {
  const samples: Json[] = [];
  for (let index = 0; index < body.length && samples.length < maxSamples; index += 1) {
    const value = read?.(body[index]?.cells[column] ?? '') ?? null;
    if (value !== null) samples.push(value);
  }
  return { kind: samples.length === 0 ? 'empty' : typeof samples[0], samples: samples.map(toSample) };
}

type CellReader = (cell: string) => Json;
type DelimitedRow = { line: number; cells: string[] };

/** Reads the rows of a table, no more than are needed to see that there are too many. */
function parseRows(text: string, delimiter: string): DelimitedRow[] {
  const rows: DelimitedRow[] = [];
  try {
    parse(text, {
      delimiter,
      skip_empty_lines: true,
      relax_column_count: true,
      to: limits.maxExamples + 2,
      on_record(cells: string[], { lines }) {
        rows.push({ line: lines, cells });
        return cells;
      },
    });
    return rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = 'lines' in error && typeof error.lines === 'number' ? error.lines : 1;
    const column =
      'column' in error && (typeof error.column === 'number' || typeof error.column === 'string') ? error.column : 1;
    return refuseFile([toFileProblem(line, column, error.message.replace(/: .*$/s, ''))]);
  }
}

function listHeaderProblems(names: readonly string[]): ErrorDetail[] {
  return names.flatMap((name, index) => [
    ...(name.trim() === '' ? [toFileProblem(1, index + 1, 'a column has no name')] : []),
    // Set as a key of an object, it would be lost.
    ...(name === '__proto__' ? [toFileProblem(1, name, 'this column name is not allowed')] : []),
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

const booleanCell = /^(?:true|false)$/i;
const isNumberCell = (cell: string) => numberCell.test(cell) && Number.isFinite(Number(cell));

/** Makes the reader of each column from all its cells: the type is the one that every filled cell has. */
function createCellReaders(body: readonly DelimitedRow[], width: number): CellReader[] {
  const holdsOthers = { number: new Uint8Array(width), boolean: new Uint8Array(width) };
  for (const { cells } of body) {
    for (let column = 0; column < width; column += 1) {
      const cell = cells[column] ?? '';
      if (cell === '') continue;
      if (holdsOthers.number[column] === 0 && !isNumberCell(cell)) holdsOthers.number[column] = 1;
      if (holdsOthers.boolean[column] === 0 && !booleanCell.test(cell)) holdsOthers.boolean[column] = 1;
    }
  }
  return Array.from({ length: width }, (_, column) => {
    if (holdsOthers.number[column] === 0) return (cell) => (cell === '' ? null : Number(cell));
    if (holdsOthers.boolean[column] === 0) return (cell) => (cell === '' ? null : cell.toLowerCase() === 'true');
    return (cell) => (cell === '' ? null : cell);
  });
}

/** Reads JSON of a file as strictly as a body: what a body may not hold would come back as something else. */
function parseJsonAt(text: string, firstLine: number): unknown {
  const parsed = parseJsonText(text);
  if (!parsed.ok) {
    const { line, column, message } = parsed.fault;
    return refuseFile([toFileProblem(firstLine + line - 1, column, message)]);
  }
  try {
    checkStrictness(parsed.value, text);
    return parsed.value;
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    const [detail] = (error.details ?? []) as ErrorDetail[];
    return refuseFile([toFileProblem(firstLine, detail?.loc.slice(1).join('.') ?? 1, detail?.msg ?? error.message)]);
  }
}

/** Refuses a file whose values would not fit the memory. */
function refuseManyValues(content: string): void {
  if (!hasMoreValues(content, maxValues)) return;
  const msg = `more than ${formatCount(maxValues)} values; import it in several parts`;
  refuseFile([{ type: 'too_many', loc: ['body', 'content'], msg }]);
}

function readJson(content: string): SourceRecord[] {
  refuseManyValues(content);
  const value = parseJsonAt(content, 1);
  const list = isJsonObject(value) && Array.isArray(value['examples']) ? value['examples'] : value;
  if (!Array.isArray(list)) return refuseFile([toFileProblem(1, 1, 'expected an array of examples')]);
  return list.map((values: unknown, index) => {
    if (!isJsonObject(values))
      return refuseFile([toFileProblem(index + 1, 1, `element ${index + 1} is not an object`)]);
    return { line: index + 1, values };
  });
}

function readJsonLines(content: string): SourceRecord[] {
  refuseManyValues(content);
  const records: SourceRecord[] = [];
  for (const [index, text] of content.split(/\r?\n/).entries()) {
    if (text.trim() === '') continue;
    const values = parseJsonAt(text, index + 1);
    if (!isJsonObject(values)) return refuseFile([toFileProblem(index + 1, 1, 'not an object')]);
    records.push({ line: index + 1, values });
    if (records.length > limits.maxExamples) break;
  }
  return records;
}
