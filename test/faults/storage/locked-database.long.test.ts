/** Another program that holds the data file keeps writes waiting, and nobody else. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Answer,
  deployForAll,
  loanExamples,
  loanType,
  openForTest,
  pollUntil,
  terminal,
} from '../../server/workbench.ts';
import { holdDatabase } from '../tools/storage/hold-database.ts';

const trained = deployForAll(loanType, loanExamples(40));

const byClassifier = { decision_type: 'loan', input: { amount: 1_000, applicant: { score: 780 } } };
const byRule = { decision_type: 'loan', input: { amount: 60_000 } };

const countLedger = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

describe('while another program holds the data file', () => {
  it.each(['IMMEDIATE', 'EXCLUSIVE'] as const)(
    'for a moment (%s), calls are read and made as ever, and all writes succeed when it lets go [LCK-1]',
    async (kind) => {
      const { call, deps, dataDir } = await openForTest({ dataDir: trained.copy() });
      const ledger = () => Number(deps.db.prepare('SELECT count(*) FROM credit_entries').pluck().get());
      const before = ledger();
      await call('POST', '/api/v1/decide', byClassifier);
      const holder = await holdDatabase(dataDir, kind);
      const settled: string[] = [];
      const note = (name: string) => (answer: Answer) => {
        settled.push(name);
        return answer;
      };
      const decisions: Promise<Answer>[] = [];
      const added = call('POST', `${trained.url}/examples`, { examples: [{ input: { amount: 1 } }] }).then(note('add'));
      // Each round is several of the looks at the lock; all of them together stay far from the limit of five seconds.
      for (let round = 0; round < 4; round += 1) {
        decisions.push(call('POST', '/api/v1/decide', round % 2 === 0 ? byRule : byClassifier).then(note('decide')));
        decisions.push(call('POST', '/api/v1/decide/batch', [byRule, byRule]).then(note('batch')));
        expect((await call('GET', trained.url)).status).toBe(200);
        await wait(100);
      }
      expect(settled).toEqual([]);
      expect(deps.runtime.decisions.countPending(1)).toBe(12);
      await holder.release();
      const answers = await Promise.all(decisions);
      expect([countLedger(answers), (await added).status]).toEqual([8, 201]);
      expect((await call('GET', `${trained.url}/logs`)).body.total).toBe(13);
      expect(ledger() - before).toBe(13);
    },
  );

  it('for longer than five seconds, writes are refused and can be made again, and nothing is half done [LCK-2]', {
    timeout: 600_000,
  }, async () => {
    const { call, deps, dataDir } = await openForTest({ dataDir: trained.copy() });
    await call('POST', '/api/v1/decide', byClassifier);
    const holder = await holdDatabase(dataDir, 'EXCLUSIVE');
    const started = performance.now();
    const keyed = { 'idempotency-key': 'patient' };
    const refused = await Promise.all([
      call('POST', '/api/v1/decide', byRule, keyed),
      call('POST', '/api/v1/decide', byClassifier),
      call('POST', `${trained.url}/examples`, { examples: [{ input: { amount: 1 } }] }),
      call('PUT', trained.url, { description: 'changed' }),
      call('POST', `${trained.url}/policies/${trained.policyId}/deploy`),
    ]);
    const tookMs = performance.now() - started;
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([503, 'unavailable']);
      expect(body.error.message).toMatch(/Another program holds the data file; nothing was changed/);
    }
    expect(tookMs).toBeGreaterThan(4_900);
    await holder.release();

    expect((await call('GET', `${trained.url}/logs`)).body.total).toBe(1);
    expect((await call('GET', trained.url)).body.description).toBe('');
    const again = await call('POST', '/api/v1/decide', byRule, keyed);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect((await call('POST', '/api/v1/decide', byClassifier)).status).toBe(200);
    expect((await call('GET', `${trained.url}/logs`)).body.total).toBe(3);
    expect(deps.db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('a training that ends meanwhile is stored when it lets go [LCK-3]', async () => {
    const { call, dataDir } = await openForTest({ dataDir: trained.copy() });
    const { policy_id } = (await call('POST', `${trained.url}/train`, { tune_hyperparams: false })).body;
    // Of this process, as the training could end before another one has begun.
    const holder = new Database(join(dataDir, 'workbench.db'));
    onTestFinished(() => void holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const readProgress = async () => (await call('GET', `${trained.url}/policies/${policy_id}/progress`)).body;
    while ((await readProgress()).progress_percent < 100) await wait(50);
    await wait(500);
    expect((await readProgress()).status).toBe('training');
    holder.exec('ROLLBACK');
    const { body } = await pollUntil(() => call('GET', `${trained.url}/policies/${policy_id}/progress`), terminal);
    expect(body.status).toBe('deployed');
  });
});
