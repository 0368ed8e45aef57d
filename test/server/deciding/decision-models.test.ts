/** Deployed types asked in the formats of decision models: the same decisions, the same log, errors in their own shape. */
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { type Call, deployForAll, forAll, loanExamples, loanType, openForTest, startWorkbench } from '../workbench.ts';

const folder = deployForAll(loanType, loanExamples(40));
let url: string;
const bench = forAll(
  () => startWorkbench(folder.dataDir),
  ({ stop }) => stop(),
);
let ask: (path: string, body: unknown, headers?: Record<string, string>) => ReturnType<Call>;

const applicant = { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true };
const choice = { type: 'choice', criteria: { decline: null, approve: 'a good risk' } };
const toDecisions = (questions: object[], input: unknown = JSON.stringify(applicant), model = 'latest') => ({
  model,
  input,
  questions,
});

/** Makes a type whose rules alone decide, deployed, and gives its path. */
async function makeRules(name: string, options: string[], rules: object[] = []): Promise<string> {
  const made = await bench.call('POST', '/decision-types', { name, options, rules, fallback_option: options[0] });
  expect(made.status, made.text).toBe(201);
  const path = `/decision-types/${made.body.id}`;
  const policy = await bench.call('POST', `${path}/policies`, { kind: 'rules_only' });
  await bench.call('POST', `${path}/policies/${policy.body.id}/deploy`, {});
  return path;
}

beforeAll(() => {
  url = folder.url.replace('/api/v1', '');
  ask = async (address, payload, headers = {}) => {
    const answer = await bench.app.inject({
      method: 'POST',
      url: address,
      headers: {
        host: '127.0.0.1',
        authorization: `Bearer ${bench.token}`,
        'content-type': 'application/json',
        ...headers,
      },
      payload: Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
    });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: JSON.parse(answer.body) };
  };
});

describe('a choice', () => {
  it('is answered in both formats by the probabilities of /api/v1/decide, whatever the input [MDL-1]', async () => {
    const input = fc.record(
      {
        applicant: fc.record({ score: fc.integer({ min: 300, max: 900 }) }),
        amount: fc.integer({ min: 0, max: 60_000 }),
        purpose: fc.constantFrom('car', 'home', 'boat'),
        employed: fc.boolean(),
      },
      { requiredKeys: ['amount'] },
    );
    await fc.assert(
      fc.asyncProperty(input, async (state) => {
        const { body: own } = await bench.call('POST', '/decide', { decision_type: 'loan', input: state });
        const { body: one } = await ask('/v1/systemone', { model: 'loan', state, questions: { a: choice } });
        const { body: two } = await ask(
          '/v1/decisions',
          toDecisions(
            [{ type: 'choice', choices: [{ value: 'approve' }, { value: 'decline' }] }],
            JSON.stringify(state),
          ),
        );
        const p: Record<string, number> = own.class_probabilities;
        const likelier = (p['approve'] ?? 0) > (p['decline'] ?? 0) ? 'approve' : 'decline';
        const confidence = 2 * Math.max(...Object.values(p)) - 1;
        expect(one.answers.a).toMatchObject({
          type: 'choice',
          choice: likelier,
          probabilities: p,
          x_decision: own.decision,
          x_stage: own.stage,
          x_escalate: own.escalate,
          x_unfamiliar: own.unfamiliar,
          x_confidence: own.confidence,
          x_release: own.release,
        });
        expect(one.answers.a.confidence).toBeCloseTo(confidence, 12);
        expect(two.answers).toEqual([
          {
            type: 'choice',
            name: null,
            choice: likelier,
            confidence: one.answers.a.confidence,
            probabilities: [
              { value: 'approve', probability: p['approve'] },
              { value: 'decline', probability: p['decline'] },
            ],
          },
        ]);
        expect(two.x_workbench[0]).toMatchObject({ x_decision: own.decision, x_decision_type: 'loan' });
        expect([one.model, two.model]).toEqual([`loan@${own.release}`, `loan@${own.release}`]);
      }),
      { numRuns: 40 },
    );
  });

  it('is recorded and charged as any decision, and named by the request [MDL-1]', async () => {
    const before = (await bench.call('GET', `${url}/logs`)).body.total;
    const answer = await ask(
      '/v1/systemone',
      { model: 'loan', state: applicant, questions: { a: choice, b: choice } },
      { 'x-request-id': 'call 7' },
    );
    expect(answer.body.answers.a).toEqual(answer.body.answers.b);
    const { total, items } = (await bench.call('GET', `${url}/logs`)).body;
    expect([total - before, items[0].request_id]).toEqual([1, 'call 7']);
  });

  it('leaves out what is not of the format where the caller wants nothing beside it [MDL-1]', async () => {
    const headers = { 'x-workbench-extras': 'off' };
    const one = await ask('/v1/systemone', { model: 'loan', state: applicant, questions: { a: choice } }, headers);
    expect(Object.keys(one.body.answers.a).toSorted()).toEqual(['choice', 'confidence', 'probabilities', 'type']);
    const question = { type: 'choice', choices: [{ value: 'approve' }, { value: 'decline' }] };
    const two = await ask('/v1/decisions', toDecisions([question]), headers);
    expect(Object.keys(two.body).toSorted()).toEqual(['answers', 'model', 'usage']);
  });
});

