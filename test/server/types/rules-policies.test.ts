/** A policy of rules alone: made without examples, deployed, asked, exported and changed. */
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { runGolden } from '../../../src/engine/decide/golden.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openForAll, pollUntil, startWorkbench } from '../workbench.ts';

const type = {
  name: 'refunds',
  options: ['pay', 'refuse', 'ask a person'],
  reason_codes: ['SMALL'],
  rules: [
    { name: 'small', condition: 'ctx.amount < 20', then: 'pay', reason_code: 'SMALL', priority: 1 },
    { name: 'late', condition: 'ctx.days > 60', then: 'refuse', priority: 2 },
  ],
  pii_fields: ['customer'],
};

describe('a type whose rules alone shall decide', () => {
  const bench = openForAll();
  let path: string;
  let policy: string;

  const decide = async (input: object, query = '') =>
    bench.call('POST', `/decide${query}`, { decision_type: type.name, input });
  const exportBundle = async () => {
    const { token } = await bench.deps.auth.issuer.issue();
    return bench.app.inject({
      url: `/api/v1${path}/export`,
      headers: { authorization: `Bearer ${token}`, host: '127.0.0.1' },
    });
  };

  beforeAll(async () => {
    path = `/decision-types/${(await bench.call('POST', '/decision-types', type)).body.id}`;
  });

  it('gets no policy before it says where the rest goes, and none of another kind [POL-6]', async () => {
    const refused = await bench.call('POST', `${path}/policies`, { kind: 'rules_only' });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'validation_error']);
    expect(refused.body.error.details).toEqual([
      { type: 'not_ready', loc: ['fallback_option'], msg: 'choose the option for what no rule decides' },
    ]);
    for (const body of [{}, { kind: 'trained' }, { kind: 'rules_only', more: 1 }]) {
      expect((await bench.call('POST', `${path}/policies`, body)).status).toBe(422);
    }
    expect((await bench.call('GET', `${path}/policies`)).body).toEqual([]);
    await bench.call('PUT', path, { fallback_option: 'ask a person' });
  });

  it('gets one without an example, which decides once it is deployed [POL-6]', async () => {
    const made = await bench.call('POST', `${path}/policies`, { kind: 'rules_only' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ version: 1, policy_type: 'rules_only', status: 'trained', metrics: null });
    policy = `${path}/policies/${made.body.id}`;
    expect((await decide({ amount: 5 })).status).toBe(428);
    expect((await bench.call('GET', `${policy}/progress`)).body).toMatchObject({ status: 'trained', attempts: [] });
    expect((await bench.call('POST', `${policy}/deploy`)).body).toMatchObject({ status: 'deployed', deployed: true });

    expect((await decide({ amount: 5 })).body).toMatchObject({
      ...{ decision: 'pay', stage: 'rules', reason_codes: ['SMALL'], confidence: 1 },
      policy_version: 'v1',
    });
    const rest = await decide({ amount: 500, days: 3 }, '?trace=true');
    expect(rest.body).toMatchObject({
      ...{ decision: 'ask a person', stage: 'fallback', fallback_used: true, escalate: true, confidence: 0 },
      explanation: 'No rule matched, so the fallback «ask a person» was used.',
      trace: { features: [], thresholds: null },
    });
    expect(rest.body.class_probabilities).toEqual({ pay: 1 / 3, refuse: 1 / 3, 'ask a person': 1 / 3 });
  });

  it('decides by changed rules at once, and explains what would change a decision [POL-6]', async () => {
    await bench.call('PUT', path, {
      rules: [...type.rules, { name: 'huge', condition: 'ctx.amount > 400', then: 'refuse', priority: 3 }],
    });
    expect((await decide({ amount: 500, days: 3 })).body).toMatchObject({ decision: 'refuse', stage: 'rules' });
    const examples = [5, 50, 90].map((amount) => ({ input: { amount, days: 3, customer: 'Ada' } }));
    expect((await bench.call('POST', `${path}/examples`, { examples })).status).toBe(201);
    // On a busy machine the 150 ms of the search may be over before it finds anything.
    const explained = await pollUntil(
      () => decide({ amount: 90, days: 3 }, '?explain=true'),
      ({ body }) => body.explain.flips.length > 0,
    );
    expect(explained.body.explain.flips).toContainEqual(
      expect.objectContaining({ decision: 'pay', changes: [{ field: 'amount', from: 90, to: 5 }] }),
    );
    const next = await bench.call('GET', `${path}/examples/next`);
    const byPolicy = next.body.items.filter(
      ({ suggestion }: { suggestion: { source: string } | null }) => suggestion?.source === 'policy',
    );
    // What no rule decides is no suggestion.
    expect(byPolicy.map(({ example }: { example: { input_payload: object } }) => example.input_payload)).toMatchObject([
      { amount: 5 },
    ]);
  });

  it('is exported as a bundle without a classifier that decides the same [POL-6] [PRV-1]', async () => {
    const { id } = (await bench.call('POST', `${path}/policies`, { kind: 'rules_only' })).body;
    await bench.call('POST', `${path}/policies/${id}/deploy`);
    const bundle = unpackBundle((await exportBundle()).rawPayload, sha256);
    expect(bundle.manifest).toMatchObject({
      classifier: null,
      text: null,
      policy_version: 'v2',
      pii_fields: ['customer'],
    });
    expect(Object.keys(bundle.manifest.files)).not.toContain('classifier.onnx');
    expect(new Set(bundle.golden.flatMap(({ output }) => output.rules_triggered))).toEqual(
      new Set(['small', 'late', 'huge']),
    );
    expect(new Set(bundle.golden.map(({ output }) => output.decision))).toEqual(new Set(type.options));
    expect(JSON.stringify(bundle.golden)).not.toContain('Ada');
    expect(bundle.modelCard).toContain('The first rule that is true decides.');
    const decider = compileDecider(bundle, { encoder: null, tokenizer: null, now: () => 0 });
    expect(await runGolden(bundle, decider)).toEqual({ checked: bundle.golden.length, failures: [] });
  });

  it('says so when its fallback option is taken away, and goes on when it is back [POL-6]', async () => {
    await bench.call('PUT', path, { fallback_option: null });
    expect((await decide({ amount: 5 })).body).toMatchObject({ decision: 'pay', stage: 'rules' });
    const refused = await decide({ amount: 50, days: 3 });
    expect([refused.status, refused.body.error.message]).toEqual([
      503,
      'No rule decides this input, and the decision type has no fallback option any more. Choose one.',
    ]);
    expect((await exportBundle()).statusCode).toBe(409);
    await bench.call('PUT', path, { fallback_option: 'refuse' });
    expect((await decide({ amount: 50, days: 3 })).body).toMatchObject({ decision: 'refuse', stage: 'fallback' });
    expect((await exportBundle()).statusCode).toBe(200);
  });

  it('is made once for calls with the same Idempotency-Key, and survives a restart [POL-6]', async () => {
    const { token } = await bench.deps.auth.issuer.issue();
    const make = () =>
      bench.app.inject({
        method: 'POST',
        url: `/api/v1${path}/policies`,
        headers: { authorization: `Bearer ${token}`, host: '127.0.0.1', 'idempotency-key': 'one' },
        payload: { kind: 'rules_only' },
      });
    const [first, second] = [await make(), await make()];
    expect([second.statusCode, second.json()]).toEqual([201, first.json()]);
    expect((await bench.call('GET', `${path}/policies`)).body).toHaveLength(3);
    await bench.stop();
    Object.assign(bench, await startWorkbench(bench.dataDir));
    expect((await decide({ amount: 5 })).body).toMatchObject({ decision: 'pay', policy_version: 'v2' });
  });
});
