/** A promise belongs to the type: declared once, it is asked of every policy that is trained or deployed. */
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { createTrainable, loanExamples, loanType, openForAll, pollUntil, terminal } from '../workbench.ts';

/** Loan requests of which one in twelve has the other label, wherever it lies: some error is left at every threshold. */
function noisyExamples(from: number, to: number): object[] {
  const examples = loanExamples(to) as { decision: string }[];
  return examples.slice(2 * from).map((example, i) => {
    const other = example.decision === 'approve' ? 'decline' : 'approve';
    return i % 12 === 7 ? { ...example, decision: other } : example;
  });
}

describe('a promise of a type', () => {
  const bench = openForAll();
  let path: string;
  const policies: string[] = [];

  beforeAll(async () => {
    path = await createTrainable(bench, { ...loanType, fallback_option: 'decline' }, noisyExamples(0, 200));
  });

  const get = async (url: string) => (await bench.call('GET', url)).body;
  const promised = () => get(`${path}/promise`);
  const declare = (target_error: number) => bench.call('PUT', `${path}/promise`, { target_error });
  const train = async (config: object = {}) => {
    const started = await bench.call('POST', `${path}/train`, { tune_hyperparams: false, ...config });
    const policy = `${path}/policies/${started.body.policy_id}`;
    await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    policies.push(policy);
    return policy;
  };
  const deploy = (policy: string, reason: string | null = null) => bench.call('POST', `${policy}/deploy`, { reason });
  /** What the exported bundle says of the promise: in its manifest, and the line of its card. */
  const exported = async () => {
    const { token } = await bench.deps.auth.issuer.issue();
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const { rawPayload } = await bench.app.inject({ url: `/api/v1${path}/export?slim=true`, headers });
    const { manifest, modelCard } = unpackBundle(rawPayload, sha256);
    return { manifest: manifest.promise, card: modelCard.split('\n').find((line) => /\bpromised?\b/.test(line)) };
  };
  const thresholds = async () => (await get(path)).active_version.confidence_thresholds;

  it('is declared before anything is trained, and nothing is promised until then [PRM-10]', async () => {
    const nothing = { target_error: null, certainty: null, declared_at: null, policy_id: null };
    expect(await promised()).toEqual({
      ...nothing,
      state: 'nothing_promised',
      sentence: 'No error limit is promised.',
    });
    expect((await get(path)).declared_promise).toBeNull();
    for (const body of [
      {},
      { target_error: 0 },
      { target_error: 0.1, certainty: 1 },
      { target_error: 0.1, by: 'me' },
    ]) {
      expect((await bench.call('PUT', `${path}/promise`, body)).status, JSON.stringify(body)).toBe(422);
    }
    const declared = await declare(0.15);
    expect([declared.status, declared.body]).toEqual([
      200,
      {
        ...{ ...nothing, target_error: 0.15, certainty: 0.95, declared_at: expect.any(String) },
        state: 'nothing_deployed',
        sentence: 'The first policy that is deployed is asked for it.',
      },
    ]);
    expect(await promised()).toEqual(declared.body);
    expect((await declare(0.15)).body.declared_at).toBe(declared.body.declared_at);
  });

  it('is kept by the policy that is trained, with as much decided alone as exact tests allow [PRM-9] [PRM-10]', async () => {
    const first = await train();
    const policy = await get(first);
    expect(policy).toMatchObject({ status: 'deployed', auto_deployed: true, held_back: null });
    expect(policy.promise).toMatchObject({ basis: 'declared', target_error: 0.15, state: 'kept', error_bound: 0.15 });
    const found = await get(`${first}/promise?target_error=0.15`);
    expect(found).toMatchObject({ possible: true, basis: 'declared', threshold: policy.promise.threshold });
    expect((await thresholds()).auto_decide).toBe(found.threshold);
    const type = await get(path);
    expect(type.promise).toEqual(policy.promise);
    expect(type.declared_promise).toMatchObject({ state: 'kept', policy_id: policy.id });
    expect(policy.promise_standing).toEqual({ state: 'kept', sentence: policy.promise.sentence });
    const explored = await get(`${first}/promise?target_error=0.15&certainty=0.951`);
    expect(explored.basis).toBe('explored');
    expect(found.share_automatic).toBeGreaterThan(explored.share_automatic ?? 0);
  });

  it('is asked of the next training again, and of the policy that is gone back to [PRM-8] [PRM-10]', async () => {
    await bench.call('POST', `${path}/examples`, { examples: noisyExamples(200, 220) });
    const second = await train();
    const policy = await get(second);
    expect(policy).toMatchObject({ status: 'deployed', version: 2, promise: { state: 'kept', target_error: 0.15 } });
    expect(await promised()).toMatchObject({ state: 'kept', policy_id: policy.id });
    expect((await thresholds()).auto_decide).toBe(policy.promise.threshold);
    expect(await exported()).toEqual({
      manifest: { state: 'kept', target_error: 0.15, certainty: 0.95 },
      card: `- ${policy.promise.sentence} Promised ${policy.promise.made_at}.`,
    });
    const [first = ''] = policies;
    const back = await deploy(first);
    expect(back.body.promise_standing.state).toBe('kept');
    expect((await thresholds()).auto_decide).toBe(back.body.promise.threshold);
    await deploy(second);
  });

  it('that a new policy cannot keep holds it back with the reason, and by hand asks for one [PRM-8] [PRM-11] [VDT-1]', async () => {
    const before = await get(path);
    expect((await declare(0.001)).body).toMatchObject({
      state: 'not_kept',
      policy_id: before.promise ? expect.any(String) : null,
    });
    expect(await thresholds()).toEqual(before.active_version.confidence_thresholds);
    const third = await train();
    const held = await get(third);
    expect(held).toMatchObject({ status: 'trained', deployed: false, auto_deployed: false, quality_gate_met: true });
    expect(held.held_back).toMatch(
      /^The promise of at most 0\.1% wrong with 95% certainty is not kept\. A promise of 0\.1% .* needs about \d+ test rows if .*; there are \d+\.$/,
    );
    expect(held.promise_standing).toEqual({ state: 'not_kept', sentence: held.held_back });
    expect(held.verdict).toContainEqual({ kind: 'promise', state: 'blocking', sentence: held.held_back });
    expect((await get(`${path}/policies`))[0]).toMatchObject({ version: 3, held_back: held.held_back });
    expect((await deploy(third)).body.error.message).toContain(held.held_back);
    const byHand = await deploy(third, 'As good as before');
    expect([byHand.status, byHand.body]).toEqual([
      200,
      expect.objectContaining({
        deployed: true,
        promise: null,
        held_back: null,
        promise_standing: held.promise_standing,
      }),
    ]);
    expect(await promised()).toMatchObject({ state: 'not_kept', policy_id: held.id, sentence: held.held_back });
    expect((await get(path)).promise).toBeNull();
    expect(await exported()).toEqual({
      manifest: { state: 'not_kept', target_error: 0.001, certainty: 0.95 },
      card: `- ${held.held_back}`,
    });
    const report = await bench.call('GET', `${third}/report`);
    expect(report.text).toContain(held.held_back);
  });

  it('that misses its own gate says so, and leaves the thresholds alone [PRM-11] [STA-4]', async () => {
    await declare(0.15);
    const before = await thresholds();
    const policy = await get(await train({ target_f1: 1 }));
    expect(policy).toMatchObject({ status: 'trained', quality_gate_met: false });
    expect(policy.held_back).toMatch(
      /^Its macro F1 of 0\.\d{3}( on the \d+ rows that the deployed policy has held out, too,)? is below the 1 that the training asked for\.$/,
    );
    expect(await thresholds()).toEqual(before);
    // It would keep it, and says so before it is deployed.
    expect(policy.promise_standing.state).toBe('kept');
    expect(policy.promise_standing.sentence).toMatch(/^Deployed, it keeps the promise\. From [\d.]+/);
  });

  it('declared after the look is exploration for the policies of before [PRM-9]', async () => {
    await declare(0.2);
    const [, second = ''] = policies;
    const { body } = await deploy(second);
    expect(body.promise).toMatchObject({ basis: 'explored', target_error: 0.2, state: 'kept' });
    expect(body.promise.error_bound).toBeLessThanOrEqual(0.2);
  });

  it('cannot be kept by rules alone, or by a policy with other options, and says why [PRM-11]', async () => {
    const rules = await bench.call('POST', `${path}/policies`, { kind: 'rules_only' });
    const deployed = await deploy(`${path}/policies/${rules.body.id}`, 'Rules are enough');
    expect(deployed.body.promise_standing.sentence).toMatch(
      /is not kept\. Rules alone decide, so no example was held out/,
    );
    const [first = ''] = policies;
    await bench.call('PUT', path, { options: ['approve', 'decline', 'defer'] });
    const changed = await deploy(first, 'With the options of before');
    expect(changed.body.promise_standing.sentence).toMatch(/is not kept\. The options of the type have changed since/);
    await bench.call('PUT', path, { options: ['approve', 'decline'] });
  });

  it('made with a policy is one of the type, until it is withdrawn [PRM-4] [PRM-10]', async () => {
    const [, second = ''] = policies;
    await deploy(second);
    expect((await bench.call('PUT', `${second}/promise`, { target_error: 0.25 })).body.state).toBe('kept');
    expect(await promised()).toMatchObject({ target_error: 0.25, state: 'kept' });
    expect((await bench.call('DELETE', `${path}/promise`)).status).toBe(204);
    expect(await promised()).toMatchObject({ state: 'nothing_promised', target_error: null });
    expect(await get(second)).toMatchObject({ promise: null, promise_standing: { state: 'nothing_promised' } });
    expect((await exported()).card).toBe('- No error limit is promised.');
    const after = await thresholds();
    await deploy(policies[0] ?? '');
    expect(await thresholds()).toEqual(after);
    expect((await get(path)).promise).toBeNull();
  });
});
