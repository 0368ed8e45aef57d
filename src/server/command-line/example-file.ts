/** A file with examples or inputs, as a command is given it: read as an import reads it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { JsonObject } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import { proposeRoles, toExampleColumns } from '../../engine/import/example-plan.ts';
import { type ColumnKind, columnKinds, type Sheet } from '../../engine/import/sheet.ts';
import { surveyColumns } from '../../engine/import/survey.ts';
import type { ImportMapping } from '../contract/examples/examples.ts';
import { readSheet } from '../preparation/import-file.ts';
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
): Promise<ExampleFile> {
  const read =
    file === undefined
      ? await readExampleFile(`standard input.${format ?? 'jsonl'}`, () => buffer(process.stdin))
      : await readExampleFile(file, () => readFile(file));
  const read_as = readKinds(flags['read-as'] ?? [], read.sheet.columns);
  return { ...read, mapping: { ...guessMapping(read.sheet), decision: label ?? null, reason_codes: null, read_as } };
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
    if (cause instanceof Error && 'code' in cause) throw refuse(`${name} cannot be read: ${cause.message}.`, cause);
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