describe('which type answers', () => {
  it('is decided by what is asked, kept, and said where nothing fits [MDL-2]', async () => {
    const size = { type: 'choice', instructions: 'How large?', criteria: { small: null, large: null } };
    const none = await ask('/v1/systemone', { state: {}, questions: { a: size } });
    expect([none.status, none.body.detail[0].loc]).toEqual([422, ['body', 'questions', 'a', 'criteria']]);
    expect(none.body.detail[0].msg).toMatch(/no deployed type has exactly these options\. Deployed: “loan"?”? ?\(/);

    const first = await makeRules('sizes', ['small', 'large']);
    const call = () => ask('/v1/systemone', { model: 'jev-latest', state: {}, questions: { renamed: size } });
    expect((await call()).body.answers.renamed).toMatchObject({ choice: 'small', x_decision_type: 'sizes' });
    expect((await bench.call('GET', `${first}/questions`)).body).toEqual([
      {
        id: expect.any(String),
        kind: 'choice',
        asked: 'How large?',
        options: ['small', 'large'],
        automatic: true,
        created_at: expect.any(String),
      },
    ]);

    const second = await makeRules('other sizes', ['large', 'small']);
    // The question that was asked stays with its type; a new one could mean either.
    expect((await call()).body.answers.renamed.x_decision_type).toBe('sizes');
    const other = { ...size, instructions: 'How big?' };
    const open = await ask('/v1/systemone', { state: {}, questions: { a: other } });
    expect(open.body.detail[0].msg).toBe(
      'several types have these options: “sizes”, “other sizes”. Name one of them in model.',
    );
    const named = await ask('/v1/systemone', { model: 'other sizes', state: {}, questions: { a: other } });
    expect(named.body.answers.a).toMatchObject({ choice: 'large', x_decision_type: 'other sizes' });

    // A person moves the question, and takes it away again.
    const moved = { kind: 'choice', instructions: 'How large?', options: ['small', 'large'] };
    const bound = await bench.call('POST', `${second}/questions`, moved);
    expect(bound.status, bound.text).toBe(201);
    expect((await call()).body.answers.renamed.x_decision_type).toBe('other sizes');
    expect((await bench.call('GET', `${first}/questions`)).body).toEqual([]);
    await bench.call('DELETE', `${second}/questions/${bound.body.id}`);
    expect((await call()).status).toBe(422);
    for (const path of [first, second]) await bench.call('DELETE', path);
  });

  it('says what differs from the type that is named [MDL-2]', async () => {
    const questions = { a: { type: 'choice', criteria: { approve: null, refuse: null } } };
    const { body } = await ask('/v1/systemone', { model: 'loan', state: applicant, questions });
    expect(body.detail[0]).toEqual({
      type: 'question_not_known',
      loc: ['body', 'questions', 'a', 'criteria'],
      msg: '“loan” cannot answer this: it does not have "refuse", and the question leaves out "decline"',
    });
    const asBoolean = [{ type: 'choice', choices: [{ value: true }, { value: 'approve' }] }];
    const { status, body: refused } = await ask('/v1/decisions', toDecisions(asBoolean, '{}', 'loan'));
    expect([status, refused.error]).toEqual([
      400,
      {
        type: 'invalid_request_error',
        code: 'question_not_known',
        param: 'questions[0].choices',
        message: expect.stringMatching(/^questions\[0\]\.choices: “loan” cannot answer this: it does not have true/),
      },
    ]);
  });

  it('may be several types of one call, all or none of them recorded [MDL-3]', async () => {
    const path = await makeRules(
      'car',
      ['yes', 'no'],
      [{ name: 'is a car', condition: 'ctx.purpose == "car"', then: 'yes', priority: 1 }],
    );
    await bench.call('PUT', path, {
      input_schema: { type: 'object', properties: { amount: { maximum: 5_000 } } },
    });
    const questions = {
      loan: choice,
      car: { type: 'choice', criteria: { yes: null, no: null } },
    };
    const count = async (of: string) => (await bench.call('GET', `${of}/logs`)).body.total;
    const before = await count(url);
    const { body } = await ask('/v1/systemone', { state: applicant, questions });
    expect(body.model).toBe('workbench');
    expect(body.answers.car).toMatchObject({ choice: 'yes', confidence: 1, x_stage: 'rules' });
    expect([await count(url), await count(path)]).toEqual([before + 1, 1]);
    const refused = await ask('/v1/systemone', { state: { ...applicant, amount: 9_000 }, questions });
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'state', 'amount']]);
    expect([await count(url), await count(path)]).toEqual([before + 1, 1]);
    await bench.call('DELETE', path);
  });
});

