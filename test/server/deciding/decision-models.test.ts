/** Deployed types asked in the formats of decision models: the same decisions, the same log, errors in their own shape. */
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { packBundle, unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { amountModel, bundleParts } from '../../engine/bundle-fixture.ts';
import {
  type Call,
  deployForAll,
  deployRules,
  forAll,
  loanExamples,
  loanType,
  openForTest,
  sendForm,
  startWorkbench,
} from '../workbench.ts';

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

/** Names that are members of every object, or that objects put in another order. */
const oddNames = ['constructor', 'toString', '10', '9', 'true', 'x_decision', 'ja, «gern»'];
type AnyType = typeof anyType extends fc.Arbitrary<infer T> ? T : never;

/** Makes a type whose rules alone decide, deployed, and gives its path. */
const makeRules = (name: string, options: string[], rules: object[] = []): Promise<string> =>
  deployRules(bench, { name, options, rules, fallback_option: options[0] });

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

/** A type as a bundle: its options, in any number and of any name, weights of an amount, thresholds and a rule. */
const anyType = fc
  .uniqueArray(fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), fc.constantFrom(...oddNames)), {
    minLength: 2,
    maxLength: 7,
    selector: (option) => option.trim(),
  })
  .filter((options) =>
    options.every((option) => /^(?!__proto__$)[^\p{C}]+$/u.test(option) && option.trim().normalize('NFC') === option),
  )
  .chain((options) =>
    fc.record({
      options: fc.constant(options),
      levels: fc.shuffledSubarray(options, { minLength: options.length }),
      yes: fc.constantFrom(...options),
      ruled: fc.constantFrom(...options),
      fallback: fc.option(fc.constantFrom(...options)),
      weights: fc.array(fc.float({ min: -3, max: 3, noNaN: true }), {
        minLength: 3 * options.length,
        maxLength: 3 * options.length,
      }),
      auto: fc.double({ min: 0.3, max: 0.95, noNaN: true }),
    }),
  );
const anyInput = fc.record({ amount: fc.double({ min: -4, max: 4, noNaN: true }) }, { requiredKeys: [] });

function toBundle({ options, ruled, fallback, weights, auto }: AnyType): Uint8Array {
  const K = options.length;
  const parts = bundleParts({
    model: {
      ...amountModel,
      K,
      dense: Float32Array.from(weights.slice(K)),
      bias: Float32Array.from(weights.slice(0, K)),
    },
    thresholds: { auto_decide: auto, escalation: auto / 2 },
    fallbackOption: fallback,
  });
  const rule = { name: 'large', condition: 'ctx.amount > 3.0', then: ruled, reason_code: null, priority: 1 };
  const rules = compileRules([rule], { options, reason_codes: parts.manifest.reason_codes });
  if (!rules.ok) throw new Error(JSON.stringify(rules.problems));
  const reasons = { by_option: Object.fromEntries(options.map((option) => [option, []])), heads: [] };
  return packBundle({ ...parts, manifest: { ...parts.manifest, options }, rules: rules.value.file, reasons }, sha256);
}

/** Asks what a type answers in one format, all three kinds in one call, and returns it as the other format has it. */
async function askAll(format: 'systemone' | 'decisions', model: string, input: object, { levels, yes }: AnyType) {
  if (format === 'systemone') {
    const criteria = Object.fromEntries(levels.map((level) => [level, null]));
    const questions = {
      a: { type: 'choice', criteria },
      b: { type: 'noul', instructions: `${yes}?` },
      c: { type: 'score', criteria: levels },
    };
    const { body, text } = await ask('/v1/systemone', { model, state: input, questions });
    expect(body.answers, text).toBeDefined();
    const { a, b, c } = body.answers;
    expect(c.legend).toEqual({ ...levels });
    return {
      model: body.model,
      outcome: a,
      choice: [a.choice, a.confidence, levels.map((level) => a.probabilities[level])],
      yes: b.noul,
      score: [c.score, c.confidence, levels.map((_, level) => c.probabilities[level])],
    };
  }
  const questions = [
    { type: 'choice', choices: levels.map((value) => ({ value })) },
    { type: 'predicate', instructions: `${yes}?` },
    { type: 'score', levels: levels.map((label) => ({ label })) },
  ];
  const messages = [{ role: 'user', content: [{ type: 'input_json', data: input }] }];
  const { body, text } = await ask('/v1/decisions', toDecisions(questions, messages, model));
  expect(body.answers, text).toBeDefined();
  const [a, b, c] = body.answers;
  expect([a, c].map(({ probabilities }) => probabilities.map((each: { value: unknown }) => each.value))).toEqual([
    levels,
    levels.map((_, level) => level),
  ]);
  const shares = (answer: typeof a) => answer.probabilities.map((each: { probability: number }) => each.probability);
  return {
    model: body.model,
    outcome: body.x_workbench[0],
    choice: [a.choice, a.confidence, shares(a)],
    yes: b.probability,
    score: [c.score, c.confidence, shares(c)],
  };
}

