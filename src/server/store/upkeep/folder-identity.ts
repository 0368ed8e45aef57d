/** Facts in a data file that are read before it is opened for work, and the id of the folder that it belongs to. */
import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StartError } from '../../process/start-error.ts';
import { damagedError, isDamage, type WorkbenchDatabase } from '../database.ts';

/** A data file as it lies on the disk; `folderId` is null in one that is older than such ids. */
type DatabaseState =
  | { kind: 'missing' }
  | { kind: 'empty' }
  | { kind: 'foreign' }
  | { kind: 'ours'; schemaVersion: number; folderId: string | null };

/** Long enough for a write that another program is at. */
const lookTimeoutMs = 5_000;
/** A larger file is checked in the background: reading this much takes a fraction of a second. */
const maxCheckedAtStartBytes = 64 * 1024 * 1024;

/** Whether the start checks the whole file; a larger one is to be checked soon after. */
export function isCheckedAtStart(file: string): boolean {
  return statSync(file).size <= maxCheckedAtStartBytes;
}

/** Looks at a data file that nobody writes to; an empty one is not opened. Throws StartError. */
export function inspectDatabase(file: string): DatabaseState {
  if (!existsSync(file)) return { kind: 'missing' };
  if (statSync(file).size === 0) return { kind: 'empty' };
  let db: WorkbenchDatabase | null = null;
  try {
    db = new Database(file, { fileMustExist: true, timeout: lookTimeoutMs });
    db.exec('BEGIN IMMEDIATE');
    const state = readState(db);
    if (state.kind === 'ours' && isCheckedAtStart(file)) checkPages(db, file);
    return state;
  } catch (cause) {
    throw toStartError(file, cause);
  } finally {
    db?.close();
  }
}

function readState(db: WorkbenchDatabase): DatabaseState {
  const schemaVersion = Number(db.pragma('user_version', { simple: true }));
  const tables = new Set(db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  if (tables.size === 0 && schemaVersion === 0) return { kind: 'empty' };
  if (schemaVersion === 0 || !tables.has('organisations')) return { kind: 'foreign' };
  return { kind: 'ours', schemaVersion, folderId: tables.has('folder_identity') ? readFolderId(db) : null };
}

function checkPages(db: WorkbenchDatabase, file: string): void {
  const problem = String(db.pragma('quick_check(1)', { simple: true }));
  if (problem !== 'ok') throw damagedError(file, new Error(problem));
}

function toStartError(file: string, cause: unknown): unknown {
  if (cause instanceof StartError) return cause;
  if (isDamage(cause)) return damagedError(file, cause);
  if (!(cause instanceof Database.SqliteError) && !(cause instanceof TypeError)) return cause;
  if ('code' in cause && String(cause.code).startsWith('SQLITE_BUSY')) {
    const message = `The database ${file} is being written by another program. Close that first.`;
    return new StartError('instance', message, { cause });
  }
  return new StartError('data', `The database ${file} could not be opened. Check its type and its permissions.`, {
    cause,
  });
}

/** Returns the id of the data folder that the database belongs to, or null. */
export function readFolderId(db: WorkbenchDatabase): string | null {
  return db.prepare<[], string>('SELECT id FROM folder_identity').pluck().get() ?? null;
}

/** Writes the id of the data folder into a new database. */
export function writeFolderId(db: WorkbenchDatabase, id: string): void {
  db.prepare('INSERT INTO folder_identity (seq, id) VALUES (1, ?)').run(id);
}
