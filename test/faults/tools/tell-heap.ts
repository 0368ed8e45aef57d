/**
 * Loaded into a server before it starts, with `--expose-gc`: at each SIGUSR2 it collects garbage and adds a line to
 * HEAP_FILE, the megabytes that are left.
 */
import { appendFileSync } from 'node:fs';

const file = process.env['HEAP_FILE'] ?? '';

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  appendFileSync(file, `${(heapUsed + external) / 2 ** 20}\n`);
});