describe('what a type answers', () => {
  it('is what /api/v1/decide says, in both formats, for any type and any input [MDL-1]', async () => {
    const property = fc.asyncProperty(
      anyType,
      fc.array(anyInput, { minLength: 2, maxLength: 4 }),
      async (type, inputs) => {
        const file = new File([Uint8Array.from(toBundle(type))], 'any.zip');
        const made = await sendForm(bench.call, '/decision-types/import', file, { name: 'any' });
        expect(made.status, made.text).toBe(201);
        const path = `/decision-types/${made.body.decision_type.id}`;
        try {
          for (const mark of [
            { kind: 'predicate', instructions: `${type.yes}?`, options: [type.yes] },
            { kind: 'score', options: type.levels },
          ])
            expect((await bench.call('POST', `${path}/questions`, mark)).status).toBe(201);
          for (const input of inputs) {
            const { body: own } = await bench.call('POST', '/decide', { decision_type: 'any', input });
            const p = type.levels.map((level) => own.class_probabilities[level]);
            expect(p.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9);
            const one = await askAll('systemone', 'any', input, type);
            const two = await askAll('decisions', 'any', input, type);
            const { outcome, choice, ...answers } = one;
            const [, spread, shares] = choice;
            expect(two).toMatchObject({ ...answers, choice: [expect.any(String), spread, shares] });
            // The first of equals as asked is chosen, and an object asks of '10' before 'a'.
            for (const [option] of [choice, two.choice])
              expect(own.class_probabilities[option], option).toBe(Math.max(...p));
            for (const each of [outcome, two.outcome])
              expect(each).toMatchObject({
                x_decision_type: 'any',
                x_decision: own.decision,
                x_stage: own.stage,
                x_escalate: own.escalate,
                x_unfamiliar: own.unfamiliar,
                x_confidence: own.confidence,
                x_reason_codes: own.reason_codes,
                x_policy_version: own.policy_version,
                x_release: own.release,
              });
            expect([one.model, one.yes]).toEqual([`any@${own.release}`, own.class_probabilities[type.yes]]);
            expect(shares).toEqual(p);
            expect(spread).toBeCloseTo((Math.max(...p) - 1 / p.length) / (1 - 1 / p.length), 12);
            const [score, , ofLevels] = one.score;
            expect(ofLevels).toEqual(p);
            expect(score).toBeCloseTo(
              p.reduce((sum, each, level) => sum + level * each, 0),
              12,
            );
          }
        } finally {
          await bench.call('DELETE', path);
        }
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });
});

describe('a choice', () => {
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
  it('is decided by what is asked and marked, and said where nothing fits [MDL-2]', async () => {
    const size = { type: 'choice', instructions: 'How large?', criteria: { small: null, large: null } };
    const none = await ask('/v1/systemone', { state: {}, questions: { a: size } });
    expect([none.status, none.body.detail[0].loc]).toEqual([422, ['body', 'questions', 'a', 'criteria']]);
    expect(none.body.detail[0].msg).toMatch(/no deployed type has exactly these options\. Deployed: “loan"?”? ?\(/);

    const first = await makeRules('sizes', ['small', 'large']);
    const call = () => ask('/v1/systemone', { model: 'jev-latest', state: {}, questions: { renamed: size } });
    expect((await call()).body.answers.renamed).toMatchObject({ choice: 'small', x_decision_type: 'sizes' });
    const second = await makeRules('other sizes', ['large', 'small']);
    // From now on it could mean either, also where it was asked before.
    expect((await call()).body.detail[0].msg).toBe(
      'several types have these options: “sizes”, “other sizes”. Name one of them in model.',
    );
    const named = await ask('/v1/systemone', { model: 'other sizes', state: {}, questions: { a: size } });
    expect(named.body.answers.a).toMatchObject({ choice: 'large', x_decision_type: 'other sizes' });

    // A person says whose it is, and takes it away again.
    const moved = { kind: 'choice', instructions: 'How large?', options: ['small', 'large'] };
    const bound = await bench.call('POST', `${second}/questions`, moved);
    expect(bound.status, bound.text).toBe(201);
    expect((await call()).body.answers.renamed.x_decision_type).toBe('other sizes');
    expect((await bench.call('GET', `${first}/questions`)).body).toEqual([]);
    await bench.call('DELETE', `${second}/questions/${bound.body.id}`);
    expect((await call()).status).toBe(422);
    for (const path of [first, second]) await bench.call('DELETE', path);
  });

  it('is not found by its options alone where the state has none of its fields [MDL-2]', async () => {
    const churn = { type: 'choice', instructions: 'Does this employee stay?', criteria: { stays: null, churns: null } };
    const rule = { name: 'long', condition: 'ctx.tenure > 3', then: 'stays', priority: 1 };
    const path = await makeRules('churn', ['churns', 'stays'], [rule]);
    const call = (state: object, model = 'jev-latest') =>
      ask('/v1/systemone', { model, state, questions: { a: churn } });
    for (let turn = 0; turn < 2; turn += 1) {
      const refused = await call({ employee: 'Ada', years: 3 });
      expect([refused.status, refused.body.detail[0].msg]).toEqual([
        422,
        '“churn” alone has these options, and reads "tenure", of which the state has none. Name the type in model where it is meant.',
      ]);
    }
    expect((await call({ tenure: 5 })).body.answers.a).toMatchObject({ choice: 'stays' });
    expect((await call({ years: 3 }, 'churn')).body.answers.a).toMatchObject({ choice: 'churns' });
    await bench.call('DELETE', path);
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
    const bind = (instructions: string | undefined, ...options: string[]) =>
      bench.call('POST', `${url}/questions`, { kind: 'predicate', instructions, options });
    for (const [instructions, options, place] of [
      ['Good?', ['approve', 'decline'], 'options'],
      ['Good?', ['yes'], 'options'],
      [undefined, ['approve'], 'instructions'],
    ] as const) {
      const wrong = await bind(instructions, ...options);
      expect([wrong.status, wrong.body.error.details[0].loc]).toEqual([422, ['body', place]]);
    }
    for (const wording of [noul.instructions, 'Good?']) await bind(wording, 'approve');
    const own = (await bench.call('POST', '/decide', { decision_type: 'loan', input: applicant })).body;
    const one = await ask('/v1/systemone', { model: 'loan', state: applicant, questions: { a: noul } });
    expect(one.body.answers.a).toMatchObject({ type: 'noul', noul: own.class_probabilities.approve });
    const two = await ask('/v1/decisions', toDecisions([{ type: 'predicate', name: 'loan', instructions: 'Good?' }]));
    expect(two.body.answers).toEqual([
      { type: 'predicate', name: 'loan', probability: own.class_probabilities.approve },
    ]);
    // Another wording is another question, under whichever name it is asked; case, blanks and the last sign are none.
    const bad = { type: 'noul', instructions: 'is it a  bad risk' };
    for (const model of ['loan', 'latest']) {
      const open = await ask('/v1/systemone', { model, state: applicant, questions: { a: bad } });
      expect([open.status, open.body.detail[0].msg]).toEqual([
        422,
        expect.stringContaining('“Is it a good risk?” (yes is "approve"); “Good?” (yes is "approve")'),
      ]);
    }
    await bind('Is it a bad risk?', 'decline');
    for (const model of ['loan', 'latest']) {
      const three = await ask('/v1/systemone', { model, state: applicant, questions: { anything: bad } });
      expect(three.body.answers.anything.noul, model).toBe(own.class_probabilities.decline);
    }
  });

  it('go into the bundle, so that the Python package answers them alike [MDL-8]', async () => {
    const exported = await bench.app.inject({
      url: `${folder.url}/export`,
      headers: { host: '127.0.0.1', authorization: `Bearer ${bench.token}` },
    });
    expect(unpackBundle(exported.rawPayload, sha256).manifest.questions).toEqual(
      [
        ['Is it a good risk?', 'approve', 'decline'],
        ['Good?', 'approve', 'decline'],
        ['Is it a bad risk?', 'decline', 'approve'],
      ].map(([asked, yes, opposite]) => ({
        ...{ kind: 'predicate', digest: expect.any(String), asked, options: [yes], opposite },
      })),
    );
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
    // As DSPy wraps the fields of a signature, one of which may be what is asked about.
    const wrap = (inputs: object, more: object = {}) =>
      JSON.stringify({ instructions: 'Decide.', input_fields: '1. `text` (str):', inputs, ...more });
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
      wrap({ text: 'a prize' }),
      wrap({ text: 'a prize' }, { demos: [{ text: 'hello', kind: 'ham' }] }),
      wrap({ message: 'a prize' }),
      wrap({ mail: { text: 'a prize' } }),
    ]) {
      expect([input, await choose(input)]).toEqual([input, 'spam']);
      expect([input, await choose(input, `spam@${release}`)]).toEqual([input, 'spam']);
    }
    expect(await choose('hello')).toBe('ham');
    const asked = (inputs: object) =>
      ask('/v1/systemone', { model: 'loan', state: JSON.parse(wrap(inputs)), questions: { a: choice } });
    const own = await ask('/v1/systemone', { model: 'loan', state: applicant, questions: { a: choice } });
    for (const inputs of [applicant, { loan: applicant }, { loan: JSON.stringify(applicant) }]) {
      expect((await asked(inputs)).body.answers.a.probabilities).toEqual(own.body.answers.a.probabilities);
    }
    const foreign = await asked({ letter: 'I need a car.' });
    expect(foreign.body.detail[0]).toMatchObject({ loc: ['body', 'state'], type: 'input_not_known' });
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