describe('a yes or no, and a score', () => {
  it('are answered once a person has said which option is yes and what order there is [MDL-4]', async () => {
    const noul = { type: 'noul', instructions: 'Is it a good risk?' };
    const refused = await ask('/v1/systemone', { model: 'loan', state: applicant, questions: { a: noul } });
    expect(refused.body.detail[0].msg).toMatch(/nobody has said which of its options "approve", "decline" is yes/);
    for (const options of [['approve', 'decline'], ['yes']]) {
      const wrong = await bench.call('POST', `${url}/questions`, { kind: 'predicate', options });
      expect([wrong.status, wrong.body.error.details[0].loc]).toEqual([422, ['body', 'options']]);
    }
    await bench.call('POST', `${url}/questions`, { kind: 'predicate', options: ['approve'] });
    const own = (await bench.call('POST', '/decide', { decision_type: 'loan', input: applicant })).body;
    const one = await ask('/v1/systemone', { model: 'loan', state: applicant, questions: { a: noul } });
    expect(one.body.answers.a).toMatchObject({ type: 'noul', noul: own.class_probabilities.approve });
    const two = await ask('/v1/decisions', toDecisions([{ type: 'predicate', name: 'loan', instructions: 'Good?' }]));
    expect(two.body.answers).toEqual([
      { type: 'predicate', name: 'loan', probability: own.class_probabilities.approve },
    ]);
    // The question itself may be given to a type, under whichever name it is asked.
    await bench.call('POST', `${url}/questions`, {
      kind: 'predicate',
      instructions: 'Is it a bad risk?',
      options: ['decline'],
    });
    const bad = { type: 'noul', instructions: 'Is it a bad risk?' };
    const three = await ask('/v1/systemone', { state: applicant, questions: { anything: bad } });
    expect(three.body.answers.anything.noul).toBe(own.class_probabilities.decline);
  });

  it('go into the bundle, so that the Python package answers them alike [MDL-8]', async () => {
    const exported = await bench.app.inject({
      url: `${folder.url}/export`,
      headers: { host: '127.0.0.1', authorization: `Bearer ${bench.token}` },
    });
    expect(unpackBundle(exported.rawPayload, sha256).manifest.questions).toEqual({ yes: 'approve' });
  });

  it('a score needs the order of all options, and is their mean place [MDL-4]', async () => {
    const levels = ['low', 'middle', 'high'];
    const path = await makeRules(
      'urgency',
      ['high', 'low', 'middle'],
      [{ name: 'old', condition: 'ctx.days > 3', then: 'middle', priority: 1 }],
    );
    const score = (criteria: unknown[]) =>
      ask('/v1/systemone', { state: { days: 5 }, questions: { a: { type: 'score', criteria } } });
    expect((await score(levels)).body.detail[0].msg).toMatch(
      /nobody has said that the options of “urgency” are in order/,
    );
    const bind = (options: string[]) => bench.call('POST', `${path}/questions`, { kind: 'score', options });
    expect((await bind(['low', 'high'])).status).toBe(422);
    expect((await bind(levels)).status).toBe(201);
    expect((await score(levels.toReversed())).body.detail[0].msg).toBe(
      'the order of “urgency” is "low", "middle", "high"',
    );
    expect((await score([{ any: 'object' }, 'x'])).status).toBe(422);
    expect((await score(levels)).body.answers.a).toMatchObject({
      type: 'score',
      score: 1,
      confidence: 1,
      legend: { 0: 'low', 1: 'middle', 2: 'high' },
      probabilities: { 0: 0, 1: 1, 2: 0 },
    });
    const asked = { type: 'score', levels: levels.map((label) => ({ label })) };
    const { body } = await ask('/v1/decisions', toDecisions([asked], '{"days": 5}', 'urgency'));
    expect(body.answers[0]).toEqual({
      type: 'score',
      name: null,
      score: 1,
      confidence: 1,
      probabilities: levels.map((label, value) => ({ value, label, probability: value === 1 ? 1 : 0 })),
    });
    await bench.call('DELETE', path);
  });
});

