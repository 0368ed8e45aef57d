/** A program that npm started ends when npm does. */
import { readFileSync } from 'node:fs';

const lookMs = 500;

/**
 * Sends this process SIGTERM once npm, or the shell that npm starts a script with, is gone: npm hands a signal to that
 * shell alone, which ends without its child. A signal that comes here by itself ends the watch.
 */
export function endWithNpm(): void {
  const first = listParents();
  const watch = setInterval(() => {
    if (listParents() === first) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, lookMs).unref();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      clearInterval(watch);
      // Nobody else listens yet: the signal does what it does to every program.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
}

/** The parent and, where that is a shell that waits for this one command, its parent, which is npm. */
function listParents(): string {
  try {
    const isShell = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0')[1] === '-c';
    const stat = isShell ? readFileSync(`/proc/${process.ppid}/stat`, 'utf8') : '';
    // The name of the program, in brackets, may hold anything.
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[2]}`;
  } catch {
    // Not Linux, where shells make way for the last command; or the parent has just ended.
    return String(process.ppid);
  }
}
