/** Deciding over REST as the interface says it, on one deployed policy whose settings change from story to story. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTrainable, loanExamples, loanType, openForAll, pollUntil, terminal } from '../workbench.ts';

const bench = openForAll();
let path: string;

const applicant = { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true };
const decide = (input: object) => bench.call('POST', '/decide', { decision_type: 'loan', input });
const change = async (fields: object) => expect((await bench.call('PUT', path, fields)).status).toBe(200);
const rule = (name: string, condition: string, priority = 1, then = 'decline') => ({
  name,
  condition,
  then,
  reason_code: 'TOO_MUCH',
  priority,
});

beforeAll(async () => {
  path = await createTrainable(bench, loanType, loanExamples(40));
  const { policy_id } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
  await pollUntil(() => bench.call('GET', `${path}/policies/${policy_id}/progress`), terminal);
});

describe('a decision request', () => {
  it('needs the name of a type and an input that is an object [DEC-1] [DEC-3]', async () => {
    const faults: [unknown, unknown[]][] = [
      [{ input: {} }, ['body', 'decision_type']],
      [{ decision_type: 'loan' }, ['body', 'input']],
      [{ decision_type: 'loan', input: [] }, ['body', 'input']],
      [{ decision_type: 'loan', input: 'x' }, ['body', 'input']],
      [{ decision_type: 7, input: {} }, ['body', 'decision_type']],
      [{ decision_type: 'loan', type: 'other', input: {} }, ['body', 'type']],
      [{ decision_type: 'loan', input: {}, colour: 'red' }, ['body', 'colour']],
    ];
    for (const [body, loc] of faults) {
      const answer = await bench.call('POST', '/decide', body);
      expect([body, answer.status, answer.body.error.details?.[0].loc]).toEqual([body, 422, loc]);
    }
    const hints = [
      [path.slice('/decision-types/'.length), 'This is the id of "loan": name it so.'],
      ['Loan', 'Names count every capital letter: one is called "loan".'],
      ['loan ', 'Names count every capital letter: one is called "loan".'],
      ['lone', 'Names count every capital letter.'],
    ];
    for (const [name, hint] of hints) {
      const { status, body } = await bench.call('POST', '/decide', { decision_type: name, input: {} });
      const { code, message } = body.error;
      expect([name, status, code, message]).toEqual([
        name,
        404,
        'decision_type_not_found',
        `The decision type does not exist. ${hint}`,
      ]);
    }
    const batch = await bench.call('POST', '/decide/batch', { decision_type: 'loan', inputs: [{}] });
    expect(batch.body.error.details[0].msg).toContain('a batch is {"decisions": [');
  });
});

describe('a deleted decision type', () => {
  it('is restored with everything in it, and decides as before [TYP-37]', async () => {
    const read = async () => ({
      type: (await bench.call('GET', path)).body,
      examples: (await bench.call('GET', `${path}/examples/stats`)).body,
      policies: (await bench.call('GET', `${path}/policies`)).body,
    });
    const before = await read();
    const { decision, confidence } = (await decide(applicant)).body;
    expect((await bench.call('DELETE', path)).status).toBe(204);
    for (const answer of [await decide(applicant), await bench.call('GET', `${path}/examples/stats`)]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'decision_type_not_found']);
    }
    const restored = await bench.call('POST', `${path}/restore`);
    expect([restored.status, restored.body]).toEqual([200, before.type]);
    expect(await read()).toEqual(before);
    expect((await decide(applicant)).body).toMatchObject({ decision, confidence });
  });
});

describe('the id of a call', () => {
  it("is the caller's where it is usable, in the answer, the header and the record alike [DEC-9]", async () => {
    const { token } = await bench.deps.auth.issuer.issue();
    const ask = (id: string) =>
      bench.app.inject({
        method: 'POST',
        url: '/api/v1/decide',
        headers: { authorization: `Bearer ${token}`, host: '127.0.0.1', 'x-request-id': id },
        payload: { decision_type: 'loan', input: applicant },
      });
    const made = expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    for (const [given, expected] of [
      ['order 17 ~!', 'order 17 ~!'],
      ['x'.repeat(128), 'x'.repeat(128)],
      ['x'.repeat(129), made],
      ['', made],
    ]) {
      const answer = await ask(given);
      const { request_id } = answer.json();
      expect([request_id, answer.headers['x-request-id']]).toEqual([expected, request_id]);
      const [record] = (await bench.call('GET', `${path}/logs?page_size=1`)).body.items;
      expect(record.request_id).toBe(request_id);
    }
  });
});

describe('the classifier', () => {
  it('gives every option a probability, one of them the confidence, and reason codes [SVC-2]', async () => {
    const { body } = await decide(applicant);
    expect(Object.keys(body.class_probabilities)).toEqual(['approve', 'decline']);
    const values = Object.values<number>(body.class_probabilities);
    expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
    expect(body.confidence).toBe(Math.max(...values));
    expect(body.class_probabilities[body.decision]).toBe(body.confidence);
    expect(body.reason_codes).toEqual(['GOOD_SCORE']);
  });

  it('opens no connection to decide [SVC-6]', async () => {
    const opened: unknown[] = [];
    const note = (message: unknown) => void opened.push(message);
    subscribe('net.client.socket', note);
    try {
      expect((await decide(applicant)).body.stage).toBe('classifier');
      expect((await decide({ amount: 60_000 })).body.stage).toBe('rules');
      await change({ confidence_thresholds: { auto_decide: 1, escalation: 1 }, fallback_option: 'decline' });
      expect((await decide(applicant)).body.stage).toBe('fallback');
    } finally {
      unsubscribe('net.client.socket', note);
      await change({ confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 }, fallback_option: null });
    }
    expect(opened).toEqual([]);
  });
});

describe('a hard rule', () => {
  it('compares, combines, tests lists and reaches into objects of ctx [RUL-2]', async () => {
    const conditions: [string, object][] = [
      ['ctx.amount > 9000', { amount: 9_001 }],
      ['ctx.purpose == "boat"', { purpose: 'boat' }],
      ["ctx.purpose == 'boat' && ctx.amount >= 10", { purpose: 'boat', amount: 10 }],
      [
        'ctx.debts.exists(d, d.open && d.sum > 5)',
        {
          debts: [
            { open: false, sum: 9 },
            { open: true, sum: 6 },
          ],
        },
      ],
      ['ctx.applicant.address.country == "XX"', { applicant: { address: { country: 'XX' } } }],
    ];
    for (const [condition, input] of conditions) {
      await change({ hard_rules: [rule('only', condition)] });
      expect([condition, (await decide(input)).body.stage]).toEqual([condition, 'rules']);
      expect([condition, (await decide(applicant)).body.stage]).toEqual([condition, 'classifier']);
    }
  });

  it('runs by priority and then in listed order; the first match alone is named [RUL-6] [RUL-7] [DEC-7]', async () => {
    await change({
      hard_rules: [
        rule('third', 'ctx.amount > 0', 7),
        rule('never', 'ctx.amount > 1000000', 1),
        rule('first', 'ctx.amount > 5000', 2, 'approve'),
        rule('second', 'ctx.amount > 4000', 2),
      ],
    });
    const named = async (amount: number) => (await decide({ ...applicant, amount })).body;
    expect(await named(6_000)).toMatchObject({
      decision: 'approve',
      stage: 'rules',
      confidence: 1,
      class_probabilities: { approve: 1, decline: 0 },
      reason_codes: ['TOO_MUCH'],
      rules_triggered: ['first'],
      escalate: false,
      fallback_used: false,
    });
    expect((await named(4_500)).rules_triggered).toEqual(['second']);
    expect((await named(10)).rules_triggered).toEqual(['third']);
    expect(await named(0)).toMatchObject({ stage: 'classifier', rules_triggered: [] });
  });

  it('that errs does not match: the trace says why, and the call goes on [RUL-9] [RUL-11]', async () => {
    await change({
      hard_rules: [
        rule('missing', 'ctx.nowhere > 1', 1),
        rule('inherited', 'ctx.constructor != null', 2),
        rule('type', 'ctx.purpose > 1', 3),
      ],
    });
    const answer = await bench.call('POST', '/decide?trace=true', { decision_type: 'loan', input: applicant });
    expect(answer.body.stage).toBe('classifier');
    expect(answer.body.trace.rules).toMatchObject([
      { name: 'missing', outcome: 'error', error: expect.stringContaining('ctx.nowhere') },
      { name: 'inherited', outcome: 'error', error: expect.stringContaining('ctx.constructor') },
      { name: 'type', outcome: 'error', error: expect.any(String) },
    ]);
  });

  it('that errs is in the log record and its exports, with or without a trace [RUL-9] [LOG-3]', async () => {
    await change({ hard_rules: [rule('missing', 'ctx.nowhere > 1', 1), rule('type', 'ctx.purpose > 1', 3)] });
    const errors = [
      { name: 'missing', error: 'missing_field' },
      { name: 'type', error: 'type_mismatch' },
    ];
    await decide(applicant);
    await bench.call('POST', '/decide?trace=true', { decision_type: 'loan', input: applicant });
    await bench.call('POST', '/decide/batch', [{ decision_type: 'loan', input: applicant }]);
    await decide({ ...applicant, nowhere: 2 });
    await change({ hard_rules: [rule('fine', 'ctx.amount > 1', 1)] });
    await decide(applicant);
    const { items } = (await bench.call('GET', `${path}/logs?page_size=5`)).body;
    expect(items.map((record: { rule_errors: unknown }) => record.rule_errors)).toEqual([
      [],
      [],
      errors,
      errors,
      errors,
    ]);
    const headers = { host: '127.0.0.1', authorization: `Bearer ${(await bench.deps.auth.issuer.issue()).token}` };
    const exported = async (format: string) =>
      (await bench.app.inject({ url: `/api/v1${path}/logs/export?format=${format}`, headers })).payload;
    expect(JSON.parse(await exported('json'))[2].rule_errors).toEqual(errors);
    const [head, , , row] = (await exported('csv')).split('\r\n');
    expect(head).toContain(',rules_triggered,rule_errors,escalated,');
    expect(row).toContain(`"${JSON.stringify(errors).replaceAll('"', '""')}"`);
    await change({ hard_rules: [] });
  });
});

describe('a log record', () => {
  it('names the version whose rules and thresholds decided, whatever is saved afterwards [LOG-7]', async () => {
    type Numbered = { decision_type_version: number };
    const readVersions = async (count: number) =>
      (await bench.call('GET', `${path}/logs?page_size=${count}`)).body.items.map(
        (record: Numbered) => record.decision_type_version,
      );
    const { active_version: before } = (await bench.call('GET', path)).body;
    const { options, version_number: first } = before;
    await change({ hard_rules: [rule('always', 'true')] });
    await decide(applicant);
    await change({ confidence_thresholds: { auto_decide: 1, escalation: 1 }, hard_rules: [] });
    await decide(applicant);
    await bench.call('POST', '/decide/batch', [{ decision_type: 'loan', input: applicant }]);
    expect(await readVersions(3)).toEqual([first + 2, first + 2, first + 1]);

    // Other options than the policy's: the version that it was trained on decides until another policy does.
    await change({ options: [...options, 'ask'] });
    await decide(applicant);
    expect(await readVersions(4)).toEqual([1, first + 2, first + 2, first + 1]);
    const again = await decide(applicant);
    const [record] = (await bench.call('GET', `${path}/logs?page_size=1`)).body.items;
    expect(record.explanation).toBe(again.body.explanation);
    const exported = await bench.call('GET', `${path}/logs/export`);
    expect(exported.body[0].explanation).toBe(record.explanation);
    expect(exported.body.slice(0, 4).map((record: Numbered) => record.decision_type_version)).toEqual(
      await readVersions(4),
    );
    await change({ options, confidence_thresholds: before.confidence_thresholds });
  });
});

describe('an input schema', () => {
  it('is checked before the rules, and points into the input [DEC-6] [TYP-19]', async () => {
    const schema = { type: 'object', properties: { amount: { type: 'number', minimum: 0 } }, required: ['amount'] };
    await change({ input_schema: schema, hard_rules: [rule('always', 'true')] });
    const wrong = await decide({ amount: -1 });
    expect([wrong.status, wrong.body.error.code]).toEqual([422, 'validation_error']);
    expect(wrong.body.error.details).toEqual([
      { type: expect.any(String), loc: ['body', 'input', 'amount'], msg: expect.any(String) },
    ]);
    expect((await decide({ amount: 1 })).body.stage).toBe('rules');
    await change({ input_schema: null, hard_rules: [] });
    expect((await decide({ amount: -1 })).status).toBe(200);
  });
});

describe('at a threshold', () => {
  it('the confidence counts as above it, the next larger number as below [THR-1] [THR-3]', async () => {
    const { confidence } = (await decide(applicant)).body;
    const next = confidence + 2 ** -53;
    expect(next).toBeGreaterThan(confidence);
    const answerAt = async (auto_decide: number, escalation: number) => {
      await change({ confidence_thresholds: { auto_decide, escalation }, fallback_option: 'decline' });
      const { stage, escalate } = (await decide(applicant)).body;
      return [stage, escalate];
    };
    await change({ escalation_policy: { between: 'flag' } });
    expect(await answerAt(confidence, 0)).toEqual(['classifier', false]);
    expect(await answerAt(next, 0)).toEqual(['classifier', true]);
    expect(await answerAt(1, confidence)).toEqual(['classifier', true]);
    expect(await answerAt(1, next)).toEqual(['fallback', true]);
  });
});

describe('between the thresholds', () => {
  it('the escalation policy settles it, without a live model where none is configured [THR-2] [SVC-3]', async () => {
    const probability = (await decide(applicant)).body.confidence;
    await change({ fallback_option: 'decline', confidence_thresholds: { auto_decide: 1, escalation: 0 } });
    expect(probability).toBeLessThan(1);
    const expected = [
      ['accept', 'approve', 'classifier', false, false],
      ['flag', 'approve', 'classifier', true, false],
      ['fallback', 'decline', 'fallback', true, true],
      ['escalate', 'decline', 'fallback', true, true],
    ] as const;
    for (const [between, decision, stage, escalate, fallback_used] of expected) {
      await change({ escalation_policy: { between } });
      expect((await decide(applicant)).body).toMatchObject({ decision, stage, escalate, fallback_used });
    }
  });
});

describe('an unfamiliar input', () => {
  it('counts as below the escalation threshold, unless the type says otherwise [THR-6]', async () => {
    const strange = { applicant: { score: 90_000 }, amount: -5_000_000, purpose: 'moon', employed: 'often' };
    const confidence_thresholds = { auto_decide: 0, escalation: 0 };
    await change({ confidence_thresholds, fallback_option: 'decline', escalation_policy: { between: 'accept' } });
    expect((await decide(strange)).body).toMatchObject({ unfamiliar: true, escalate: true, stage: 'fallback' });
    expect((await decide(applicant)).body).toMatchObject({ unfamiliar: false, escalate: false, stage: 'classifier' });
    const [, logged] = (await bench.call('GET', `${path}/logs?page_size=2`)).body.items;
    expect(logged).toMatchObject({ unfamiliar: true, escalated: true });
    await change({ escalation_policy: { unfamiliar: 'ignore' } });
    expect((await decide(strange)).body).toMatchObject({ unfamiliar: false, escalate: false, stage: 'classifier' });
  });
});

describe('a batch', () => {
  it('answers in order whatever fails, wrapped or bare [BAT-1] [BAT-3] [BAT-4] [BAT-5] [BAT-6]', async () => {
    const items = [
      { decision_type: 'loan', input: applicant },
      { decision_type: 'none', input: {} },
      'nonsense',
      { type: 'loan', input: { ...applicant, amount: 3_000 } },
      { decision_type: 'loan', input: 3 },
    ];
    for (const body of [items, { decisions: items }]) {
      const answer = await bench.call('POST', '/decide/batch', body);
      expect(answer.status).toBe(200);
      const { results, errors, succeeded, failed } = answer.body;
      expect(results.map((result: unknown) => result !== null)).toEqual([true, false, false, true, false]);
      const told = { message: expect.any(String), retryable: false, request_id: expect.any(String) };
      expect(errors).toEqual([
        { ...told, index: 1, decision_type: 'none', code: 'decision_type_not_found', status_code: 404 },
        { ...told, index: 2, decision_type: '', code: 'validation_error', status_code: 422 },
        { ...told, index: 4, decision_type: 'loan', code: 'validation_error', status_code: 422 },
      ]);
      expect([succeeded, failed]).toEqual([2, 3]);
    }
    const { items: newest } = (await bench.call('GET', `${path}/logs?page_size=2`)).body;
    expect(newest.map((record: { input: { amount: number } }) => record.input.amount)).toEqual([3_000, 2_000]);
  });

  it('goes on by an input schema that was saved when more was accepted, also where it is much work [TYP-32]', async () => {
    const old = {
      properties: { codes: { type: 'array', uniqueItems: true } },
      $ref: '#/$defs/n',
      $defs: { n: { anyOf: [1, 2].map((n) => ({ properties: { a: { $ref: '#/$defs/n' } }, minProperties: n })) } },
    };
    const refused = await bench.call('PUT', path, { input_schema: old });
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([
      422,
      ['body', 'input_schema', 'properties', 'codes', 'uniqueItems'],
    ]);
    const id = path.slice('/decision-types/'.length);
    const { store } = bench.deps;
    const { id: organisationId } = store.accounts.getFirstOrganisation() ?? expect.fail('no organisation');
    const type = store.decisionTypes.get(id, organisationId) ?? expect.fail('no type');
    const definition = { ...type.activeVersion.definition, input_schema: old };
    const activeVersion = { ...type.activeVersion, id: 'stored', versionNumber: 1_000, definition };
    store.transaction(() => store.decisionTypes.update({ ...type, activeVersion }, true));

    expect((await decide({ ...applicant, codes: [[1], [2]] })).status).toBe(200);
    const twice = await decide({ ...applicant, codes: [[1], [1]] });
    expect([twice.status, twice.body.error.details[0].loc]).toEqual([422, ['body', 'input', 'codes']]);
    await change({ hard_rules: [rule('all', 'true')] });
    expect((await decide(applicant)).body.stage).toBe('rules');
    await change({ input_schema: null, hard_rules: [] });
  });

  it('is tried without a log record or a charge [CLN-3]', async () => {
    const before = [
      (await bench.call('GET', `${path}/logs`)).body.total,
      (await bench.call('GET', '/credits')).body.used,
    ];
    const items = [
      { decision_type: 'loan', input: applicant },
      { decision_type: 'none', input: {} },
    ];
    const { status, body } = await bench.call('POST', '/decide/batch?dry_run=true', { decisions: items });
    expect([status, body.succeeded, body.failed, body.results[0].dry_run]).toEqual([200, 1, 1, true]);
    const after = [
      (await bench.call('GET', `${path}/logs`)).body.total,
      (await bench.call('GET', '/credits')).body.used,
    ];
    expect(after).toEqual(before);
  });

  it('says on a dry run and with an explanation alone what of an input is not read [DEC-13]', async () => {
    const ask = async (query: string, input: object) =>
      (await bench.call('POST', `/decide${query}`, { decision_type: 'loan', input })).body.unread;
    const wrong = { ...applicant, amount: '900', purpse: 'car' };
    const sentences = ["'amount' must be a number", "'purpse' is no field of the policy; did you mean 'purpose'?"];
    expect(await ask('?dry_run=true', wrong)).toEqual(sentences);
    expect(await ask('?explain=true', wrong)).toEqual(sentences);
    expect(await ask('?dry_run=true', applicant)).toEqual([]);
    expect(await ask('', wrong)).toBeUndefined();
    const batch = { decisions: [{ decision_type: 'loan', input: wrong }] };
    expect((await bench.call('POST', '/decide/batch?dry_run=true', batch)).body.results[0].unread).toEqual(sentences);
  });

  it('names whole numbers that lose digits, in an answer, for an agent and of examples [DEC-16]', async () => {
    const lost = 'is a whole number beyond 2^53, which loses digits; send it as text';
    const send = async (url: string, text: string) =>
      bench.app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${bench.token}`, host: '127.0.0.1' },
        payload: text.replaceAll('"@"', '1234567890123456789'),
      });
    const item = { decision_type: 'loan', input: { ...applicant, purpose: '@', more: [1, '@'] } };
    const one = await send('/api/v1/decide', JSON.stringify(item));
    expect(one.json().unread).toEqual([`'purpose' ${lost}`, `'more[1]' ${lost}`]);
    const plain = { ...item, input: applicant };
    for (const batch of [[plain, item], { decisions: [plain, item] }]) {
      const { results } = (await send('/api/v1/decide/batch', JSON.stringify(batch))).json();
      expect(results.map(({ unread }: { unread?: string[] }) => unread?.length)).toEqual([undefined, 2]);
    }
    const params = { name: 'make_decision', arguments: item };
    const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const large = { ...asked, params: { ...params, _meta: { padding: 'x'.repeat(150_000) } } };
    const { body: key } = await bench.call('POST', '/api-keys', { name: 'agent' });
    for (const message of [asked, large]) {
      const answer = await bench.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${key.key}`,
          host: '127.0.0.1',
        },
        payload: JSON.stringify(message).replaceAll('"@"', '1234567890123456789'),
      });
      expect(answer.body).toContain(`'more[1]' ${lost}`);
    }
    const example = { input_payload: item.input, expected_decision: null };
    for (const padding of ['', 'x'.repeat(150_000)]) {
      const examples = { examples: [{ input_payload: { padding } }, example] };
      const refused = await send(`/api/v1${path}/examples`, JSON.stringify(examples));
      expect([refused.statusCode, refused.json().error.details]).toMatchObject([
        422,
        [
          { loc: ['body', 'examples', 1, 'input_payload', 'purpose'], msg: lost },
          { loc: ['body', 'examples', 1, 'input_payload', 'more', 1], msg: lost },
        ],
      ]);
    }
  });

  it('tells of a refused item the place and what is wrong there [BAT-9]', async () => {
    const input_schema = { type: 'object', properties: { amount: { type: 'number' } }, required: ['purpose'] };
    await change({ input_schema });
    const { body } = await bench.call('POST', '/decide/batch', [
      5,
      { decision_type: 'loan' },
      { decision_type: 'loan', input: {}, note: 'x' },
      { decision_type: 'loan', input: { amount: 'much' } },
    ]);
    await change({ input_schema: null });
    expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
      'Request validation failed. Problems: expected an object.',
      'Request validation failed. Problems: input: input is required.',
      'Request validation failed. Problems: note: unknown field: note.',
      "The input does not fit the input schema. Problems: input.purpose: must have required property 'purpose'; input.amount: must be number.",
    ]);
  });
});
