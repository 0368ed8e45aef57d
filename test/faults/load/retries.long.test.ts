/** P1 for those who ask twice: what was done before a kill is answered after it, and is not done again. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deployForAll, loanExamples, loanType, openForTest } from '../../server/workbench.ts';
import type { DyingReport } from '../tools/dying-server.ts';

const trained = deployForAll(loanType, loanExamples(40));

/** Starts a server that kills itself at the answer, sends it the call, and waits for its end. */
async function askUntilKilled(dataDir: string, url: string, body: unknown, key: string): Promise<void> {
  const child = fork(join(import.meta.dirname, '../tools/dying-server.ts'), [dataDir], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [DyingReport];
  const answer = await fetch(`http://127.0.0.1:${report.port}${url}`, {
    method: 'POST',
    headers: {
      authorization: report.authorization,
      'idempotency-key': key,
      'x-die': 'yes',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).then(
    ({ status }) => status,
    () => null,
  );
  expect(answer).toBeNull();
  const [, signal] = await ended;
  expect(signal).toBe('SIGKILL');
}

const loan = { decision_type: 'loan', input: { amount: 1_000, applicant: { score: 780 } } };
const tables = ['decision_logs', 'credit_entries', 'examples', 'policies', 'receipts'] as const;

const calls = [
  { name: 'a decision', url: () => '/api/v1/decide', body: loan, adds: { decision_logs: 1, credit_entries: 1 } },
  {
    name: 'a batch of decisions',
    url: () => '/api/v1/decide/batch',
    body: [loan, loan],
    adds: { decision_logs: 2, credit_entries: 2 },
  },
  {
    name: 'new examples',
    url: () => `${trained.url}/examples`,
    body: { examples: [{ input: { amount: 1 }, decision: 'approve' }] },
    adds: { examples: 1 },
  },
  {
    name: 'an import',
    url: () => `${trained.url}/examples/import`,
    body: { format: 'csv', content: 'amount,decision\n1,approve\n', commit: true },
    adds: { examples: 1 },
  },
  {
    name: 'generated examples',
    url: () => `${trained.url}/examples/generate`,
    body: { count: 2 },
    adds: { examples: 2, credit_entries: 1 },
  },
  {
    name: 'a training',
    url: () => `${trained.url}/train`,
    body: { tune_hyperparams: false },
    // Its charge, and the same back: it had not begun to compute.
    adds: { policies: 1, credit_entries: 2 },
  },
  { name: 'a deployment', url: () => `${trained.url}/policies/${trained.policyId}/deploy`, body: undefined, adds: {} },
];

it.each(calls)(
  '$name that a kill cut off before its answer is there once, and the retry is told it [IDM-7]',
  {
    timeout: 600_000,
  },
  async ({ url, body, adds }) => {
    const dataDir = trained.copy();
    const key = 'retried-call';
    const count = async (deps: Awaited<ReturnType<typeof openForTest>>['deps']) =>
      tables.map((table) => Number(deps.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()));
    const before = await openForTest({ dataDir });
    const had = await count(before.deps);
    await before.close();

    await askUntilKilled(dataDir, url(), body, key);

    const { call, deps } = await openForTest({ dataDir });
    const expected = tables.map(
      (table, index) => (had[index] ?? 0) + (table === 'receipts' ? 1 : ((adds as Record<string, number>)[table] ?? 0)),
    );
    expect(await count(deps)).toEqual(expected);
    const again = await call('POST', url(), body, { 'idempotency-key': key });
    expect([again.status < 300, again.headers['idempotency-replayed']]).toEqual([true, 'true']);
    expect(await count(deps)).toEqual(expected);
    const [logged] = (await call('GET', `${trained.url}/logs`)).body.items;
    if (again.body.request_id) expect(again.body.request_id).toBe(logged.request_id);
  },
);
