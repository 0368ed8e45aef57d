/** A live model that is asked only where a type says so, and never needed for an answer. */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/server/process/clock.ts';
import { type Behaviour, fails, says, startStub } from '../teacher-stub.ts';
import { loanExamples, loanType, makeDeployedFolder, openForTest, temporaryFolder } from '../workbench.ts';

const unsure = { auto_decide: 1, escalation: 1 };
const applicant = {
  applicant: { score: 790, email: 'canary@example.org' },
  amount: 2_000,
  purpose: 'car',
  employed: true,
};

let trained: Awaited<ReturnType<typeof makeDeployedFolder>>;
beforeAll(async () => {
  const type = {
    ...loanType,
    description: 'Loans for cars',
    pii_fields: ['applicant.email'],
    fallback_option: 'decline',
    confidence_thresholds: unsure,
  };
  trained = await makeDeployedFolder(type, loanExamples(40), systemClock);
});
afterAll(() => trained.remove());

/** A deployed loan type that is never sure, with a connection to a stub that behaves as said. */
async function open(...behaviours: Behaviour[]) {
  const stub = await startStub(...behaviours);
  const { call } = await openForTest({ synchronous: 'NORMAL', dataDir: trained.copy() });
  const made = await call('POST', '/api/v1/connections', {
    name: 'judge',
    url: stub.url,
    model: 'm',
    api_key: 'sk-4711',
    generates: false,
  });
  expect(made.status).toBe(201);
  const { url } = trained;
  const decide = (query = '') => call('POST', `/api/v1/decide${query}`, { decision_type: 'loan', input: applicant });
  const escalate = (policy: object) =>
    call('PUT', url, { escalation_policy: { enabled: true, connection: 'judge', ...policy } });
  return { call, url, stub, decide, escalate, connection: made.body };
}

describe('an escalation policy', () => {
  it('may ask only a live model that is connected when it is set [TYP-29]', async () => {
    const { call, url, escalate, decide, connection } = await open(says({ decision: 'approve', reason_codes: [] }));
    const before = (await call('GET', url)).body;
    const unknown = { enabled: true, connection: 'jury' };
    const made = { name: 'other', options: ['yes', 'no'] };
    const types = '/api/v1/decision-types';
    for (const refused of [
      await escalate(unknown),
      await call('POST', types, { ...made, escalation_policy: unknown }),
    ]) {
      expect([refused.status, refused.body.error.code]).toEqual([422, 'validation_error']);
      expect(refused.body.error.details).toEqual([
        {
          type: 'unknown_connection',
          loc: ['body', 'escalation_policy', 'connection'],
          msg: 'there is no connection named "jury"; connect it first, or leave enabled false',
        },
      ]);
    }
    expect((await call('GET', url)).body).toEqual(before);
    expect((await call('POST', types, { ...made, escalation_policy: { connection: 'jury' } })).status).toBe(201);

    // removed later, it does not stand in the way of other changes, and its calls end in the fallback
    expect((await escalate({})).status).toBe(200);
    expect((await call('DELETE', `/api/v1/connections/${connection.id}`)).status).toBe(204);
    expect((await call('PUT', url, { description: 'Loans', reason_codes: ['GOOD_SCORE', 'TOO_MUCH'] })).status).toBe(
      200,
    );
    expect((await decide()).body).toMatchObject({ stage: 'fallback', fallback_used: true });
    expect((await escalate({})).status).toBe(422);
  });
});

