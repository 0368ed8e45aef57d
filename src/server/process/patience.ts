import { availableParallelism, loadavg } from 'node:os';

/**
 * How long a child may stay silent before it is taken for hung: `quietMs` on a quiet machine, and longer in proportion
 * where more processes are ready to run than there are cores. Windows tells no load: there it is always `quietMs`.
 */
export function scalePatience(quietMs: number): number {
  const [lastMinute = 0] = loadavg();
  return quietMs * Math.max(1, lastMinute / availableParallelism());
}
