/** A table as a file: read as an import reads it, and written again with the decisions in new columns. */
import { strToU8, zipSync } from 'fflate';
import { quoteCsvCell, writeCsvCell } from '../../engine/export/csv.ts';
import { firstZipDay, listParts, sheetPath, toSheetFrame, writeRow } from '../../engine/export/write-workbook.ts';
import { readPath } from '../../engine/features/values.ts';
import { chooseColumnKind, readPlain } from '../../engine/import/field-kinds.ts';
import { usualReadings } from '../../engine/import/kinds.ts';
import { readFile } from '../../engine/import/read-file.ts';
import { describeFile } from '../../engine/import/report.ts';
import { readCell, type Sheet, type SheetRow, UnreadableFile } from '../../engine/import/sheet.ts';
import { surveyColumns } from '../../engine/import/survey.ts';
import { isJsonObject, type Json } from '../../engine/json.ts';
import { compileCellReader } from '../../engine/readings/readings.ts';
import { type BundleInfo, type EdgeDecision, type EdgeField, type Input, InvalidInput } from '../api.ts';
import { place } from './input-form.ts';

/** A table that can be decided: its rows as inputs, and sentences about how it was read. */
export type Table = { name: string; sheet: Sheet; inputs: Input[]; notes: string[] };

const maxBytes = 200_000_000;
const newColumns = [
  'decision',
  'confidence',
  'classifier_choice',
  'classifier_probability',
  'stage',
  'reasons',
  'review',
];

/** Reads a file, whose columns are called like the fields of the policy. Throws UnreadableFile. */
export async function readTable(file: { name: string; bytes: Uint8Array }, info: BundleInfo): Promise<Table> {
  const found = await readFile(file, {}, { maxBytes });
  const sheet = found.isOwnExport ? spreadExamples(found, info) : found;
  const columns = new Map(sheet.columns.map((name, index) => [name, index]));
  const read = info.fields.flatMap((field) => {
    const column = columns.get(field.path.join('.'));
    return column === undefined ? [] : [{ field, column }];
  });
  // As an input of the file's own order, by which a decision names what it does not read.
  read.sort((one, other) => one.column - other.column);
  const names = info.fields.map(({ path }) => path.join('.'));
  if (read.length === 0)
    throw new UnreadableFile(
      `No column is called like a field of the policy. Name them in the first line: ${names.join(', ')}.`,
    );
  const readers = prepareReaders(sheet, info, read);
  const missing = names.filter((name) => !columns.has(name));
  // The number of rows is said with their decisions.
  const notes = describeFile(sheet)
    .slice(sheet.detected.length === 0 ? 1 : 0)
    .map((sentence) => `${sentence}.`);
  if (missing.length > 0) notes.push(`No column for: ${missing.join(', ')}. They count as missing.`);
  const inputs = sheet.rows.map((row) => {
    const input: Record<string, unknown> = {};
    for (const { path, readValue } of readers) {
      const value = readValue(row);
      if (value !== undefined) place(input, path, value);
    }
    return input;
  });
  return { name: file.name, sheet, inputs, notes };
}

/** An export of examples as a table: a column for each field of the policy, and what else each example has. */
function spreadExamples(exported: Sheet, { fields }: BundleInfo): Sheet {
  const names = fields.map(({ path }) => path.join('.'));
  const kept = exported.columns.filter((name) => name !== 'input_payload' && !names.includes(name));
  const read = (row: SheetRow, name: string) => readCell(row, exported.columns, exported.columns.indexOf(name)) ?? null;
  const rows = exported.rows.map((row) => {
    const input = read(row, 'input_payload');
    const cells = fields.map(({ path }) => (isJsonObject(input) ? (readPath(input, path) ?? null) : null));
    return { line: row.line, cells: [...cells, ...kept.map((name) => read(row, name))] };
  });
  return { ...exported, columns: [...names, ...kept], rows };
}

type ReadColumn = { field: EdgeField; column: number };
type ValueReader = { path: readonly string[]; readValue(row: SheetRow): Json | undefined };

