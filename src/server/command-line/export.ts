/** `workbench export`: a policy as a bundle. */
import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { identifyBundle } from '../../engine/bundle/bundle.ts';
import type { Client } from '../contract/client.ts';
import { sha256 } from '../process/clock.ts';
import { writeDurably } from '../process/durable-file.ts';
import { commonOptions, defineCommand, refuse, refuseConflict, texts } from './command.ts';
import { findPolicy, findType, requireDataDir, withWorkbench } from './with-workbench.ts';

/** Bundles follow the umask: they hold no secret, and a service runs as another user. */
const bundleMode = 0o666;

/** A name of its own, so that no file of the user's is taken for an unfinished bundle. */
const toPartPath = (file: string) => `${file}.${process.pid}.part`;

/** Refuses, before any work is done, a place at which no bundle can be written, or at which something else lies. */
export function checkBundlePlace(out: string, flag = 'out', isOurs = isBundle, kind = 'bundle'): void {
  const file = path.resolve(out);
  try {
    closeSync(openSync(toPartPath(file), 'wx', bundleMode));
    rmSync(toPartPath(file));
  } catch (cause) {
    const reason = `The file ${out} of --${flag} cannot be written (${(cause as Error).message}).`;
    throw refuse(`${reason} Name a file in a folder that is there and yours.`, cause);
  }
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw refuse(`The path ${out} is a folder. Name a file in it.`);
  if (found !== undefined && !(found.isFile() && isOurs(file))) {
    throw refuse(`The file ${out} is there already and is no ${kind}. Only a ${kind} is replaced; name another file.`);
  }
}

function isBundle(file: string): boolean {
  try {
    identifyBundle(readFileSync(file), sha256);
    return true;
  } catch {
    // If it cannot be read, it must not be replaced unasked.
    return false;
  }
}

/** Whether a file is a page that was saved before: it begins as one, with the bundle inside. */
function isPage(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return text.startsWith('<!doctype html>') && text.includes('<script type="text/plain" id="bundle">');
}

async function writePage(client: Client, typeId: string, policyId: string, html: string) {
  const params = { decision_type_id: typeId };
  const { blob } = await client
    .download('bundle.export_page', { params, query: { policy_id: policyId } })
    .catch(refuseConflict);
  const file = path.resolve(html);
  writeDurably(file, new Uint8Array(await blob.arrayBuffer()), { mode: bundleMode, part: toPartPath(file) });
  return { page: html };
}

/** Writes the bundle of a policy, whole or not at all; an earlier bundle of that name is replaced. */
export async function writeBundle(client: Client, typeId: string, policyId: string, out: string, slim = false) {
  const params = { decision_type_id: typeId };
  const { blob } = await client.download('bundle.export', { params, query: { policy_id: policyId, slim } });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const file = path.resolve(out);
  writeDurably(file, bytes, { mode: bundleMode, part: toPartPath(file) });
  return { bundle: out, sha256: sha256(bytes), revision: identifyBundle(bytes, sha256).release };
}

const help = `workbench export --out FILE | --html FILE [--policy V] [--type NAME] [--slim] [--data-dir DIR]
Writes the bundle of a policy, which decides offline, or one HTML page that decides in any browser.

  --out FILE       where the bundle is written; a bundle that lies there is replaced, nothing else
  --html FILE      where the page is written, likewise; texts have to be read by words alone
  --policy V       version or id of the policy (the deployed one)
  --type NAME      the decision type (the only one there is)
  --slim           without tokenizer and text encoder
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const exportCommand = defineCommand(
  help,
  {
    ...commonOptions,
    ...texts('out', 'html', 'policy'),
    slim: { type: 'boolean' },
  },
  async ({ values, file }, { env, answer }) => {
    const { out, html } = values;
    if ((out === undefined && html === undefined) || file !== undefined) {
      throw refuse('Name the file of the bundle by --out, or that of the page by --html.');
    }
    if (out !== undefined) checkBundlePlace(out);
    if (html !== undefined) checkBundlePlace(html, 'html', isPage, 'page');
    return withWorkbench(requireDataDir(values['data-dir'], env), env, async (client) => {
      const type = await findType(client, values.type);
      const { id, version } = await findPolicy(client, type, values.policy);
      const bundle = out === undefined ? {} : await writeBundle(client, type.id, id, out, values.slim);
      const page = html === undefined ? {} : await writePage(client, type.id, id, html);
      await answer({ decision_type: type.name, policy_id: id, policy_version: `v${version}`, ...bundle, ...page });
    });
  },
);
