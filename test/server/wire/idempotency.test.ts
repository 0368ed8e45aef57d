/** A call that is sent again with its Idempotency-Key is done once and answered as the first time. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listOperations } from '../../../src/server/contract/operations.ts';
import { systemClock } from '../../../src/server/process/clock.ts';
import { removeReceipts } from '../../../src/server/services/upkeep/housekeeping.ts';
import { findFilesHolding } from '../../files-holding.ts';
import {
  callerOf,
  deployForAll,
  loanExamples,
  loanType,
  makeType,
  openForTest,
  pollUntil,
  stoppedClock,
  terminal,
} from '../workbench.ts';

const hourMs = 3600 * 1000;
const loan = { decision_type: 'loan', input: { amount: 1_000, applicant: { score: 780 } } };

const trained = deployForAll(loanType, loanExamples(40));

/** A workbench with the deployed type, and a call that carries a key. */
async function openTrained(clock = systemClock) {
  const bench = await openForTest({ dataDir: trained.copy() }, clock);
  return {
    ...bench,
    send: (key: string, url: string, body?: unknown, headers: Record<string, string> = {}) =>
      bench.call('POST', url, body, { 'idempotency-key': key, ...headers }),
    count: (table: 'decision_logs' | 'credit_entries' | 'examples' | 'receipts') =>
      Number(bench.deps.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
  };
}

describe('a call with an Idempotency-Key', () => {
  it('decides, records and charges once, and is answered byte by byte as the first time [IDM-1]', async () => {
    const { send, count, deps, close, dataDir } = await openTrained();
    const [logs, credits] = [count('decision_logs'), count('credit_entries')];
    const key = randomUUID();
    const first = await send(key, '/api/v1/decide?trace=true', loan);
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined]);
    const again = await send(key, '/api/v1/decide?trace=true', loan);
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([200, first.text, 'true']);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect([count('decision_logs') - logs, count('credit_entries') - credits]).toEqual([1, 1]);
    await close();
    expect(deps.db.open).toBe(false);

    const restarted = await openForTest({ dataDir });
    const later = await restarted.call('POST', '/api/v1/decide?trace=true', loan, { 'idempotency-key': key });
    expect([later.text, later.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    const { total } = (await restarted.call('GET', `${trained.url}/logs`)).body;
    expect(total).toBe(logs + 1);
  });

  it('has nothing to do with that of another caller who counts the same way [IDM-8]', async () => {
    const { app, send, count } = await openTrained();
    const logs = count('decision_logs');
    const first = await send('1', '/api/v1/decide', loan);
    const headers = { authorization: `Bearer ${trained.key}`, 'idempotency-key': '1' };
    const other = { ...loan, input: { ...loan.input, amount: 2_000 } };
    const answer = await callerOf(app, headers)('POST', '/api/v1/decide', other);
    expect([first.status, answer.status, answer.headers['idempotency-replayed']]).toEqual([200, 200, undefined]);
    expect(count('decision_logs') - logs).toBe(2);
  });

  it('stores a batch with its answer in one transaction, its failed items included [IDM-1]', async () => {
    const { send, count } = await openTrained();
    const logs = count('decision_logs');
    const items = [loan, { decision_type: 'nobody', input: {} }, loan];
    const first = await send('batch', '/api/v1/decide/batch', items);
    expect(first.body).toMatchObject({ succeeded: 2, failed: 1 });
    const again = await send('batch', '/api/v1/decide/batch', items);
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect([count('decision_logs') - logs, count('receipts')]).toEqual([2, 1]);
  });

  it('adds, imports and generates examples once [IDM-1]', async () => {
    const { send, count } = await openTrained();
    const content = 'amount,decision\n1,approve\n2,decline\n';
    for (const [name, body, added] of [
      ['examples', { examples: [{ input: { amount: 1 }, decision: 'approve' }] }, 1],
      ['examples/import', { format: 'csv', content, commit: true }, 2],
      ['examples/generate', { count: 2 }, 2],
    ] as const) {
      const before = count('examples');
      const first = await send(name, `${trained.url}/${name}`, body);
      expect([name, first.status < 300]).toEqual([name, true]);
      const again = await send(name, `${trained.url}/${name}`, body);
      expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
        first.status,
        first.text,
        'true',
      ]);
      expect([name, count('examples') - before]).toEqual([name, added]);
    }
  });

  it('makes a type, a sample and a connection once [IDM-1] [CLN-4]', async () => {
    const { send, call } = await openTrained();
    const connection = { name: 'chat', url: 'http://127.0.0.1:11434/v1', model: 'small', api_key: 'secret' };
    for (const [path, body, list] of [
      ['decision-types', { name: 'triage', options: ['yes', 'no'] }, 'decision-types'],
      ['samples/refund-requests', undefined, 'decision-types'],
      ['connections', { ...connection, private_network: true }, 'connections'],
    ] as const) {
      const first = await send(path, `/api/v1/${path}`, body);
      expect([path, first.status]).toEqual([path, 201]);
      const again = await send(path, `/api/v1/${path}`, body);
      expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([201, first.text, 'true']);
      const { body: listed } = await call('GET', `/api/v1/${list}`);
      const ids = (listed.items ?? listed).map(({ id }: { id: string }) => id);
      expect(ids.filter((id: string) => id === first.body.id)).toHaveLength(1);
    }
  });

  it('trains and deploys once, so that a late retry does not take a newer deployment back [IDM-1]', async () => {
    const { send, call, deps } = await openTrained();
    const settings = { tune_hyperparams: false, auto_deploy: true };
    const first = await send('train', `${trained.url}/train`, settings);
    expect(first.status).toBe(202);
    const second = `${trained.url}/policies/${first.body.policy_id}`;
    await pollUntil(() => call('GET', `${second}/progress`), terminal);
    const again = await send('train', `${trained.url}/train`, settings);
    expect([again.status, again.text]).toEqual([202, first.text]);
    const { items } = (await call('GET', '/api/v1/credits/usage')).body;
    expect(items.filter(({ operation }: { operation: string }) => operation === 'training')).toHaveLength(2);

    const back = await send('deploy', `${trained.url}/policies/${trained.policyId}/deploy`);
    expect([back.status, back.body.status]).toEqual([200, 'deployed']);
    await call('POST', `${second}/deploy`);
    const late = await send('deploy', `${trained.url}/policies/${trained.policyId}/deploy`);
    expect([late.status, late.text]).toEqual([200, back.text]);
    expect(deps.store.deployments.listIds()).toEqual([first.body.policy_id]);
  });

  it('is refused when the key was used for another request, and when it is not a key [IDM-2]', async () => {
    const { send, count } = await openTrained();
    await send('one', '/api/v1/decide', loan);
    const logs = count('decision_logs');
    const other = { ...loan, input: { ...loan.input, amount: 2_000 } };
    for (const [key, url, body] of [
      ['one', '/api/v1/decide', other],
      ['one', '/api/v1/decide', Object.fromEntries(Object.entries(loan).reverse())],
      ['one', '/api/v1/decide?trace=true', loan],
      ['one', `${trained.url}/examples/generate`, { count: 1 }],
      ['x'.repeat(129), '/api/v1/decide', loan],
      ['', '/api/v1/decide', loan],
      ['schlüssel', '/api/v1/decide', loan],
    ] as const) {
      const refused = await send(key, url, body);
      expect([key, refused.status, refused.body.error?.code]).toEqual([key, 422, 'validation_error']);
      expect(refused.body.error.details[0].loc).toEqual(['header', 'idempotency-key']);
      if (key === 'one') expect(refused.body.error.details[0].msg).toContain('body count to the letter');
    }
    expect(count('decision_logs')).toBe(logs);
    expect((await send('x'.repeat(128), '/api/v1/decide', loan)).status).toBe(200);
  });

  it('is a conflict while the first is under way, and done once whoever wins [IDM-2]', async () => {
    const { send } = await openTrained();
    const train = () => send('same', `${trained.url}/train`, { tune_hyperparams: false });
    const answers = await Promise.all(Array.from({ length: 8 }, train));
    const [first, ...others] = answers.sort((a, b) => a.status - b.status);
    expect(first?.status).toBe(202);
    for (const { status, body } of others) {
      expect([status, body.error.message]).toEqual([
        409,
        expect.stringContaining('Idempotency-Key is still under way'),
      ]);
    }
    const later = await train();
    expect([later.text, later.headers['idempotency-replayed']]).toEqual([first?.text, 'true']);

    const decisions = await Promise.all(Array.from({ length: 8 }, () => send('decide', '/api/v1/decide', loan)));
    const made = decisions.filter(({ status, headers }) => status === 200 && !headers['idempotency-replayed']);
    expect(made).toHaveLength(1);
    for (const { status, text } of decisions) expect(status === 409 || text === made[0]?.text).toBe(true);
  });

  it('that was refused is done again when its cause is gone [IDM-3]', async () => {
    const { send, call } = await openTrained();
    const unknown = { ...loan, decision_type: 'later' };
    expect((await send('early', '/api/v1/decide', unknown)).status).toBe(404);
    await makeType(call, { name: 'later' });
    const changed = await send('early', '/api/v1/decide', unknown);
    expect([changed.status, changed.headers['idempotency-replayed']]).toEqual([428, undefined]);
  });

  it('is kept for 24 hours: then its key is free and its answer gone [IDM-4]', async () => {
    const clock = stoppedClock(Date.now());
    const { send, count, deps } = await openTrained(clock);
    const first = await send('daily', '/api/v1/decide', loan);
    clock.move(24 * hourMs - 1);
    expect((await send('daily', '/api/v1/decide', loan)).text).toBe(first.text);
    expect(await removeReceipts(deps)).toBe(0);
    clock.move(1);
    expect(await removeReceipts(deps)).toBe(1);
    expect(count('receipts')).toBe(0);
    const again = await send('daily', '/api/v1/decide', loan);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(again.body.request_id).not.toBe(first.body.request_id);
  });

  it('leaves nothing readable in the data folder, not even with the personal fields of a trace [IDM-5]', async () => {
    const { send, call, dataDir } = await openTrained();
    await call('PUT', trained.url, { pii_fields: ['applicant.email'] });
    const email = 'late.canary@mail.example';
    const secret = { ...loan, input: { ...loan.input, applicant: { score: 780, email } } };
    const first = await send('secret', '/api/v1/decide?trace=true', secret);
    expect(first.status).toBe(200);
    expect(findFilesHolding(dataDir, email)).toEqual([]);
    expect((await send('secret', '/api/v1/decide?trace=true', secret)).text).toBe(first.text);
  });

  it('is offered where a call that comes twice would do harm, and named by the document [IDM-6]', async () => {
    const { app } = await openTrained();
    const { paths } = (await callerOf(app, {})('GET', '/api/v1/openapi.json')).body;
    const named = Object.values(paths as Record<string, Record<string, { operationId: string; parameters: object[] }>>)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters }) => parameters.some((each) => 'name' in each && each.name === 'Idempotency-Key'))
      .map(({ operationId }) => operationId);
    const offered = listOperations().filter(({ row }) => row.takesIdempotencyKey);
    expect(named.sort()).toEqual(offered.map(({ name }) => name).sort());
    expect(named).toEqual(
      expect.arrayContaining(['decide', 'decide.batch', 'examples.create', 'examples.generate', 'examples.import']),
    );
    expect(named).toEqual(expect.arrayContaining(['policies.deploy', 'training.start']));
    expect(named).not.toContain('api_keys.create');
  });
});
