import { describe, expect, it } from 'vitest';
import { callerOf, makeType, minimalType, openForTest, stoppedClock } from '../workbench.ts';

const base = '/api/v1/decision-types';

describe('the life of a decision type', () => {
  it('is made with defaults, listed, changed and deleted [TYP-3] [TYP-4] [TYP-6] [TYP-15] [TYP-16] [TYP-17] [TYP-26]', async () => {
    const { call } = await openForTest();
    const made = await call('POST', base, minimalType);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: 'triage',
      description: '',
      pii_fields: [],
      retention_days: 90,
      fallback_option: null,
      model_deployed: false,
      availability: null,
      needs_retraining: false,
      active_version: {
        version_number: 1,
        options: ['yes', 'no'],
        reason_codes: [],
        hard_rules: [],
        input_schema: null,
        confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 },
        escalation_policy: { enabled: false, between: 'flag', timeout_ms: 10_000, connection: null },
      },
    });
    const { id } = made.body;
    const listed = await call('GET', base);
    expect(listed.body).toMatchObject({ total: 1, page: 1, page_size: 20, pages: 1 });
    expect(
      (await call('PUT', `${base}/${id}`, { description: 'Sorts post', retention_days: null })).body,
    ).toMatchObject({
      description: 'Sorts post',
      retention_days: null,
      active_version: { version_number: 1 },
    });
    const deleted = await call('DELETE', `${base}/${id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await call('GET', `${base}/${id}`)).body.error.code).toBe('decision_type_not_found');
    expect((await call('GET', base)).body.total).toBe(0);
    expect((await call('POST', base, minimalType)).status).toBe(201);
  });

  it('is restored within two days, unless its name is taken by then [TYP-37]', async () => {
    const clock = stoppedClock();
    const { app, call: asOwner } = await openForTest({}, clock);
    // A session would end before the two days do.
    const { key } = (await asOwner('POST', '/api/v1/api-keys', { name: 'shop' })).body;
    const call = callerOf(app, { authorization: `Bearer ${key}` });
    const id = await makeType(call);
    const restore = (of: string) => call('POST', `${base}/${of}/restore`);
    expect((await restore(id)).body).toMatchObject({ id, name: 'triage' });
    await call('DELETE', `${base}/${id}`);
    const second = await makeType(call);
    const refused = await restore(id);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain('"triage"');
    await call('PUT', `${base}/${second}`, { name: 'triage of today' });
    expect((await restore(id)).status).toBe(200);
    expect((await call('GET', base)).body.total).toBe(2);
    const dayMs = 24 * 3600 * 1000;
    await call('DELETE', `${base}/${id}`);
    clock.move(2 * dayMs);
    expect((await restore(id)).status).toBe(200);
    await call('DELETE', `${base}/${id}`);
    clock.move(2 * dayMs + 1);
    expect((await restore(id)).body.error.code).toBe('decision_type_not_found');
  });

  it('may be made with every field, rules under either name [TYP-7] [TYP-14]', async () => {
    const { call } = await openForTest();
    const rule = { name: 'r', condition: 'ctx.x > 1', then: 'yes', reason_code: 'A', priority: 3 };
    for (const field of ['rules', 'hard_rules']) {
      const fields = { name: field, description: 'Sorts post', reason_codes: ['A', 'B'], [field]: [rule] };
      const made = await call('POST', base, { ...minimalType, ...fields });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({ name: field, description: 'Sorts post' });
      expect(made.body.active_version).toMatchObject({ reason_codes: ['A', 'B'], hard_rules: [rule] });
      expect(made.body.active_version).not.toHaveProperty('rules');
      const changed = await call('PUT', `${base}/${made.body.id}`, { [field]: [] });
      expect(changed.body.active_version).toMatchObject({ version_number: 2, hard_rules: [] });
    }
    const both = await call('POST', base, { ...minimalType, rules: [rule], hard_rules: [rule] });
    expect([both.status, both.body.error.details[0].loc]).toEqual([422, ['body', 'rules']]);
  });

  it('keeps the bounds of its fields [TYP-6] [TYP-11] [TYP-12] [TYP-13] [TYP-15] [TYP-16] [TYP-21] [RUL-8]', async () => {
    const { call } = await openForTest();
    const many = (count: number) => Array.from({ length: count }, (_, n) => `item ${n}`);
    const rules = (count: number, name = (n: number) => `rule ${n}`) =>
      Array.from({ length: count }, (_, n) => ({ name: name(n), condition: 'ctx.x > 1', then: 'yes', priority: 1 }));
    const taken = [
      { name: 'n'.repeat(100) },
      { name: 'two hundred options', options: many(200) },
      { name: 'five hundred codes', reason_codes: many(500) },
      { name: 'two hundred rules', rules: rules(200) },
      { name: 'equal thresholds', confidence_thresholds: { auto_decide: 0.5, escalation: 0.5 } },
      { name: 'a fallback', fallback_option: 'no' },
      { name: 'ten years', retention_days: 3650 },
    ];
    for (const fields of taken)
      expect([fields.name, (await call('POST', base, { ...minimalType, ...fields })).status]).toEqual([
        fields.name,
        201,
      ]);
    const refused: [Record<string, unknown>, unknown[]][] = [
      [{ name: undefined }, ['body', 'name']],
      [{ options: undefined }, ['body', 'options']],
      [{ name: '' }, ['body', 'name']],
      [{ name: 'n'.repeat(101) }, ['body', 'name']],
      [{ name: ' \t\n' }, ['body', 'name']],
      [{ options: ['yes', '  '] }, ['body', 'options', 1]],
      [{ reason_codes: ['A', ' '] }, ['body', 'reason_codes', 1]],
      [{ options: ['yes'] }, ['body', 'options']],
      [{ options: ['yes', 'yes'] }, ['body', 'options']],
      [{ options: ['yes', ''] }, ['body', 'options', 1]],
      [{ options: many(201) }, ['body', 'options']],
      [{ reason_codes: many(501) }, ['body', 'reason_codes']],
      [{ rules: rules(201) }, ['body', 'rules']],
      [{ rules: rules(2, () => 'same') }, ['body', 'rules', 1, 'name']],
      [{ confidence_thresholds: { auto_decide: 0.5, escalation: 0.6 } }, ['body', 'confidence_thresholds']],
      [
        { confidence_thresholds: { auto_decide: 1.1, escalation: 0.6 } },
        ['body', 'confidence_thresholds', 'auto_decide'],
      ],
      [{ fallback_option: 'maybe' }, ['body', 'fallback_option']],
      [{ retention_days: 0 }, ['body', 'retention_days']],
      [{ retention_days: 3651 }, ['body', 'retention_days']],
    ];
    for (const [fields, loc] of refused) {
      const answer = await call('POST', base, { ...minimalType, ...fields });
      expect([fields, answer.status, answer.body.error.details[0].loc]).toEqual([fields, 422, loc]);
    }
  });

  it('keeps names that are not blank when it is changed, and keeps types from before that was asked [TYP-33]', async () => {
    const { call, deps } = await openForTest();
    const url = `${base}/${await makeType(call, { options: ['yes', 'no', 'maybe'] })}`;
    for (const [method, at, body, loc] of [
      ['PUT', url, { name: '  ' }, ['body', 'name']],
      ['PUT', url, { options: ['yes', ' '] }, ['body', 'options', 1]],
      ['PUT', url, { reason_codes: ['\n'] }, ['body', 'reason_codes', 0]],
      ['POST', `${url}/options/rename`, { from: 'no', to: ' ' }, ['body', 'to']],
      ['POST', '/api/v1/api-keys', { name: ' ' }, ['body', 'name']],
    ] as const) {
      const answer = await call(method, at, body);
      expect([body, answer.status, answer.body.error.details?.[0].loc]).toEqual([body, 422, loc]);
    }
    expect((await call('PUT', url, { name: ' triage, twice ' })).body.name).toBe(' triage, twice ');
    const old = { options: ['yes', ' '], reason_codes: ['\n'] };
    deps.db
      .prepare('UPDATE decision_type_versions SET definition = json_patch(definition, ?)')
      .run(JSON.stringify(old));
    expect((await call('GET', url)).body.active_version).toMatchObject(old);
  });

  it('makes no version of what is the same [TYP-4] [TYP-10]', async () => {
    const { call } = await openForTest();
    const fields = {
      options: ['yes', 'no'],
      reason_codes: ['A'],
      hard_rules: [{ name: 'r', condition: 'ctx.x > 1', then: 'yes', reason_code: 'A', priority: 1 }],
      input_schema: { type: 'object', required: ['x'], properties: { x: { type: 'number' }, y: {} } },
      confidence_thresholds: { auto_decide: 0.9, escalation: 0.5 },
      escalation_policy: { enabled: false, between: 'accept' },
    };
    const id = await makeType(call, fields);
    const metadata = { name: 'other', description: 'd', pii_fields: ['a.b'], retention_days: 7 };
    const { escalation_policy: _set, ...logic } = fields;
    const sameSchema = { properties: { y: {}, x: { type: 'number' } }, required: ['x'], type: 'object' };
    for (const change of [fields, logic, { input_schema: sameSchema }, metadata, {}]) {
      const changed = await call('PUT', `${base}/${id}`, change);
      expect([changed.status, changed.body.active_version.version_number]).toEqual([200, 1]);
    }
    expect((await call('GET', `${base}/${id}`)).body).toMatchObject(metadata);
    const other = { ...sameSchema, required: ['y'] };
    expect((await call('PUT', `${base}/${id}`, { input_schema: other })).body.active_version.version_number).toBe(2);
  });

  it('makes a version for each change of logic and keeps the earlier ones readable [TYP-8] [TYP-9] [VER-2]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const changes = [
      { reason_codes: ['A'] },
      { hard_rules: [{ name: 'r', condition: 'ctx.x > 1', then: 'yes', reason_code: 'A', priority: 1 }] },
      { options: ['yes', 'no', 'maybe'] },
      { input_schema: { type: 'object', required: ['x'] } },
      { confidence_thresholds: { auto_decide: 0.9, escalation: 0.5 } },
      { escalation_policy: { between: 'accept' } },
    ];
    for (const [index, change] of changes.entries()) {
      const changed = await call('PUT', `${base}/${id}`, change);
      expect(changed.body.active_version.version_number).toBe(index + 2);
    }
    expect(
      (await call('PUT', `${base}/${id}`, { options: ['yes', 'no', 'maybe'] })).body.active_version.version_number,
    ).toBe(7);
    const versions = (await call('GET', `${base}/${id}/versions`)).body;
    expect(versions.map((version: { version_number: number }) => version.version_number)).toEqual([
      7, 6, 5, 4, 3, 2, 1,
    ]);
    const first = await call('GET', `${base}/${id}/versions/${versions[6].id}`);
    expect(first.body.options).toEqual(['yes', 'no']);
  });

  it('renames an option everywhere at once, after showing what it touches [TYP-27]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call, {
      fallback_option: 'no',
      hard_rules: [
        { name: 'small', condition: 'ctx.x < 1', then: 'no', priority: 1 },
        { name: 'large', condition: 'ctx.x > 9', then: 'yes', priority: 2 },
      ],
    });
    const url = `${base}/${id}`;
    const labels = ['no', 'yes', 'no', null];
    await call('POST', `${url}/examples`, { examples: labels.map((decision, x) => ({ input: { x }, decision })) });
    const bulk = await call('POST', `${url}/examples/bulk`, { filter: {}, action: 'set_reviewed', reviewed: true });
    const rename = (body: object) => call('POST', `${url}/options/rename`, body);
    const touches = { examples: 2, rules: ['small'], fallback_option: true, deployed_policy: false };

    const shown = await rename({ from: 'no', to: 'refuse' });
    expect(shown.body).toMatchObject({ committed: false, touches, decision_type: { fallback_option: 'no' } });
    expect((await call('GET', url)).body.active_version).toMatchObject({ version_number: 1, options: ['yes', 'no'] });

    const done = await rename({ from: 'no', to: 'refuse', commit: true });
    expect(done.body).toMatchObject({ committed: true, touches });
    const after = (await call('GET', url)).body;
    expect(after).toEqual(done.body.decision_type);
    expect(after).toMatchObject({
      fallback_option: 'refuse',
      active_version: {
        version_number: 2,
        options: ['yes', 'refuse'],
        hard_rules: [{ then: 'refuse' }, { then: 'yes' }],
      },
    });
    expect((await call('GET', `${url}/examples/stats`)).body.by_option).toEqual({ yes: 1, refuse: 2 });
    const undone = await call('POST', `${url}/examples/undo`, { undo_token: bulk.body.undo_token });
    expect(undone.status).toBe(409);

    for (const [wrong, field] of [
      [{ from: 'no', to: 'never' }, 'from'],
      [{ from: 'yes', to: 'refuse' }, 'to'],
      [{ from: 'yes', to: '' }, 'to'],
    ] as const) {
      expect((await rename({ ...wrong, commit: true })).body.error.details[0].loc).toEqual(['body', field]);
    }
  });

  it('refuses a taken name, also when two ask at once [TYP-2]', async () => {
    const { call } = await openForTest();
    const both = await Promise.all([call('POST', base, minimalType), call('POST', base, minimalType)]);
    expect(both.map((answer) => answer.status).sort()).toEqual([201, 409]);
    const other = await makeType(call, { name: 'other' });
    expect((await call('PUT', `${base}/${other}`, { name: 'triage' })).body.error.code).toBe('conflict');
    expect((await call('PUT', `${base}/${other}`, { name: 'other' })).status).toBe(200);
  });

  it('is found by its id in either case', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const found = await call('GET', `${base}/${id.toUpperCase()}`);
    expect([found.status, found.body.id]).toEqual([200, id]);
  });

  it('reports every wrong rule with its place [RUL-3] [RUL-4] [RUL-5]', async () => {
    const { call } = await openForTest();
    const answer = await call('POST', base, {
      ...minimalType,
      rules: [
        { name: 'syntax', condition: 'ctx.a >', then: 'yes' },
        { name: 'option', condition: 'ctx.a > 1', then: 'perhaps' },
        { name: 'code', condition: 'ctx.a > 1', then: 'yes', reason_code: 'NONE' },
        { name: 'good', condition: 'ctx.a > 1', then: 'no' },
      ],
    });
    expect(answer.status).toBe(422);
    const places = answer.body.error.details.map((detail: { loc: unknown[] }) => detail.loc.slice(0, 3).join('.'));
    expect(new Set(places)).toEqual(new Set(['body.rules.0', 'body.rules.1', 'body.rules.2']));
  });

  it('refuses schemas that reach elsewhere and fallbacks that are no option', async () => {
    const { call } = await openForTest();
    const remote = await call('POST', base, { ...minimalType, input_schema: { $ref: 'http://example.com/s.json' } });
    expect(remote.body.error.details[0].loc.slice(0, 2)).toEqual(['body', 'input_schema']);
    const fallback = await call('POST', base, { ...minimalType, fallback_option: 'other' });
    expect(fallback.body.error.details[0].loc).toEqual(['body', 'fallback_option']);
    const wrong = await call('POST', base, { ...minimalType, input_schema: { type: 'nonsense' } });
    expect(wrong.status).toBe(422);
  });

  it('takes schemas of up to 64 KiB, and as deep as a body can carry them [TYP-18]', async () => {
    const { call } = await openForTest();
    const made = (name: string, input_schema: object) => call('POST', base, { ...minimalType, name, input_schema });
    const room = 64 * 1024 - JSON.stringify({ description: '' }).length;
    expect((await made('full', { description: 'x'.repeat(room) })).status).toBe(201);
    const large = await made('too large', { description: 'x'.repeat(room + 1) });
    expect([large.status, large.body.error.details[0].loc]).toEqual([422, ['body', 'input_schema']]);
    // two bytes a character
    expect((await made('too large', { description: '\u00e9'.repeat(room / 2 + 1) })).status).toBe(422);
    const nested = (levels: number): object => (levels === 1 ? {} : { not: nested(levels - 1) });
    expect((await made('deep', nested(31))).status).toBe(201);
    expect((await made('too deep', nested(32))).body.error.code).toBe('bad_request');
  });

  it('refuses schemas whose references multiply, however small they are [TYP-32]', async () => {
    const { call } = await openForTest();
    const twice = (level: number) => ({ allOf: [{ $ref: `#/$defs/l${level}` }, { $ref: `#/$defs/l${level}` }] });
    const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`l${n + 1}`, n === 0 ? {} : twice(n)]));
    const refused = await call('POST', base, { ...minimalType, input_schema: { $defs, ...twice(30) } });
    expect([refused.status, refused.body.error.details]).toEqual([
      422,
      [
        {
          type: 'schema_work',
          loc: expect.arrayContaining(['body', 'input_schema', '$defs']),
          msg: expect.stringContaining('use fewer alternatives'),
        },
      ],
    ]);
  });

  it('checks rules for the editor without saving anything', async () => {
    const { call } = await openForTest();
    const rule = { name: 'r', condition: 'ctx.amount >', then: 'yes', priority: 1 };
    const checked = await call('POST', '/api/v1/rules/check', {
      rules: [rule],
      options: ['yes', 'no'],
      reason_codes: [],
    });
    expect(checked.body.ok).toBe(false);
    expect(checked.body.problems[0]).toMatchObject({ rule: 0, name: 'r', range: { start: expect.any(Number) } });
    const good = await call('POST', '/api/v1/rules/check', {
      rules: [{ ...rule, condition: 'ctx.amount > 3' }],
      options: ['yes', 'no'],
    });
    expect(good.body).toEqual({ ok: true, problems: [], findings: [] });
  });

  it('offers a sample project in three languages, with rules and enough examples', async () => {
    const { call } = await openForTest();
    const samples: { name: string; examples: number }[] = (await call('GET', '/api/v1/samples')).body;
    expect(samples.map(({ name }) => name)).toEqual(['refund-requests', 'refund-requests-de', 'refund-requests-fr']);
    for (const { name, examples } of samples) {
      const made = await call('POST', `/api/v1/samples/${name}`);
      expect([made.status, made.body.name]).toEqual([201, name]);
      const readiness = await call('GET', `${base}/${made.body.id}/training-readiness`);
      expect(readiness.body).toMatchObject({ ready: true, total_examples: examples });
    }
    expect((await call('POST', '/api/v1/samples/none')).status).toBe(404);
  });
});