describe('an input', () => {
  it('is an object, a text that is one, the last message of the user, or the only text of a type [MDL-5]', async () => {
    const path = await makeRules(
      'spam',
      ['ham', 'spam'],
      [{ name: 'prize', condition: 'ctx.text.contains("prize")', then: 'spam', priority: 1 }],
    );
    await bench.call('PUT', path, { input_schema: { type: 'object', properties: { text: { type: 'string' } } } });
    const question = { type: 'choice', choices: [{ value: 'spam' }, { value: 'ham' }] };
    const choose = async (input: unknown, model = 'spam') =>
      (await ask('/v1/decisions', toDecisions([question], input, model))).body.answers?.[0].choice;
    const { release } = (await bench.call('POST', '/decide', { decision_type: 'spam', input: {} })).body;
    const user = (content: unknown) => [
      { role: 'system', content: 'You decide.' },
      { role: 'user', content },
    ];
    for (const input of [
      'You won a prize',
      '{"text": "a prize"}',
      '{"prize": 1}',
      user('a prize'),
      user([
        { type: 'input_text', text: 'You won' },
        { type: 'input_text', text: 'a prize' },
      ]),
      user([{ type: 'input_json', data: { text: 'a prize' } }]),
      JSON.stringify({ instructions: 'Decide.', input_fields: {}, inputs: { text: 'a prize' } }),
    ]) {
      expect([input, await choose(input)]).toEqual([input, 'spam']);
      expect([input, await choose(input, `spam@${release}`)]).toEqual([input, 'spam']);
    }
    expect(await choose('hello')).toBe('ham');
    for (const input of [user([{ type: 'input_image', image_url: 'x' }]), [], [{ role: 'user', content: [] }]]) {
      const refused = await ask('/v1/decisions', toDecisions([question], input, 'spam'));
      expect([refused.status, refused.body.error.param]).toEqual([400, expect.stringMatching(/^input/)]);
    }
    const several = await ask('/v1/systemone', { model: 'loan', state: 'a text', questions: { a: choice } });
    expect(several.body.detail[0]).toMatchObject({ loc: ['body', 'state'], type: 'input_not_known' });
    expect((await ask('/v1/systemone', { model: 'loan', state: [1], questions: { a: choice } })).status).toBe(422);
    await bench.call('DELETE', path);
  });

  it('may be compressed by zstd, within the size of a plain body [MDL-5]', async () => {
    const body = Buffer.from(JSON.stringify({ model: 'loan', state: applicant, questions: { a: choice } }));
    const zstd = { 'content-encoding': 'zstd' };
    expect((await ask('/v1/systemone', zstdCompressSync(body), zstd)).body.answers.a.type).toBe('choice');
    expect((await ask('/v1/systemone', body, zstd)).status).toBe(400);
    const bomb = zstdCompressSync(Buffer.alloc(50_000_000, 32));
    expect((await ask('/v1/systemone', bomb, zstd)).status).toBe(413);
    expect((await ask('/api/v1/decide', zstdCompressSync(body), zstd)).status).toBe(415);
  });
});

