/** A file with examples or inputs, as a command is given it: read as an import reads it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readings } from '../../engine/domain/definition.ts';
import { type ErrorCode, WorkbenchError } from '../../engine/errors.ts';
import { repairJson } from '../../engine/import/formats/json-text.ts';
import { proposeImport, toExampleColumns } from '../../engine/import/plan-import.ts';
import { askForEncoding, describeFile as describeReading } from '../../engine/import/report.ts';
import { type ColumnKind, columnKinds, type Sheet } from '../../engine/import/sheet.ts';
import { type ColumnSurvey, surveyColumns } from '../../engine/import/survey.ts';
import { decodeText } from '../../engine/import/tables/decode-text.ts';
import { isJsonObject, type JsonObject } from '../../engine/json.ts';
import { type ImportMapping, importFormSchema } from '../contract/examples/examples.ts';
import { describeIssue } from '../errors/parse-part.ts';
import {
  parseStrictJson,
  readSheet,
  type SheetFields,
  toFileProblem,
  toSheetChoice,
} from '../preparation/imports/import-file.ts';
import { createExampleReader, guessMapping } from '../preparation/imports/import-mapping.ts';
import { CommandError, refuse } from './command.ts';

/** Flags that say what the columns of a file are. */
export const columnOptions = {
  label: { type: 'string' },
  must: { type: 'string' },
  'read-as': { type: 'string', multiple: true },
  'leave-out': { type: 'string', multiple: true },
  sheet: { type: 'string' },
  'header-line': { type: 'string' },
  delimiter: { type: 'string' },
  quote: { type: 'string' },
  encoding: { type: 'string' },
} as const;
export const readAsHelp = `--read-as COLUMN=KIND, once for each: ${columnKinds.join(', ')}
  --leave-out COLUMN, once for each that is not to be learned from
  --must COLUMN    the column that marks pinned cases, whose decisions must hold
  --sheet NAME, --header-line N (0: none), --delimiter SIGN (or tab, blanks, none), --quote SIGN (or none), --encoding NAME:
                   how the file is read, where it is not as the command found it`;
export type ColumnFlags = {
  [flag in Exclude<keyof typeof columnOptions, 'read-as' | 'leave-out'>]?: string | undefined;
} & { 'read-as'?: string[] | undefined; 'leave-out'?: string[] | undefined };

/** A file that was read; `mapping` says what becomes of its columns. */
export type ExampleFile = {
  name: string;
  sheet: Sheet;
  surveys: ColumnSurvey[];
  mapping: ImportMapping;
};
/** A line of a file that holds no input, with why. */
export type UnreadLine = { line: number; error: { code: ErrorCode; message: string; details: unknown[] | undefined } };
const toUnreadLine = (line: number, details: unknown[] | undefined): UnreadLine => ({
  line,
  error: { code: 'validation_error', message: 'The line holds no input.', details },
});
export type LabelledRow = { line: number; input: JsonObject; decision: string | null };

const maxDescribedColumns = 20;
/** Reads a file whose rows have the answer in `label`, else in the column named like one; says how it was read. */
export async function readLabelledFile(
  file: string,
  { label, ...flags }: ColumnFlags,
  say: (text: string) => void,
): Promise<ExampleFile> {
  const read = await readExampleFile(file, () => readFile(file), flags);
  for (const line of describeFile(read)) say(line);
  const { columns } = read.sheet;
  const decision = label ?? guessMapping(read.sheet).decision;
  if (decision === null || !columns.includes(decision)) {
    const lack = decision === null ? 'no column that is named like an answer' : `no column "${decision}"`;
    throw refuse(`${file} has ${lack}. Name the one with the answers by --label: ${columns.join(', ')}.`);
  }
  const roles = new Map(proposeImport(read, [], decision).roles);
  for (const name of flags['leave-out'] ?? []) roles.set(name, 'ignore');
  const { inputs, reasons } = toExampleColumns(columns, roles);
  const read_as = readKinds(flags['read-as'], columns);
  const learned = inputs.filter((name) => name !== flags.must);
  return { ...read, mapping: { decision, reason_codes: reasons, input: learned, read_as } };
}

/** Reads a file of inputs, or the standard input; `label` names a column that is not a part of them. */
export async function readInputFile(
  file: string | undefined,
  { label, ...flags }: ColumnFlags,
  format: string | undefined,
  say: (text: string) => void,
): Promise<ExampleFile & { unread: UnreadLine[] }> {
  const name = file ?? `standard input.${format ?? 'jsonl'}`;
  let unread: UnreadLine[] = [];
  const read = await readExampleFile(
    name,
    async () => {
      const bytes = await (file === undefined ? buffer(process.stdin) : readFile(file));
      if (!/\.(jsonl|ndjson)$/i.test(name)) return bytes;
      const taken = await takeOutUnread(bytes);
      unread = taken.unread;
      return taken.bytes;
    },
    flags,
  );
  // Every row has its answer, so their number alone needs no word.
  for (const line of describeFile(read).slice(read.sheet.detected.length === 0 ? 1 : 0)) say(line);
  const read_as = readKinds(flags['read-as'], read.sheet.columns);
  const mapping = { ...guessMapping(read.sheet), decision: label ?? null, reason_codes: null, read_as };
  return { ...read, mapping, unread };
}

/**
 * Takes the lines out of JSON Lines that hold no object, which cost no other line its answer; an empty line keeps the
 * place of each. Where none holds an object, the file is another one, and is left for its reader to refuse.
 */
