/** A file that a command is given, and what its flags choose about it; the workbench reads it. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describeIssue } from '../../door/errors/parse-part.ts';
import type { ErrorCode } from '../../engine/errors.ts';
import type { ConflictChoice } from '../../engine/export/merge.ts';
import type { LabelTarget } from '../../engine/import/labels.ts';
import type { ColumnRole } from '../../engine/import/plan-import.ts';
import { type ColumnKind, columnKinds } from '../../engine/import/sheet.ts';
import type { JsonObject } from '../../engine/json.ts';
import { describeFileBound, limits } from '../../engine/limits.ts';
import { ApiError, type Client } from '../contract/client.ts';
import { importFormSchema } from '../contract/examples/examples.ts';
import type { ImportPlan } from '../contract/examples/import-plan.ts';
import type { ImportChoice, ReadLine } from '../contract/examples/imports.ts';
import type { InputOf } from '../contract/operations.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { CommandError, readDetail, refuse, texts } from './command.ts';

/** Flags that say what the columns of a file are. */
export const columnOptions = {
  ...texts('label', 'must', 'sheet', 'header-line', 'delimiter', 'quote', 'encoding'),
  'read-as': { type: 'string', multiple: true },
  'leave-out': { type: 'string', multiple: true },
} as const;
export const readAsHelp = `--read-as COLUMN=KIND, once for each: ${columnKinds.join(', ')}
  --leave-out COLUMN, once for each that is not to be learned from
  --must COLUMN    the column that marks pinned cases, whose decisions must hold
  --sheet NAME, --header-line N (0: none), --delimiter SIGN (or tab, blanks, none), --quote SIGN (or none), --encoding NAME:
                   how the file is read, where it is not as it was found`;
type ColumnFlags = {
  [flag in Exclude<keyof typeof columnOptions, 'read-as' | 'leave-out'>]?: string | undefined;
} & { 'read-as'?: string[] | undefined; 'leave-out'?: string[] | undefined };
export type FileFlags = ColumnFlags & {
  'learn-from'?: string[] | undefined;
  'second-reader'?: string | undefined;
  means?: string[] | undefined;
  personal?: string[] | undefined;
  onConflict?: ConflictChoice | undefined;
};

/** A file to import or read, and the flags about it. */
export type FileSource = { file: string; form: FormData; flags: FileFlags };
/** A column of a file, with the kind that its values have. */
export type Column = Pick<ImportPlan['columns'][number], 'name' | 'read_as'>;
type OpenFile = { params: InputOf<'imports.choose'>['params']; plan: ImportPlan };

/** A line of a file that holds no input, with why. */
export type UnreadLine = { line: number; error: { code: ErrorCode; message: string; details: unknown[] } };
export type FileRow = { line: number; input: JsonObject; decision: string | null };

const rowsPerCall = 200;
const maxDescribedColumns = 20;
const maxNamedColumns = 20;

