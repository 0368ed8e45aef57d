import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Json, JsonObject } from '../../engine/domain.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import type { ImportMapping } from '../contract/examples.ts';
import { readJsonBody } from '../hot-path/json-body.ts';
import { parseJsonText } from '../hot-path/json-faults.ts';

type ImportRequest = { format: 'csv' | 'tsv' | 'json' | 'jsonl'; content: string; mapping?: ImportMapping | undefined };
/** One record of the file before the mapping: the line it starts on and its columns. */
type SourceRecord = { line: number; values: JsonObject };
export type ImportedRow = { line: number; input: JsonObject; decision: string | null; reasonCodes: string[] };
export type ImportTable = {
  mapping: ImportMapping;
  columns: { name: string; kind: string; samples: string[] }[];
  rows: ImportedRow[];
};

const maxRows = 200_000;
const decisionNames = ['expected_decision', 'decision', 'label', 'class', 'target', 'outcome', 'category'];
const reasonNames = ['reason_codes', 'reason_code', 'reasons', 'reason'];
const inputNames = ['input_payload', 'input'];
/** What a body may hold, too: an input that is deeper or wider could not be sent back. */
const maxSegments = 28;
const maxColumns = 2_000;

function refuse(problems: ErrorDetail[]): never {
  throw new WorkbenchError('validation_error', 'The file cannot be imported', problems.slice(0, 100));
}

const fault = (line: number, column: string | number, msg: string): ErrorDetail => ({
  type: 'unreadable',
  loc: ['body', 'content', line, column],
  msg: `line ${line}: ${msg}`,
});

/**
 * Reads an example file whole. Cells of CSV and TSV get the type that all filled cells of their column have (number,
 * boolean, text); an empty cell is null. Throws `validation_error` whose `loc` names line and column of each fault.
 */
export async function readImport(request: ImportRequest): Promise<ImportTable> {
  const content = request.content.replace(/^\ufeff/, '');
  const records =
    request.format === 'json'
      ? readJson(content)
      : request.format === 'jsonl'
        ? await readJsonLines(content)
        : await readDelimited(content, request.format === 'csv' ? ',' : '\t');
  if (records.length === 0) refuse([{ type: 'empty', loc: ['body', 'content'], msg: 'the file holds no examples' }]);
  if (records.length > maxRows)
    refuse([{ type: 'too_many', loc: ['body', 'content'], msg: `more than ${maxRows} examples` }]);
  const columns = new Map<string, Column>();
  await mapInTurns(records, (record) => {
    for (const [name, value] of Object.entries(record.values)) {
      let column = columns.get(name);
      if (column === undefined) {
        column = { kinds: new Set(), samples: [] };
        columns.set(name, column);
      }
      if (value === null) continue;
      column.kinds.add(Array.isArray(value) ? 'array' : typeof value);
      if (column.samples.length < 3) {
        column.samples.push((typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200));
      }
    }
  });
  const names = [...columns.keys()];
  const mapping = request.mapping ?? guessMapping(names);
  checkMapping(mapping, names);
  checkPlaces(chosenColumns(names, mapping));
  return {
    mapping,
    columns: [...columns].slice(0, 500).map(([name, { kinds, samples }]) => {
      const [kind = 'empty'] = kinds;
      return { name, kind: kinds.size > 1 ? 'mixed' : kind, samples };
    }),
    rows: await mapInTurns(records, (record) => applyMapping(record, mapping)),
  };
}

type Column = { kinds: Set<string>; samples: string[] };

/** Rows of a file that are worked on before other calls get their turn. */
const rowsPerTurn = 1_000;

