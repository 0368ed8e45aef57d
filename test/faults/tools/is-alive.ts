import { existsSync, readFileSync } from 'node:fs';

/** A process that has ended but whose exit nobody collected (an orphan in a container) does not live. Linux only. */
export function isAlive(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'latin1'));
}
