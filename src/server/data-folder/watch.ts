/** Whether the data folder that is worked on is still the one at its address. */
import { statSync } from 'node:fs';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Log } from '../process/log.ts';
import { toFolderPaths } from './folder.ts';

const lookIntervalMs = 1_000;

/**
 * Looks every second whether folder and database are still the files that were opened. A process goes on writing into a
 * file that was removed or replaced, and nobody would ever see those writes again. When they are back, as after a
 * rename and its undoing, the work goes on.
 */
export class FolderWatch {
  private readonly files: { path: string; identity: string | null }[];
  private readonly log: Log;
  private readonly timer: NodeJS.Timeout;
  private intact = true;

  /** Call it right after the database was opened. */
  constructor(dataDir: string, log: Log) {
    this.log = log;
    this.files = [dataDir, toFolderPaths(dataDir).database].map((path) => ({ path, identity: identify(path) }));
    this.timer = setInterval(() => this.isIntact(), lookIntervalMs);
    this.timer.unref();
  }

  /** Looks now. */
  isIntact(): boolean {
    const lost = this.files.find(({ path, identity }) => identity === null || identify(path) !== identity);
    if (this.intact && lost) this.log.error({ path: lost.path }, 'the data folder was removed or replaced');
    if (!this.intact && !lost) this.log.warn({}, 'the data folder is back');
    this.intact = lost === undefined;
    return this.intact;
  }

  /** Throws `unavailable` when the last look found the folder or the database gone; costs nothing. */
  checkWritable(): void {
    if (this.intact) return;
    const message = 'The data folder was removed or replaced while the workbench runs. Put it back, or restart.';
    throw new WorkbenchError('unavailable', message);
  }

  close(): void {
    clearInterval(this.timer);
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
