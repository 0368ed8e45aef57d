/** Changes that do not decide yet: kept with the type, tried, published with a reason, discarded. */
import { describe, expect, it } from 'vitest';
import { callerOf, deployForAll, loanExamples, loanType, openForTest } from '../workbench.ts';

const input = { applicant: { score: 700 }, amount: 60_000, purpose: 'car', employed: true };
const wrongRule = { name: 'never', condition: 'ctx.amount > 0', then: 'approve', priority: 1 };
const [usualRule] = loanType.rules;

describe('a draft', () => {
  const folder = deployForAll(loanType, loanExamples(40));
  const open = async () => {
    const { app, call } = await openForTest({ dataDir: folder.copy() });
    return {
      call,
      as: (key: string) => callerOf(app, { authorization: `Bearer ${key}` }),
      decide: async () => (await call('POST', '/api/v1/decide', { decision_type: 'loan', input })).body,
      read: async () => (await call('GET', folder.url)).body,
      draft: (query = '') => call('GET', `${folder.url}/draft${query}`),
      put: (body: object, headers = {}) => call('PUT', folder.url, body, headers),
      publish: (body: object = {}, headers = {}) => call('POST', `${folder.url}/releases`, body, headers),
      releases: async () => (await call('GET', `${folder.url}/releases`)).body.items,
    };
  };

  it('decides nothing, and everybody sees it with what it changes, until it is discarded [DRA-1] [DRA-2]', async () => {
    const { call, decide, read, draft, put, releases } = await open();
    const before = await decide();
    const first = await put({ hard_rules: [], fallback_option: 'decline', draft: true });
    expect(first.body).toMatchObject({
      active_version: { version_number: 1, hard_rules: [{ name: 'too much' }] },
      fallback_option: null,
      draft: {
        settings: { hard_rules: [], fallback_option: 'decline' },
        changes: [expect.stringMatching(/^Rule “too much” is gone/), 'Fallback: “decline” instead of none.'],
        conflicts: [],
        by: 'Owner',
      },
    });
    expect((await read()).draft).toEqual(first.body.draft);
    expect(await decide()).toMatchObject({ release: 1, decision: before.decision, digest: before.digest });
    // What is as it decides now leaves the draft.
    await put({ rules: [usualRule], confidence_thresholds: { auto_decide: 0.95, escalation: 0.6 }, draft: true });
    const { body } = await draft('?logged=50');
    expect(body).toMatchObject({
      settings: { fallback_option: 'decline', confidence_thresholds: { auto_decide: 0.95 } },
      unseen: { verdict: expect.any(String), rows: expect.any(Number), saving: null, refused: 0 },
      logged: { rows: 2, refused: 0, changed: [] },
      holds: [],
    });
    expect(body.settings).not.toHaveProperty('hard_rules');
    expect(await releases()).toHaveLength(1);

    expect((await call('DELETE', `${folder.url}/draft`)).status).toBe(204);
    expect((await read()).draft).toBe(null);
    expect([(await draft()).status, (await call('DELETE', `${folder.url}/draft`)).status]).toEqual([404, 404]);
    await put({ fallback_option: 'decline', draft: true });
    expect((await put({ fallback_option: null, draft: true })).body.draft).toBe(null);
  });

  it('that is worse is published with a reason alone, under a release of its own [DRA-2] [DRA-3]', async () => {
    const { decide, read, draft, put, publish, releases } = await open();
    await put({ costs: { look: 1, wrong: 20, currency: '€' } });
    const before = await decide();
    await put({ hard_rules: [wrongRule, { ...usualRule, priority: 5 }], draft: true });
    const { body } = await draft();
    expect(body.unseen.verdict).toBe('worse');
    expect(body.unseen.saving.high).toBeLessThan(0);
    expect(body.holds).toEqual([
      { kind: 'worse', sentence: expect.stringMatching(/^Fewer unseen examples are decided correctly: .* → /) },
      { kind: 'worse', sentence: expect.stringMatching(/^Decisions cost more: .* → /) },
    ]);
    expect(body.logged).toEqual({
      rows: 1,
      refused: 0,
      changed: before.decision === 'approve' ? [] : [{ from: before.decision, to: 'approve', decisions: 1 }],
    });
    const refused = await publish();
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.objectContaining({
        code: 'conflict',
        message: expect.stringMatching(/To release it anyway, give a reason/),
      }),
    ]);
    expect((await read()).draft).not.toBe(null);
    const made = await publish({ reason: 'The bank is closed' });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        release: 2,
        current: true,
        reason: 'The bank is closed',
        decision_type_version: 2,
        changes: [
          expect.stringMatching(/^Rule “never” is new/),
          expect.stringMatching(/^Released anyway: Fewer unseen examples are decided correctly/),
          expect.stringMatching(/^Released anyway: Decisions cost more/),
        ],
      }),
    ]);
    expect(await decide()).toMatchObject({ release: 2, decision: 'approve', stage: 'rules', digest: made.body.digest });
    expect((await read()).draft).toBe(null);
    const again = await publish({ reason: 'Once more' });
    expect([again.status, again.body.error.message]).toEqual([404, 'This decision type has no draft.']);
    await publish({ release: 1 });
    expect(await decide()).toMatchObject({ release: 3, digest: before.digest });
    expect(await releases()).toHaveLength(3);
  });

  it('that breaks a pinned case is published with a reason alone [DRA-3]', async () => {
    const { call, decide, draft, put, publish } = await open();
    const { decision } = await decide();
    const must = { input_payload: input, expected_decision: decision, must: true };
    expect((await call('POST', `${folder.url}/examples`, { examples: [must] })).status).toBe(201);
    const other = decision === 'decline' ? 'approve' : 'decline';
    await put({
      hard_rules: [{ ...wrongRule, condition: 'ctx.amount == 60000', then: other }, usualRule],
      draft: true,
    });
    const sentence = `Must: “applicant.score: 700, amount: 60000, purpose: car, employed: true” → ${decision}, decides ${other}.`;
    expect((await draft('?logged=0')).body.holds[0]).toEqual({ kind: 'must', sentence });
    const refused = await publish();
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      `${sentence} To release it anyway, give a reason: it stays in the history.`,
    ]);
    await put({
      hard_rules: [{ ...wrongRule, condition: 'ctx.amount == 59999', then: other }, usualRule],
      draft: true,
    });
    expect((await publish()).status).toBe(201);
  });

  it('is of fields: what others change meanwhile stays, and no field of theirs is overwritten [DRA-4]', async () => {
    const { read, draft, put, publish } = await open();
    await put({ fallback_option: 'decline', draft: true });
    await put({ confidence_thresholds: { auto_decide: 0.7, escalation: 0.4 } });
    expect((await draft('?logged=0')).body).toMatchObject({ conflicts: [], logged: null });
    await put({ fallback_option: 'approve' });
    expect((await read()).draft.conflicts).toEqual(['fallback_option']);
    const refused = [await publish({ reason: 'mine' }), await put({ hard_rules: [], draft: true })];
    for (const { status, body } of refused) {
      expect([status, body.error.message]).toEqual([
        409,
        'Since the draft was made, fallback_option was changed live. Send it again with draft: true, or discard the draft.',
      ]);
    }
    expect((await put({ fallback_option: 'decline', draft: true })).body.draft.conflicts).toEqual([]);
    expect((await publish({ reason: 'mine' })).body.changes).toEqual(['Fallback: “decline” instead of “approve”.']);
    expect(await read()).toMatchObject({
      fallback_option: 'decline',
      active_version: { confidence_thresholds: { auto_decide: 0.7 } },
      draft: null,
    });
    // A rule that decides an option which is gone is named when the draft is to be published.
    await put({ hard_rules: [wrongRule], draft: true });
    await put({ options: ['approve', 'decline', 'ask'] });
    expect((await draft()).body).toMatchObject({ unseen: null, logged: null, holds: [] });
    expect((await publish()).body.error.message).toBe(
      'No policy with the current options is deployed. Train the type first.',
    );
  });

  it('has the ETag of its type, and refuses what is no part of it [DRA-1] [REL-10]', async () => {
    const { call, read, draft, put, publish } = await open();
    const { etag } = await read();
    const kept = await put({ hard_rules: [], draft: true }, { 'if-match': etag });
    expect([kept.status, kept.headers['etag']]).toEqual([200, kept.body.etag]);
    expect(kept.body.etag).not.toBe(etag);
    expect((await draft()).headers['etag']).toBe(kept.body.etag);
    const stale = { 'if-match': etag };
    const all = [
      await put({ hard_rules: [wrongRule], draft: true }, stale),
      await put({ fallback_option: 'decline' }, stale),
      await publish({}, stale),
      await call('DELETE', `${folder.url}/draft`, undefined, stale),
    ];
    expect(all.map(({ status }) => status)).toEqual([412, 412, 412, 412]);
    const foreign = await put({ name: 'other', options: ['a', 'b'], draft: true });
    expect([foreign.status, foreign.body.error.details.map(({ loc }: { loc: string[] }) => loc.join('.'))]).toEqual([
      422,
      ['body.name', 'body.options'],
    ]);
    const wrong = await put({ hard_rules: [{ ...wrongRule, then: 'perhaps' }], draft: true });
    expect([wrong.status, wrong.body.error.code]).toEqual([422, 'validation_error']);
    expect((await publish({}, { 'if-match': kept.body.etag })).status).toBe(201);

    const { body: other } = await call('POST', '/api/v1/decision-types', { name: 'new', options: ['a', 'b'] });
    const early = await call('PUT', `/api/v1/decision-types/${other.id}`, { fallback_option: 'a', draft: true });
    expect([early.status, early.body.error.message]).toEqual([
      409,
      'No policy is deployed, so nothing is live yet: send the change without draft.',
    ]);
  });

  it('is the only way to other rules where publishing by hand is asked for [DRA-5]', async () => {
    const { call, read, put, publish } = await open();
    expect((await put({ publish_by_hand: true })).body.publish_by_hand).toBe(true);
    const { id } = (await read()).active_version;
    for (const refused of [
      await put({ hard_rules: [] }),
      await put({ fallback_option: 'decline' }),
      await put({ publish_by_hand: true, confidence_thresholds: { auto_decide: 0.5, escalation: 0.5 } }),
    ]) {
      expect([refused.status, refused.body.error.message]).toEqual([
        409,
        'Changes to this type are published manually. Send the change with draft: true, then publish the draft.',
      ]);
    }
    expect((await put({ description: 'Loans', rules: [usualRule] })).status).toBe(200);
    // A hint decides nothing: it teaches at once, and is in no draft.
    const hint = { ...usualRule, name: 'perhaps', hint: true };
    expect((await put({ hard_rules: [hint], draft: true })).body).toMatchObject({
      active_version: { hard_rules: [usualRule, hint] },
      draft: { settings: { hard_rules: [hint] }, changes: [expect.stringMatching(/is gone/)], conflicts: [] },
    });
    expect((await publish({ reason: 'Rules are not needed' })).status).toBe(201);
    expect((await read()).active_version.hard_rules).toEqual([hint]);
    expect((await call('POST', `${folder.url}/versions/${id}/restore`)).status).toBe(409);
    expect((await put({ publish_by_hand: false, fallback_option: 'decline' })).status).toBe(200);
  });

  it('is proposed without the right to publish, and published by another than its author [DRA-10]', async () => {
    const { call, as, read, put, publish } = await open();
    const makeKey = async (...scopes: string[]) => {
      const name = scopes.join(' ');
      const { body } = await call('POST', '/api/v1/api-keys', { name, scopes, holder: name });
      return as(body.key);
    };
    const proposer = await makeKey('read', 'train');
    const publisher = await makeKey('read', 'deploy');
    expect((await put({ publish_by_another: true })).body).toMatchObject({
      publish_by_hand: true,
      publish_by_another: true,
    });
    const proposed = await proposer('PUT', `${folder.url}/draft`, { fallback_option: 'decline' });
    expect([proposed.status, proposed.body]).toEqual([
      200,
      expect.objectContaining({ by: 'key "read train"', settings: { fallback_option: 'decline' } }),
    ]);
    expect((await proposer('PUT', `${folder.url}/draft`, { options: ['a', 'b'] })).status).toBe(422);
    for (const [path, body] of [
      [`${folder.url}/releases`, {}],
      [folder.url, { fallback_option: 'approve', draft: true }],
    ] as const) {
      expect((await proposer(path === folder.url ? 'PUT' : 'POST', path, body)).status).toBe(403);
    }
    await put({ hard_rules: [], draft: true });
    const own = await publish({ reason: 'mine' });
    expect([own.status, own.body.error.message]).toEqual([
      409,
      expect.stringMatching(/^You are among the authors of this draft, /),
    ]);
    const published = await publisher('POST', `${folder.url}/releases`, { reason: 'Rules are not needed' });
    expect(published.status).toBe(201);
    expect((await proposer('PUT', `${folder.url}/draft`, { fallback_option: 'decline' })).body).toBe(null);
    expect(await read()).toMatchObject({ draft: null, fallback_option: 'decline', active_version: { hard_rules: [] } });
    // Publishing at once again asks for neither.
    expect((await publisher('PUT', folder.url, { publish_by_hand: false })).status).toBe(409);
    expect((await put({ publish_by_hand: false })).body).toMatchObject({
      publish_by_hand: false,
      publish_by_another: false,
    });
  });
});
