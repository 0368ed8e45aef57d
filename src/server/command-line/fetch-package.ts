/** A package, as npm pack makes it, fetched from an address and taken only with the digest that was said. */
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
import { CommandError, endCodes, refuse } from './command.ts';

const megabyte = 1e6;
const maxBytes = 300 * megabyte;
const shownBytes = 10 * megabyte;

type Wanted = { address: string; digest: string; signal: AbortSignal; say(text: string): void };

/**
 * Gives the folder of a fetched package to `use`; nothing of it is left afterwards. Throws CommandError where the
 * address, what it answers or the digest is not right.
 */
export async function withFetchedPackage<T>(wanted: Wanted, use: (folder: string) => Promise<T>): Promise<T> {
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
export function placeProgramModel(folder: string): { name: string; folder: string } | null {
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
