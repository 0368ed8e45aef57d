/** The processor time of another process, where the system says it. */
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const msPerTick = 10;

/** Milliseconds, user and system, that a process has computed; null where there is no `/proc` or no such process. */
export function readProcessorMs(pid: number): number | null {
  try {
    // By proc_pid_stat(5), behind the name in brackets: the 12th and 13th.
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
    return (Number(user) + Number(system)) * msPerTick;
  } catch {
    return null;
  }
}
