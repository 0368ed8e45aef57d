/** `workbench export`: a policy as a bundle. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { identifyBundle } from '../../engine/bundle/bundle.ts';
import type { Client } from '../contract/client.ts';
import { sha256 } from '../process/clock.ts';
import { writeDurably } from '../process/durable-file.ts';
import { CommandError, commonOptions, defineCommand, endCodes } from './command.ts';
import { findPolicy, findType } from './find-by-name.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

/** Refuses, before any work is done, a place at which no bundle can be written. */
export function checkBundlePlace(file: string): void {
  const folder = path.dirname(path.resolve(file));
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new CommandError(endCodes.refused, `Nothing can be written into the folder ${folder} of --out.`, { cause });
  }
}

/** Writes the bundle of a policy, whole or not at all; an earlier file of that name is replaced. */
export async function writeBundle(client: Client, typeId: string, policyId: string, file: string, slim = false) {
  const params = { decision_type_id: typeId };
  const { blob } = await client.download('bundle.export', { params, query: { policy_id: policyId, slim } });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  writeDurably(file, bytes);
  return { bundle: file, sha256: sha256(bytes), revision: identifyBundle(bytes, sha256).revision };
}

const help = `workbench export --out FILE [--policy V] [--type NAME] [--slim] [--data-dir DIR]
Writes the bundle of a policy, which decides offline.

  --out FILE       where the bundle is written
  --policy V       version or id of the policy (the deployed one)
  --type NAME      the decision type (the only one there is)
  --slim           without tokenizer and text encoder
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const exportCommand = defineCommand(
  help,
  { ...commonOptions, out: { type: 'string' }, policy: { type: 'string' }, slim: { type: 'boolean' } },
  async ({ values, file }, { env, answer }) => {
    const { out } = values;
    if (out === undefined || file !== undefined) {
      throw new CommandError(endCodes.refused, 'Name the file of the bundle by --out.');
    }
    checkBundlePlace(out);
    return withWorkbench(requireDataDir(values['data-dir'], env), async (client) => {
      const type = await findType(client, values.type);
      const { id, version } = await findPolicy(client, type, values.policy);
      const written = await writeBundle(client, type.id, id, out, values.slim);
      await answer({ decision_type: type.name, policy_id: id, policy_version: version, ...written });
      return endCodes.done;
    });
  },
);