async function takeOutUnread(bytes: Uint8Array): Promise<{ bytes: Uint8Array; unread: UnreadLine[] }> {
  const unread: UnreadLine[] = [];
  const refuse = (line: number, column: string | number, message: string) => {
    unread.push(toUnreadLine(line, [toFileProblem(line, column, message)]));
    return '';
  };
  const { text: whole } = await decodeText(bytes);
  const kept = whole.split('\n').map((text, index) => {
    if (text.trim() === '') return '';
    const parsed = parseStrictJson(repairJson(text).text, index + 1);
    if (parsed.ok) return isJsonObject(parsed.value) ? text : refuse(index + 1, 1, 'not an object');
    const [{ column, message } = { column: 1, message: 'not JSON' }] = parsed.problems;
    return refuse(index + 1, column, message);
  });
  if (unread.length === 0 || kept.every((text) => text === '')) return { bytes, unread: [] };
  return { bytes: Buffer.from(kept.join('\n')), unread };
}

/** Reads the kinds that flags give to columns; without `columns` their names are the service's to check. */
export function readKinds(flags: readonly string[] = [], columns?: readonly string[]): Record<string, ColumnKind> {
  const entries = flags.map((flag): [string, ColumnKind] => {
    const sign = flag.lastIndexOf('=');
    const column = flag.slice(0, Math.max(0, sign));
    const kind = columnKinds.find((name) => name === flag.slice(sign + 1));
    if (columns?.includes(column) !== false && kind !== undefined) return [column, kind];
    throw refuse(`The flag --read-as takes COLUMN=KIND, not "${flag}". Kinds: ${columnKinds.join(', ')}.`);
  });
  return Object.fromEntries(entries);
}

/** How a file is to be read, as the fields of an import; refuses what an import refuses. */
export function toFields({ sheet, delimiter, quote, encoding, 'header-line': line }: ColumnFlags): SheetFields {
  const given = { sheet, delimiter, quote, encoding, header_line: line === undefined ? undefined : Number(line) };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const parsed = importFormSchema
    .pick({ sheet: true, delimiter: true, quote: true, encoding: true, header_line: true })
    .safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const problem = issue === undefined ? '' : describeIssue(issue);
  throw refuse(`The flag --${String(issue?.path[0]).replace('_', '-')}: ${problem}. See --help.`);
}

async function readExampleFile(name: string, read: () => Promise<Uint8Array>, flags: ColumnFlags) {
  const fields = toFields(flags);
  try {
    const bytes = await read();
    const sheet = await readSheet({ name: path.basename(name), bytes }, toSheetChoice(fields));
    const encoding = askForEncoding(sheet);
    if (encoding !== null) throw refuse(`${name}: ${encoding}. State it by --encoding.`);
    return { name, sheet, surveys: surveyColumns(sheet) };
  } catch (cause) {
    if (cause instanceof WorkbenchError) throw new WorkbenchError(cause.code, `${name} cannot be read.`, cause.details);
    throw refuseFile(name, cause);
  }
}

/** Turns a failure to read a file into a refusal that names it; returns any other error unchanged. */
export function refuseFile(name: string, cause: unknown): unknown {
  if (cause instanceof CommandError || !(cause instanceof Error && 'code' in cause)) return cause;
  if (cause.code === 'ENOENT') return refuse(`There is no file ${name}. Name one that is there.`, cause);
  return refuse(`${name} cannot be read: ${cause.message}. Name a file that is there and readable.`, cause);
}

/** Says how a file was read, a sentence a line: rows, other lines, guesses, and why columns have their kind. */
export function describeColumns(
  file: string,
  [rows, ...others]: readonly string[],
  columns: readonly { name: string; reason: string }[],
): string[] {
  const reasons = columns.flatMap(({ name, reason }) => (reason === '' ? [] : [`Column “${name}”: ${reason}`]));
  const left = reasons.length - maxDescribedColumns;
  const more = left > 0 ? [`${left} more columns have such a reason`] : [];
  const lines = [`${file}: ${rows}`, ...others, ...reasons.slice(0, maxDescribedColumns), ...more];
  return lines.map((line) => `${line}.`);
}

const describeFile = ({ name, sheet, surveys }: Pick<ExampleFile, 'name' | 'sheet' | 'surveys'>): string[] =>
  describeColumns(name, describeReading(sheet), surveys);

type TypeReadings = { options: readonly string[]; readings: Readings };

/** The rows of a file as inputs with their answers, in their order; read as a type reads them where that fits. */
export function* listRows(file: ExampleFile, type?: TypeReadings): Generator<LabelledRow & { reasonCodes: string[] }> {
  const reader = nameFile(file, () => openReader(file, type));
  for (const row of file.sheet.rows) yield nameFile(file, () => reader.read(row));
}

/** The rows of a file of inputs, each for itself: one that holds none costs no other its answer. */
export function* listInputs(file: ExampleFile, type: TypeReadings): Generator<LabelledRow | UnreadLine> {
  const reader = nameFile(file, () => openReader(file, type));
  for (const row of file.sheet.rows) {
    let read: LabelledRow | UnreadLine;
    try {
      read = reader.read(row);
    } catch (cause) {
      if (!(cause instanceof WorkbenchError)) throw cause;
      read = toUnreadLine(row.line, cause.details);
    }
    yield read;
  }
}

function openReader({ name, sheet, surveys, mapping }: ExampleFile, type?: TypeReadings) {
  const surveyed = type === undefined ? surveys : surveyColumns(sheet, type.readings);
  const reader = createExampleReader({ sheet, surveys: surveyed }, mapping, type?.options ?? []);
  const [question] = reader.questions;
  if (question !== undefined) throw refuse(`${name}: ${question.sentence} by --read-as COLUMN=KIND.`);
  return reader;
}

/** Names the file in an error of its reading. */
function nameFile<T>({ name }: ExampleFile, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof WorkbenchError)) throw cause;
    throw new WorkbenchError(cause.code, `${name} cannot be read.`, cause.details);
  }
}
