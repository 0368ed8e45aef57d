/** `workbench text-model`: text models of the user's own. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programTextModels } from '../../engine/domain/training.ts';
import { findAddressProblem } from '../connections/address.ts';
import { findProgramFolder } from '../process/program-folder.ts';
import { isInstalled, openTextModel } from '../runtime/encoder/text-model.ts';
import { CommandError, defineCommand, endCodes, refuse, texts } from './command.ts';
import { requireDataDir, withWorkbench } from './with-workbench.ts';

const megabyte = 1e6;
const maxBytes = 300 * megabyte;
const shownBytes = 10 * megabyte;

type Wanted = { address: string; digest: string; signal: AbortSignal; say(text: string): void };

/**
 * Gives the folder of a fetched package to `use`; nothing of it is left afterwards. Throws CommandError where the
 * address, what it answers or the digest is not right.
 */
async function withFetchedPackage<T>(wanted: Wanted, use: (folder: string) => Promise<T>): Promise<T> {
  const problem = findAddressProblem({ url: wanted.address, privateNetwork: true });
  if (problem !== null) throw refuse(problem);
  if (!/^[0-9a-f]{64}$/.test(wanted.digest)) throw refuse('--sha256 takes the 64 hex digits that SHA256SUMS has.');
  const folder = mkdtempSync(path.join(tmpdir(), 'workbench-fetch-'));
  try {
    const file = path.join(folder, 'package.tgz');
    const found = await download(wanted, file);
    if (found !== wanted.digest) throw refuse(`The file has the digest ${found}, so nothing of it was taken.`);
    const { status, stderr, error } = spawnSync('tar', ['-xzf', file, '-C', folder, 'package'], { encoding: 'utf8' });
    if (status !== 0) throw refuse(`The file is no package as npm pack makes it: ${stderr || error?.message}`, error);
    return await use(path.join(folder, 'package'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Puts the package of a text model of the program where Node looks for the program's packages; null where it is of
 * another model. Throws CommandError where it is there already, or the program's folder cannot be written.
 */
function placeProgramModel(folder: string): { name: string; folder: string } | null {
  const described = path.join(folder, 'package.json');
  const packageName = existsSync(described) ? JSON.parse(readFileSync(described, 'utf8')).name : null;
  const name = programTextModels.find((each) => `decision-workbench-${each}` === packageName);
  if (name === undefined) return null;
  const target = path.join(findProgramFolder(import.meta.dirname), 'node_modules', packageName);
  if (isInstalled(openTextModel(undefined, name))) throw refuse(`The text model ${name} is there already.`);
  try {
    cpSync(folder, `${target}.part`, { recursive: true });
    renameSync(`${target}.part`, target);
  } catch (cause) {
    throw new CommandError(endCodes.failed, `The folder of the program cannot be written: ${target}.`, { cause });
  }
  return { name, folder: target };
}

/** Writes what an address answers into a file; resolves to its SHA-256. */
async function download({ address, signal, say }: Wanted, file: string): Promise<string> {
  const hash = createHash('sha256');
  const target = openSync(file, 'wx');
  try {
    const response = await fetch(address, { signal });
    if (!response.ok || response.body === null) throw new Error(`it answered ${response.status}`);
    const whole = Number(response.headers.get('content-length') ?? 0) / megabyte;
    let [size, shown] = [0, 0];
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`it holds more than ${maxBytes / megabyte} MB`);
      hash.update(chunk);
      writeSync(target, chunk);
      if (size - shown < shownBytes) continue;
      shown = size;
      say(`${Math.round(size / megabyte)} MB${whole > 0 ? ` of ${Math.round(whole)} MB` : ''}`);
    }
    return hash.digest('hex');
  } catch (cause) {
    const fault = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new CommandError(endCodes.failed, `${address} could not be fetched: ${reason}.`, { cause });
  } finally {
    closeSync(target);
  }
}

const help = `workbench text-model [list | add FOLDER | fetch ADDRESS --sha256 DIGEST | remove NAME] [--name NAME] [--data-dir DIR]
Text models by which types may be read, beside those of the program. A training with text_model auto also tries them.

  add FOLDER       a folder with encoder.onnx, tokenizer.json and LICENSE; encoder.json, golden.json, NOTICE and SHA256SUMS
                   are used if present. The model is tested, then copied into the data folder
  fetch ADDRESS    the same from a package (.tgz) at an address that begins with https://; that of a text model of the
                   program goes beside the program
  --sha256 DIGEST  what is fetched must have this digest, which SHA256SUMS of a release lists; else nothing is taken
  remove NAME      one that was added, unless a deployed policy reads by it
  --name NAME      what it is to be called (as its folder or its file)
  --data-dir DIR   data folder (WORKBENCH_DATA_DIR, ~/.decision-workbench); a workbench may run on it
`;

export const textModelCommand = defineCommand(
  help,
  texts('data-dir', 'name', 'sha256'),
  async ({ values, operands }, { env, say, answer, signal }) => {
    const [act = 'list', operand = ''] = operands;
    const acts = ['list', 'add', 'fetch', 'remove'];
    const isWhole = (act === 'list') === (operand === '') && (act === 'fetch') === (values.sha256 !== undefined);
    if (!acts.includes(act) || !isWhole) {
      throw refuse('Say list, add FOLDER, fetch ADDRESS --sha256 DIGEST or remove NAME. See --help.');
    }
    const dataDir = values['data-dir'];
    const add = (folder: string, name = values.name) =>
      withWorkbench(requireDataDir(dataDir, env), env, async (client) => {
        say('Reading and trying the text model…');
        const { notes, ...added } = await client.call('text_models.add', { body: { folder, ...(name && { name }) } });
        for (const note of notes) say(note);
        await answer(added);
      });
    if (act === 'add') return add(path.resolve(operand));
    if (act === 'fetch') {
      say(`Fetching ${operand}…`);
      const wanted = { address: operand, digest: values.sha256 ?? '', signal, say };
      return withFetchedPackage(wanted, async (folder) => {
        const placed = placeProgramModel(folder);
        if (placed === null)
          return add(folder, values.name ?? path.posix.basename(operand).replace(/-\d.*$|\.tgz$/, ''));
        say('A workbench that runs reads by it from its next start on.');
        return answer(placed);
      });
    }
    return withWorkbench(requireDataDir(dataDir, env), env, async (client) => {
      if (act === 'remove') {
        await client.call('text_models.delete', { params: { text_model: operand } });
        await answer({ removed: operand });
      } else {
        for (const model of await client.call('text_models.list', {})) await answer(model);
      }
    });
  },
  2,
);
