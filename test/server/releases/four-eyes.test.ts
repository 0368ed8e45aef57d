/** Four eyes: of a type that asks for them nothing comes to decide by the hand that made it, at any door. */
import { describe, expect, it } from 'vitest';
import { type Call, callerOf, deployForAll, loanExamples, loanType, openForTest, sendForm } from '../workbench.ts';

const input = { applicant: { score: 700 }, amount: 60_000, purpose: 'car', employed: true };
const opposite = { name: 'all', condition: 'ctx.amount > 0', then: 'approve', priority: 1 };
const thresholds = { auto_decide: 0.99, escalation: 0.6 };

describe('a type with four eyes', () => {
  const folder = deployForAll({ ...loanType, fallback_option: 'decline' }, loanExamples(40));
  const open = async () => {
    const { app, call, token } = await openForTest({ dataDir: folder.copy() });
    const makeKey = async (name: string, settings: object = {}): Promise<Call> => {
      const { body } = await call('POST', '/api/v1/api-keys', { name, ...settings });
      return callerOf(app, { authorization: `Bearer ${body.key}` });
    };
    const { url } = folder;
    const ada = await makeKey('ada', { holder: 'Ada' });
    const bo = await makeKey('bo', { holder: 'Bo' });
    const publish = (by: Call, body: object = { reason: 'it is time' }) => by('POST', `${url}/releases`, body);
    return {
      call,
      url,
      ada,
      bo,
      makeKey,
      publish,
      guard: () => call('PUT', url, { publish_by_another: true }),
      draft: (by: Call, settings: object) => by('PUT', `${url}/draft`, settings),
      decide: async () => (await call('POST', '/api/v1/decide', { decision_type: 'loan', input })).body.decision,
      newest: async () => (await call('GET', `${url}/releases`)).body.items[0],
      read: async () => (await call('GET', url)).body,
      load: async (path: string) => {
        const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
        return Uint8Array.from((await app.inject({ url: `${url}/${path}`, headers })).rawPayload);
      },
    };
  };

  it('is not published by anybody who changed its draft, whoever touched it last [EYE-1]', async () => {
    const { ada, bo, guard, draft, publish, makeKey, decide, newest } = await open();
    await guard();
    await draft(ada, { hard_rules: [opposite] });
    // Who sends the same again has changed nothing, and may publish it.
    await draft(bo, { hard_rules: [opposite] });
    expect((await publish(ada)).body.error).toEqual({
      code: 'conflict',
      message:
        'You are among the authors of this draft, and this type asks that another person releases it, or a key that somebody else holds.',
    });
    const cy = await makeKey('cy', { holder: 'Cy', scopes: ['read', 'train', 'deploy'] });
    await draft(cy, { confidence_thresholds: thresholds });
    expect([await publish(ada), await publish(cy)].map(({ status }) => status)).toEqual([409, 409]);
    expect(await decide()).toBe('decline');
    expect((await publish(bo)).status).toBe(201);
    expect([await decide(), await newest()]).toEqual(['approve', expect.objectContaining({ by: 'key "bo"' })]);
    // What was published has left its authors behind.
    await draft(bo, { hard_rules: [] });
    expect((await publish(ada)).status).toBe(201);
  });

  it('is loosened by two alone, in a release with who, when and why [EYE-2]', async () => {
    const { url, ada, bo, guard, draft, publish, read, newest } = await open();
    await guard();
    await draft(ada, { hard_rules: [opposite] });
    for (const settings of [{ publish_by_another: false }, { publish_by_hand: false }, { name: 'lent' }]) {
      const first = await ada('PUT', url, settings);
      expect([first.status, first.body.error.message]).toEqual([
        409,
        expect.stringMatching(/asks for four eyes.*a week/),
      ]);
      expect((await ada('PUT', url, settings)).status).toBe(409);
    }
    expect([await publish(ada), await ada('DELETE', url)].map(({ status }) => status)).toEqual([409, 409]);
    expect(await read()).toMatchObject({ publish_by_another: true, name: 'loan' });
    const off = await bo('PUT', url, { publish_by_another: false, reason: 'Ada is alone in August' });
    expect(off.body).toMatchObject({ publish_by_hand: true, publish_by_another: false });
    expect(await newest()).toMatchObject({
      release: 2,
      by: 'key "bo"',
      reason: 'Ada is alone in August',
      changes: ['Whoever wrote a draft may publish it from now on.', 'Asked for by key "ada" before.'],
    });
    expect((await publish(ada)).status).toBe(201);
  });

  it('has its options changed by two alone, as three renames of one hand would swap all decisions [EYE-2]', async () => {
    const { call, url, ada, bo, guard, decide, newest } = await open();
    await guard();
    const rename = (by: Call, to: string, commit = true) =>
      by('POST', `${url}/options/rename`, { from: 'approve', to, commit });
    expect((await rename(ada, 'granted', false)).body.touches.deployed_policy).toBe(true);
    expect([(await rename(ada, 'granted')).status, (await rename(ada, 'granted')).status]).toEqual([409, 409]);
    expect((await rename(bo, 'given')).body.error.message).toContain('asks for four eyes');
    expect([(await call('GET', url)).body.active_version.options, await decide()]).toEqual([
      ['approve', 'decline'],
      'decline',
    ]);
    const renamed = await rename(ada, 'given');
    expect([renamed.status, renamed.body.decision_type.active_version.options]).toEqual([200, ['given', 'decline']]);
    const { undo_token } = renamed.body;
    const undo = (by: Call) => by('POST', `${url}/options/undo`, { undo_token });
    expect([(await undo(ada)).status, (await undo(bo)).status]).toEqual([409, 200]);
    expect(await newest()).toMatchObject({ release: 1 });
  });

  it('takes a bundle from two alone [EYE-3]', async () => {
    const { call, url, ada, bo, guard, load, decide, newest } = await open();
    await call('PUT', url, { hard_rules: [opposite] });
    const bundle = await load('export?slim=true');
    await call('POST', `${url}/releases`, { release: 1, reason: 'back' });
    await guard();
    const bring = (by: Call) => sendForm(by, `${url}/policies/import`, new File([bundle], 'b.zip'), { reason: 'new' });
    expect([(await bring(ada)).status, (await bring(ada)).status, await decide()]).toEqual([409, 409, 'decline']);
    expect([(await bring(bo)).status, await decide()]).toEqual([201, 'approve']);
    // The first stays its author.
    const { release } = await newest();
    const move = (by: Call) => by('PUT', `${url}/aliases/prod`, { release });
    expect([(await move(ada)).status, (await move(bo)).status]).toEqual([409, 200]);
  });

  it('is not brought to decide otherwise by an own policy, release, alias, version, promise or file [EYE-4]', async () => {
    const { url, ada, bo, guard, publish, load, decide } = await open();
    const { active_version: opposed } = (await ada('PUT', url, { hard_rules: [opposite] })).body;
    const { body: own } = await ada('POST', `${url}/policies`, { kind: 'rules_only' });
    await bo('PUT', url, { hard_rules: loanType.rules });
    await guard();
    const doors = (by: Call) => [
      by('POST', `${url}/policies/${own.id}/deploy`, { reason: 'mine' }),
      publish(by, { release: 2, reason: 'mine' }),
      by('PUT', `${url}/aliases/prod`, { release: 2 }),
    ];
    for (const door of doors(ada)) {
      expect([(await door).status, (await door).body.error.message]).toEqual([
        409,
        expect.stringMatching(/among the authors of this (policy|release)/),
      ]);
    }
    for (const answer of [
      await ada('POST', `${url}/versions/${opposed.id}/restore`, { reason: 'mine' }),
      await ada('PUT', `${url}/promise`, { target_error: 0.5 }),
      await ada('DELETE', `${url}/promise`),
      await sendForm(ada, '/api/v1/decision-types/import', new File([await load('archive')], 't.zip'), {
        name: 'loan',
      }),
    ]) {
      expect(answer.status).toBe(409);
    }
    expect(await decide()).toBe('decline');
    for (const door of doors(bo).slice(1)) expect((await door).status).toBeOneOf([200, 201]);
    expect(await decide()).toBe('approve');
  });

  it('goes on reading texts as it did, whatever an import says of them [EYE-4]', async () => {
    const { url, call, ada, guard } = await open();
    const bring = async (field: string) => {
      const content = `${field};decision\n1,5;approve\n2,5;decline`;
      const { status, body } = await ada('POST', `${url}/examples/import`, { content, commit: true });
      expect([status, Object.keys(body.readings)]).toEqual([200, [field]]);
      return Object.keys((await call('GET', url)).body.active_version.readings);
    };
    expect(await bring('rate')).toEqual(['rate']);
    await guard();
    expect(await bring('code')).toEqual(['rate']);
    await call('PUT', `${url}/draft`, { readings: { code: { kind: 'number', decimal: ',' } } });
    expect((await call('GET', url)).body.draft.settings.readings).toHaveProperty('code');
  });

  it('counts a person and every key of theirs as one hand [EYE-5]', async () => {
    const { call, url, guard, draft, publish, makeKey } = await open();
    await guard();
    const own = await makeKey('mine');
    const other = await makeKey('mine, too');
    const lent = await makeKey('lent', { holder: 'Bo' });
    const lentToo = await makeKey('lent, too', { holder: 'Bo' });
    await draft(call, { hard_rules: [opposite] });
    expect([await publish(own), await publish(other)].map(({ status }) => status)).toEqual([409, 409]);
    expect((await publish(lent)).status).toBe(201);
    await draft(lent, { hard_rules: [] });
    expect((await publish(lentToo)).status).toBe(409);
    expect((await publish(own)).status).toBe(201);
    expect((await call('GET', '/api/v1/api-keys')).body[0]).toMatchObject({ name: 'lent, too', holder: 'Bo' });
    expect(url).toBe(folder.url);
  });

  it('keeps its pinned cases and its audit until two let go of them [EYE-2]', async () => {
    const { call, url, ada, bo, guard, newest } = await open();
    const must = { input_payload: input, expected_decision: 'decline', must: true };
    const [made] = (await call('POST', `${url}/examples`, { examples: [must] })).body.created ?? [];
    const { items } = (await call('GET', `${url}/examples?must=true`)).body;
    const id = made?.id ?? items[0].id;
    await call('PUT', url, { audit: { share: 0.1 } });
    await guard();
    for (const answer of [
      await ada('PATCH', `${url}/examples/${id}`, { must: false }),
      await ada('PATCH', `${url}/examples/${id}`, { expected_decision: 'approve' }),
      await ada('DELETE', `${url}/examples/${id}`),
      await ada('POST', `${url}/examples/bulk`, { ids: [id], action: 'delete' }),
      await ada('PUT', url, { audit: null }),
    ]) {
      expect([answer.status, answer.body.error.message]).toEqual([409, expect.stringContaining('asks for four eyes')]);
    }
    expect((await ada('PATCH', `${url}/examples/${id}`, { note: 'still' })).status).toBe(200);
    expect((await bo('PUT', url, { audit: null })).body.audit).toBe(null);
    expect((await newest()).changes[0]).toBe('Other decisions, or none, are drawn for the audit.');
    await ada('PUT', url, { publish_by_hand: false });
    await bo('PUT', url, { publish_by_hand: false });
    expect((await ada('PATCH', `${url}/examples/${id}`, { must: false })).status).toBe(200);
  });
});
