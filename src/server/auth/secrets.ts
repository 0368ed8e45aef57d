/** Secrets in the data folder, readable by their owner only. */
import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Makes the data folder and its `secrets` folder, readable by their owner only. */
export function prepareDataDir(dataDir: string): void {
  for (const folder of [dataDir, path.join(dataDir, 'secrets'), path.join(dataDir, 'artifacts')]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
}

/**
 * The secret `name` of the data folder, made by `make` when there is none. Two processes that ask at the same time
 * get the same secret: the first complete file wins. Mode 0600.
 */
export function readOrMakeSecret(dataDir: string, name: string, make: () => string): string {
  const file = path.join(dataDir, 'secrets', name);
  const existing = readIfThere(file);
  if (existing !== null) return existing;
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

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
