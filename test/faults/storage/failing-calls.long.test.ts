/**
 * Every call that changes storage fails once: whatever was acknowledged is there after a restart, every failure is an
 * answer with the envelope, and the service goes on without a restart. FAILING_CALLS sets how many calls are let fail
 * while the service works; a twelfth of that while it starts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { deployForAll, loanExamples, loanType } from '../../server/workbench.ts';
import { expectAcknowledged, nothingAcknowledged, storeEverything } from '../tools/acknowledged.ts';
import { callAlone, startServerProcess } from '../tools/server-process.ts';
import { compileStorageCalls, controlStorage, storageErrors } from '../tools/storage/storage-calls.ts';

const rounds = Number(process.env['FAILING_CALLS'] ?? 25);
const random = createRandom(Number(process.env['FAILING_CALLS_SEED'] ?? 1));
const errors = Object.values(storageErrors);
const compiled = compileStorageCalls();

const folder = deployForAll(loanType, loanExamples(40));

type Start = { served: boolean; said: string };

/** Starts the program on a folder, stops it as soon as it serves, and tells what it said where it ended by itself. */
async function tryStart(dataDir: string, env: Record<string, string>): Promise<Start> {
  const program = path.resolve(import.meta.dirname, '../../../scripts/workbench.ts');
  const child = spawn(process.execPath, [program, 'serve', '--data-dir', dataDir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let said = '';
  child.stderr.on('data', (data) => {
    said += String(data);
  });
  const ended = once(child, 'close').then(() => false);
  const served = await Promise.race([once(createInterface({ input: child.stdout }), 'line').then(() => true), ended]);
  child.kill('SIGKILL');
  await ended;
  return { served, said };
}

const title = 'library' in compiled ? '' : ` (left out: ${compiled.problem})`;
describe.skipIf(!('library' in compiled))(`a call to storage that fails${title}`, () => {
  const library = 'library' in compiled ? compiled.library : '';

  it(`P1, P2, P5, P8: while the service works loses nothing that was acknowledged (${rounds} calls)`, async () => {
    const dataDir = folder.copy();
    const control = controlStorage(library, dataDir);
    const acknowledged = nothingAcknowledged();
    let server = await startServerProcess(dataDir, { env: control.env });
    const store = (round: number) =>
      storeEverything({ port: server.port, key: folder.key, url: folder.url, acknowledged, now: () => 0 }, round);
    control.failNext(1_000_000, 0);
    const before = control.stop().counted;
    await store(0);
    const callsOfRound = control.stop().counted - before;
    expect(callsOfRound).toBeGreaterThan(20);
    let failed = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const n = rounds > callsOfRound ? 1 + (round % callsOfRound) : 1 + Math.floor(random() * callsOfRound);
      control.failNext(n, errors[round % errors.length] ?? 0);
      await store(round);
      failed += control.stop().failed;
      const input = { applicant: { score: 700 }, amount: 60_000 };
      const decided = await callAlone(server.port, 'POST', '/api/v1/decide', `Bearer ${folder.key}`, {
        decision_type: 'loan',
        input,
      });
      expect(decided.status).toBe(200);
      acknowledged.decisions.set(decided.body.request_id, 0);
      if (round % 50 === 0 || round === rounds) {
        await server.end('SIGKILL');
        expectAcknowledged(dataDir, acknowledged);
        server = await startServerProcess(dataDir, { env: control.env });
      }
    }
    expect(failed).toBeGreaterThan(rounds / 2);
    const ready = await callAlone(server.port, 'GET', '/ready', '');
    expect(ready.status).toBe(200);
    await server.end();
    expectAcknowledged(dataDir, acknowledged);
  }, 7_200_000);

  it('P6: while the service starts keeps it from starting at most this once', async () => {
    const dataDir = folder.copy();
    const control = controlStorage(library, dataDir);
    const before = control.stop().counted;
    expect(await tryStart(dataDir, control.env)).toMatchObject({ served: true });
    const callsOfStart = control.stop().counted - before;
    for (let round = 0; round < Math.ceil(rounds / 12); round += 1) {
      control.failNext(1 + Math.floor(random() * callsOfStart), errors[round % errors.length] ?? 0);
      const { served, said } = await tryStart(dataDir, control.env);
      if (!served) expect(said).toMatch(/\.\s*$/);
      if (!served) expect(said).not.toContain('    at ');
      control.stop();
      expect(await tryStart(dataDir, control.env)).toMatchObject({ served: true });
      expectAcknowledged(dataDir, nothingAcknowledged());
    }
  }, 7_200_000);
});
