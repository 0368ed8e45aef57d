import { expect, it } from 'vitest';
import { makeType, openForTest, pollUntil, terminal } from '../workbench.ts';

const options = ['constructor', 'hasOwnProperty', 'toString'];

it('counts options and fields that are named like parts of an object', async () => {
  const { call } = await openForTest();
  const id = await makeType(call, { options });
  const url = `/api/v1/decision-types/${id}`;
  const content =
    'valueOf,isPrototypeOf,decision\n1,a,constructor\n2,b,hasOwnProperty\n3,c,hasOwnProperty\n4,d,toString\n';
  const imported = await call('POST', `${url}/examples/import`, { format: 'csv', content, commit: true });
  const counts = [1, 2, 1];
  const countsOf = (record: object) => options.map((option) => Object.getOwnPropertyDescriptor(record, option)?.value);
  expect([imported.status, imported.body.labelled]).toEqual([200, 4]);
  expect(countsOf((await call('GET', `${url}/examples/stats`)).body.by_option)).toEqual(counts);
  expect(countsOf((await call('GET', `${url}/training-readiness`)).body.per_option)).toEqual(counts);
  const listed = (await call('GET', `${url}/examples?decision=hasOwnProperty`)).body;
  expect([listed.total, Object.keys(listed.items[0].input_payload)]).toEqual([2, ['valueOf', 'isPrototypeOf']]);
});

it('refuses an option that could not be a key', async () => {
  const { call } = await openForTest();
  const answer = await call('POST', '/api/v1/decision-types', { name: 'odd', options: ['a', '__proto__'] });
  expect([answer.status, answer.body.error.details[0].loc]).toEqual([422, ['body', 'options', 1]]);
});

it('trains on them and decides them', async () => {
  const { call } = await openForTest();
  const id = await makeType(call, {
    options,
    rules: [{ name: 'toString', condition: 'ctx.valueOf > 1000', then: 'hasOwnProperty' }],
    escalation_policy: { unfamiliar: 'ignore' },
  });
  const url = `/api/v1/decision-types/${id}`;
  const examples = Array.from({ length: 120 }, (_, index) => ({
    input: { valueOf: index, isPrototypeOf: index % 2 === 0 },
    decision: options[Math.floor(index / 40)],
  }));
  expect((await call('POST', `${url}/examples`, { examples })).status).toBe(201);
  const started = await call('POST', `${url}/train`, { n_tuning_trials: 1 });
  const policy = await pollUntil(() => call('GET', `${url}/policies/${started.body.id}`), terminal);
  expect([policy.body.status, policy.body.error]).toEqual(['deployed', null]);
  expect(Object.keys(policy.body.metrics.per_class).sort()).toEqual([...options].sort());
  for (const [value, decision, stage] of [
    [5, 'constructor', 'classifier'],
    [60, 'hasOwnProperty', 'classifier'],
    [115, 'toString', 'classifier'],
    [5000, 'hasOwnProperty', 'rules'],
  ] as const) {
    const input = { valueOf: value, isPrototypeOf: value % 2 === 0 };
    const { body } = await call('POST', '/api/v1/decide', { decision_type: 'triage', input });
    expect([value, body.decision, body.stage]).toEqual([value, decision, stage]);
    expect(Object.keys(body.class_probabilities)).toEqual(options);
  }
  const metrics = (await call('GET', `${url}/metrics`)).body;
  expect(Object.entries(metrics.decision_distribution).sort()).toEqual([
    ['constructor', 1],
    ['hasOwnProperty', 2],
    ['toString', 1],
  ]);
});
