/** A training on what the rules leave: the classifier meets no other inputs, so it learns and is measured on no others. */
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { createTrainable, openForAll, pollUntil, train } from '../workbench.ts';

const ship = { name: 'ships', condition: 'ctx.kind == "boat"', then: 'ship', priority: 1 };
const heavy = { name: 'heavy', condition: 'ctx.weight > 150', then: 'parcel', priority: 2 };
const type = {
  name: 'post',
  options: ['letter', 'parcel', 'ship'],
  hard_rules: [ship, heavy],
  confidence_thresholds: { auto_decide: 0.8, escalation: 0.6 },
  escalation_policy: { enabled: false, between: 'flag', unfamiliar: 'ignore' },
};
const makeRows = (decision: string, count: number, from: number, kind: string) =>
  Array.from({ length: count }, (_, i) => ({ input: { weight: from + i + i / 7, kind }, decision }));
const examples = [
  ...makeRows('letter', 60, 0, 'usual'),
  ...makeRows('parcel', 80, 100, 'usual'),
  ...makeRows('ship', 20, 20, 'boat'),
];
const ruled = examples.filter(({ input }) => input.kind === 'boat' || input.weight > 150).length;

describe('a type whose rules decide one answer wholly and another one in part', () => {
  const bench = openForAll();
  let path: string;
  const readPolicy = async (id: string) => (await bench.call('GET', `${path}/policies/${id}`)).body;
  const trainLeft = () => train(bench.call, path, { tune_hyperparams: false, train_on: 'left_by_rules' });

  beforeAll(async () => {
    path = await createTrainable(bench, type, examples);
  });

  it('is ready by what the rules leave, and says how many rows they take [LFT-2] [RDY-1]', async () => {
    const ask = async (query: string) => (await bench.call('GET', `${path}/training-readiness?${query}`)).body;
    expect(await ask('rare_options=refuse')).toMatchObject({
      ready: false,
      left_to_rules: 0,
      issues: ['Option "ship" has 20 labelled examples; at least 38 are needed.'],
    });
    expect(await ask('train_on=left_by_rules')).toMatchObject({
      ready: true,
      labelled_examples: 160,
      left_to_rules: ruled,
      per_option: { letter: 60, parcel: 80 - (ruled - 20), ship: 0 },
      issues: [],
    });
    const { issues, set_aside } = await ask('train_on=left_by_rules&rare_options=fallback&min_per_option=50');
    expect([issues, set_aside]).toEqual([
      [
        `${50 - 80 + ruled - 20} more labels of examples that no rule decides and you can train, among them ${50 - 80 + ruled - 20} of "parcel".`,
      ],
      { options: ['parcel'], examples: 80 - (ruled - 20) },
    ]);
  });

  it('teaches the classifier what no rule decides, and measures the whole decision on all held-out rows [LFT-1]', async () => {
    const policyId = await trainLeft();
    const { metrics, training_config, needs_attention } = await readPolicy(policyId);
    expect([training_config.train_on, needs_attention]).toEqual(['left_by_rules', null]);
    const { examples: left, held_out: held, sentence } = metrics.left_to_rules;
    expect([left, held > 0]).toEqual([ruled, true]);
    expect(metrics.train_size + metrics.test_size - held).toBe(examples.length - ruled);
    // The classifier alone answers for its own rows, the headline for all of them.
    const supports = Object.values<{ support: number }>(metrics.per_class).map(({ support }) => support);
    expect(supports.reduce((sum, support) => sum + support)).toBe(metrics.test_size - held);
    expect(metrics.per_class.ship.support).toBe(0);
    expect(metrics.whole).toMatchObject({ rows: metrics.test_size, by_rule: { count: held } });
    expect(metrics.accuracy).toBe(1);
    const slices = async (judged: string) => {
      const ask = () => bench.call('GET', `${path}/policies/${policyId}/slices?judged=${judged}&min_rows=10`);
      return (await pollUntil(ask, ({ body }) => body.state === 'ready')).body.rows;
    };
    expect(await slices('classifier')).toBe(metrics.test_size - held);
    expect(await slices('whole_decision')).toBe(metrics.test_size);

    const decide = async (input: object) =>
      (await bench.call('POST', '/decide', { decision_type: 'post', input })).body;
    expect(await decide({ weight: 20, kind: 'boat' })).toMatchObject({ decision: 'ship', stage: 'rules' });
    const light = await decide({ weight: 20.5, kind: 'usual' });
    expect(light).toMatchObject({ decision: 'letter', stage: 'classifier' });
    expect(light.class_probabilities.ship).toBeLessThan(1e-9);

    expect(metrics.notes[0]).toBe(sentence);
    expect(sentence).toMatch(new RegExp(`^${ruled} of 160 examples are decided by a rule: `));
    const report = await bench.call('GET', `${path}/policies/${policyId}/report`);
    expect(report.text).toContain(sentence);
    const headers = { authorization: `Bearer ${bench.token}` };
    const exported = await bench.app.inject({ url: `/api/v1${path}/export`, headers });
    const { modelCard } = unpackBundle(exported.rawPayload, sha256);
    expect(modelCard).toContain(sentence);
  });

  it('a policy says when the rules leave something else than what it learned [LFT-3]', async () => {
    const [policy] = (await bench.call('GET', `${path}/policies`)).body;
    const setRules = (hard_rules: object[]) => bench.call('PUT', path, { hard_rules });
    // Another name, order or answer leaves the same inputs.
    await setRules([
      { ...heavy, priority: 1 },
      { ...ship, name: 'boats' },
    ]);
    expect((await readPolicy(policy.id)).needs_attention).toBeNull();
    await setRules([ship]);
    const said =
      'It was trained on what the rules of version 1 leave, and the conditions of the rules have changed since. Train the type again, so that it learns what they leave now.';
    const { needs_attention, verdict } = await readPolicy(policy.id);
    expect(needs_attention).toBe(said);
    expect(verdict).toContainEqual({ kind: 'retraining', state: 'warning', sentence: said });
    expect((await bench.call('GET', `${path}/policies`)).body[0].needs_attention).toBe(said);
    expect((await bench.call('GET', `${path}/policies/${policy.id}/report`)).text).toContain(said);
    const again = await readPolicy(await trainLeft());
    expect([again.needs_attention, again.metrics.left_to_rules.examples]).toEqual([null, 20]);
    // Who learns everything needs no second look.
    await bench.call('PUT', path, { hard_rules: [ship, heavy] });
    const whole = await readPolicy(await train(bench.call, path, { tune_hyperparams: false, min_per_option: 20 }));
    expect([whole.metrics.left_to_rules, whole.needs_attention]).toEqual([null, null]);
    await setRules([]);
    expect((await readPolicy(whole.id)).needs_attention).toBeNull();
    expect((await readPolicy(again.id)).needs_attention).toContain('Train the type again');
  });
});
