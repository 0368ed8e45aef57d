/** The lock of the data folder: at most one running workbench holds it, and writes its address for the others. */
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from './start-error.ts';

/** The path of a data folder's lock file. */
export const toLockPath = (dataDir: string) => path.join(dataDir, 'instance.lock.db');
const toAddressPath = (dataDir: string) => path.join(dataDir, 'runtime.json');

/** Long enough for another process that only looks whether the folder is taken. */
const lookTimeoutMs = 100;

/** Locks a data folder until the process ends; `announce` writes the address. Throws StartError `instance`, `data`. */
export function acquireFolderLock(dataDir: string): { announce(url: string): void; release(): void } {
  const db = openLock(dataDir);
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (x); COMMIT; BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    if (!isBusy(cause)) throw unusableLock(dataDir, cause);
    const url = readAddress(dataDir);
    throw new StartError(
      'instance',
      `The data folder ${dataDir} is in use by another workbench${url === null ? '' : ` at ${url}`}.`,
      { cause, url },
    );
  }
  const file = toAddressPath(dataDir);
  // The address of one that was killed may be another program's by now.
  rmSync(file, { force: true });
  return {
    announce(url) {
      const draft = `${file}.tmp`;
      rmSync(draft, { force: true });
      writeFileSync(draft, JSON.stringify({ url, pid: process.pid }), { mode: 0o600, flag: 'wx' });
      renameSync(draft, file);
    },
    release() {
      rmSync(file, { force: true });
      db.close();
    },
  };
}

function openLock(dataDir: string): Database.Database {
  try {
    if (!existsSync(toLockPath(dataDir))) closeSync(openSync(toLockPath(dataDir), 'a', 0o600));
    return new Database(toLockPath(dataDir), { timeout: lookTimeoutMs });
  } catch (cause) {
    throw unusableLock(dataDir, cause);
  }
}

function unusableLock(dataDir: string, cause: unknown): StartError {
  const message = `The lock ${toLockPath(dataDir)} cannot be used. Make the folder writable, or remove that file.`;
  return new StartError('data', message, { cause });
}

/** The address of the workbench that runs on the data folder; null when none runs or it is not ready yet. */
export function findRunningAddress(dataDir: string): string | null {
  if (!existsSync(toLockPath(dataDir))) return null;
  const db = new Database(toLockPath(dataDir), { timeout: 0 });
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
    return null;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return readAddress(dataDir);
  } finally {
    db.close();
  }
}

/** Whether an error of SQLite says that another process has the file. */
export const isBusy = (error: unknown) => error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

function readAddress(dataDir: string): string | null {
  if (!existsSync(toAddressPath(dataDir))) return null;
  const { url } = JSON.parse(readFileSync(toAddressPath(dataDir), 'utf8')) as { url?: unknown };
  return typeof url === 'string' ? url : null;
}
