/** What decides has a name: every change of it is a release, with a digest, in the history and in each decision. */
import { describe, expect, it } from 'vitest';
import { type Answer, deployForAll, loanExamples, loanType, openForTest } from '../workbench.ts';

const input = { applicant: { score: 700 }, amount: 60_000, purpose: 'car', employed: true };

describe('releases', () => {
  const folder = deployForAll(loanType, loanExamples(40));
  const open = async () => {
    const { call, deps } = await openForTest({ dataDir: folder.copy() });
    const decide = async () => (await call('POST', '/api/v1/decide', { decision_type: 'loan', input })).body;
    const releases = async () => (await call('GET', `${folder.url}/releases`)).body.items;
    const put = (body: object): Promise<Answer> => call('PUT', folder.url, body);
    return { call, deps, decide, releases, put };
  };

  it('name what decides in the answer, the log and the history, from the first deployment on [REL-1] [REL-2]', async () => {
    const { call, decide, releases, put } = await open();
    const first = await decide();
    expect(first).toMatchObject({ release: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/), policy_version: 'v1' });
    const [only] = await releases();
    expect(only).toMatchObject({
      release: 1,
      current: true,
      digest: first.digest,
      policy_version: 'v1',
      automatic: true,
    });
    expect(only.changes).toEqual(['The first release: policy v1.']);

    const rule = { name: 'all cars', condition: 'ctx.purpose == "car"', then: 'approve', priority: 1 };
    expect((await put({ hard_rules: [rule] })).status).toBe(200);
    const ruled = await decide();
    expect(ruled).toMatchObject({ release: 2, policy_version: 'v1', decision: 'approve' });
    expect(ruled.digest).not.toBe(first.digest);
    await put({ confidence_thresholds: { auto_decide: 0.9, escalation: 0.6 }, fallback_option: 'decline' });
    const list = await releases();
    expect(
      list.map(({ release, current, by }: { release: number; current: boolean; by: string }) => [release, current, by]),
    ).toEqual([
      [3, true, 'Owner'],
      [2, false, 'Owner'],
      [1, false, null],
    ]);
    expect(list[0].changes).toEqual([
      'Confidence to decide alone: 0.9 instead of 0.85.',
      'Fallback: “decline” instead of none.',
    ]);
    expect(list[1].changes).toEqual([
      'Rule “all cars” is new: If purpose is "car", the answer is approve.',
      'Rule “too much” is gone: If amount is over 50000, the answer is decline.',
    ]);
    const { items } = (await call('GET', `${folder.url}/logs`)).body;
    expect(items.map(({ release, digest }: { release: number; digest: string }) => [release, digest])).toEqual([
      [2, ruled.digest],
      [1, first.digest],
    ]);
  });

  it('come with what decides alone: a new description, or personal fields, make none [REL-3]', async () => {
    const { decide, releases, put } = await open();
    const before = await decide();
    await put({
      name: 'loans',
      description: 'Asks.',
      pii_fields: ['applicant.email'],
      retention_days: 30,
      costs: { look: 1 },
    });
    await put({ hard_rules: loanType.rules });
    expect(await releases()).toHaveLength(1);
    await put({ name: 'loan' });
    expect(await decide()).toMatchObject({ release: 1, digest: before.digest });
  });

  it('have the digest of one that decided the same, also of another type [REL-4]', async () => {
    const { call, decide, releases, put } = await open();
    const { digest } = await decide();
    await put({ confidence_thresholds: { auto_decide: 0.99, escalation: 0.5 } });
    await put({ confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 } });
    expect(await decide()).toMatchObject({ release: 3, digest });
    await call('POST', `${folder.url}/policies/${folder.policyId}/deploy`, { reason: 'once more' });
    expect((await releases())[0]).toMatchObject({ release: 4, digest, reason: 'once more', changes: [] });

    const digests = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const rules = [{ name: 'big', condition: 'ctx.amount > 10', then: 'no' }];
        const type = { name, options: ['yes', 'no'], hard_rules: rules, fallback_option: 'yes' };
        const { id } = (await call('POST', '/api/v1/decision-types', type)).body;
        const made = await call('POST', `/api/v1/decision-types/${id}/policies`, { kind: 'rules_only' });
        await call('POST', `/api/v1/decision-types/${id}/policies/${made.body.id}/deploy`);
        return (await call('POST', '/api/v1/decide', { decision_type: name, input: { amount: 1 } })).body.digest;
      }),
    );
    expect(digests[0]).toBe(digests[1]);
  });

  it('keep deciding by what the policy was trained with while the type has other options [REL-5]', async () => {
    const { decide, releases, put } = await open();
    const { digest } = await decide();
    await put({ options: ['approve', 'decline', 'ask'] });
    expect(await decide()).toMatchObject({ release: 1, digest });
    expect(await releases()).toHaveLength(1);
  });
});
