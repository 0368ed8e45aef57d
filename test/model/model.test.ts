import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { completeOptions, openWorkbench } from '../../src/server/start.ts';
import { callerOf, pollUntil, stoppedClock, temporaryFolder } from '../server/workbench.ts';
import { sequences } from './commands.ts';
import type { Model } from './model.ts';

/** More runs for a long search, another seed for another one. */
const runs = Number(process.env['MODEL_RUNS'] ?? 25);
const seed = Number(process.env['MODEL_SEED'] ?? 20261121);

const patienceMs = 600_000 + runs * 3_000;

const thresholds = { auto_decide: 0.85, escalation: 0.6 };

async function open(dataDir: string) {
  const clock = stoppedClock();
  const options = completeOptions({ dataDir, port: 0, rendererDir: null, logLevel: 'silent', synchronous: 'NORMAL' });
  const { app, deps, close } = await openWorkbench(options, clock, pino({ level: 'silent' }));
  const { token } = await deps.auth.issuer.issue();
  const callAs = (credentials: string) => callerOf(app, { authorization: `Bearer ${credentials}` });
  return { call: callAs(token), callAs, move: clock.move, close };
}

/** A data folder with one decision type that is deployed, and the model of it. */
async function prepare(dataDir: string): Promise<() => Model> {
  const bench = await open(dataDir);
  const created = await bench.call('POST', '/api/v1/decision-types', {
    name: 'loans',
    options: ['yes', 'no'],
    escalation_policy: { unfamiliar: 'ignore' },
  });
  const { id } = created.body;
  const url = `/api/v1/decision-types/${id}`;
  const examples = Array.from({ length: 80 }, (_, index) => ({
    input: { amount: index * 15 },
    decision: index < 40 ? 'yes' : 'no',
  }));
  const added = await bench.call('POST', `${url}/examples`, { examples });
  const started = await bench.call('POST', `${url}/train`, { n_tuning_trials: 1 });
  const deadline = performance.now() + patienceMs;
  while ((await bench.call('GET', url)).body.model_deployed !== true) {
    const { status, error } = (await bench.call('GET', `${url}/policies/${started.body.id}`)).body;
    if (status === 'failed' || performance.now() > deadline) throw new Error(`no policy was deployed: ${error}`);
    await wait(50);
  }
  const readUsage = () => bench.call('GET', '/api/v1/credits/usage?page_size=100');
  // Hosting is charged when the deployed policy is ready.
  const usage = await pollUntil(readUsage, ({ body }) =>
    body.items.some(({ operation }: Model['credits'][number]) => operation === 'hosting'),
  );
  await bench.close();
  return () => ({
    types: [
      {
        id,
        name: 'loans',
        description: '',
        fallback: null,
        versions: [{ options: ['yes', 'no'], rules: [], thresholds, between: 'flag' }],
        deployed: true,
        deleted: false,
        examples: added.body
          .map((example: { id: string; input_payload: object; expected_decision: string }) => ({
            id: example.id,
            input: example.input_payload,
            decision: example.expected_decision,
            reviewed: false,
            logId: null,
          }))
          .reverse(),
        logs: [],
      },
    ],
    keys: [],
    credits: usage.body.items.map(({ operation, credits }: Model['credits'][number]) => ({ operation, credits })),
    elapsedMs: 0,
    requests: 0,
  });
}

it('does in every order of calls what the specification says', { timeout: patienceMs + 60_000 }, async () => {
  const prepared = temporaryFolder();
  const makeModel = await prepare(prepared);
  let commandsRun = 0;
  await fc.assert(
    fc.asyncProperty(sequences, async (commands) => {
      const dataDir = mkdtempSync(path.join(tmpdir(), 'workbench-model-'));
      cpSync(prepared, dataDir, { recursive: true });
      const real = await open(dataDir);
      try {
        await fc.asyncModelRun(() => ({ model: makeModel(), real }), commands);
        commandsRun += commands.length;
      } finally {
        await real.close();
        rmSync(dataDir, { recursive: true, force: true });
      }
    }),
    // a failure is made smaller for as long as this, then told
    { numRuns: runs, seed, interruptAfterTimeLimit: patienceMs, markInterruptAsFailure: true },
  );
  expect(commandsRun).toBeGreaterThanOrEqual(runs * 60);
});
