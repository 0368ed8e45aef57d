/** Pinned cases: examples whose decisions must hold, tried on every policy and learned from by none. */
import { describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { deployForAll, loanExamples, loanType, openForTest, train } from '../workbench.ts';

const rich = { applicant: { score: 790 }, amount: 60_000, purpose: 'car', employed: true };
const good = { applicant: { score: 780 }, amount: 2_000, purpose: 'home', employed: true };

describe('pinned cases', () => {
  const folder = deployForAll(loanType, loanExamples(60));
  const open = async () => {
    const { app, token, call } = await openForTest({ dataDir: folder.copy() });
    const pinned = async (query = '') => (await call('GET', `${folder.url}/pinned-cases${query}`)).body;
    const policy = async (id: string) => (await call('GET', `${folder.url}/policies/${id}`)).body;
    const pin = async (...examples: object[]) => (await call('POST', `${folder.url}/examples`, { examples })).body;
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const bundle = async () => (await app.inject({ url: `${folder.url}/export?slim=true`, headers })).rawPayload;
    return { call, pinned, policy, pin, bundle };
  };

  it('are decided with current rules and thresholds, and say which rules none of them reaches [PIN-1]', async () => {
    const { call, pinned, policy, pin } = await open();
    expect(await pinned()).toMatchObject({ items: [], red: 0, uncovered_rules: ['too much'] });
    expect((await policy(folder.policyId)).verdict.some(({ kind }: { kind: string }) => kind === 'must')).toBe(false);
    const [, second] = await pin(
      { input: rich, decision: 'decline', must: true },
      { input: good, decision: 'approve', must: true },
    );
    const held = await pinned();
    expect(held).toMatchObject({ policy_id: folder.policyId, red: 0, uncovered_rules: [] });
    expect(held.items.map(({ decision, stage, kept }: Record<string, unknown>) => [decision, stage, kept])).toEqual([
      ['approve', 'classifier', true],
      ['decline', 'rules', true],
    ]);
    expect((await policy(folder.policyId)).verdict).toContainEqual({
      kind: 'must',
      state: 'passed',
      sentence: 'All 2 pinned cases hold.',
    });
    // A saved rule decides at once, and so does what must hold.
    await call('PUT', folder.url, { hard_rules: [] });
    const sentence =
      'Must: “applicant.score: 790, amount: 60000, purpose: car, employed: true” → decline, decides approve.';
    expect((await policy(folder.policyId)).verdict).toContainEqual({ kind: 'must', state: 'blocking', sentence });
    expect(await pinned()).toMatchObject({ red: 1, uncovered_rules: [] });
    // It is an example like others: found by its mark, and taken back.
    expect((await call('GET', `${folder.url}/examples?must=true`)).body.total).toBe(2);
    const { body } = await call('PATCH', `${folder.url}/examples/${second.id}`, { must: false });
    expect([body.must, body.expected_decision]).toEqual([false, 'approve']);
    const bulk = await call('POST', `${folder.url}/examples/bulk`, {
      filter: { must: true },
      action: 'set_must',
      must: false,
    });
    expect(bulk.body.affected).toBe(1);
    expect((await pinned()).items).toEqual([]);
    await call('POST', `${folder.url}/examples/undo`, { undo_token: bulk.body.undo_token });
    expect((await pinned()).red).toBe(1);
  });

  it('come with a column of an import, and are refused for generated examples and without a policy [PIN-1]', async () => {
    const { call, pinned } = await open();
    const content = 'score,amount,pin,decision\n700,1000,x,approve\n500,1000,,decline\n480,1000,no,decline\n';
    const mapping = { decision: 'decision', must: 'pin' };
    const imported = await call('POST', `${folder.url}/examples/import`, { content, mapping, commit: true });
    expect(imported.body.first_examples[0].input_payload).toEqual({ score: 700, amount: 1000 });
    const { items } = (await call('GET', `${folder.url}/examples?must=true`)).body;
    expect(items.map(({ input_payload }: { input_payload: object }) => input_payload)).toEqual([
      { score: 700, amount: 1000 },
    ]);
    expect((await pinned()).items).toHaveLength(1);
    const unknown = { mapping: { ...mapping, must: 'nothing' }, content, commit: true };
    const refused = await call('POST', `${folder.url}/examples/import`, unknown);
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'mapping', 'must']]);
    const { body: other } = await call('POST', '/api/v1/decision-types', { name: 'other', options: ['a', 'b'] });
    const none = await call('GET', `/api/v1/decision-types/${other.id}/pinned-cases`);
    expect([none.status, none.body.error.code]).toEqual([428, 'model_not_deployed']);
  });

  it('hold back a training that decides one otherwise, are in no figure and learned by none [PIN-1] [PIN-2]', async () => {
    const { call, policy, pin } = await open();
    const before = (await policy(folder.policyId)).metrics;
    const [{ id }] = await pin({ input: good, decision: 'decline', must: true });
    await call('PATCH', `${folder.url}/examples/${id}`, { note: 'order 17' });
    const second = await policy(await train(call, folder.url));
    const sentence = 'Must: “order 17” → decline, decides approve.';
    expect(second).toMatchObject({ status: 'trained', held_back: sentence, quality_gate_met: true });
    expect([second.metrics.train_size, second.metrics.test_size]).toEqual([before.train_size, before.test_size]);
    expect(second.snapshot_sha256).toBe((await policy(folder.policyId)).snapshot_sha256);
    const byHand = await call('POST', `${folder.url}/policies/${second.id}/deploy`, {
      reason: 'The order was changed',
    });
    expect(byHand.body).toMatchObject({ deployed: true });
    expect(byHand.body.verdict).toContainEqual({ kind: 'must', state: 'blocking', sentence });
    expect((await call('GET', `${folder.url}/policies/${second.id}/report`)).text).toContain(sentence);
  });

  it('travel in the bundle before its golden lines [PIN-3]', async () => {
    const { pin, bundle } = await open();
    await pin({ input: rich, decision: 'decline', must: true });
    const { golden, modelCard } = unpackBundle(await bundle(), sha256);
    expect(golden[0]).toMatchObject({ input: rich, output: { decision: 'decline', rules_triggered: ['too much'] } });
    expect(golden.length).toBeGreaterThan(5);
    expect(modelCard).toContain('before them, 1 pinned cases as they are');
  });
});
