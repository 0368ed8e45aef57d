/** Reading a table of exported examples back: each row becomes the example that it was, with what was changed in it. */
import { z } from 'zod';
import { byName } from '../domain/records.ts';
import { type ExampleRecord, exampleFields, setFlags } from '../examples/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { splitName } from '../readings/inputs.ts';
import { readGuarded } from './csv.ts';
import { type ExportedReading, exampleColumns, kinds, putAt, toFieldName } from './example-columns.ts';

/** Columns without which a table is not an export of examples. */
const telling = ['id', 'expected_decision', 'updated_at', 'cell_kinds'] as const;

/** A cell that cannot be read as what its column holds. */
type CellFault = { column: string; message: string };
/** Reads the cells of one row: an exported example as its service has it, and the faults of its cells. */
export type TableReader = (cells: readonly Json[]) => { example: JsonObject; faults: CellFault[] };

/** Whether the columns of a table, or the keys of an object, are those of exported examples. */
export const areExported = (names: readonly string[]): boolean => telling.every((name) => names.includes(name));
/** Whether a record is an exported example as JSON Lines have it. */
export const isExportedRecord = (record: JsonObject): boolean =>
  isJsonObject(record['input_payload']) &&
  typeof record['id'] === 'string' &&
  ['expected_decision', 'status', 'updated_at', 'side'].every((name) => record[name] !== undefined);

type Field = { header: string; place: number; path: string[] };

/**
 * Makes the reader of a table of exported examples; `rows` show which kind is usual in a column, for rows that somebody
 * has added. `isGuarded`: an apostrophe before a formula is not a part of the text, as in CSV.
 */
export function createTableReader(
  headers: readonly string[],
  rows: readonly (readonly Json[])[],
  isGuarded: boolean,
): TableReader {
  const places = new Map(headers.map((header, place) => [header, place]));
  const own = new Set<string>(exampleColumns);
  const toText = (text: string) => (isGuarded ? readGuarded(text) : text);
  const fields = headers.flatMap((header, place): Field[] =>
    own.has(header) || header === '' ? [] : [{ header, place, path: splitName(toFieldName(toText(header))) }],
  );
  const toCell = (cell: Json | undefined): Json => (typeof cell === 'string' ? toText(cell) : (cell ?? null));
  const kindsAt = places.get('cell_kinds') ?? -1;
  const usual = findUsualKinds(rows, fields.length, (cells) => String(toCell(cells[kindsAt]) ?? ''));
  return (cells) => {
    const faults: CellFault[] = [];
    const readOwn = (column: string) => toCell(cells[places.get(column) ?? -1]);
    const found = String(readOwn('cell_kinds') ?? '');
    if (found !== '' && found.length !== fields.length) {
      const message = `${found.length} kinds for ${fields.length} columns of fields; leave these columns as they were exported`;
      faults.push({ column: 'cell_kinds', message });
    }
    const others = readJson(readOwn('other_fields'));
    const input: JsonObject = isJsonObject(others) ? others : {};
    for (const [index, { header, place, path }] of fields.entries()) {
      const read = readField(toCell(cells[place]), found[index] ?? kinds.missing, usual[index] ?? kinds.text);
      if (read === undefined) continue;
      if (typeof read === 'object' && read !== null && 'fault' in read)
        faults.push({ column: header, message: read.fault });
      else putAt(input, path, read.value);
    }
    return { example: { input_payload: input, ...readValues(readOwn) }, faults };
  };
}

function findUsualKinds(
  rows: readonly (readonly Json[])[],
  fields: number,
  readKinds: (cells: readonly Json[]) => string,
): string[] {
  const counts = Array.from({ length: fields }, () => new Map<string, number>());
  for (const cells of rows) {
    const found = readKinds(cells);
    for (const [index, uses] of counts.entries()) {
      const kind = found[index] ?? kinds.missing;
      if (kind !== kinds.missing && kind !== kinds.null) uses.set(kind, (uses.get(kind) ?? 0) + 1);
    }
  }
  return counts.map((uses) => [...uses].sort(([, a], [, b]) => b - a)[0]?.[0] ?? kinds.text);
}

const isEmpty = (cell: Json) => cell === null || cell === '';
type Read = { value: Json } | { fault: string };

