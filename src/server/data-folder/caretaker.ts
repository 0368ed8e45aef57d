/** The long work on the data folder of a running workbench, done by a process of its own: backups and checks. */
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Clock } from '../process/clock.ts';
import type { Log } from '../process/log.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import { toBackupPath } from './backup.ts';
import type { DataOrder, DataReply } from './data-child.ts';
import { toFolderPaths } from './folder.ts';
import { type BackupManifest, readManifest } from './manifest.ts';
import { listBackupNames, listUnfinishedBackups } from './verify.ts';

/** A backup in the data folder. */
export type StoredBackup = { name: string; manifest: BackupManifest };
/** What is known of the data: `unchecked` only until a large file was read after the start. */
export type Integrity = 'ok' | 'damaged' | 'unchecked';

const dayMs = 24 * 3600 * 1000;
/** Long enough for the start to be over. */
const firstCheckMs = 10_000;
const childHeapMb = 256;

type CaretakerOptions = {
  dataDir: string;
  toolVersion: string;
  spawn: SpawnChild;
  clock: Clock;
  log: Log;
  /** Whether the start has checked the database; otherwise that is done soon. */
  isChecked: boolean;
};

/** Makes backups on demand, one at a time, and checks the data every day. */
export class Caretaker {
  private readonly options: CaretakerOptions;
  private readonly firstCheck: NodeJS.Timeout | null;
  private readonly dailyCheck: NodeJS.Timeout;
  private readonly children = new Set<ChildProcess>();
  private isWriting = false;
  private known: Integrity;

  /** Removes what a backup left behind that an earlier process did not finish. */
  constructor(options: CaretakerOptions) {
    this.options = options;
    const { backups } = toFolderPaths(options.dataDir);
    for (const name of listUnfinishedBackups(backups))
      rmSync(path.join(backups, name), { recursive: true, force: true });
    this.known = options.isChecked ? 'ok' : 'unchecked';
    const check = () => void this.check();
    this.firstCheck = options.isChecked ? null : setTimeout(check, firstCheckMs).unref();
    this.dailyCheck = setInterval(check, dayMs).unref();
  }

  /** What the last check found. */
  integrity(): Integrity {
    return this.known;
  }

  /** Reads all data; what is wrong goes to the log. Never rejects: a check that could not be made changes nothing. */
  async check(): Promise<void> {
    const { dataDir, log } = this.options;
    try {
      const reply = await this.run({ kind: 'check', dataDir });
      if (reply.kind === 'refused') log.error({ fault: reply.fault }, 'the data could not be checked');
      if (reply.kind !== 'checked') return;
      this.known = reply.problems.length === 0 ? 'ok' : 'damaged';
      if (this.known === 'damaged') log.error({ problems: reply.problems }, 'the data are damaged');
    } catch (err) {
      log.error({ err }, 'the data could not be checked');
    }
  }

  /** Writes a backup into the data folder. Rejects with `conflict` while one is written, and with `unavailable`. */
  async backUp(withSecrets: boolean): Promise<StoredBackup> {
    if (this.isWriting) throw new WorkbenchError('conflict', 'A backup is being written. Wait until it is there.');
    const { dataDir, toolVersion, clock } = this.options;
    const nowMs = clock.now();
    const target = toBackupPath(dataDir, nowMs);
    this.isWriting = true;
    try {
      const reply = await this.run({ kind: 'backup', dataDir, target, withSecrets, toolVersion, nowMs });
      if (reply.kind === 'written') return { name: path.basename(target), manifest: reply.manifest };
      throw this.toRefusal(reply, 'The backup could not be written.');
    } finally {
      this.isWriting = false;
    }
  }

  /** The backups in the data folder, newest first. */
  listBackups(): StoredBackup[] {
    const { backups } = toFolderPaths(this.options.dataDir);
    return listBackupNames(backups)
      .sort()
      .reverse()
      .flatMap((name) => {
        const manifest = readManifest(path.join(backups, name));
        return manifest === null ? [] : [{ name, manifest }];
      });
  }

  /** Reads a backup again; returns what is wrong with it. Rejects with `not_found` and `unavailable`. */
  async verify(name: string): Promise<string[]> {
    const reply = await this.run({ kind: 'verify', backup: this.findBackup(name) });
    if (reply.kind === 'checked') return reply.problems;
    throw this.toRefusal(reply, 'The backup could not be read.');
  }

  /**
   * Makes a new data folder of a backup. Rejects with `not_found`, with `conflict` where there is something in the folder
   * or the backup is damaged, and with `unavailable`.
   */
  async restore(name: string, target: string): Promise<void> {
    const backup = this.findBackup(name);
    if (!path.isAbsolute(target)) {
      const problem = { type: 'invalid_value', loc: ['body', 'folder'], msg: 'must be an absolute path' };
      throw new WorkbenchError('validation_error', 'The folder cannot be used.', [problem]);
    }
    const reply = await this.run({ kind: 'restore', backup, target: path.normalize(target) });
    if (reply.kind !== 'restored') throw this.toRefusal(reply, 'The backup could not be restored.');
  }

  /** Ends what is under way; a half-written backup has no name and is no backup. */
  close(): void {
    if (this.firstCheck !== null) clearTimeout(this.firstCheck);
    clearInterval(this.dailyCheck);
    for (const child of this.children) child.kill('SIGKILL');
  }

  private findBackup(name: string): string {
    const { backups } = toFolderPaths(this.options.dataDir);
    if (!listBackupNames(backups).includes(name)) throw new WorkbenchError('not_found', 'The backup does not exist.');
    return path.join(backups, name);
  }

  private toRefusal(reply: DataReply, text: string): WorkbenchError {
    if (reply.kind !== 'refused') return new WorkbenchError('unavailable', text);
    this.options.log.error({ fault: reply.fault }, text);
    return new WorkbenchError(reply.code, reply.message);
  }

  private run(order: DataOrder): Promise<DataReply> {
    const child = this.options.spawn('data-child', { heapMb: childHeapMb });
    this.children.add(child);
    return new Promise((resolve, reject) => {
      const end = (how: string) => {
        this.children.delete(child);
        reject(new WorkbenchError('unavailable', `The process that reads the data ended early (${how}).`));
      };
      child.once('message', (reply: DataReply) => resolve(reply));
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal ?? `exit ${code}`));
      child.send(order, () => undefined);
    });
  }
}