describe('a call with an Idempotency-Key', () => {
  it('is decided and recorded once, in both formats, for one type or several [MDL-9]', async () => {
    const other = await makeRules('again', ['again', 'never']);
    const count = async (path: string) => (await bench.call('GET', `${path}/logs`)).body.total;
    const loan = folder.url.replace('/api/v1', '');
    const before = [await count(loan), await count(other)];
    const questions = { a: choice, b: { type: 'choice', criteria: { again: null, never: null } } };
    const calls: [string, string, object][] = [
      ['/v1/systemone', 'key 1', { model: 'loan', state: applicant, questions: { a: choice } }],
      ['/v1/systemone', 'key 2', { state: applicant, questions }],
      [
        '/v1/decisions',
        'key 3',
        toDecisions([{ type: 'choice', choices: [{ value: 'approve' }, { value: 'decline' }] }]),
      ],
    ];
    for (const [path, key, body] of calls) {
      const headers = { 'idempotency-key': key };
      const first = await ask(path, body, headers);
      const second = await ask(path, body, headers);
      expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined]);
      expect([second.text, second.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
      const changed = await ask(path, { ...body, model: 'again' }, headers);
      expect([path, changed.status]).toEqual([path, path === '/v1/systemone' ? 422 : 400]);
      expect(changed.text).toContain('was used for another request');
    }
    expect([await count(loan), await count(other)]).toEqual([before[0] + 3, before[1] + 1]);
  });
});

describe('an error', () => {
  it('has the shape of its format, and never a 5xx for what a client sent [MDL-6]', async () => {
    const { call, app } = await openForTest();
    const systemone = { state: {}, questions: { a: choice } };
    const unknown = await call('POST', '/v1/systemone', { ...systemone, model: 'no such type' });
    expect([unknown.status, unknown.body.detail.error_type]).toEqual([400, 'api_usage_error']);
    const question = { type: 'choice', choices: [{ value: 'a' }, { value: 'b' }] };
    const missing = await call('POST', '/v1/decisions', toDecisions([question], 'x', 'no such type'));
    expect([missing.status, missing.body.error]).toEqual([
      404,
      { type: 'invalid_request_error', code: 'model_not_found', param: 'model', message: expect.any(String) },
    ]);
    const { body: type } = await call('POST', '/api/v1/decision-types', { name: 'idle', options: ['a', 'b'] });
    expect((await call('POST', '/v1/decisions', toDecisions([question], 'x', type.name))).status).toBe(404);
    const headers = { host: '127.0.0.1', 'content-type': 'application/json' };
    const anonymous = await app.inject({ method: 'POST', url: '/v1/systemone', headers, payload: '{}' });
    expect([anonymous.statusCode, anonymous.json().detail.error_type]).toEqual([401, 'unauthorized']);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/v1/systemone', '/v1/decisions'),
        fc.oneof(
          fc.jsonValue(),
          fc.record({ model: fc.jsonValue(), state: fc.jsonValue(), input: fc.jsonValue(), questions: fc.jsonValue() }),
          fc.record({
            input: fc.constant('x'),
            state: fc.constant({}),
            questions: fc.oneof(
              fc.array(
                fc.record({ type: fc.constantFrom('choice', 'score', 'predicate', 'box'), choices: fc.jsonValue() }),
              ),
              fc.dictionary(
                fc.string(),
                fc.record({ type: fc.constantFrom('choice', 'score', 'noul', 'box'), criteria: fc.jsonValue() }),
              ),
            ),
          }),
        ),
        async (address, body) => {
          const answer = await call('POST', address, JSON.stringify(body));
          expect([address, answer.status]).toEqual([address, expect.toBeOneOf([400, 404, 422])]);
          if (address === '/v1/systemone') expect(answer.body.detail).toBeDefined();
          else expect(answer.body.error).toMatchObject({ message: expect.any(String), type: 'invalid_request_error' });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('lists the models for the clients of both formats [MDL-6]', async () => {
    const answer = await bench.app.inject({
      url: '/v1/models',
      headers: { host: '127.0.0.1', authorization: `Bearer ${bench.token}` },
    });
    const { data, models } = answer.json();
    expect(data).toContainEqual({
      id: 'loan',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'decision-workbench',
    });
    expect(models[0]).toEqual({
      name: 'loan',
      description: '',
      release_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
  });
});
