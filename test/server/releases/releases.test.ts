/** What decides has a name: every change of it is a release, with a digest, in the history and in each decision. */
import { describe, expect, it } from 'vitest';
import { identifyBundle, unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { type Answer, deployForAll, loanExamples, loanType, openForTest } from '../workbench.ts';

const input = { applicant: { score: 700 }, amount: 60_000, purpose: 'car', employed: true };

describe('releases', () => {
  const folder = deployForAll(loanType, loanExamples(40));
  const open = async () => {
    const { app, token, call, deps } = await openForTest({ dataDir: folder.copy() });
    const decide = async () => (await call('POST', '/api/v1/decide', { decision_type: 'loan', input })).body;
    const releases = async () => (await call('GET', `${folder.url}/releases`)).body.items;
    const put = (body: object): Promise<Answer> => call('PUT', folder.url, body);
    return { app, token, call, deps, decide, releases, put };
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

  it('say how long they were in charge and what became of their decisions, of calls that name them, too [REL-15]', async () => {
    const { call, decide, releases, put } = await open();
    const live = async () =>
      Object.fromEntries(
        (await releases()).map((each: { release: number; live: object }) => [each.release, each.live]),
      );
    for (let calls = 0; calls < 3; calls += 1) await decide();
    await put({ hard_rules: [], confidence_thresholds: { auto_decide: 1, escalation: 1 } });
    await decide();
    await call('POST', '/api/v1/decide', { decision_type: 'loan@1', input });
    const { items } = (await call('GET', `${folder.url}/logs`)).body;
    const correct = (id: string, decision: string) => call('PUT', `${folder.url}/logs/${id}/correction`, { decision });
    const [named, newest, third, second] = items;
    expect([named.release, newest.release, newest.escalated]).toEqual([1, 2, true]);
    await correct(third.id, third.decision);
    await correct(second.id, second.decision === 'approve' ? 'decline' : 'approve');
    expect(await live()).toEqual({
      1: { decisions: 4, escalated: 0, checked: 2, wrong: 1 },
      2: { decisions: 1, escalated: 1, checked: 0, wrong: 0 },
    });
    const [now, before] = await releases();
    expect([now.replaced_at, before.replaced_at]).toEqual([null, now.created_at]);
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
    // Deploying what decides already changes nothing, and makes no release.
    const again = await call('POST', `${folder.url}/policies/${folder.policyId}/deploy`, { reason: 'once more' });
    expect([again.status, (await releases())[0].release]).toEqual([200, 3]);

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

  it('have one digest in decisions, bundle, card and report, after every change [REL-13]', async () => {
    const { app, token, call, releases, put } = await open();
    const download = async () => {
      const headers = { host: '127.0.0.1', authorization: `Bearer ${token}` };
      return (await app.inject({ url: `${folder.url}/export?slim=true`, headers })).rawPayload;
    };
    const rule = { name: 'cars', condition: 'ctx.purpose in lists.rare', then: 'approve', priority: 1 };
    const changes: object[] = [
      { hard_rules: loanType.rules },
      { hard_rules: [rule], lists: { rare: ['car'] } },
      { hard_rules: [rule], lists: { rare: ['boat'] } },
      { confidence_thresholds: { auto_decide: 0.9, escalation: 0.6 } },
      { input_schema: { type: 'object', properties: { amount: { type: 'number' }, purpose: {} } } },
      { input_schema: { properties: { purpose: {}, amount: { type: 'number' } }, type: 'object' } },
      { readings: { opened: { kind: 'date', order: 'day_first' } } },
      { reason_codes: loanType.reason_codes.slice(0, 1) },
      { fallback_option: 'decline' },
      { name: 'credit' },
      { name: 'loan', options: ['approve', 'decline', 'ask'] },
    ];
    const seen = new Set<string>();
    for (const change of changes) {
      expect([change, (await put(change)).status]).toEqual([change, 200]);
      const name = 'name' in change && change.name === 'credit' ? 'credit' : 'loan';
      const { digest } = (await call('POST', '/api/v1/decide', { decision_type: name, input })).body;
      seen.add(digest);
      const bytes = await download();
      const { manifest, modelCard } = unpackBundle(bytes, sha256);
      expect([change, manifest.revision, identifyBundle(bytes, sha256).release]).toEqual([change, digest, digest]);
      expect(modelCard).toContain(`What decides has the digest ${digest}`);
      const [newest] = await releases();
      expect(newest.digest).toBe(digest);
    }
    const [newest] = await releases();
    // With other options the policy decides by its own version again.
    expect([seen.size, newest.digest]).toEqual([newest.release - 1, [...seen][0]]);
    const report = await call('GET', `${folder.url}/policies/${folder.policyId}/report`);
    expect(report.text).toContain(`Release ${newest.release} has the digest <code>${newest.digest}</code>`);
  });

  it('keep deciding by what the policy was trained with while the type has other options [REL-5]', async () => {
    const { decide, releases, put } = await open();
    const { digest } = await decide();
    await put({ options: ['approve', 'decline', 'ask'] });
    expect(await decide()).toMatchObject({ release: 1, digest });
    expect(await releases()).toHaveLength(1);
  });

  it('go back in one call, under a new number, with rules, thresholds and policy [REL-7]', async () => {
    const { call, decide, releases, put } = await open();
    const before = await decide();
    const rule = { name: 'all', condition: 'true', then: 'approve', priority: 1 };
    await put({ hard_rules: [rule], fallback_option: 'approve' });
    expect((await decide()).decision).toBe('approve');
    const back = await call('POST', `${folder.url}/releases`, { release: 1, reason: 'Too much was approved' });
    expect([back.status, back.body]).toEqual([
      201,
      expect.objectContaining({
        release: 3,
        current: true,
        digest: before.digest,
        by: 'Owner',
        reason: 'Too much was approved',
      }),
    ]);
    const { release: _, latency_ms: _ms, request_id: _id, ...same } = before;
    expect(await decide()).toMatchObject({ ...same, release: 3 });
    const { body: type } = await call('GET', folder.url);
    expect(type.active_version).toMatchObject({ version_number: 3, hard_rules: [{ name: 'too much' }] });
    expect(type.fallback_option).toBe(null);

    const again = await call('POST', `${folder.url}/releases`, { release: 1 });
    expect([again.status, again.body.error.message]).toEqual([409, 'Release 3 decides as release 1 did.']);
    expect((await call('POST', `${folder.url}/releases`, { release: 9 })).status).toBe(404);
    const other = await call('POST', `${folder.url}/policies`, { kind: 'rules_only' });
    expect(other.status).toBe(422);
    await put({ fallback_option: 'decline' });
    const made = await call('POST', `${folder.url}/policies`, { kind: 'rules_only' });
    await call('POST', `${folder.url}/policies/${made.body.id}/deploy`);
    expect(await decide()).toMatchObject({ release: 5, policy_version: 'v2' });
    await call('POST', `${folder.url}/releases`, { release: 1 });
    expect(await decide()).toMatchObject({ release: 6, policy_version: 'v1', digest: before.digest });
    expect((await releases())[0]).toMatchObject({ reason: 'Back to release 1.', aliases: [] });
    expect(
      (await call('GET', `${folder.url}/deployments`)).body.items.map(({ version }: { version: number }) => version),
    ).toEqual([1, 2, 1]);
  });

  it('restore the content of an earlier version in a new one [REL-8]', async () => {
    const { call, releases, put } = await open();
    const { id } = (await call('GET', folder.url)).body.active_version;
    await put({ hard_rules: [], confidence_thresholds: { auto_decide: 0.7, escalation: 0.2 } });
    const restored = await call('POST', `${folder.url}/versions/${id}/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body.active_version).toMatchObject({
      version_number: 3,
      hard_rules: [{ name: 'too much' }],
      confidence_thresholds: { auto_decide: 0.85 },
    });
    expect((await releases())[0]).toMatchObject({ release: 3, reason: 'Version 1 was restored.' });
    expect((await call('POST', `${folder.url}/versions/${folder.policyId}/restore`)).status).toBe(404);
  });

  it('decide by number and alias, as long as they are kept, beside what decides now [REL-9]', async () => {
    const { call, decide, put } = await open();
    const first = await decide();
    await put({ hard_rules: [{ name: 'all', condition: 'true', then: 'approve', priority: 1 }] });
    const by = async (name: string) => {
      const { status, body } = await call('POST', '/api/v1/decide', { decision_type: name, input });
      return status === 200 ? [body.release, body.decision, body.digest] : [status, body.error.code];
    };
    const second = await by('loan');
    expect(await by('loan@1')).toEqual([1, first.decision, first.digest]);
    // "v1" is the name of a policy in every answer, and of no release.
    const unnamed = await call('POST', '/api/v1/decide', { decision_type: 'loan@', input });
    expect(unnamed.body.error.message).toContain('Name a release or an alias, as "loan@1", or leave it out.');
    const byPolicy = await call('POST', '/api/v1/decide', { decision_type: 'loan@v1', input });
    expect([byPolicy.status, byPolicy.body.error.message]).toEqual([
      404,
      expect.stringMatching(/^v1 is the name of a policy, .* decides in release [\d, ]+: ask "loan@\d+"\.$/),
    ]);
    expect(await by('loan@2')).toEqual(second);
    expect([await by('loan@3'), await by('loan@production'), await by('nothing@1'), await by('loan@')]).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
      [404, 'decision_type_not_found'],
      [404, 'not_found'],
    ]);
    const set = await call('PUT', `${folder.url}/aliases/production`, { release: 1 });
    expect(set.body).toMatchObject({ release: 1, aliases: ['production'] });
    expect(await by('loan@production')).toEqual([1, first.decision, first.digest]);
    await call('PUT', `${folder.url}/aliases/production`, { release: 2 });
    expect(await by('loan@production')).toEqual(second);
    await put({ description: 'Loans', hard_rules: [] });
    expect(await by('loan@1')).toEqual([1, first.decision, first.digest]);
    const explained = await call('POST', '/api/v1/decide?explain=true', { decision_type: 'loan@2', input });
    expect(explained.body.explain.decision).toBe('approve');
    const { items } = (await call('GET', `${folder.url}/logs`)).body;
    expect(items.slice(0, 2)).toEqual([
      expect.objectContaining({ release: 2, decision: 'approve', decision_type: 'loan' }),
      expect.objectContaining({ release: 1, digest: first.digest, decision_type: 'loan' }),
    ]);
    expect((await call('DELETE', `${folder.url}/aliases/production`)).status).toBe(204);
    expect((await call('DELETE', `${folder.url}/aliases/production`)).status).toBe(404);
    expect(await by('loan@production')).toEqual([404, 'not_found']);
    for (const alias of ['7', 'v7', 'A', 'latest']) {
      expect((await call('PUT', `${folder.url}/aliases/${alias}`, { release: 1 })).status).toBe(422);
    }
  });

  it('let no editor overwrite another: If-Match of a state that is gone is refused [REL-10]', async () => {
    const { call, put } = await open();
    const seen = await call('GET', folder.url);
    const etag = String(seen.headers['etag']);
    expect(seen.body.etag).toBe(etag);
    const change = (body: object, ifMatch: string) => call('PUT', folder.url, body, { 'if-match': ifMatch });
    const mine = await change({ hard_rules: [] }, etag);
    expect([mine.status, mine.headers['etag']]).toEqual([200, mine.body.etag]);
    const theirs = await change({ confidence_thresholds: { auto_decide: 0.5, escalation: 0.5 } }, etag);
    expect([theirs.status, theirs.body.error.code]).toEqual([412, 'precondition_failed']);
    const said = (by: string) =>
      new RegExp(`^${by} has changed the decision type since you read it, at 20\\d\\d-[\\d: -]+ UTC\\. `);
    expect(theirs.body.error.message).toMatch(said('Owner'));
    const { active_version } = (await call('GET', folder.url)).body;
    expect(active_version).toMatchObject({ hard_rules: [], confidence_thresholds: { auto_decide: 0.85 } });
    const all = [
      await call('DELETE', folder.url, undefined, { 'if-match': etag }),
      await call('POST', `${folder.url}/releases`, { release: 1 }, { 'if-match': etag }),
      await call('POST', `${folder.url}/versions/${active_version.id}/restore`, undefined, { 'if-match': etag }),
      await call('POST', `${folder.url}/options/rename`, { from: 'approve', to: 'yes' }, { 'if-match': etag }),
      await call('POST', `${folder.url}/options/merge`, { from: 'approve', into: 'decline' }, { 'if-match': etag }),
      await call('POST', `${folder.url}/options/delete`, { option: 'approve' }, { 'if-match': etag }),
    ];
    expect(all.map(({ status }) => status)).toEqual([412, 412, 412, 412, 412, 412]);
    expect((await change({ description: 'Loans' }, `"x", ${mine.body.etag}`)).status).toBe(200);
    expect((await change({ description: 'Cars' }, '*')).status).toBe(200);
    expect((await put({ description: 'Homes' })).status).toBe(200);
    // Who changes a name, costs and the like is not kept.
    expect((await change({ name: 'homes' }, etag)).body.error.message).toMatch(said('Somebody'));
    await put({ fallback_option: 'decline', draft: true });
    expect((await change({ name: 'homes' }, etag)).body.error.message).toMatch(said('Owner'));
    await call('DELETE', `${folder.url}/draft`);
    expect((await change({ name: 'homes' }, etag)).body.error.message).toMatch(said('Somebody'));
  });
});
