/** Opening the data file: pragmas read back, migrations applied. */

import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { foldCase } from '../../engine/code-points.ts';
import { StartError } from '../process/start-error.ts';
import { copyBeforeUpgrade } from './database-copy.ts';
import { addInputHash } from './input-hash.ts';

export type WorkbenchDatabase = Database.Database;

const minSqliteVersion = [3, 51, 3] as const;
const checkpointIntervalMs = 20;
const maxCheckpointWaitMs = 5_000;
const migrationName = /^(\d{3})_[a-z0-9_]+\.sql$/;

export type Migration = { version: number; sql: string };

type UpgradeSettings = {
  migrations: readonly Migration[];
  backupsDir?: string;
  checkUpgrade?: (upgraded: WorkbenchDatabase) => void;
};

/** Reads a folder's numbered migrations in order; the first is the oldest schema, a gap after it a fault. */
export function readMigrations(folder: string): Migration[] {
  const found = readdirSync(folder)
    .map((name) => ({ name, match: migrationName.exec(name) }))
    .filter((entry) => entry.match !== null)
    .map(({ name, match }) => ({ version: Number(match?.[1]), sql: readFileSync(path.join(folder, name), 'utf8') }))
    .sort((a, b) => a.version - b.version);
  for (const [index, { version }] of found.entries()) {
    const expected = (found[0]?.version ?? 1) + index;
    if (version !== expected) throw new Error(`migration ${expected} is missing`);
  }
  return found;
}

/**
 * Opens the data file: write-ahead log, durability set and read back, foreign keys, all migrations applied. With
 * `backupsDir`, a checked copy of data that needs an upgrade is put there first; `checkUpgrade` sees upgraded data and
 * undoes the upgrade by throwing a StartError. Throws StartError with a sentence for
 * the user when the file is damaged, belongs to a newer program or cannot be opened or upgraded; the file is never
 * deleted or replaced.
 */
export function openDatabase(
  file: string,
  settings: UpgradeSettings & { synchronous: 'FULL' | 'NORMAL' },
): WorkbenchDatabase {
  let db: WorkbenchDatabase;
  try {
    restrictToOwner(file);
    db = new Database(file, { timeout: 5_000 });
  } catch (cause) {
    throw new StartError('data', `The data file ${file} could not be opened.`, { cause });
  }
  try {
    prepareConnection(db, settings.synchronous);
    addNumberLists(db);
    addInputHash(db);
    addFoldCase(db);
    migrate(db, settings);
    // Waiting inside SQLite would keep everybody waiting: from here on WriteLock does it.
    db.pragma('busy_timeout = 0');
    return db;
  } catch (cause) {
    db.close();
    throw isDamage(cause) ? damagedError(file, cause) : cause;
  }
}

/**
 * Makes the file where it is missing: SQLite gives the files beside it the mode that it has when they are made. One
 * that is there is not opened, because closing it again would free every lock that this process has on it.
 */
function restrictToOwner(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, 0o600);
}

/** Whether an error says that the file is not, or not wholly, a database. */
export function isDamage(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** The end of a start on a damaged data file. */
export function damagedError(file: string, cause: unknown): StartError {
  const backups = path.join(path.dirname(file), 'backups');
  const names = existsSync(backups) ? readdirSync(backups) : [];
  // A name begins with its time, and that of one that was not finished ends otherwise.
  const newest = names
    .filter((name) => /^backup-[^.]*$/.test(name))
    .sort()
    .at(-1);
  const way =
    newest === undefined
      ? 'Restore a backup into a new data folder; this one holds none.'
      : `Restore its newest backup into a new data folder: workbench restore ${path.join(backups, newest)} --data-dir NEW`;
  return new StartError('data', `The data file ${file} is damaged and was left as it is. ${way}`, { cause });
}

/** The exact pragmas every connection gets; each one that matters is read back. */
function prepareConnection(db: WorkbenchDatabase, synchronous: 'FULL' | 'NORMAL'): void {
  const version = String(db.prepare('SELECT sqlite_version()').pluck().get());
  if (!isAtLeast(version, minSqliteVersion)) {
    throw new StartError('data', `SQLite ${version} is too old; ${minSqliteVersion.join('.')} or newer is needed.`);
  }
  db.pragma('busy_timeout = 5000');
  const mode = db.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal')
    throw new StartError('data', `The data file cannot use a write-ahead log here (${String(mode)}).`);
  db.pragma(`synchronous = ${synchronous}`);
  const level = db.pragma('synchronous', { simple: true });
  if (level !== (synchronous === 'FULL' ? 2 : 1))
    throw new Error(`synchronous is ${String(level)}, not ${synchronous}`);
  db.pragma('foreign_keys = ON');
  // Deleted means gone: freed space is overwritten, not only left to be used again.
  db.pragma('secure_delete = ON');
  // A checkpoint syncs the database file too: every 16 MB of log instead of every 4 MB.
  db.pragma('wal_autocheckpoint = 4000');
  db.pragma('journal_size_limit = 67108864');
  db.pragma('trusted_schema = OFF');
}

/** Empties the write-ahead log, so that no deleted row stays in it; rejects when others read for five seconds. */
export async function emptyWriteAheadLog(db: WorkbenchDatabase): Promise<void> {
  for (let waitedMs = 0; waitedMs <= maxCheckpointWaitMs; waitedMs += checkpointIntervalMs) {
    if (Number(db.pragma('wal_checkpoint(TRUNCATE)', { simple: true })) === 0) return;
    await wait(checkpointIntervalMs);
  }
  throw new Error('Another program reads the data file: deleted rows are still in its write-ahead log.');
}

function isAtLeast(version: string, minimum: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, required] of minimum.entries()) {
    const part = parts[index] ?? 0;
    if (part !== required) return part > required;
  }
  return true;
}

