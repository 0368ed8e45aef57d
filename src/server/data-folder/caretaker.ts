/** The long work on the data folder of a running workbench, done by a process of its own: backups and checks. */
import { rmSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { WorkbenchError } from '../../engine/errors.ts';
import { ChildPool } from '../process/child-pool.ts';
import type { Clock } from '../process/clock.ts';
import type { Log } from '../process/log.ts';
import type { OrderInput, OrderOutput } from '../process/orders.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import { dailyEnding, listBackupNames, listUnfinishedBackups, toBackupPath, toPartPath } from './backup.ts';
import type { DataOrders } from './data-child.ts';
import { toFolderPaths } from './folder.ts';
import { type BackupManifest, readManifest } from './manifest.ts';

export type StoredBackup = { name: string; manifest: BackupManifest };
/** The state of the data: `unchecked` only until a large file was read after the start. */
type Integrity = 'ok' | 'damaged' | 'unchecked';

const dayMs = 24 * 3600 * 1000;
/** Long enough for the start to be over. */
const firstCheckMs = 10_000;
/** The first look for a daily backup: a program that is opened for a moment makes none. */
const firstBackupMs = 15 * 60_000;
const backupLookMs = 3_600_000;
/** Room on the disk that a daily backup leaves free, beside as much as the database takes again. */
const minFreeBytes = 1024 ** 3;
/** A disk that takes longer stands still: 18 GB at 10 MB/s. */
const defaultMaxWorkMs = 30 * 60_000;

type CaretakerOptions = {
  dataDir: string;
  toolVersion: string;
  spawn: SpawnChild;
  clock: Clock;
  log: Log;
  /** Whether the start has checked the database; otherwise that is done soon. */
  isChecked: boolean;
  /** How many daily backups are kept; 0: none is made. */
  dailyBackups: number;
  /** How long one backup, check or restore may take: 30 minutes unless said otherwise. */
  maxWorkMs?: number;
};

/** Makes, reads and restores backups, one at a time, on demand and daily, and checks the data every day. */
export class Caretaker {
  readonly #options: CaretakerOptions;
  readonly #firstCheck: NodeJS.Timeout | null;
  readonly #dailyCheck: NodeJS.Timeout;
  readonly #firstBackup: NodeJS.Timeout;
  readonly #backupLook: NodeJS.Timeout;
  readonly #pool: ChildPool<DataOrders>;
  #isBusy = false;
  #known: Integrity;
  /** Why the last backup of this run could not be made; null where it could. */
  backupFault: string | null = null;

  /** Removes the remains of a backup that an earlier process did not finish. */
  constructor(options: CaretakerOptions) {
    this.#options = options;
    const { spawn, maxWorkMs: taskMs = defaultMaxWorkMs } = options;
    const limits = { heapMb: 256, maxChildren: 2, taskMs, idleMs: 0 };
    this.#pool = new ChildPool({ spawn, name: 'data-child', work: 'reads the data', ...limits });
    const { backups } = toFolderPaths(options.dataDir);
    for (const name of listUnfinishedBackups(backups))
      rmSync(path.join(backups, name), { recursive: true, force: true });
    this.#known = options.isChecked ? 'ok' : 'unchecked';
    const check = () => void this.check();
    this.#firstCheck = options.isChecked ? null : setTimeout(check, firstCheckMs).unref();
    this.#dailyCheck = setInterval(check, dayMs).unref();
    const look = () => void this.backUpDaily();
    this.#firstBackup = setTimeout(look, firstBackupMs).unref();
    this.#backupLook = setInterval(look, backupLookMs).unref();
  }

  integrity(): Integrity {
    return this.#known;
  }

  /** Reads all data and logs faults. Never rejects: a check that could not be made changes nothing. */
  async check(): Promise<void> {
    const { dataDir, log } = this.#options;
    try {
      const problems = await this.#pool.run('check', 'check', { dataDir });
      this.#known = problems.length === 0 ? 'ok' : 'damaged';
      if (this.#known === 'damaged') log.error({ problems }, 'the data are damaged');
    } catch (err) {
      log.error({ err }, 'the data could not be checked');
    }
  }

  /** Writes a backup into the data folder. Rejects with `conflict` while another order runs, and with `unavailable`. */
  async backUp(withSecrets: boolean, isDaily = false): Promise<StoredBackup> {
    const { dataDir, toolVersion, clock } = this.#options;
    const nowMs = clock.now();
    const target = toBackupPath(dataDir, nowMs, isDaily);
    const part = toPartPath(target);
    try {
      const order = { dataDir, target, part, withSecrets, toolVersion, nowMs };
      const manifest = await this.#runAlone('backup', order, part);
      this.backupFault = null;
      return { name: path.basename(target), manifest };
    } catch (error) {
      // One that waits for another is no fault.
      const isRefused = error instanceof WorkbenchError && error.code === 'conflict';
      if (error instanceof Error && !isRefused) this.backupFault = error.message;
      throw error;
    }
  }

  /**
   * Writes a backup where the newest is a day old and the disk has room, and removes the oldest daily ones. Never
   * rejects: `backupFault` says why there is none, and the log.
   */
  async backUpDaily(): Promise<void> {
    const { dataDir, dailyBackups, clock, log } = this.#options;
    const { backups, database } = toFolderPaths(dataDir);
    const last = this.findLastBackup();
    const isDue = last === null || clock.now() - Date.parse(last.manifest.created_at) >= dayMs;
    if (dailyBackups === 0 || this.#isBusy || !isDue) return;
    try {
      const { bavail, bsize } = statfsSync(dataDir);
      if (bavail * bsize < statSync(database).size + minFreeBytes) {
        this.backupFault = 'The disk has no room for the daily backup. Make room, or move backups to another disk.';
        return;
      }
      await this.backUp(false, true);
      const daily = listBackupNames(backups).filter((name) => name.endsWith(dailyEnding));
      for (const name of daily.sort().slice(0, -dailyBackups))
        rmSync(path.join(backups, name), { recursive: true, force: true });
    } catch (err) {
      log.error({ err }, 'the daily backup could not be made');
    }
  }

  /** The backups in the data folder, newest first. */
  listBackups(): StoredBackup[] {
    const { backups } = toFolderPaths(this.#options.dataDir);
    return listBackupNames(backups)
      .sort()
      .reverse()
      .flatMap((name) => {
        const manifest = readManifest(path.join(backups, name));
        return manifest === null ? [] : [{ name, manifest }];
      });
  }

  /** The newest backup in the data folder, or null. */
  findLastBackup(): StoredBackup | null {
    const { backups } = toFolderPaths(this.#options.dataDir);
    for (const name of listBackupNames(backups).sort().reverse()) {
      const manifest = readManifest(path.join(backups, name));
      if (manifest !== null) return { name, manifest };
    }
    return null;
  }

  /** Reads a backup again and returns its faults. Rejects with `not_found`, `conflict` and `unavailable`. */
  async verify(name: string): Promise<string[]> {
    return await this.#runAlone('verify', { backup: this.#findBackup(name) });
  }

  /** Restores a backup into a new folder; rejects with `not_found`, `conflict` or `unavailable`. */
  async restore(name: string, target: string): Promise<void> {
    const backup = this.#findBackup(name);
    if (!path.isAbsolute(target)) {
      const problem = { type: 'invalid_value', loc: ['body', 'folder'], msg: 'must be an absolute path' };
      throw new WorkbenchError('validation_error', 'The folder cannot be used.', [problem]);
    }
    const folder = path.resolve(target);
    const part = toPartPath(folder);
    await this.#runAlone('restore', { backup, target: folder, part }, part);
  }

  /** Ends work under way, and resolves when its processes have ended; a half-written copy is removed. */
  async close(): Promise<void> {
    if (this.#firstCheck !== null) clearTimeout(this.#firstCheck);
    clearInterval(this.#dailyCheck);
    clearTimeout(this.#firstBackup);
    clearInterval(this.#backupLook);
    await this.#pool.close();
  }

  #findBackup(name: string): string {
    const { backups } = toFolderPaths(this.#options.dataDir);
    if (!listBackupNames(backups).includes(name)) throw new WorkbenchError('not_found', 'The backup does not exist.');
    return path.join(backups, name);
  }

  /** Runs an order unless another one runs: each takes a whole process. One that ends early leaves no part behind. */
  async #runAlone<Name extends keyof DataOrders>(
    name: Name,
    order: OrderInput<DataOrders, Name>,
    part: string | null = null,
  ): Promise<OrderOutput<DataOrders, Name>> {
    if (this.#isBusy) {
      throw new WorkbenchError('conflict', 'A backup is being written, read or restored. Wait until that is done.');
    }
    this.#isBusy = true;
    try {
      return await this.#pool.run('order', name, order);
    } catch (err) {
      this.#options.log.error({ err, order: name }, 'the work on the data or a backup failed');
      if (part !== null) rmSync(part, { recursive: true, force: true });
      throw err;
    } finally {
      this.#isBusy = false;
    }
  }
}
