/** Processor time of this process and of all that it started: nearly the same on a busy machine as on a quiet one. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const ticksPerSecond = 100;

type Process = { parent: number; ticks: number };

/**
 * Seconds, user and system together, of this process, of the processes below it that run, and of those that have ended
 * and were waited for. Where there is no `/proc`, of this process alone.
 */
export function readProcessorSeconds(): number {
  const processes = readProcesses();
  if (!processes.has(process.pid)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const children = Map.groupBy(processes.keys(), (pid) => processes.get(pid)?.parent);
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((ticks, child) => ticks + sum(child), processes.get(pid)?.ticks ?? 0);
  return sum(process.pid) / ticksPerSecond;
}

function readProcesses(): Map<number, Process> {
  const processes = new Map<number, Process>();
  if (process.platform !== 'linux') return processes;
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) {
      const found = readProcess(name);
      if (found !== null) processes.set(Number(name), found);
    }
  }
  return processes;
}

/** By `proc_pid_stat(5)`, behind the name in brackets: the parent comes 2nd, own and waited-for times 12th to 15th. */
function readProcess(name: string): Process | null {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1] ?? 0, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) };
  } catch {
    // It ended meanwhile.
    return null;
  }
}
