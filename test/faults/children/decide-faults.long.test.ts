/** Decisions while something fails: a full disk, a dead text encoder, the log's own promise. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import { startWorkbench as startProgram } from '../../../src/server/start.ts';
import { prepareCreditInsert } from '../../../src/server/store/account/credits.ts';
import {
  type Answer,
  createTrainable,
  loanExamples,
  loanType,
  openForAll,
  pollUntil,
  startWorkbench,
  terminal,
} from '../../server/workbench.ts';

const bench = openForAll();

async function deploy(type: object, examples: object[]): Promise<string> {
  const path = await createTrainable(bench, type, examples);
  const { policy_id: policyId } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
  const done = await pollUntil(() => bench.call('GET', `${path}/policies/${policyId}/progress`), terminal);
  expect(done.body).toMatchObject({ status: 'deployed', error: null });
  return path;
}

describe('a full disk', () => {
  it('refuses decisions that cannot be recorded, charges nothing, and recovers [DEC-11] [ERR-10] [BAT-6] [CRD-9]', async () => {
    const path = await deploy(loanType, loanExamples(40));
    const input = { amount: 60_000, note: 'x'.repeat(30_000) };
    const decide = () => bench.call('POST', '/decide', { decision_type: 'loan', input });
    const { db } = bench.deps;
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 1}`);
    const refused = await Promise.all([decide(), decide(), decide()]);
    for (const { status, body } of refused) expect([status, body.error.code]).toEqual([503, 'unavailable']);
    const batch = await bench.call('POST', '/decide/batch', [{ decision_type: 'loan', input }]);
    expect(batch.body).toMatchObject({ results: [null], errors: [{ status_code: 503, retryable: true }] });
    expect((await bench.call('GET', `${path}/logs`)).body.total).toBe(0);

    db.pragma('max_page_count = 1000000');
    expect((await decide()).status).toBe(200);
    expect((await bench.call('GET', `${path}/logs`)).body.total).toBe(1);
    expect((await bench.call('GET', '/credits/usage?operation=decision')).body.total).toBe(1);
  });
});

/** Real short messages, so many of each kind that a training finds the sentence encoder worth its time. */
function messages(perOption: number): { input: { text: string }; decision: string }[] {
  const file = join(import.meta.dirname, '../../fixtures/sms_spam/train.jsonl');
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return ['spam', 'not spam'].flatMap((option) =>
    rows.filter(({ decision }) => decision === option).slice(0, perOption),
  );
}

describe('a policy that reads text with the sentence encoder', () => {
  let path: string;
  const decide = (text: string): Promise<Answer> =>
    bench.call('POST', '/decide', { decision_type: 'sms', input: { text } });

  beforeAll(async () => {
    path = await deploy({ name: 'sms', options: ['spam', 'not spam'] }, messages(45));
  });

  /** The encoder of the text model that the training has chosen. */
  const findReady = () => bench.deps.runtime.textModels.find(({ host }) => host.state() === 'ready')?.host;

  it('has the encoder running before the first call', async () => {
    await pollUntil(
      () => bench.call('GET', `${path}/policies`),
      () => findReady() !== undefined,
    );
    const free = await decide('URGENT! You have won a free prize, call now to claim 1000 pounds cash');
    expect(free.body).toMatchObject({ decision: 'spam', policy_version: 'v1' });
    expect((await decide('Are we still meeting for lunch tomorrow? See you at home')).body.decision).toBe('not spam');
  });

  it('never overdraws a budget, however many calls wait for the encoder at once [BAT-7] [PLN-5]', async () => {
    const { db, newId, clock } = bench.deps;
    await bench.call('PUT', '/billing/plan', { plan: 'trial' });
    prepareCreditInsert(db)({
      id: newId(),
      organisationSeq: 1,
      operation: 'generation',
      credits: (await bench.call('GET', '/credits')).body.remaining - 2,
      decisionTypeId: null,
      referenceId: null,
      createdAt: clock.now(),
    });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => decide(`lunch at ${i} o'clock, see you`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const { status, body } of answers) if (status !== 200) expect(body.error.code).toBe('quota_exceeded');
    expect((await bench.call('GET', '/credits')).body).toMatchObject({ used: 5_000, remaining: 0 });
    await bench.call('PUT', '/billing/plan', { plan: 'local' });
  });

  it('decides every waiting call when the encoder is killed, each recorded once', async () => {
    const before = (await bench.call('GET', `${path}/logs`)).body.total;
    const calls = Array.from({ length: 40 }, (_, i) => decide(`${'see you later '.repeat(60)} ${i}`));
    await calls[0];
    // pid 0 would be this whole test run
    const pid = findReady()?.pid() ?? null;
    if (pid === null) throw new Error('the encoder has no process');
    process.kill(pid, 'SIGKILL');
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    expect((await bench.call('GET', `${path}/logs`)).body.total).toBe(before + 40);
    expect((await decide('See you at home')).status).toBe(200);
  });

  it('leaves no encoder behind when the program starts and its port is busy', async () => {
    await bench.stop();
    const children: ChildProcess[] = [];
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const start = startProgram({
      dataDir: bench.dataDir,
      port: typeof address === 'object' && address !== null ? address.port : 0,
      rendererDir: null,
      logLevel: 'silent',
      spawnChild(name, options) {
        const child = spawnChild(name, options);
        children.push(child);
        return child;
      },
    });
    await expect(start).rejects.toMatchObject({ kind: 'port' });
    other.close();
    expect(children.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL']);
    Object.assign(bench, await startWorkbench(bench.dataDir));
    expect((await decide('See you at home')).status).toBe(200);
  });
});
