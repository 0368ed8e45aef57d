/** A package, as npm pack makes it, fetched from an address and taken only with the digest that was said. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findAddressProblem } from '../connections/address.ts';
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
