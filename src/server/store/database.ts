/** Opening the data file: pragmas read back, migrations applied. */
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { StartError } from '../process/start-error.ts';
import { addNumberLists } from './number-lists.ts';

export type WorkbenchDatabase = Database.Database;

const minSqliteVersion = [3, 51, 3] as const;
const migrationName = /^(\d{3})_[a-z0-9_]+\.sql$/;

export type Migration = { version: number; sql: string };

/** Reads the numbered migrations beside this module, in order; a gap in the numbers is a fault. */
export function readMigrations(folder: string): Migration[] {
  const found = readdirSync(folder)
    .map((name) => ({ name, match: migrationName.exec(name) }))
    .filter((entry) => entry.match !== null)
    .map(({ name, match }) => ({ version: Number(match?.[1]), sql: readFileSync(path.join(folder, name), 'utf8') }))
    .sort((a, b) => a.version - b.version);
  found.forEach((migration, index) => {
    if (migration.version !== index + 1) throw new Error(`migration ${index + 1} is missing`);
  });
  return found;
}

/**
 * Opens the data file: write-ahead log, durability set and read back, foreign keys, all migrations applied. Throws
 * StartError with a sentence for the user when the file is damaged, belongs to a newer program or cannot be opened; the
 * file is never deleted or replaced.
 */
export function openDatabase(
  file: string,
  settings: { synchronous: 'FULL' | 'NORMAL'; migrations: readonly Migration[] },
): WorkbenchDatabase {
  let db: WorkbenchDatabase;
  try {
    db = new Database(file, { timeout: 5_000 });
  } catch (cause) {
    throw new StartError('data', `The data file ${file} could not be opened.`, { cause });
  }
  try {
    prepareConnection(db, settings.synchronous);
    addNumberLists(db);
    migrate(db, settings.migrations);
    chmodSync(file, 0o600);
    return db;
  } catch (cause) {
    db.close();
    if (cause instanceof StartError) throw cause;
    if (cause instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(cause.code)) {
      throw new StartError(
        'data',
        `The data file ${file} is damaged and was left as it is. ` +
          'Move it away (with its -wal and -shm files) or put a backup in its place.',
        { cause },
      );
    }
    throw cause;
  }
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

/** Moves everything from the write-ahead log into the data file and empties it, so that no deleted row stays in it. */
export function emptyWriteAheadLog(db: WorkbenchDatabase): void {
  db.pragma('wal_checkpoint(TRUNCATE)');
}

function isAtLeast(version: string, minimum: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, required] of minimum.entries()) {
    const part = parts[index] ?? 0;
    if (part !== required) return part > required;
  }
  return true;
}

function migrate(db: WorkbenchDatabase, migrations: readonly Migration[]): void {
  const current = Number(db.pragma('user_version', { simple: true }));
  if (current > migrations.length) {
    throw new StartError(
      'data',
      `The data file was written by a newer program (schema ${current}, this one knows ${migrations.length}). ` +
        'It was left untouched.',
    );
  }
  for (const migration of migrations.slice(current)) {
    db.transaction(() => {
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
      const broken = db.pragma('foreign_key_check') as unknown[];
      if (broken.length > 0) throw new Error(`migration ${migration.version} breaks ${broken.length} references`);
    }).immediate();
  }
}