/** As `Array.map`, in turns of the event loop. */
export async function mapInTurns<T, R>(items: readonly T[], make: (item: T, index: number) => R): Promise<R[]> {
  const made: R[] = [];
  for (const [index, item] of items.entries()) {
    made.push(make(item, index));
    if (index % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
  }
  return made;
}

/** A text in pieces, one for each turn of the event loop. */
async function* piecesOf(content: string): AsyncGenerator<string> {
  const pieceLength = 32_768;
  for (let at = 0; at < content.length; at += pieceLength) {
    yield content.slice(at, at + pieceLength);
    await nextTurn();
  }
}

async function readDelimited(content: string, delimiter: string): Promise<SourceRecord[]> {
  const { CsvError, parse } = await import('csv-parse');
  const parsed: { record: string[]; line: number }[] = [];
  const options = { delimiter, info: true, skip_empty_lines: true, relax_column_count: true };
  try {
    for await (const row of Readable.from(piecesOf(content)).pipe(parse(options))) {
      parsed.push({ record: row.record, line: row.info.lines });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = 'lines' in error && typeof error.lines === 'number' ? error.lines : 1;
    const column =
      'column' in error && (typeof error.column === 'number' || typeof error.column === 'string') ? error.column : 1;
    return refuse([fault(line, column, error.message.replace(/: .*$/s, ''))]);
  }
  const header = parsed[0]?.record;
  if (header === undefined) return [];
  if (header.length > maxColumns) refuse([fault(1, maxColumns + 1, `more than ${maxColumns} columns`)]);
  const problems: ErrorDetail[] = [];
  header.forEach((name, index) => {
    if (name.trim() === '') problems.push(fault(1, index + 1, 'a column has no name'));
    if (header.indexOf(name) !== index) problems.push(fault(1, index + 1, `the column "${name}" occurs twice`));
  });
  const body = parsed.slice(1);
  for (const { record, line } of body) {
    if (record.length === header.length) continue;
    const column = Math.min(record.length, header.length) + 1;
    problems.push(fault(line, column, `${record.length} cells instead of ${header.length}`));
  }
  if (problems.length > 0) return refuse(problems);
  const read: ReturnType<typeof cellReader>[] = [];
  for (const index of header.keys()) {
    read.push(cellReader(body.map((row) => row.record[index] ?? '')));
    await nextTurn();
  }
  return mapInTurns(body, ({ line, record }) => ({
    line,
    values: Object.fromEntries(header.map((name, index) => [name, read[index]?.(record[index] ?? '') ?? null])),
  }));
}

const numberCell = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The reader for one column, from all its cells: the type is the one that every filled cell has. */
function cellReader(cells: readonly string[]): (cell: string) => Json {
  const filled = cells.filter((cell) => cell !== '');
  const all = (test: (cell: string) => boolean) => filled.length > 0 && filled.every(test);
  if (all((cell) => numberCell.test(cell) && Number.isFinite(Number(cell))))
    return (cell) => (cell === '' ? null : Number(cell));
  if (all((cell) => /^(?:true|false)$/i.test(cell)))
    return (cell) => (cell === '' ? null : cell.toLowerCase() === 'true');
  return (cell) => (cell === '' ? null : cell);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON of a file, read as strictly as a body: what a body may not hold would come back as something else. */
function parseAt(text: string, firstLine: number): unknown {
  const parsed = parseJsonText(text);
  if (!parsed.ok) {
    const { line, column, message } = parsed.fault;
    return refuse([fault(firstLine + line - 1, column, message)]);
  }
  try {
    return readJsonBody(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    const [detail] = (error.details ?? []) as ErrorDetail[];
    return refuse([fault(firstLine, detail?.loc.slice(1).join('.') ?? 1, detail?.msg ?? error.message)]);
  }
}

function readJson(content: string): SourceRecord[] {
  const value = parseAt(content, 1);
  const list = isObject(value) && Array.isArray(value['examples']) ? value['examples'] : value;
  if (!Array.isArray(list)) return refuse([fault(1, 1, 'expected an array of examples')]);
  return list.map((values: unknown, index) => {
    if (!isObject(values)) return refuse([fault(index + 1, 1, `element ${index + 1} is not an object`)]);
    return { line: index + 1, values };
  });
}

async function readJsonLines(content: string): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  await mapInTurns(content.split(/\r?\n/), (text, index) => {
    if (text.trim() === '') return;
    const values = parseAt(text, index + 1);
    if (!isObject(values)) return refuse([fault(index + 1, 1, 'not an object')]);
    records.push({ line: index + 1, values });
  });
  return records;
}

function guessMapping(names: readonly string[]): ImportMapping {
  const find = (wanted: readonly string[]) => {
    for (const name of wanted) {
      const found = names.find((given) => given.toLowerCase() === name);
      if (found !== undefined) return found;
    }
    return null;
  };
  const whole = find(inputNames);
  return { decision: find(decisionNames), reason_codes: find(reasonNames), input: whole === null ? null : [whole] };
}

function checkMapping(mapping: ImportMapping, names: readonly string[]): void {
  const problems: ErrorDetail[] = [];
  const check = (name: string | null, at: (string | number)[]) => {
    if (name === null || names.includes(name)) return;
    problems.push({ type: 'unknown_column', loc: ['body', 'mapping', ...at], msg: `there is no column "${name}"` });
  };
  check(mapping.decision, ['decision']);
  check(mapping.reason_codes, ['reason_codes']);
  for (const [index, name] of (mapping.input ?? []).entries()) check(name, ['input', index]);
  if (problems.length > 0) refuse(problems);
}

function chosenColumns(names: readonly string[], mapping: ImportMapping): readonly string[] {
  return mapping.input ?? names.filter((name) => name !== mapping.decision && name !== mapping.reason_codes);
}

/** Refuses names that no input can have, and two names of which one would overwrite the other's value. */
function checkPlaces(names: readonly string[]): void {
  const problems: ErrorDetail[] = [];
  const known = new Set(names);
  for (const name of names) {
    const segments = name.split('.');
    if (segments.includes('__proto__')) problems.push(fault(1, name, 'this column name is not allowed'));
    if (segments.length > maxSegments) {
      problems.push(fault(1, name.slice(0, 80), `a column name has at most ${maxSegments} parts between its dots`));
      continue;
    }
    const above = segments.map((_, depth) => segments.slice(0, depth).join('.')).find((outer) => known.has(outer));
    if (above === undefined) continue;
    problems.push(fault(1, name, `the columns "${above}" and "${name}" name the same place; rename or leave out one`));
  }
  if (problems.length > 0) refuse(problems);
}

function applyMapping({ line, values }: SourceRecord, mapping: ImportMapping): ImportedRow {
  const label = mapping.decision === null ? null : (values[mapping.decision] ?? null);
  if (typeof label === 'object' && label !== null)
    refuse([fault(line, mapping.decision ?? 1, 'the decision is not a text')]);
  return {
    line,
    input: inputOf({ line, values }, mapping),
    decision: label === null || label === '' ? null : String(label),
    reasonCodes: reasonCodesOf(mapping.reason_codes === null ? null : values[mapping.reason_codes], line, mapping),
  };
}

function inputOf({ line, values }: SourceRecord, mapping: ImportMapping): JsonObject {
  const chosen = chosenColumns(Object.keys(values), mapping);
  const [only] = chosen;
  if (chosen.length === 1 && only !== undefined && inputNames.includes(only.toLowerCase())) {
    const whole = values[only];
    if (whole === undefined) refuse([fault(line, only, `"${only}" is missing`)]);
    if (isObject(whole)) return whole;
  }
  const input: JsonObject = {};
  for (const name of chosen) {
    const value = values[name];
    if (value === undefined) continue;
    const segments = name.split('.');
    const last = segments.pop() ?? name;
    let place = input;
    for (const segment of segments) {
      const next = Object.hasOwn(place, segment) ? place[segment] : undefined;
      const inner: JsonObject = isObject(next) ? next : {};
      place[segment] = inner;
      place = inner;
    }
    place[last] = value;
  }
  return input;
}

function reasonCodesOf(value: Json | undefined, line: number, mapping: ImportMapping): string[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value) && value.every((code) => typeof code === 'string')) return value;
  if (typeof value === 'object') return refuse([fault(line, mapping.reason_codes ?? 1, 'reason codes are not texts')]);
  return String(value)
    .split(/[;|]/)
    .map((code) => code.trim())
    .filter((code) => code !== '');
}
