/** Whole, checked copies of the database, for backups and before an upgrade, and reads from a separate file. */
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { renameDurably, syncFile } from '../process/durable-file.ts';
import { StartError } from '../process/start-error.ts';

const maxUpgradeCopies = 3;
const upgradeCopyName = /^schema-(\d+)\.db$/;

/** Writes a checked copy of the database to the new file `target` while work goes on; throws, none left. */
export function copyDatabase(db: Database.Database, target: string): void {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, 'wx', 0o600));
    db.prepare('VACUUM INTO ?').run(part);
    chmodSync(part, 0o600);
    const problems = listDatabaseProblems(part, 'quick_check');
    if (problems.length > 0) throw new Error(`The copy of the database is damaged: ${problems[0]}.`);
    // SQLite does not sync what it writes here.
    syncFile(part);
    renameDurably(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** The faults of a data file in SQLite's words. Throws StartError `data` where it cannot be opened. */
export function listDatabaseProblems(file: string, check: 'quick_check' | 'integrity_check'): string[] {
  let db: Database.Database | null = null;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    const found = (db.pragma(`${check}(20)`) as Record<string, string>[]).flatMap((row) => Object.values(row));
    const problems = found.filter((line) => line !== 'ok');
    if (check === 'integrity_check' && problems.length === 0) {
      const broken = db.pragma('foreign_key_check') as { table: string }[];
      if (broken.length > 0) problems.push(`${broken.length} references to nothing, the first in ${broken[0]?.table}`);
    }
    return problems;
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(error.code)) return [error.message];
    const message = `The database ${file} can only be read where files can be made beside it. Check a copy of its folder.`;
    throw new StartError('data', message, { cause: error });
  } finally {
    db?.close();
  }
}

/** Returns the policies of a data file that have a bundle, with its digest. */
export function listBundles(database: string): { id: string; sha256: string }[] {
  const db = new Database(database, { readonly: true, fileMustExist: true });
  try {
    return db
      .prepare<[], { id: string; sha256: string }>(
        'SELECT id, bundle_sha256 AS sha256 FROM policies WHERE bundle_sha256 IS NOT NULL',
      )
      .all();
  } finally {
    db.close();
  }
}

/** Keeps a copy of the data before an upgrade as `schema-N.db`, the newest three. Throws StartError when it cannot. */
export function copyBeforeUpgrade(db: Database.Database, schemaVersion: number, backupsDir: string): string {
  const target = path.join(backupsDir, `schema-${schemaVersion}.db`);
  try {
    mkdirSync(backupsDir, { recursive: true, mode: 0o700 });
    copyDatabase(db, target);
  } catch (cause) {
    throw new StartError(
      'data',
      `The data need an upgrade, but no copy could be put into ${backupsDir} before it. ` +
        'Make space on the disk; nothing was changed.',
      { cause },
    );
  }
  const versions = readdirSync(backupsDir).flatMap((name) => upgradeCopyName.exec(name)?.[1] ?? []);
  const outdated = versions
    .map(Number)
    .sort((a, b) => b - a)
    .slice(maxUpgradeCopies);
  for (const version of outdated) rmSync(path.join(backupsDir, `schema-${version}.db`), { force: true });
  return target;
}
