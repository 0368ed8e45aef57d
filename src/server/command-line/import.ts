/** `workbench import`: a file's rows as examples of a decision type, which the workbench reads, plans and commits. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type ConflictChoice, conflictChoices } from '../../engine/export/merge.ts';
import type { LabelTarget } from '../../engine/import/labels.ts';
import type { ColumnRole } from '../../engine/import/plan-import.ts';
import { limits } from '../../engine/limits.ts';
import { ApiError, type Client } from '../contract/client.ts';
import type { ImportChoice, OpenImportPlan } from '../contract/examples/imports.ts';
import type { OutputOf } from '../contract/operations.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { toDataDir } from '../process/options.ts';
import { commonOptions, defineCommand, endCodes, readDetail, refuse, type Surroundings } from './command.ts';
import {
  type ColumnFlags,
  columnOptions,
  describeColumns,
  readAsHelp,
  readKinds,
  refuseFile,
  toFields,
} from './example-file.ts';
import { listTypes } from './find-by-name.ts';
import { withWorkbench } from './with-workbench.ts';

/** Flags that say what becomes of the columns and labels of a file. */
export const importOptions = {
  ...columnOptions,
  'learn-from': { type: 'string', multiple: true },
  'second-reader': { type: 'string' },
  means: { type: 'string', multiple: true },
  personal: { type: 'string', multiple: true },
} as const;
export const importHelp = `${readAsHelp}
  --learn-from COLUMN, once for each that is to be learned from although the import would leave it out
  --personal COLUMN, once for each that becomes a personal field, whose values the log masks
  --second-reader COLUMN  the column with the labels of a second reader, given without sight of the first ones
  --means LABEL=OPTION, once for each label that is asked about: an option, itself (a new option), or nothing`;
type ImportFlags = ColumnFlags & {
  'learn-from'?: string[] | undefined;
  'second-reader'?: string | undefined;
  means?: string[] | undefined;
  personal?: string[] | undefined;
  onConflict?: ConflictChoice | undefined;
};
type Committed = OutputOf<'imports.commit'>;
export type Imported = Pick<Committed, 'merge'> & {
  type: DecisionType;
  isNewType: boolean;
  plan: OpenImportPlan;
  rows: number;
};

const progressMs = 2_000;

/** The name of the type that a file's rows belong to: the one that is given, or the file's own. */
export const toTypeName = (file: string, given: string | undefined): string =>
  given ?? path.basename(file, path.extname(file)).slice(0, limits.maxTypeNameLength);

/** Reads what a label means; the last sign stands before the option. */
function readTarget(text: string): [label: string, target: LabelTarget] {
  const sign = text.lastIndexOf('=');
  if (sign < 1) throw refuse(`The flag --means takes LABEL=OPTION, not "${text}".`);
  const [label, option] = [text.slice(0, sign), text.slice(sign + 1)];
  return [label, option === '' ? { kind: 'none' } : option === label ? { kind: 'add' } : { kind: 'option', option }];
}