/** How a file is to be read, as the fields of an import; refuses what an import refuses. */
function toFields({ sheet, delimiter, quote, encoding, 'header-line': line }: ColumnFlags) {
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

/** Reads the kinds that flags give to columns, whose names are the service's to check. */
function readKinds(flags: readonly string[] = []): Record<string, ColumnKind> {
  const entries = flags.map((flag): [string, ColumnKind] => {
    const sign = flag.lastIndexOf('=');
    const kind = columnKinds.find((name) => name === flag.slice(sign + 1));
    if (kind !== undefined) return [flag.slice(0, Math.max(0, sign)), kind];
    throw refuse(`The flag --read-as takes COLUMN=KIND, not "${flag}". Kinds: ${columnKinds.join(', ')}.`);
  });
  return Object.fromEntries(entries);
}

/** Reads what a label means; the last sign stands before the option. */
function readTarget(text: string): [label: string, target: LabelTarget] {
  const sign = text.lastIndexOf('=');
  if (sign < 1) throw refuse(`The flag --means takes LABEL=OPTION, not "${text}".`);
  const [label, option] = [text.slice(0, sign), text.slice(sign + 1)];
  return [label, option === '' ? { kind: 'none' } : option === label ? { kind: 'add' } : { kind: 'option', option }];
}

const toRoles = (names: readonly string[] = [], role: ColumnRole) =>
  names.map((name): [string, ColumnRole] => [name, role]);

/** Makes the choice that flags say; the service says what is wrong with names that it does not know. */
export function toChoice(flags: FileFlags): ImportChoice {
  const second = flags['second-reader'] === undefined ? [] : [flags['second-reader']];
  const roles = [
    ...toRoles(flags['learn-from'], 'input'),
    ...toRoles(flags['leave-out'], 'ignore'),
    ...toRoles(second, 'second_reading'),
  ];
  return {
    ...(flags.label === undefined ? {} : { answer: flags.label }),
    ...(flags.must === undefined ? {} : { must: flags.must }),
    ...(flags.means === undefined ? {} : { targets: Object.fromEntries(flags.means.map(readTarget)) }),
    ...(flags.personal === undefined ? {} : { pii_fields: flags.personal }),
    roles: Object.fromEntries(roles),
    kinds: readKinds(flags['read-as']),
    settle: true,
  };
}

const flagOf: Readonly<Record<string, string>> = {
  answer: '--label COLUMN',
  must: '--must COLUMN',
  roles: '--leave-out, --learn-from or --second-reader COLUMN',
  input: '--leave-out or --learn-from COLUMN',
  kind: '--read-as COLUMN=KIND',
  kinds: '--read-as COLUMN=KIND',
  targets: '--means LABEL=OPTION',
  pii_fields: '--personal COLUMN',
  encoding: '--encoding NAME',
  on_conflict: '--on-conflict W',
};

/** Names the file in a refusal, and the flag by which to answer each problem. */
function toRefusal(error: ApiError, file: string, columns: readonly string[]): ApiError {
  const details = error.details.map((detail) => {
    const { type = '', loc = [], msg = '' } = readDetail(detail);
    const flag = flagOf[String(loc[1])];
    if (flag === undefined) return { type, loc: ['body', 'content'], msg };
    const name = typeof loc[2] === 'string' && loc[2] !== '' && !msg.includes(loc[2]) ? `“${loc[2]}”: ` : '';
    const those = type === 'unknown_column' ? `; there are ${columns.slice(0, maxNamedColumns).join(', ')}` : '';
    return { type, loc: ['body', 'content'], msg: `${name}${msg}${those} (${flag})` };
  });
  const message = details.length === 0 ? `${file}: ${error.message}` : `${file} cannot be imported.`;
  return new ApiError(error.code, message, error.status, details, { cause: error });
}

/** Takes a file as it is, and the flags about it; `read` gives what does not come from a file. */
export async function openSource(
  file: string,
  flags: FileFlags,
  read?: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<FileSource> {
  const form = new FormData();
  for (const [name, value] of Object.entries(toFields(flags))) form.set(name, String(value));
  try {
    const bytes = await (read ?? (() => readWhole(file)))();
    form.set('file', new File([bytes], path.basename(file)));
  } catch (cause) {
    throw refuseFile(file, cause);
  }
  return { file, form, flags };
}

async function readWhole(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const { size } = await stat(file);
  if (size > limits.maxImportBytes) throw refuse(`${file}: ${describeFileBound(size)}`);
  return readFile(file);
}

/** Turns a failure to read a file into a refusal that names it; returns any other error unchanged. */
function refuseFile(name: string, cause: unknown): unknown {
  if (cause instanceof CommandError || !(cause instanceof Error && 'code' in cause)) return cause;
  if (cause.code === 'ENOENT') return refuse(`There is no file ${name}. Name one that is there.`, cause);
  return refuse(`${name} cannot be read: ${cause.message}. Name a file that is there and readable.`, cause);
}

/** Says how a file was read, a sentence a line: rows, other lines, guesses, and why columns have their kind. */
export function describeReading(file: string, plan: ImportPlan): string[] {
  const [rows, ...others] = plan.file.report.account;
  const reasons = plan.columns.flatMap(({ name, reason }) => (reason === '' ? [] : [`Column “${name}”: ${reason}`]));
  const left = reasons.length - maxDescribedColumns;
  const more = left > 0 ? [`${left} more columns have such a reason`] : [];
  const lines = [`${file}: ${rows}`, ...others, ...reasons.slice(0, maxDescribedColumns), ...more];
  return lines.map((line) => `${line}.`);
}

/** Refuses a file of which nothing tells which column has the answers. */
export function refuseLack(file: string, { answer, columns, questions }: ImportPlan): void {
  if (answer !== null || questions.some(({ about }) => about === 'answer')) return;
  const names = columns.slice(0, maxNamedColumns).map(({ name }) => name);
  throw refuse(
    `${file} has no column that is named like an answer. Name the one with the answers by --label: ${names.join(', ')}.`,
  );
}

/** Begins the import of a file, chooses what becomes of its columns, and ends it unless `use` has committed it. */
export async function withImport<T>(
  client: Client,
  { file, form }: FileSource,
  choose: (columns: readonly Column[], isTable: boolean) => ImportChoice,
  signal: AbortSignal,
  use: (opened: OpenFile) => Promise<T>,
): Promise<T> {
  let params: OpenFile['params'] | null = null;
  let columns: readonly Column[] = [];
  try {
    const begun = await client.upload('imports.begin', {}, form, signal);
    params = { import_id: begun.id };
    columns = begun.plan.columns;
    const body = choose(columns, begun.plan.file.header !== null);
    const { plan } = await client.call('imports.choose', { params, body }, signal);
    return await use({ params, plan });
  } catch (error) {
    throw error instanceof ApiError && error.status === 422
      ? toRefusal(
          error,
          file,
          columns.map(({ name }) => name),
        )
      : error;
  } finally {
    // Cancelling fails where the import was committed, or the service has ended it.
    if (params !== null) await client.call('imports.cancel', { params }).catch(() => undefined);
  }
}

/** Reads the rows of a file as an import into a type reads them, and stores nothing of it. */
export function withRows<T>(
  client: Client,
  type: DecisionType,
  source: FileSource,
  choose: (columns: readonly Column[], isTable: boolean) => ImportChoice,
  signal: AbortSignal,
  use: (rows: AsyncIterable<FileRow | UnreadLine>, plan: ImportPlan) => Promise<T>,
): Promise<T> {
  const { file, form } = source;
  form.set('decision_type_id', type.id);
  return withImport(client, source, choose, signal, ({ params, plan }) => {
    const { rows, refused } = plan.file;
    if (rows === 0) throw refuse(`${file} cannot be read: ${refused.first[0]?.message ?? 'it holds no rows'}.`);
    const [question] = plan.questions;
    if (question !== undefined) throw refuse(`${file}: ${question.sentence} (${flagOf[question.about]})`);
    return use(listRows(client, params, signal), plan);
  });
}

async function* listRows(client: Client, params: OpenFile['params'], signal: AbortSignal) {
  for (let from: number | null = 0; from !== null; ) {
    const query = { from, count: rowsPerCall, as: 'examples' } as const;
    const part: { examples: ReadLine[] | null; next: number | null } = await client.call(
      'imports.rows',
      { params, query },
      signal,
    );
    for (const line of part.examples ?? []) yield toRow(line);
    from = part.next;
  }
}

function toRow({ line, input_payload: input, expected_decision: decision, problem }: ReadLine): FileRow | UnreadLine {
  if (input !== null) return { line, input, decision };
  return { line, error: { code: 'validation_error', message: 'The line holds no input.', details: [problem] } };
}