describe('an open decision', () => {
  it('is asked of the live model where the type is set so, without personal data [SVC-3] [SVC-4] [THR-7]', async () => {
    const { call, url, stub, decide, escalate } = await open(
      says({ decision: 'approve', reason_codes: ['GOOD_SCORE', 'INVENTED'] }),
    );
    expect((await decide()).body).toMatchObject({ stage: 'fallback', fallback_used: true });
    expect((await call('PUT', url, { escalation_policy: { connection: 'judge' } })).status).toBe(200);
    expect((await decide()).body.stage).toBe('fallback');
    expect(stub.asked).toEqual([]);

    await escalate({});
    const { body } = await decide('?trace=true');
    expect(body).toMatchObject({
      decision: 'approve',
      stage: 'escalation',
      escalate: true,
      fallback_used: false,
      reason_codes: ['GOOD_SCORE'],
      explanation: expect.stringContaining('«judge»'),
    });
    // What the model chose has the probability of the classifier, whatever the classifier had chosen itself.
    expect(body.confidence).toBe(body.class_probabilities.approve);
    expect(body.trace.stage_ms.escalation).toBeGreaterThan(0);
    expect((await call('GET', `${url}/logs`)).body.items[0]).toMatchObject({
      stage: 'escalation',
      decision: 'approve',
    });
    const [asked] = stub.asked;
    const prompt = asked?.body.messages.map(({ content }) => content).join('\n') ?? '';
    expect(prompt).toContain('Loans for cars');
    expect(prompt).toContain('2000');
    expect(prompt).not.toContain('canary');
    expect(asked?.headers.authorization).toBe('Bearer sk-4711');
  });

  it('is not asked by a dry run, which records and charges nothing [DEC-12]', async () => {
    const { call, url, stub, decide, escalate } = await open(says({ decision: 'approve', reason_codes: [] }));
    await escalate({});
    const count = async () => [
      (await call('GET', `${url}/logs`)).body.total,
      (await call('GET', '/api/v1/credits')).body.used,
    ];
    const before = await count();
    const { body } = await decide('?trace=true&explain=true&dry_run=true');
    expect(body).toMatchObject({ stage: 'fallback', decision: 'decline', dry_run: true });
    expect(body.explanation).toContain('the connected model was not asked');
    expect(body.explain).toMatchObject({ decision: 'decline', policy_version: body.policy_version });
    expect(body.explain.trace.features).toEqual(body.trace.features);
    expect([stub.asked, await count()]).toEqual([[], before]);

    const { body: real } = await decide();
    expect([real.stage, real.dry_run]).toEqual(['escalation', undefined]);
    expect(await count()).toEqual(before.map((known) => known + 1));
  });

  it('is asked without the personal data in lists and under names with dots [TYP-30] [TYP-31]', async () => {
    const { call, url, stub, escalate } = await open(says({ decision: 'approve', reason_codes: [] }));
    await escalate({});
    await call('PUT', url, { pii_fields: ['applicant.email', 'contacts.phone', 'home.street'] });
    const input = {
      ...applicant,
      contacts: [{ phone: 'canary-1', kind: 'work' }],
      'home.street': 'canary-2',
      home: { street: 'canary-3' },
    };
    const decided = await call('POST', '/api/v1/decide', { decision_type: 'loan', input });
    expect(decided.body.stage).toBe('escalation');
    const prompt = JSON.stringify(stub.asked[0]?.body.messages);
    expect(prompt).toContain('work');
    expect(prompt).not.toContain('canary');
  });

  it('is not asked where a rule or the thresholds settle it [SVC-3] [SVC-6]', async () => {
    const { call, url, stub, decide, escalate } = await open(says({ decision: 'approve' }));
    await escalate({ between: 'flag' });
    await call('PUT', url, { confidence_thresholds: { auto_decide: 1, escalation: 0 } });
    expect((await decide()).body).toMatchObject({ stage: 'classifier', escalate: true });
    await escalate({ between: 'fallback' });
    expect((await decide()).body).toMatchObject({ stage: 'fallback', fallback_used: true });
    const ruled = await call('POST', '/api/v1/decide', { decision_type: 'loan', input: { amount: 60_000 } });
    expect(ruled.body.stage).toBe('rules');
    expect(stub.asked).toEqual([]);
    await escalate({ between: 'escalate' });
    expect((await decide()).body.stage).toBe('escalation');
    expect(stub.asked).toHaveLength(1);
  });

  it('is asked once more in words alone where the endpoint knows no structured answers [THR-7]', async () => {
    const { decide, escalate, stub } = await open(fails(400), says('{"decision": "approve"}'));
    await escalate({});
    expect((await decide()).body).toMatchObject({ decision: 'approve', stage: 'escalation', reason_codes: [] });
    expect(stub.asked.map(({ body }) => body.response_format === undefined)).toEqual([false, true]);
  });

  it('falls back however the live model fails [THR-5]', async () => {
    const wrong = [fails(500), says({ decision: 'maybe' }), says('I would say approve')];
    const { call, decide, escalate, connection, url } = await open(
      ...wrong.flatMap((behaviour) => [behaviour, behaviour]),
      () => undefined,
    );
    await escalate({ timeout_ms: 2_000 });
    const fallback = { decision: 'decline', stage: 'fallback', fallback_used: true, escalate: true };
    for (let failure = 1; failure <= 4; failure += 1) {
      const answer = await decide();
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(fallback)]);
      expect(answer.body.explanation).toContain(`The connected model «${connection.name}» could not be asked.`);
      const [record] = (await call('GET', `${url}/logs?page_size=1`)).body.items;
      expect(record.explanation).toBe(answer.body.explanation);
    }
    await call('DELETE', `/api/v1/connections/${connection.id}`);
    expect((await decide()).body).toMatchObject(fallback);
    await call('PUT', url, { fallback_option: null });
    expect((await decide()).body).toMatchObject({ stage: 'classifier', escalate: true, fallback_used: false });
    expect((await call('GET', `${url}/logs`)).body.total).toBe(6);
  });

  it('falls back without the key of its model, which a restore without secrets leaves out and everybody is told [DAT-8] [THR-5]', async () => {
    const { call, url, escalate, connection } = await open(says({ decision: 'approve' }));
    await escalate({});
    expect((await call('GET', '/api/v1/connections')).body).toEqual([connection]);
    const { name } = (await call('POST', '/api/v1/backups')).body;
    const dataDir = path.join(temporaryFolder(), 'restored');
    expect((await call('POST', `/api/v1/backups/${name}/restore`, { folder: dataDir })).status).toBe(201);

    const { call: ask } = await openForTest({ synchronous: 'NORMAL', dataDir });
    expect((await ask('POST', '/api/v1/decide', { decision_type: 'loan', input: applicant })).body).toMatchObject({
      stage: 'fallback',
      explanation: expect.stringContaining('The connected model «judge» could not be asked.'),
    });
    expect((await ask('GET', '/api/v1/connections')).body).toEqual([
      { ...connection, has_api_key: false, key_missing: true },
    ]);
    expect((await ask('GET', '/ready')).body).toMatchObject({ status: 'ready', connections_without_key: 1 });
    const missing = (key: string) =>
      `The key of the connection "${key}" is missing. Remove the connection and make it again.`;
    expect((await ask('POST', `/api/v1/connections/${connection.id}/test`)).body).toMatchObject({
      ok: false,
      message: missing('judge'),
    });

    const teacher = { name: 'teacher', url: connection.url, model: 'm', api_key: 'sk-4712' };
    expect((await ask('POST', '/api/v1/connections', teacher)).body).toMatchObject({ has_api_key: true });
    for (const key of readdirSync(path.join(dataDir, 'secrets')).filter((file) => file.startsWith('connection-')))
      rmSync(path.join(dataDir, 'secrets', key));
    const generated = await ask('POST', `${url}/examples/generate`);
    expect([generated.status, generated.body.error.message]).toEqual([503, missing('teacher')]);
    await ask('POST', `${url}/examples/teacher-labelling`);
    await expect
      .poll(async () => (await ask('GET', `${url}/examples/teacher-labelling`)).body)
      .toMatchObject({ state: 'failed', message: `${missing('teacher')} Nothing was labelled.` });
  });
});
