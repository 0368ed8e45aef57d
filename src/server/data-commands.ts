/** The commands that care for data folders: backup, restore, verify. None of them starts a workbench. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { serverKeyKind } from './auth/auth.ts';
import { issuerKeyKind } from './auth/issuer.ts';
import { findDamagedSecrets } from './auth/secrets.ts';
import {
  listBackupProblems,
  listDataProblems,
  listLogProblems,
  restoreBackup,
  toBackupPath,
  toPartPath,
  writeBackup,
} from './data-folder/backup.ts';
import { requireDataFolder } from './data-folder/folder.ts';
import { findProgramFolder, toolVersion } from './process/program-folder.ts';
import { StartError } from './process/start-error.ts';
import type { LogHead } from './store/log-chain.ts';

export type DataCommand =
  | { command: 'backup'; dataDir: string; target: string | null; withSecrets: boolean }
  | { command: 'restore'; backup: string; dataDir: string }
  | { command: 'verify'; backup: string | null; dataDir: string; head?: LogHead };

/** Carries out one command and returns the line for stdout. Throws StartError `data`, a sentence a line. */
export function runDataCommand(line: DataCommand, nowMs: number): string {
  try {
    if (line.command === 'restore') {
      restoreBackup(line.backup, line.dataDir, toPartPath(line.dataDir));
      return `The backup was restored into ${line.dataDir}.`;
    }
    if (line.command === 'verify') return verify(line.backup, line.dataDir, line.head);
    requireDataFolder(line.dataDir);
    const target = line.target ?? toBackupPath(line.dataDir, nowMs);
    const version = toolVersion(findProgramFolder(import.meta.dirname));
    const { dataDir, withSecrets } = line;
    writeBackup({ dataDir, target, part: toPartPath(target), withSecrets, toolVersion: version, nowMs });
    return target;
  } catch (cause) {
    if (cause instanceof StartError || !(cause instanceof Error)) throw cause;
    throw new StartError('data', `The command could not be carried out: ${cause.message}.`, { cause });
  }
}

/** A head as `--head` takes it. */
const writeHead = ({ entries, record, digest }: LogHead) =>
  `${entries}${record === undefined ? '' : `.${record}`}:${digest}`;

function verify(backup: string | null, dataDir: string, kept: LogHead | undefined): string {
  if (backup === null) requireDataFolder(dataDir);
  const folder = backup ?? dataDir;
  if (!statSync(folder).isDirectory()) throw new StartError('data', `${folder} is no folder. Name that of a backup.`);
  const problems = backup === null ? listDataProblems(dataDir) : listBackupProblems(backup);
  for (const file of findDamagedSecrets(folder, [serverKeyKind, issuerKeyKind])) {
    problems.push(`The secret ${path.join(folder, 'secrets', file)} is damaged.`);
  }
  if (problems.length > 0) throw new StartError('data', problems.join('\n'));
  const log = listLogProblems(folder, kept);
  if (log.problems.length > 0) throw new StartError('data', log.problems.join('\n'));
  const head = log.head === null ? '' : ` The head of its log is ${writeHead(log.head)}.`;
  return `Everything in ${folder} is sound.${head}`;
}