/** Reads a cell of a field; undefined where the input has no such field. A cell that was emptied is null. */
function readField(cell: Json, kind: string, usual: string): Read | undefined {
  if (isEmpty(cell)) return kind === kinds.missing ? undefined : { value: null };
  const taken = kind === kinds.missing || kind === kinds.null ? usual : kind;
  const text = String(cell);
  const refuse = (noun: string): Read => ({ fault: `“${text.slice(0, 80)}” is not ${noun}` });
  switch (taken) {
    case kinds.number: {
      const number = typeof cell === 'number' ? cell : Number(text.trim());
      return Number.isFinite(number) ? { value: number } : refuse('a number');
    }
    case kinds.boolean: {
      const word = text.trim().toLowerCase();
      return word === 'true' || word === 'false' ? { value: word === 'true' } : refuse('true or false');
    }
    case kinds.json: {
      const value = readJson(cell);
      return value === undefined ? refuse('JSON') : { value };
    }
    default:
      return { value: text };
  }
}

function readJson(cell: Json): Json | undefined {
  if (typeof cell !== 'string') return cell ?? undefined;
  try {
    return JSON.parse(cell);
  } catch {
    // The caller says what the cell should be.
    return undefined;
  }
}

/** The fields of an example beside its input; an empty cell is null. */
function readValues(readOwn: (column: string) => Json): JsonObject {
  const readText = (column: string): Json => {
    const cell = readOwn(column);
    if (isEmpty(cell)) return null;
    const text = String(cell);
    const written = text.startsWith('"') ? readJson(text) : undefined;
    return typeof written === 'string' ? written : text;
  };
  const isTrue = (column: string) => String(readOwn(column) ?? '').toLowerCase() === 'true';
  const texts = ['id', 'expected_decision', 'status', 'note', 'source', 'labelled_by'] as const;
  const times = ['first_decision', 'reader', 'labelled_at', 'created_at', 'updated_at', 'side'] as const;
  return {
    ...Object.fromEntries([...texts, ...times].map((column) => [column, readText(column)])),
    second_reading: readJson(readOwn('second_reading')) ?? null,
    reason_codes: readCodes(readOwn('reason_codes')),
    ...byName(setFlags, isTrue),
  };
}

function readCodes(cell: Json): Json {
  if (isEmpty(cell)) return [];
  const text = String(cell);
  const written = text.startsWith('[') ? readJson(text) : undefined;
  if (Array.isArray(written)) return written;
  return text
    .split(';')
    .map((code) => code.trim())
    .filter((code) => code !== '');
}

/** The fields of an exported example beside input, label and reason codes; a time that cannot be read is null. */
export type ExportedFields = {
  id: string | null;
  firstDecision: string | null;
  reader: string | null;
  labelledAtMs: number | null;
  secondReading: ReadingRow | null;
  createdAtMs: number | null;
  updatedAtMs: number | null;
  /** Whether the label was given without sight of any other, on a labelling page: the record says nothing else. */
  isBlind: boolean;
} & Pick<ExampleRecord, 'mark' | 'note' | 'source' | 'byTeacher' | (typeof setFlags)[number]>;

const time = z.iso.datetime().transform((text) => Date.parse(text));
const readingSchema = z.object({
  first_decision: z.string(),
  first_reader: z.string().nullable(),
  first_at: time,
  decision: z.string(),
  reader: z.string().nullable(),
  note: z.string().nullable(),
  read_at: time,
  settled_at: time.nullable(),
}) satisfies z.ZodType<unknown, ExportedReading>;
/** A second reading that was read back; times are milliseconds since 1970. */
export type ReadingRow = z.output<typeof readingSchema>;

/** Reads these fields of a record; what is not as an export writes it is as in a new example. */
export function readExportedFields(record: JsonObject): ExportedFields {
  const readText = (name: string) => (typeof record[name] === 'string' ? record[name] : null);
  const readTime = (name: string) => {
    const time = Date.parse(readText(name) ?? '');
    return Number.isNaN(time) ? null : time;
  };
  const { status } = record;
  const isSynthetic = record['source'] === 'synthetic';
  return {
    id: readText('id'),
    firstDecision: readText('first_decision'),
    mark: status === 'skipped' || status === 'flagged' ? status : null,
    note: readText('note'),
    ...byName(setFlags, (flag) => record[flag] === true && !(isSynthetic && 'notGenerated' in exampleFields[flag])),
    source: isSynthetic ? 'synthetic' : 'user',
    byTeacher: record['labelled_by'] === 'teacher',
    reader: readText('reader'),
    labelledAtMs: readTime('labelled_at'),
    secondReading: readingSchema.safeParse(record['second_reading']).data ?? null,
    createdAtMs: readTime('created_at'),
    updatedAtMs: readTime('updated_at'),
    isBlind: record['given_blind'] === true,
  };
}
