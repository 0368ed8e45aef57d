/** `workbench import`: a file's rows as examples of a decision type, which the workbench reads, plans and commits. */
import path from 'node:path';
import { toName } from '../../engine/domain/names.ts';
import { type ConflictChoice, conflictChoices } from '../../engine/export/merge.ts';
import { limits } from '../../engine/limits.ts';
import type { Client } from '../contract/client.ts';
import type { ImportPlan } from '../contract/examples/import-plan.ts';
import type { OutputOf } from '../contract/operations.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { toDataDir } from '../process/options.ts';
import { commonOptions, defineCommand, refuse, type Surroundings } from './command.ts';
import {
  columnOptions,
  describeReading,
  type FileSource,
  openSource,
  readAsHelp,
  refuseLack,
  toChoice,
  withImport,
} from './example-file.ts';
import { listTypes, withWorkbench } from './with-workbench.ts';

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
  --personal COLUMN, once for each that becomes a personal field, not learned and masked in the log;
    left out: those of a new type that tell who somebody is, but for columns of --learn-from
  --second-reader COLUMN  the column with the labels of a second reader, given without sight of the first ones
  --means LABEL=OPTION, once for each label that is asked about: an option, itself (a new option), or nothing`;
type Committed = OutputOf<'imports.commit'>;
export type Imported = Pick<Committed, 'merge'> & {
  type: DecisionType;
  isNewType: boolean;
  plan: ImportPlan;
  rows: number;
};

const progressMs = 2_000;

/** The name of the type that a file's rows belong to: the given one, or the file's own as a type can have it. */
export const toTypeName = (file: string, given: string | undefined): string =>
  given ?? toName(path.basename(file, path.extname(file)).replaceAll('@', ' ')).slice(0, limits.maxTypeNameLength);

/** Says how a file was read and what becomes of its columns, a sentence a line. */
function describePlan({ file, flags }: FileSource, plan: ImportPlan): string[] {
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
  return [...describeReading(file, plan), ...lines, ...[...dropped, ...known].map((s) => `${s}.`)];
}

/** Adds all rows of a file, or none, to a type that is made if missing; an export of examples is merged. */
export async function importFile(
  client: Client,
  source: FileSource,
  typeName: string,
  { say, signal }: Pick<Surroundings, 'say' | 'signal'>,
): Promise<Imported> {
  const { file, form, flags } = source;
  const found = (await listTypes(client)).find(({ name }) => name === typeName);
  if (found === undefined) form.set('name', typeName);
  else form.set('decision_type_id', found.id);
  const isNewType = found === undefined;
  return withImport(
    client,
    source,
    () => toChoice(flags),
    signal,
    async ({ params, plan }) => {
      for (const line of describePlan(source, plan)) say(line);
      if (plan.merge === null) refuseLack(file, plan);
      const body = { on_conflict: flags.onConflict ?? 'refuse', strict: true } as const;
      const committing = client.call('imports.commit', { params, body }, signal);
      const { decision_type: type, merge, examples } = await tellProgress(client, params, committing, say);
      return { type, isNewType, plan, rows: merge === null ? examples : plan.file.rows, merge };
    },
  );
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
      return withWorkbench(folder, around.env, async (client) => around.answer(await importSample(client, sample)));
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
    });
  },
);