function prepareReaders(sheet: Sheet, info: BundleInfo, read: readonly ReadColumn[]): ValueReader[] {
  const surveys = new Map(surveyColumns(sheet, new Date().getUTCFullYear()).map((survey) => [survey.name, survey]));
  const readings = new Set(info.readings.map(({ path }) => path.join('.')));
  // Empty cells are left out; a null of JSON is one.
  const isTable = sheet.header !== null || sheet.isOwnExport;
  return read.map(({ field, column }) => {
    const name = field.path.join('.');
    const found = surveys.get(name) ?? { kind: 'as_is', reading: null };
    // The decider reads the texts of these itself, and an exported example has values, not texts.
    const kind = sheet.isOwnExport || readings.has(name) ? 'as_is' : chooseColumnKind(field.kind, found.kind);
    const isFound = kind === found.kind || kind === 'cell_by_cell';
    const toValue = compileCellReader(isFound ? found.reading : kind === 'as_is' ? null : usualReadings[kind]);
    const readValue = (row: SheetRow) => {
      const cell = readCell(row, sheet.columns, column);
      const read = toValue(cell);
      const value = kind === 'cell_by_cell' && typeof read === 'string' ? readPlain(read) : read;
      if (value === null) return isTable || cell === undefined ? undefined : null;
      // A misfit stays as it is, so that the decision names it as unread.
      return value === undefined ? cell : value;
    };
    return { path: field.path, readValue };
  });
}

function listCells(decided: EdgeDecision | InvalidInput): (string | number)[] {
  if (decided instanceof InvalidInput) return ['', '', '', '', 'refused', decided.message, 'yes'];
  const { decision, confidence, stage, reason_codes, rules_triggered, rule_errors, escalate, unread } = decided;
  const { classifier_choice: choice, classifier_probability: own } = decided;
  // A rule that misses a field does not hold, as others of an ordinary row.
  const failed = rule_errors.filter(({ error }) => error !== 'missing_field');
  const reasons = [
    ...reason_codes,
    ...rules_triggered.map((name) => `rule ${name}`),
    ...failed.map(({ name, error }) => `rule ${name} failed: ${error.replaceAll('_', ' ')}`),
    ...unread,
  ];
  return [decision, confidence, choice ?? '', own ?? '', stage, reasons.join('; '), escalate ? 'yes' : ''];
}

function toFreeName(name: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** Writes a table with its decisions, as a workbook where it was one, else with the same separator. */
export function writeDecided(
  { name, sheet }: Table,
  decided: readonly (EdgeDecision | InvalidInput)[],
): { name: string; bytes: Uint8Array<ArrayBuffer>; type: string } {
  const header = [...sheet.columns, ...newColumns.map((column) => toFreeName(column, sheet.columns))];
  const lines: Json[][] = [header];
  for (const [at, row] of sheet.rows.entries()) {
    const result = decided[at];
    const cells = sheet.columns.map((_, column) => readCell(row, sheet.columns, column) ?? null);
    if (result !== undefined) lines.push([...cells, ...listCells(result)]);
  }
  const stem = name.replace(/\.\w+$/, '');
  if (sheet.workbook !== null || /\.xlsx$/i.test(name))
    return { name: `${stem}-decided.xlsx`, bytes: writeSheet(lines), type: xlsxType };
  const delimiter = sheet.delimiter?.length === 1 ? sheet.delimiter : ',';
  // The cells of the file go back as they came; the new ones hold words of a bundle, which may come from anywhere.
  const writeCell = (cell: Json, column: number) =>
    column < sheet.columns.length ? quoteCsvCell(toText(cell), delimiter) : writeCsvCell(cell, delimiter);
  const text = lines.map((cells) => `${cells.map(writeCell).join(delimiter)}\r\n`).join('');
  // The mark tells Excel that the text is UTF-8.
  return { name: `${stem}-decided.csv`, bytes: strToU8(`\ufeff${text}`), type: 'text/csv' };
}

const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const toText = (cell: Json) => (typeof cell === 'string' ? cell : cell === null ? '' : JSON.stringify(cell));

function writeSheet(lines: readonly (readonly Json[])[]): Uint8Array<ArrayBuffer> {
  const { start, end } = toSheetFrame([]);
  const rows = lines.map((cells, index) =>
    writeRow(
      cells.map((cell) => (typeof cell === 'object' ? toText(cell) : cell)),
      index + 1,
    ),
  );
  const parts = Object.fromEntries([...listParts('Decisions'), [sheetPath, strToU8(start + rows.join('') + end)]]);
  return zipSync(parts, { mtime: firstZipDay() });
}
