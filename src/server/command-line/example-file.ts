/** A file with examples or inputs, as a command is given it: read as an import reads it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { JsonObject } from '../../engine/domain.ts';
import { type ErrorCode, type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { proposeRoles, toExampleColumns } from '../../engine/import/example-plan.ts';
import { repairJson } from '../../engine/import/formats/json-text.ts';
import { type ColumnKind, columnKinds, type Sheet } from '../../engine/import/sheet.ts';
import { surveyColumns } from '../../engine/import/survey.ts';
import { decodeText } from '../../engine/import/tables/decode-text.ts';
import { isJsonObject } from '../../engine/json.ts';
import type { ImportMapping } from '../contract/examples/examples.ts';
import { parseStrictJson, readSheet, toFileProblem } from '../preparation/import-file.ts';
import { createExampleReader, guessMapping, planImport } from '../preparation/import-mapping.ts';
import { CommandError, endCodes } from './command.ts';

/** Flags that say what the columns of a file are. */
export const columnOptions = { label: { type: 'string' }, 'read-as': { type: 'string', multiple: true } } as const;
export const readAsHelp = `--read-as COLUMN=KIND, once for each: ${columnKinds.join(', ')}`;
type ColumnFlags = { label?: string | undefined; 'read-as'?: string[] | undefined };

/** A file that was read; `mapping` says what becomes of its columns. */
export type ExampleFile = {
  name: string;
  bytes: Uint8Array;
  sheet: Sheet;
  mapping: ImportMapping;
};
/** A line of a file that holds no input, with why. */
export type UnreadLine = { line: number; error: { code: ErrorCode; message: string; details: ErrorDetail[] } };
export type LabelledRow = { line: number; input: JsonObject; decision: string | null };

const refuse = (message: string, cause?: unknown) => new CommandError(endCodes.refused, message, { cause });

/** Reads a file whose rows have the answer in `label` or, where that is not given, in the column named like one. */
export async function readLabelledFile(file: string, { label, ...flags }: ColumnFlags): Promise<ExampleFile> {
  const read = await readExampleFile(file, () => readFile(file));
  const { sheet } = read;
  const { columns } = sheet;
  const decision = label ?? guessMapping(sheet).decision;
  if (decision === null || !columns.includes(decision)) {
    const lack = decision === null ? 'no column that is named like an answer' : `no column "${decision}"`;
    throw refuse(`${file} has ${lack}. Name the one with the answers by --label: ${columns.join(', ')}.`);
  }
  const { inputs, reasons } = toExampleColumns(columns, proposeRoles(sheet, surveyColumns(sheet), decision).roles);
  const read_as = readKinds(flags['read-as'] ?? [], columns);
  return { ...read, mapping: { decision, reason_codes: reasons, input: [...inputs], read_as } };
}

/** Reads a file of inputs, or the standard input; `label` names a column that is no part of them. */
export async function readInputFile(
  file: string | undefined,
  { label, ...flags }: ColumnFlags,
  format: string | undefined,
): Promise<ExampleFile & { unread: UnreadLine[] }> {
  const name = file ?? `standard input.${format ?? 'jsonl'}`;
  let unread: UnreadLine[] = [];
  const read = await readExampleFile(name, async () => {
    const bytes = await (file === undefined ? buffer(process.stdin) : readFile(file));
    if (!/\.(jsonl|ndjson)$/i.test(name)) return bytes;
    const taken = takeOutUnread(bytes);
    unread = taken.unread;
    return taken.bytes;
  });
  const read_as = readKinds(flags['read-as'] ?? [], read.sheet.columns);
  const mapping = { ...guessMapping(read.sheet), decision: label ?? null, reason_codes: null, read_as };
  return { ...read, mapping, unread };
}

/**
 * Takes the lines out of JSON Lines that hold no object, which cost no other line its answer; an empty line keeps the
 * place of each. Where none holds an object, the file is another one, and is left for its reader to refuse.
 */
function takeOutUnread(bytes: Uint8Array): { bytes: Uint8Array; unread: UnreadLine[] } {
  const unread: UnreadLine[] = [];
  const refuse = (line: number, column: string | number, message: string) => {
    const details = [toFileProblem(line, column, message)];
    unread.push({ line, error: { code: 'validation_error', message: 'The line holds no input.', details } });
    return '';
  };
  const kept = decodeText(bytes)
    .text.split('\n')
    .map((text, index) => {
      if (text.trim() === '') return '';
      const parsed = parseStrictJson(repairJson(text).text, index + 1);
      if (parsed.ok) return isJsonObject(parsed.value) ? text : refuse(index + 1, 1, 'not an object');
      const [{ column, message } = { column: 1, message: 'not JSON' }] = parsed.problems;
      return refuse(index + 1, column, message);
    });
  if (unread.length === 0 || kept.every((text) => text === '')) return { bytes, unread: [] };
  return { bytes: Buffer.from(kept.join('\n')), unread };
}

function readKinds(flags: readonly string[], columns: readonly string[]): Record<string, ColumnKind> {
  const entries = flags.map((flag): [string, ColumnKind] => {
    const sign = flag.lastIndexOf('=');
    const column = columns.find((name) => name === flag.slice(0, sign));
    const kind = columnKinds.find((name) => name === flag.slice(sign + 1));
    if (column !== undefined && kind !== undefined) return [column, kind];
    throw refuse(`The flag --read-as takes COLUMN=KIND, not "${flag}". Kinds: ${columnKinds.join(', ')}.`);
  });
  return Object.fromEntries(entries);
}

async function readExampleFile(name: string, read: () => Promise<Uint8Array>) {
  try {
    const bytes = await read();
    return { name, bytes, sheet: await readSheet({ name: path.basename(name), bytes }, {}) };
  } catch (cause) {
    if (cause instanceof WorkbenchError) throw new WorkbenchError(cause.code, `${name} cannot be read.`, cause.details);
    if (cause instanceof Error && 'code' in cause)
      throw refuse(`${name} cannot be read: ${cause.message}. Name a file that is there and readable.`, cause);
    throw cause;
  }
}

/** The rows of a file as inputs with their answers, in their order. */
export function* listRows({ name, sheet, mapping }: ExampleFile): Generator<LabelledRow & { reasonCodes: string[] }> {
  try {
    const plan = planImport(sheet, surveyColumns(sheet), [], mapping);
    const [question] = plan.questions;
    if (question !== undefined) throw refuse(`${name}: ${question.msg} by --read-as COLUMN=KIND.`);
    const reader = createExampleReader(sheet, plan, []);
    for (const row of sheet.rows) yield reader.read(row);
  } catch (cause) {
    if (!(cause instanceof WorkbenchError)) throw cause;
    throw new WorkbenchError(cause.code, `${name} cannot be read.`, cause.details);
  }
}