/** Makes the choice that flags say; the service says what is wrong with names that it does not know. */
function toChoice(flags: ImportFlags): ImportChoice {
  const toRoles = (names: readonly string[] = [], role: ColumnRole) =>
    names.map((name): [string, ColumnRole] => [name, role]);
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

const maxNamedColumns = 20;

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

export type ImportSource = { file: string; form: FormData; choice: ImportChoice; flags: ImportFlags };

/** Takes a file as it is, and what its flags choose about it. */
export async function openSource(file: string, flags: ImportFlags): Promise<ImportSource> {
  const form = new FormData();
  for (const [name, value] of Object.entries(toFields(flags))) form.set(name, String(value));
  try {
    const { size } = await stat(file);
    if (size > limits.maxImportBytes) {
      const most = `${limits.maxImportBytes / 1_000_000} MB`;
      throw refuse(`${file} is larger than the ${most} of one import. Cut it into parts, and import each.`);
    }
    form.set('file', new File([await readFile(file)], path.basename(file)));
  } catch (cause) {
    throw refuseFile(file, cause);
  }
  return { file, form, choice: toChoice(flags), flags };
}

/** Says how a file was read and what becomes of its columns, a sentence a line. */
function describePlan({ file, flags }: ImportSource, plan: OpenImportPlan): string[] {
  const { columns, other_answers } = plan;
  const typeName = (column: string) => `${path.basename(file, path.extname(file))}-${column}`;
  const lines = columns.flatMap(({ name, role, language, left_out, asked }) => {
    const said = language === null ? [] : [`Column “${name}” is in ${language}.`];
    if (role === 'ignore' && left_out !== null) {
      const command = `workbench import "${file}" --label "${name}" --type "${typeName(name)}"`;
      const next = other_answers.includes(name) ? ` Make that type by: ${command}` : '';
      const reader = name === plan.second_reader ? ` If so, add --second-reader "${name}".` : '';
      said.push(`Column “${name}” is left out: ${left_out}${next}${reader}`);
    }
    if (role === 'input' && asked !== null && !flags['learn-from']?.includes(name))
      said.push(`Column “${name}” is learned from: ${asked} If not, add --leave-out "${name}".`);
    return said;
  });
  const dropped = [plan.read_twice, plan.repeated, plan.alike, plan.conflicts].flatMap(
    ({ sentence }) => sentence ?? [],
  );
  const known = plan.known === null ? [] : [plan.known];
  return [
    ...describeColumns(file, plan.file.report.account, columns),
    ...lines,
    ...[...dropped, ...known].map((s) => `${s}.`),
  ];
}

/** Adds all rows of a file, or none, to a type that is made if missing; an export of examples is merged. */
export async function importFile(
  client: Client,
  source: ImportSource,
  typeName: string,
  { say, signal }: Pick<Surroundings, 'say' | 'signal'>,
): Promise<Imported> {
  const { file, form, choice, flags } = source;
  const found = (await listTypes(client)).find(({ name }) => name === typeName);
  if (found === undefined) form.set('name', typeName);
  else form.set('decision_type_id', found.id);
  let params: { import_id: string } | null = null;
  let columns: string[] = [];
  try {
    const begun = await client.upload('imports.begin', {}, form, signal);
    params = { import_id: begun.id };
    columns = (begun.plan?.columns ?? []).map(({ name }) => name);
    const { plan } = await client.call('imports.choose', { params, body: choice }, signal);
    if (plan === null) throw new Error('The server answered without a plan.');
    for (const line of describePlan(source, plan)) say(line);
    if (plan.answer === null && plan.questions.every(({ about }) => about !== 'answer')) {
      const lack = `${file} has no column that is named like an answer.`;
      throw refuse(
        `${lack} Name the one with the answers by --label: ${columns.slice(0, maxNamedColumns).join(', ')}.`,
      );
    }
    const body = { on_conflict: flags.onConflict ?? 'refuse', strict: true } as const;
    const committing = client.call('imports.commit', { params, body }, signal);
    const done = await tellProgress(client, params, committing, say);
    const { decision_type: type, merge, examples } = done;
    return { type, isNewType: found === undefined, plan, rows: merge === null ? examples : plan.file.rows, merge };
  } catch (error) {
    // Cancelling fails where the service has already ended the import.
    if (params !== null) await client.call('imports.cancel', { params }).catch(() => undefined);
    throw error instanceof ApiError && error.status === 422 ? toRefusal(error, file, columns) : error;
  }
}

/** Says how far a commit is until it ends. */
async function tellProgress(
  client: Client,
  params: { import_id: string },
  committing: Promise<Committed>,
  say: Surroundings['say'],
): Promise<Committed> {
  const ask = async () => {
    const { progress } = await client.call('imports.get', { params });
    if (progress !== null) say(`${Math.floor(100 * progress)}% of the rows are written.`);
  };
  // The commit itself says what goes wrong.
  const timer = setInterval(() => void ask().catch(() => undefined), progressMs);
  return committing.finally(() => clearInterval(timer));
}

async function importSample(client: Client, name: string) {
  const samples = await client.call('samples.list', {});
  if (!samples.some((sample) => sample.name === name)) {
    const names = samples.map((sample) => sample.name).join(', ');
    throw refuse(`There is no sample "${name}". Name one of these by --sample: ${names}.`);
  }
  const type = await client.call('samples.create', { params: { name } });
  const { total, labelled } = await client.call('examples.stats', { params: { decision_type_id: type.id } });
  return { decision_type: type.name, created: true, rows: total, labelled };
}

function readChoice(text: string | undefined): ConflictChoice | undefined {
  const choice = conflictChoices.find((known) => known === text);
  if (text === undefined || choice !== undefined) return choice;
  throw refuse(`The flag --on-conflict takes ${conflictChoices.join(', ')}, not "${text}".`);
}

const help = `workbench import FILE [--label COLUMN] [--type NAME] [--data-dir DIR]
       workbench import --sample NAME [--data-dir DIR]
Adds the rows of a CSV, TSV, Excel, Parquet, JSON or JSON Lines file to a decision type, all or none.

  --label COLUMN   the column with the answers; otherwise the one that is named like an answer
  ${importHelp}
  --type NAME      the decision type, made of the file where there is none (the name of the file)
  --on-conflict W  when an example of an export changed in both places: keep, take, flag or refuse (the usual)
  --sample NAME    instead of a file: the decision type of a sample that comes with the program, as refund-requests
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const importCommand = defineCommand(
  help,
  { ...commonOptions, ...importOptions, sample: { type: 'string' }, 'on-conflict': { type: 'string' } },
  async ({ values, file: name }, around: Surroundings) => {
    const { sample } = values;
    const folder = toDataDir(values['data-dir'], around.env);
    if (sample !== undefined && name === undefined) {
      return withWorkbench(folder, around.env, async (client) => {
        await around.answer(await importSample(client, sample));
        return endCodes.done;
      });
    }
    if (name === undefined || sample !== undefined) {
      throw refuse('Name one file to import, or a sample by --sample.');
    }
    const onConflict = readChoice(values['on-conflict']);
    const source = await openSource(name, { ...values, onConflict });
    return withWorkbench(folder, around.env, async (client) => {
      const imported = await importFile(client, source, toTypeName(name, values.type), around);
      const { type, isNewType, plan, rows, merge } = imported;
      const merged = merge === null ? {} : { merge };
      const counts = { rows, labelled: plan.labelled, duplicates: merge === null ? plan.repeated.count : 0 };
      await around.answer({ decision_type: type.name, created: isNewType, ...counts, ...merged });
      return endCodes.done;
    });
  },
);