/** Applies all missing migrations in one transaction: a failure leaves the data to the earlier program. */
function migrate(db: WorkbenchDatabase, { migrations, backupsDir, checkUpgrade }: UpgradeSettings): void {
  const current = Number(db.pragma('user_version', { simple: true }));
  if (current > 0) checkSchemaVersion(current, migrations);
  const pending = migrations.filter(({ version }) => version > current);
  const last = pending.at(-1);
  if (last === undefined) return;
  const copy = current > 0 && backupsDir !== undefined ? copyBeforeUpgrade(db, current, backupsDir) : null;
  let reached = current;
  // While they are enforced, no table that others refer to can be replaced. Each migration is checked at its end.
  db.pragma('foreign_keys = OFF');
  try {
    db.transaction(() => {
      for (const migration of pending) {
        reached = migration.version;
        applyMigration(db, migration);
      }
      checkUpgrade?.(db);
    }).immediate();
  } catch (cause) {
    if (isDamage(cause) || cause instanceof StartError) throw cause;
    throw new StartError(
      'data',
      `The data could not be brought from schema ${current} to ${last.version}: step ${reached} failed ` +
        `(${cause instanceof Error ? cause.message : String(cause)}). Nothing was changed, and the program that wrote ` +
        `the data can still open it${copy === null ? '' : `; a copy is in ${copy}`}.`,
      { cause },
    );
  } finally {
    db.pragma('foreign_keys = ON');
  }
}

function applyMigration(db: WorkbenchDatabase, { version, sql }: Migration): void {
  db.exec(sql);
  db.pragma(`user_version = ${version}`);
  const broken = db.pragma('foreign_key_check') as unknown[];
  if (broken.length > 0) throw new Error(`The migration breaks ${broken.length} references.`);
}

/** Throws StartError for data that a newer program has written, and for data from before the first migration. */
export function checkSchemaVersion(version: number, migrations: readonly Migration[]): void {
  const oldest = migrations[0]?.version ?? 0;
  const newest = migrations.at(-1)?.version ?? 0;
  if (version > newest) {
    throw new StartError(
      'data',
      `The data were written by a newer program (schema ${version}, this one knows ${newest}). ` +
        'Start that program; nothing was changed.',
    );
  }
  if (version < oldest) {
    throw new StartError(
      'data',
      `The data were written by a program before 0.2.0 (schema ${version}, this one reads ${oldest} and later). ` +
        'Start version 0.2.0 on them once, which brings them up to date; nothing was changed.',
    );
  }
}

/** Gives a connection the function of SQL `fold_case(text)`, as `lower` knows only ASCII. */
function addFoldCase(db: WorkbenchDatabase): void {
  db.function('fold_case', { deterministic: true, directOnly: true }, (text) =>
    text === null ? null : foldCase(String(text)),
  );
}

const bytesPerNumber = 8;

/**
 * Gives a connection two functions of SQL: the aggregate `sorted_numbers(x)`, a blob of all x in ascending order as
 * little-endian doubles, and `count_between(blob, low, high)`, the number of them between two bounds, both included.
 */
function addNumberLists(db: WorkbenchDatabase): void {
  db.aggregate('sorted_numbers', {
    start: (): number[] => [],
    step: (numbers: number[], next: number) => {
      numbers.push(next);
    },
    result: (numbers: number[]) => {
      const bytes = Buffer.allocUnsafe(numbers.length * bytesPerNumber);
      for (const [index, number] of Float64Array.from(numbers).sort().entries()) {
        bytes.writeDoubleLE(number, index * bytesPerNumber);
      }
      return bytes;
    },
    deterministic: true,
    directOnly: true,
  });
  db.function('count_between', { deterministic: true, directOnly: true }, (blob, low, high) => {
    const bytes = blob as Buffer;
    const below = countWhile(bytes, (number) => number < (low as number));
    return Math.max(0, countWhile(bytes, (number) => number <= (high as number)) - below);
  });
}

/** Returns how many numbers of an ascending list come before the first one for which `condition` is false. */
function countWhile(bytes: Buffer, condition: (number: number) => boolean): number {
  let low = 0;
  let high = bytes.length / bytesPerNumber;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (condition(bytes.readDoubleLE(middle * bytesPerNumber))) low = middle + 1;
    else high = middle;
  }
  return low;
}
