/** Whether data and backups are sound: digests, the database's own checks, and the bundles that it names. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { listBundles, listDatabaseProblems } from '../store/database-copy.ts';
import { checkLog, type KeptHead } from '../store/deciding/verify-chain.ts';
import type { LogHead } from '../store/log-chain.ts';
import { toFolderPaths } from './folder.ts';
import { hashFile, logHeadSchema, readManifest, toManifestPath } from './manifest.ts';

/** Returns the faults of a backup, in sentences: none when every file is there as it was written. */
export function listBackupProblems(backup: string): string[] {
  const manifest = readManifest(backup);
  if (manifest === null) return [`The manifest ${toManifestPath(backup)} is missing or damaged.`];
  const { database } = toFolderPaths(backup);
  if (!manifest.files.some(({ path: name }) => path.join(backup, name) === database)) {
    return [`The manifest ${toManifestPath(backup)} names no database.`];
  }
  const problems: string[] = [];
  for (const { path: name, size_bytes: sizeBytes, sha256 } of manifest.files) {
    const file = path.join(backup, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) problems.push(`The file ${file} is missing.`);
    // A link leads out of the backup, and reading anything else but a file may never end.
    else if (!found.isFile() || found.size !== sizeBytes || hashFile(file) !== sha256) {
      problems.push(`The file ${file} is not as it was written.`);
    }
  }
  // A swapped file's word about itself means nothing.
  if (problems.length > 0) return problems;
  const data = listDataProblems(backup);
  return data.length > 0 ? data : listLogProblems(backup, manifest.log_head).problems;
}

/**
 * Checks the log of a folder against its chain, the heads that the folder and its backups keep, and a further one;
 * `head` is the newest, null of a log from before chains.
 */
export function listLogProblems(dataDir: string, further?: LogHead): { problems: string[]; head: LogHead | null } {
  const kept = listKeptHeads(dataDir);
  if (further !== undefined) kept.push({ ...further, from: 'the head that was kept' });
  const found = checkLog(toFolderPaths(dataDir).database, kept);
  if (found !== null) return { problems: found.fault === null ? [] : [found.fault], head: found.head };
  return {
    problems: kept.length === 0 ? [] : [`The chain of the log is gone, which ${kept[0]?.from} knows.`],
    head: null,
  };
}

function listKeptHeads(dataDir: string): KeptHead[] {
  const { backups, logHead } = toFolderPaths(dataDir);
  const ofBackups = listBackupNames(backups).flatMap((name) => {
    const head = readManifest(path.join(backups, name))?.log_head;
    return head === undefined ? [] : [{ ...head, from: `the backup ${name}` }];
  });
  const own = readLogHead(logHead);
  return own === null ? ofBackups : [...ofBackups, { ...own, from: `the file ${path.basename(logHead)}` }];
}

/** Reads the head that a folder keeps beside its database; null where there is none that can be read. */
function readLogHead(file: string): LogHead | null {
  try {
    return logHeadSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError || !existsSync(file)) return null;
    throw error;
  }
}

/** Returns the faults of a folder's data, in sentences; a workbench may use them meanwhile. */
export function listDataProblems(dataDir: string): string[] {
  const { database, artifacts } = toFolderPaths(dataDir);
  if (!existsSync(database)) return [`The database ${database} is missing.`];
  const problems = listDatabaseProblems(database, 'integrity_check');
  if (problems.length > 0) return problems.map((problem) => `The database ${database} is damaged: ${problem}.`);
  return listBundles(database).flatMap(({ id, sha256 }) => {
    const file = path.join(artifacts, `${id}.zip`);
    if (!existsSync(file)) return [`The bundle ${file} of a trained policy is missing.`];
    return hashFile(file) === sha256 ? [] : [`The bundle ${file} is not the one that was trained.`];
  });
}

const listNames = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
const isUnfinished = (name: string) => name.endsWith('.part');

/** The names of the finished backups in a folder. */
export function listBackupNames(backupsDir: string): string[] {
  return listNames(backupsDir).filter((name) => name.startsWith('backup-') && !isUnfinished(name));
}

/** The names of backups that are being written, or never were finished. */
export function listUnfinishedBackups(backupsDir: string): string[] {
  return listNames(backupsDir).filter((name) => name.startsWith('backup-') && isUnfinished(name));
}
