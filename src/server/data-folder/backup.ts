/** Backups of a data folder: written, checked and restored. */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { renameDurably, syncFile, writeDurably } from '../process/durable-file.ts';
import { StartError } from '../process/start-error.ts';
import { copyDatabase, listBundles, listDatabaseProblems } from '../store/database-copy.ts';
import { checkLog, type KeptHead, readHeadOf } from '../store/deciding/verify-chain.ts';
import type { LogHead } from '../store/log-chain.ts';
import { toFolderPaths } from './folder.ts';
import { type BackupManifest, hashFile, logHeadSchema, readManifest, toManifestPath } from './manifest.ts';

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

export type BackupOrder = {
  dataDir: string;
  target: string;
  /** Where it is written until it is whole; see `toPartPath`. */
  part: string;
  withSecrets: boolean;
  toolVersion: string;
  nowMs: number;
};

/** Where the backup of a moment lies unless another place is named. */
export function toBackupPath(dataDir: string, nowMs: number, isDaily = false): string {
  const time = new Date(nowMs).toISOString().replace(/[:.]/g, '-');
  return path.join(toFolderPaths(dataDir).backups, `backup-${time}${isDaily ? dailyEnding : ''}`);
}

/** The end of the names of backups that are made by themselves, which later ones replace. */
export const dailyEnding = '-daily';

/** A folder beside `target` that is nobody's, in which a copy is made until it is whole. */
export const toPartPath = (target: string) => `${target}.${randomUUID()}.part`;

/** Writes a backup beside a working workbench, whole or not at all; secrets when asked for. */
export function writeBackup(order: BackupOrder): BackupManifest {
  const { dataDir, target, part, withSecrets, toolVersion, nowMs } = order;
  if (existsSync(target)) throw new StartError('data', `There is something at ${target} already. Name another folder.`);
  makePart(part);
  try {
    const [from, to] = [toFolderPaths(dataDir), toFolderPaths(part)];
    // The database first: the bundles that it knows lie on the disk before it knows them.
    const db = new Database(from.database, { readonly: true, fileMustExist: true, timeout: 5_000 });
    try {
      copyDatabase(db, to.database);
    } finally {
      db.close();
    }
    if (existsSync(from.identity)) copyDurably(from.identity, to.identity);
    copyFolder(from.artifacts, to.artifacts, (name) => name.endsWith('.zip'));
    if (existsSync(from.textModels)) {
      copyFolder(from.textModels, to.textModels, (name) => !name.endsWith('.part'));
    }
    if (withSecrets) copyFolder(from.secrets, to.secrets, (name) => !name.endsWith('.tmp'));
    const manifest: BackupManifest = {
      format: 1,
      created_at: new Date(nowMs).toISOString(),
      tool_version: toolVersion,
      with_secrets: withSecrets,
      log_head: readHeadOf(to.database) ?? undefined,
      files: listFiles(part).map((name) => ({
        path: name,
        size_bytes: statSync(path.join(part, name)).size,
        sha256: hashFile(path.join(part, name)),
      })),
    };
    writeDurably(toManifestPath(part), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    renameDurably(part, target);
    return manifest;
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

/** Makes the new data folder of a checked backup by way of `part`; throws StartError `data`, nothing changed. */
export function restoreBackup(backup: string, dataDir: string, part: string): void {
  if (existsSync(dataDir) && (!statSync(dataDir).isDirectory() || readdirSync(dataDir).length > 0)) {
    const message = `There is something at ${dataDir} already. A backup is restored into a new folder only.`;
    throw new StartError('data', message);
  }
  const [problem] = listBackupProblems(backup);
  const manifest = readManifest(backup);
  if (problem !== undefined || manifest === null) {
    throw new StartError('data', `The backup was not restored. ${problem ?? 'Its manifest is missing.'}`);
  }
  makePart(part);
  try {
    for (const { path: name } of manifest.files) {
      mkdirSync(path.join(part, path.dirname(name)), { recursive: true, mode: 0o700 });
      copyDurably(path.join(backup, name), path.join(part, name));
    }
    renameDurably(part, dataDir);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

function makePart(part: string): void {
  const parent = path.dirname(part);
  if (!existsSync(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
  mkdirSync(part, { mode: 0o700 });
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .map((name) => name.replaceAll('\\', '/'))
    .sort();
}

function copyFolder(from: string, to: string, isWanted: (name: string) => boolean): void {
  mkdirSync(to, { mode: 0o700 });
  if (!existsSync(from)) return;
  for (const name of readdirSync(from).filter(isWanted)) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if (statSync(source).isDirectory()) copyFolder(source, target, isWanted);
    else copyDurably(source, target);
  }
}

function copyDurably(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o600);
  syncFile(to);
}
