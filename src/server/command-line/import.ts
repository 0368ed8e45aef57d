/** `workbench import`: a file's rows as examples of a decision type. */
import path from 'node:path';
import { type ConflictChoice, conflictChoices } from '../../engine/export/merge.ts';
import { limits } from '../../engine/limits.ts';
import { ApiError, type Client } from '../contract/client.ts';
import type { OutputOf } from '../contract/operations.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { toDataDir } from '../process/options.ts';
import { commonOptions, defineCommand, endCodes, refuse, type Surroundings } from './command.ts';
import { columnOptions, type ExampleFile, listRows, readAsHelp, readLabelledFile } from './example-file.ts';
import { listTypes } from './find-by-name.ts';
import { withWorkbench } from './with-workbench.ts';

type Merged = OutputOf<'examples.import'>['merge'];
export type Imported = {
  type: DecisionType;
  isNewType: boolean;
  rows: number;
  labelled: number;
  /** Rows that repeat an earlier one, which are left out. */
  repeated: number;
  merge: Merged;
};

/** The name of the type that a file's rows belong to: the one that is given, or the file's own. */
export const toTypeName = (file: string, given: string | undefined): string =>
  given ?? path.basename(file, path.extname(file)).slice(0, limits.maxTypeNameLength);

function listNames(file: ExampleFile) {
  const options = new Set<string>();
  const reasonCodes = new Set<string>();
  for (const { decision, reasonCodes: codes } of listRows(file)) {
    if (decision !== null) options.add(decision);
    for (const code of codes) reasonCodes.add(code);
  }
  if (options.size >= limits.minOptions && options.size <= limits.maxOptions) {
    return { options: [...options].sort(), reason_codes: [...reasonCodes].sort() };
  }
  const { decision: column } = file.mapping;
  throw refuse(
    `The column "${column}" of ${file.name} has ${options.size} different answers; a decision type has ${limits.minOptions} to ${limits.maxOptions}. Name another column by --label.`,
  );
}

/**
 * Adds all rows of a file, or none, to the decision type of a name, which is made if there is none; an export of
 * examples is merged with those that are there.
 */
export async function importFile(
  client: Client,
  file: ExampleFile,
  typeName: string,
  onConflict: ConflictChoice = 'refuse',
): Promise<Imported> {
  const found = (await listTypes(client)).find(({ name }) => name === typeName);
  const type = found ?? (await client.call('decision_types.create', { body: { name: typeName, ...listNames(file) } }));
  const params = { decision_type_id: type.id };
  const content = new File([new Uint8Array(file.bytes)], path.basename(file.name));
  try {
    const form = new FormData();
    form.set('file', content);
    if (file.sheet.isOwnExport) {
      form.set('decision_type_id', type.id);
      const { id: import_id, plan } = await client.upload('imports.begin', {}, form);
      const body = { on_conflict: onConflict };
      const { merge } = await client.call('imports.commit', { params: { import_id }, body });
      const { length: rows } = file.sheet.rows;
      return { type, isNewType: found === undefined, rows, labelled: plan?.labelled ?? 0, repeated: 0, merge };
    }
    form.set('mapping', JSON.stringify(file.mapping));
    for (const [name, value] of Object.entries(file.fields)) form.set(name, String(value));
    form.set('on_conflict', onConflict);
    form.set('commit', 'true');
    const { total, labelled, repeated, merge } = await client.upload('examples.import', { params }, form);
    return { type, isNewType: found === undefined, rows: total, labelled, repeated, merge };
  } catch (error) {
    if (found === undefined) await client.call('decision_types.delete', { params });
    if (!(error instanceof ApiError) || error.code !== 'payload_too_large') throw error;
    const most = limits.maxExamplesBytes / 2 ** 20;
    const remedy =
      'Cut it into parts, or export it as Excel or Parquet, which are packed; add each by workbench import, and train the decision type without a file.';
    throw refuse(`${file.name} is larger than the ${most} MiB that one import takes. ${remedy}`);
  }
}

/** Makes a decision type of a sample that comes with the program. */
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
  ${readAsHelp}
  --type NAME      the decision type, made of the file where there is none (the name of the file)
  --on-conflict W  when an example of an export changed in both places: keep, take, flag or refuse (the usual)
  --sample NAME    instead of a file: the decision type of a sample that comes with the program, as refund-requests
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const importCommand = defineCommand(
  help,
  { ...commonOptions, ...columnOptions, sample: { type: 'string' }, 'on-conflict': { type: 'string' } },
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
    const file = await readLabelledFile(name, values, around.say);
    return withWorkbench(folder, around.env, async (client) => {
      const typeName = toTypeName(name, values.type);
      const imported = await importFile(client, file, typeName, onConflict);
      const { type, isNewType, rows, labelled, repeated: duplicates, merge } = imported;
      const merged = merge === null ? {} : { merge };
      await around.answer({ decision_type: type.name, created: isNewType, rows, labelled, duplicates, ...merged });
      return endCodes.done;
    });
  },
);
