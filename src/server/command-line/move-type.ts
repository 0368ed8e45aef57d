/** `workbench export-type`, `import-type` and `import-bundle`: what decides moves from one workbench to another. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { maxArchiveBytes } from '../contract/upkeep/archives.ts';
import { toDataDir } from '../process/options.ts';
import { CommandError, commonOptions, defineCommand, refuse } from './command.ts';
import { writeFile } from './export-examples.ts';
import { findType, listTypes, requireDataDir, withWorkbench } from './with-workbench.ts';

const dataDirHelp =
  '--data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it';

const exportHelp = `workbench export-type [TYPE] --out FILE [--data-dir DIR]
Writes a decision type with its rules, examples, policies and releases to one file; import-type reads it elsewhere.
The values of personal fields are in it; log, keys and model connections are not.

  TYPE             the decision type (the only one there is)
  --out FILE       where it is written; a file that lies there is not replaced
  ${dataDirHelp}
`;

export const exportTypeCommand = defineCommand(
  exportHelp,
  { ...commonOptions, out: { type: 'string' } },
  async ({ values, file: typeName }, { env, answer, signal }) => {
    const { out } = values;
    if (out === undefined) throw refuse('Name the file for the decision type by --out.');
    if (existsSync(out)) throw refuse(`The file ${out} is there already. Name another one by --out.`);
    return withWorkbench(requireDataDir(values['data-dir'], env), env, async (client) => {
      const type = await findType(client, values.type ?? typeName);
      const params = { decision_type_id: type.id };
      await writeFile(path.resolve(out), await client.listen('decision_types.archive', { params }, signal), signal);
      await answer({ decision_type: type.name, file: out });
    });
  },
);

function toForm(file: string | undefined, fields: Readonly<Record<string, string | undefined>>): FormData {
  if (file === undefined) throw refuse('Name the file.');
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    if (statSync(file).size > maxArchiveBytes)
      throw refuse(`${file} is larger than the ${maxArchiveBytes / 2 ** 20} MiB that a file may have.`);
    bytes = new Uint8Array(readFileSync(file));
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const reason = cause instanceof Error ? cause.message : '';
    throw refuse(`The file ${file} cannot be read (${reason}).`, cause);
  }
  const form = new FormData();
  form.set('file', new Blob([bytes]), path.basename(file));
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  return form;
}

const importHelp = `workbench import-type FILE [--name NAME] [--data-dir DIR]
Makes a decision type from a file of export-type, or from a bundle; what decided there decides here.

  FILE             the file
  --name NAME      of the new decision type (as in the file)
  ${dataDirHelp}
`;

export const importTypeCommand = defineCommand(
  importHelp,
  { 'data-dir': commonOptions['data-dir'], name: { type: 'string' } },
  async ({ values, file }, { env, answer, say }) => {
    const form = toForm(file, { name: values.name });
    return withWorkbench(toDataDir(values['data-dir'], env), env, async (client) => {
      const { decision_type: type, notes, ...counts } = await client.upload('decision_types.import', {}, form);
      for (const note of notes) say(note);
      await answer({ decision_type: type.name, ...counts });
    });
  },
);

const bundleHelp = `workbench import-bundle FILE [--type NAME] [--reason TEXT] [--data-dir DIR]
Lets a bundle decide for a decision type that has its options: its policy with its rules, schema, thresholds, readings
and fallback, as a new release. Where there is no decision type yet, it makes one, as import-type does.

  FILE             the bundle
  --type NAME      the decision type (the only one there is)
  --reason TEXT    why, for the history
  ${dataDirHelp}
`;

export const importBundleCommand = defineCommand(
  bundleHelp,
  { ...commonOptions, reason: { type: 'string' } },
  async ({ values, file }, { env, answer }) => {
    const form = toForm(file, { reason: values.reason });
    return withWorkbench(toDataDir(values['data-dir'], env), env, async (client) => {
      if ((await listTypes(client)).length === 0) {
        const asType = toForm(file, { name: values.type });
        const { decision_type: made } = await client.upload('decision_types.import', {}, asType);
        const params = { decision_type_id: made.id };
        const [first] = (await client.call('releases.list', { params, query: {} })).items;
        const { policy_version = null, release = null, digest = null } = first ?? {};
        return answer({ decision_type: made.name, policy_version, release, digest });
      }
      const type = await findType(client, values.type);
      const params = { decision_type_id: type.id };
      const { release, digest, policy_version } = await client.upload('policies.import', { params }, form);
      return answer({ decision_type: type.name, policy_version, release, digest });
    });
  },
);
