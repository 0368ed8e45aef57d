/** Backups: whole copies of a data folder, made while the workbench works on it, and their way back. */
import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { renameDurably, syncFile, writeDurably } from '../process/durable-file.ts';
import { StartError } from '../process/start-error.ts';
import { copyDatabase } from '../store/database-copy.ts';
import { readHeadOf } from '../store/deciding/verify-chain.ts';
import { toFolderPaths } from './folder.ts';
import { type BackupManifest, hashFile, readManifest, toManifestPath } from './manifest.ts';
import { listBackupProblems } from './verify.ts';

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
