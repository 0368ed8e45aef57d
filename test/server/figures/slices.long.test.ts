/** Where a policy is weak: a planted part of the rows, from the search to the gate that holds the policy back. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { createTrainable, openForAll, pollUntil, terminal } from '../workbench.ts';

/** Amounts decide, but not for the branch in the north, where the label is a matter of chance. */
function claims(count: number): object[] {
  const random = createRandom(8);
  return Array.from({ length: count }, (_, i) => {
    const amount = Math.round(1000 * random());
    const branch = ['north', 'south', 'west'][i % 3] ?? '';
    const isPaid = branch === 'north' ? random() < 0.5 : amount < 500;
    return {
      input: { amount, branch, clerk: { name: `clerk ${i % 4}` }, day: 1 + Math.floor(28 * random()) },
      decision: isPaid ? 'pay' : 'refuse',
    };
  });
}

const northPays = { name: 'north', condition: 'ctx.branch == "north"', then: 'pay', reason_code: null, priority: 1 };
/** Nothing but the rule decides alone, so that all errors are those of the rule. */
const onlyTheRuleDecides = { hard_rules: [northPays], confidence_thresholds: { auto_decide: 1, escalation: 1 } };

describe('the weak parts of a policy', () => {
  const bench = openForAll();
  let path: string;
  let policy: { id: string; testSize: number };

  beforeAll(async () => {
    path = await createTrainable(bench, { name: 'claims', options: ['pay', 'refuse'] }, claims(720));
    const { body } = await bench.call('POST', `${path}/train`, { tune_hyperparams: false });
    await pollUntil(() => bench.call('GET', `${path}/policies/${body.policy_id}/progress`), terminal);
    const { body: trained } = await bench.call('GET', `${path}/policies/${body.policy_id}`);
    policy = { id: trained.id, testSize: trained.metrics.test_size };
  });

  const slicesOf = (policyId: string, query = '') =>
    pollUntil(
      () => bench.call('GET', `${path}/policies/${policyId}/slices${query}`),
      ({ status, body }) => status !== 200 || body.state === 'ready',
    );

  it('[SLC-1] are found by a field, with errors, escalation and certainty beside the rest', async () => {
    const { status, body } = await slicesOf(policy.id, '?judged=classifier');
    expect(status).toBe(200);
    expect(body).toMatchObject({ sentence: null, rows: policy.testSize, stale: false, state: 'ready' });
    expect(body.items[0]).toMatchObject({ description: 'branch is "north"', fields: ['branch'] });
    const [worst] = body.items;
    expect(worst.errors / worst.rows).toBe(worst.error_rate);
    expect(worst.error_rate).toBeGreaterThan(3 * worst.rest_error_rate);
    expect(worst.escalation_rate).toBeGreaterThan(worst.rest_escalation_rate);
    expect(worst.adjusted_p_value).toBeLessThanOrEqual(0.05);
    expect(worst.p_value).toBeLessThan(worst.adjusted_p_value);
  });

  it('[SLC-1] can also be sought in live decisions that somebody has corrected', async () => {
    for (let i = 0; i < 60; i++) {
      const branch = i % 2 === 0 ? 'north' : 'south';
      const input = { amount: 100 + i, branch, clerk: { name: 'clerk 1' }, day: 3 };
      const decided = await bench.call('POST', '/decide', { decision_type: 'claims', input });
      const other = decided.body.decision === 'pay' ? 'refuse' : 'pay';
      const { body } = await bench.call('GET', `${path}/logs?page_size=1`);
      const decision = branch === 'north' ? other : decided.body.decision;
      await bench.call('PUT', `${path}/logs/${body.items[0].id}/correction`, { decision });
    }
    for (const [rows, total] of [
      ['corrected', 60],
      ['both', policy.testSize + 60],
    ]) {
      const { body } = await slicesOf(policy.id, `?rows=${rows}&judged=classifier`);
      expect(body).toMatchObject({ rows: total, error_rate: null, escalation_rate: null });
      const [north] = body.items;
      expect(north.description).toContain('branch is "north"');
      // Somebody chose what to correct: of such rows no rate follows, however many were wrong.
      expect([north.error_rate, north.error_interval, north.rest_error_rate, north.p_value]).toEqual(
        Array(4).fill(null),
      );
      expect([north.error_automatic, north.adjusted_p_value]).toEqual([null, null]);
      expect(body.sentence).toContain('no rate follows');
    }
    const { body } = await slicesOf(policy.id, '?rows=corrected&judged=classifier');
    expect(body.errors).toBe(30);
    expect(body.items[0]).toMatchObject({ rows: 30, errors: 30 });
  });

  it('[SLC-1] are those of the whole decision where that is judged, by the current rules and thresholds', async () => {
    const { body: type } = await bench.call('GET', path);
    const { hard_rules, confidence_thresholds } = type.active_version;
    const judge = async (settings: object, judged: string) => {
      expect((await bench.call('PUT', path, settings)).status).toBe(200);
      return (await slicesOf(policy.id, `?judged=${judged}`)).body;
    };
    const whole = await judge(onlyTheRuleDecides, 'whole_decision');
    expect((await slicesOf(policy.id)).body.items).toEqual(whole.items);
    const [north] = whole.items;
    expect(north).toMatchObject({ description: 'branch is "north"', rest_error_rate: 0, escalation_rate: 0 });
    expect(north.errors / whole.rows).toBeCloseTo(whole.error_rate, 12);
    expect(north.rest_escalation_rate).toBeGreaterThan(0.9);
    // Among those decided alone, as the figures of the whole decision count them.
    const figures = (await bench.call('GET', `${path}/policies/${policy.id}/whole-decision`)).body;
    expect([north.errors, north.automatic]).toEqual([figures.error_automatic.count, figures.error_automatic.of]);
    expect(north.error_automatic).toBe(figures.error_automatic.share);
    expect(north.error_automatic_interval).toEqual({
      low: figures.error_automatic.low,
      high: figures.error_automatic.high,
    });
    expect(whole.rows).toBe(policy.testSize);
    // The classifier alone errs there as before.
    const alone = await judge(onlyTheRuleDecides, 'classifier');
    expect(alone.items[0]).toMatchObject({ description: 'branch is "north"' });
    expect(alone.error_rate).not.toBe(whole.error_rate);
    // Where everything goes to a person nothing goes wrong alone.
    const none = await judge({ ...onlyTheRuleDecides, hard_rules: [] }, 'whole_decision');
    expect(none).toMatchObject({ items: [], error_rate: 0 });
    await judge({ hard_rules, confidence_thresholds }, 'classifier');
  });

  it('are refused for a policy of nobody and for too few rows, with the place', async () => {
    const unknown = await bench.call('GET', `${path}/policies/0190a000-0000-7000-8000-000000000000/slices`);
    expect(unknown.status).toBe(404);
    const few = await bench.call('GET', `${path}/policies/${policy.id}/slices?min_rows=2`);
    expect(few.status).toBe(422);
    // The knob of earlier programs is refused by name.
    const gate = await bench.call('POST', `${path}/train`, { slice_gate: { max_error: 0.2 } });
    expect(gate.status).toBe(422);
    expect(JSON.stringify(gate.body.error.details)).toContain('slice_gate');
  });
});
