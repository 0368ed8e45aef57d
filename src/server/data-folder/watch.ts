import { existsSync, statfsSync, statSync } from 'node:fs';
import { WorkbenchError } from '../../engine/errors.ts';
import { toLockPath } from '../process/folder-lock.ts';
import type { Log } from '../process/log.ts';
import { toFolderPaths } from './folder.ts';

const lookIntervalMs = 1_000;
/** Less is needed for a few decisions, but not for a training or a larger import. */
const minFreeBytes = 4 * 1024 * 1024;

/** Looks each second whether folder, database and lock are those opened: writes to removed files would be lost. */
export class FolderWatch {
  readonly #dataDir: string;
  readonly #files: { path: string; identity: string | null }[];
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #intact = true;

  /** Call it right after the database was opened. */
  constructor(dataDir: string, log: Log) {
    this.#log = log;
    this.#dataDir = dataDir;
    const paths = [dataDir, toFolderPaths(dataDir).database, toLockPath(dataDir)];
    this.#files = paths.filter((path) => existsSync(path)).map((path) => ({ path, identity: identify(path) }));
    this.#timer = setInterval(() => this.isIntact(), lookIntervalMs);
    this.#timer.unref();
  }

  isIntact(): boolean {
    const lost = this.#files.find(({ path, identity }) => identity === null || identify(path) !== identity);
    if (this.#intact && lost) this.#log.error({ path: lost.path }, 'the data folder was removed or replaced');
    if (!this.#intact && !lost) this.#log.warn({}, 'the data folder is back');
    this.#intact = lost === undefined;
    return this.#intact;
  }

  /** Whether the disk of the folder is full, as far as its file system tells; throws where the folder is gone. */
  isDiskFull(): boolean {
    return (this.readFreeBytes() ?? minFreeBytes) < minFreeBytes;
  }

  /** The free bytes of the folder's disk; null where its file system tells none. Throws where the folder is gone. */
  readFreeBytes(): number | null {
    const { blocks, bavail, bsize } = statfsSync(this.#dataDir);
    return blocks > 0 ? bavail * bsize : null;
  }

  /** Throws `unavailable` when the last look found the folder or the database gone; costs nothing. */
  checkWritable(): void {
    if (this.#intact) return;
    const message =
      'The data folder, or its database or lock, was removed or replaced while the workbench runs. ' +
      'Put it back, or restart.';
    throw new WorkbenchError('unavailable', message);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Names the file itself, whatever its path; null where it cannot be reached. */
function identify(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
