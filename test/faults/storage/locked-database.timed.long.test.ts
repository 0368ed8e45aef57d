/** While another program holds the data file, nobody who only reads waits, and who writes is told in time. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Call, deployForAll, loanExamples, loanType, openForTest } from '../../server/workbench.ts';
import { holdDatabase } from '../tools/storage/hold-database.ts';

/** How long the longest lock is held: twice what a write waits. */
const longLockMs = 10_000;

const trained = deployForAll(loanType, loanExamples(40));

/** Asks for /health every few milliseconds until told to stop; then expects that no answer waited for the lock. */
function watchHealth(call: Call) {
  let isStopped = false;
  const waitsMs: number[] = [];
  const watching = (async () => {
    while (!isStopped) {
      const started = performance.now();
      expect((await call('GET', '/health')).status).toBe(200);
      waitsMs.push(performance.now() - started);
      await wait(5);
    }
  })();
  return async (): Promise<void> => {
    isStopped = true;
    await watching;
    const sorted = waitsMs.sort((a, b) => a - b);
    // One in a hundred may have met another program's turn on the processor.
    expect(sorted[Math.floor(sorted.length * 0.99) - 1]).toBeLessThan(100);
    expect(sorted.at(-1)).toBeLessThan(500);
  };
}

it.each(['IMMEDIATE', 'EXCLUSIVE'] as const)(
  '%s: reads are answered at once, writes refused after five seconds [LCK-2]',
  async (kind) => {
    const { call, dataDir } = await openForTest({ dataDir: trained.copy() });
    const holder = await holdDatabase(dataDir, kind);
    const stop = watchHealth(call);
    const started = performance.now();
    const { status } = await call('PUT', trained.url, { description: 'changed' });
    const tookMs = performance.now() - started;
    expect([status, tookMs > 4_900, tookMs < 7_000]).toEqual([503, true, true]);
    await wait(longLockMs - tookMs);
    await holder.release();
    await stop();
    expect((await call('GET', trained.url)).body.description).toBe('');
  },
);
