import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../process/start-error.ts';

/** How a secret is made, and what one looks like; a wrong one must never be used. */
export type SecretKind = { name: string; make(): string; isSound(text: string): boolean };

/** Reads or makes a secret (mode 0600); of two processes the first file wins. Throws StartError `data`. */
export function readOrMakeSecret(dataDir: string, { name, make, isSound }: SecretKind): string {
  const file = path.join(dataDir, 'secrets', name);
  const existing = readIfThere(file);
  if (existing !== null) {
    if (isSound(existing)) return existing;
    throw new StartError('data', `The secret ${file} is damaged. Put it back from a backup; nothing was changed.`);
  }
  const draft = `${file}.${randomUUID()}.tmp`;
  writeFileSync(draft, make(), { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8');
}

/** The names of those secrets in the data folder that hold something else; one that is missing is not damaged. */
export function findDamagedSecrets(dataDir: string, kinds: readonly SecretKind[]): string[] {
  return kinds.flatMap(({ name, isSound }) => {
    const text = readIfThere(path.join(dataDir, 'secrets', name));
    return text === null || isSound(text) ? [] : [name];
  });
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
