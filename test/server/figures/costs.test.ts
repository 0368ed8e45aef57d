/** What wrong answers and looks of a person cost: kept with the type, carried along with its options, weighed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClaims } from '../../renderer/deployed.ts';
import { makeType, minimalType, openForTest } from '../workbench.ts';

const base = '/api/v1/decision-types';
const mailCosts = {
  currency: '€',
  look: 1.5,
  wrong: 10,
  pairs: [
    { right: 'reply', decided: 'ignore', cost: 500 },
    { right: 'answer', decided: 'ignore', cost: 300 },
    { right: 'reply', decided: 'answer', cost: 2 },
  ],
};

async function openMail(costs: object | null = mailCosts) {
  const opened = await openForTest();
  const id = await makeType(opened.call, { name: 'mail', options: ['answer', 'reply', 'ignore'], costs });
  const url = `${base}/${id}`;
  const read = async () => (await opened.call('GET', url)).body;
  const change = (what: string, body: object) =>
    opened.call('POST', `${url}/options/${what}`, { ...body, commit: true });
  return { ...opened, url, read, change };
}

describe('costs of a decision type', () => {
  it('are optional in all their parts, make no version, and are taken away by null [CST-1]', async () => {
    const { call, url, read } = await openMail(null);
    const before = await read();
    expect(before.costs).toBeNull();
    expect((await call('PUT', url, { costs: mailCosts })).body.costs).toEqual(mailCosts);
    const { costs, updated_at, etag: _, ...rest } = await read();
    expect([costs, updated_at >= before.updated_at]).toEqual([mailCosts, true]);
    expect(before).toMatchObject(rest);
    await call('PUT', url, { description: 'Post' });
    expect((await read()).costs).toEqual(mailCosts);
    expect((await call('PUT', url, { costs: { look: 2 } })).body.costs).toEqual({
      currency: null,
      look: 2,
      wrong: null,
      pairs: [],
    });
    expect((await call('PUT', url, { costs: null })).body.costs).toBeNull();
  });

  it.each([
    ['an unknown option', { pairs: [{ right: 'reply', decided: 'nobody', cost: 1 }] }, ['pairs', 0, 'decided']],
    ['a negative cost', { look: -1 }, ['look']],
    ['no number', { wrong: '10 €' }, ['wrong']],
    ['a pair without its cost', { pairs: [{ right: 'reply', decided: 'ignore' }] }, ['pairs', 0, 'cost']],
    ['a pair named twice', { pairs: [mailCosts.pairs[0], mailCosts.pairs[0]] }, ['pairs', 1]],
    ['an unknown field', { per_look: 1 }, ['per_look']],
  ])('are refused at their place where they hold %s, and nothing is changed [CST-1]', async (_, costs, place) => {
    const { call, url, read } = await openMail();
    const before = await read();
    const refused = await call('PUT', url, { costs });
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'costs', ...place]]);
    const made = await call('POST', base, { ...minimalType, options: ['reply', 'ignore'], costs });
    expect([made.status, made.body.error.details[0].loc]).toEqual([422, ['body', 'costs', ...place]]);
    expect(await read()).toEqual(before);
  });

  it.each([
    [
      'a rename',
      'rename',
      { from: 'reply', to: 'respond' },
      [
        { right: 'respond', decided: 'ignore', cost: 500 },
        { right: 'answer', decided: 'ignore', cost: 300 },
        { right: 'respond', decided: 'answer', cost: 2 },
      ],
    ],
    [
      'a merge, where costs of the option that stays win',
      'merge',
      { from: 'reply', into: 'answer' },
      [{ right: 'answer', decided: 'ignore', cost: 300 }],
    ],
    [
      'a merge into an option without costs',
      'merge',
      { from: 'ignore', into: 'reply' },
      [
        { right: 'answer', decided: 'reply', cost: 300 },
        { right: 'reply', decided: 'answer', cost: 2 },
      ],
    ],
    ['a deletion', 'delete', { option: 'ignore' }, [{ right: 'reply', decided: 'answer', cost: 2 }]],
  ])('go along with %s, and come back with its undo [CST-2]', async (_, what, body, pairs) => {
    const { call, url, read, change } = await openMail();
    const { undo_token } = (await change(what, body)).body;
    expect((await read()).costs).toEqual({ ...mailCosts, pairs });
    expect((await call('POST', `${url}/options/undo`, { undo_token })).status).toBe(200);
    expect((await read()).costs).toEqual(mailCosts);
  });

  it('that changed after an option did are not lost by its undo [CST-2]', async () => {
    const { call, url, read, change } = await openMail();
    const { undo_token } = (await change('rename', { from: 'reply', to: 'respond' })).body;
    await call('PUT', url, { costs: { look: 3 } });
    expect((await call('POST', `${url}/options/undo`, { undo_token })).status).toBe(409);
    expect((await read()).costs).toMatchObject({ look: 3 });
  });

  it('of an option that a change of the type takes away go with it [CST-2]', async () => {
    const { call, url } = await openMail();
    const changed = await call('PUT', url, { options: ['answer', 'ignore', 'new'] });
    expect(changed.body.costs.pairs).toEqual([{ right: 'answer', decided: 'ignore', cost: 300 }]);
  });
});

describe('the costs of a policy', () => {
  let folder: Awaited<ReturnType<typeof makeClaims>>;
  beforeAll(async () => {
    folder = await makeClaims();
  });
  afterAll(() => folder.remove());

  async function openClaims(costs: object | null) {
    const { call } = await openForTest({ dataDir: folder.copy() });
    const { url } = folder;
    const policy = `${url}/policies/${folder.policyId}`;
    if (costs !== null) await call('PUT', url, { costs });
    return { call, url, policy, weigh: async () => (await call('GET', `${policy}/costs`)).body };
  }
  const claimCosts = {
    currency: '€',
    look: 3,
    wrong: 4,
    pairs: [{ right: 'refuse', decided: 'pay', cost: 6 }],
  };

  it('are those of its held-out rows under the current thresholds, follow them, and are told for any other [CST-4] [CHA-2]', async () => {
    const { call, url, policy, weigh } = await openClaims(claimCosts);
    type Row = { expected: string; predicted: string; confidence: number };
    const rows: Row[] = (await call('GET', `${policy}/held-out?page_size=100`)).body.items;
    const costOf = ({ expected, predicted, confidence }: Row, threshold: number) => {
      if (confidence < threshold) return 3;
      return expected === predicted ? 0 : predicted === 'pay' ? 6 : 4;
    };
    const per1000 = (threshold: number) =>
      (1_000 / rows.length) * rows.reduce((sum, row) => sum + costOf(row, threshold), 0);
    // No rule matches these rows, and all of them are like the examples.
    for (const auto_decide of [0.85, 0.6, 0.99]) {
      await call('PUT', url, { confidence_thresholds: { auto_decide, escalation: 0.5 } });
      const { now, by_hand, rows: count } = await weigh();
      expect(count).toBe(rows.length);
      expect(now.per_1000).toBeCloseTo(per1000(auto_decide), 6);
      expect(now.low).toBeLessThanOrEqual(now.per_1000);
      expect(now.high).toBeGreaterThanOrEqual(now.per_1000);
      expect(by_hand).toEqual({ per_1000: 3_000, low: 3_000, high: 3_000 });
    }
    // Thresholds that are only tried change the current costs, and nothing else.
    const found = await weigh();
    const tried = (await call('GET', `${policy}/costs?auto_decide=0.7&escalation=0.5`)).body;
    expect(tried.now.per_1000).toBeCloseTo(per1000(0.7), 6);
    expect(tried.now.thresholds).toEqual({ auto_decide: 0.7, escalation: 0.5 });
    expect(tried).toMatchObject({ curve: found.curve, suggested: { thresholds: found.suggested.thresholds } });
    expect(await weigh()).toEqual(found);
    const { suggested, curve } = found;
    const steps: { auto_decide: number; per_1000: number }[] = curve;
    expect(steps.map(({ auto_decide }) => auto_decide)).toEqual(Array.from({ length: 51 }, (_, step) => step / 50));
    for (const { auto_decide, per_1000 } of steps) expect(per_1000).toBeCloseTo(per1000(auto_decide), 6);
    const best = per1000(suggested.thresholds.auto_decide);
    expect(best).toBeLessThan(Math.min(per1000(0.95), per1000(1)));
  });

  it('fall to what was said once the suggested thresholds are taken; nothing else is suggested then [CST-3] [CST-4]', async () => {
    const { call, url, weigh } = await openClaims(claimCosts);
    await call('PUT', url, { confidence_thresholds: { auto_decide: 1, escalation: 1 } });
    const { suggested, sentence } = await weigh();
    expect(sentence).toMatch(/^1,000 decisions cost .* € now, .* if decided alone from [\d.]+, 3,000 € all by hand\./);
    const taken = await call('PUT', url, { confidence_thresholds: suggested.thresholds });
    expect(taken.body.active_version.confidence_thresholds).toEqual(suggested.thresholds);
    const after = await weigh();
    expect(after).toMatchObject({ now: suggested, suggested, saving: { per_1000: 0 } });
    expect(after.sentence).toMatch(/No other thresholds would cost less, as far as can be seen\.$/);
  });

  it('decide nothing: without them, and with them, a type decides the same [CST-2]', async () => {
    const { call, url } = await openClaims(null);
    const decide = async () => {
      const input = { proof: 55, amount: 400, online: true, shop: { country: 'DE' } };
      const { latency_ms, request_id, ...answer } = (
        await call('POST', '/api/v1/decide', { decision_type: 'claims', input })
      ).body;
      return answer;
    };
    const before = await decide();
    await call('PUT', url, { costs: claimCosts });
    expect(await decide()).toEqual(before);
  });

  it.each([
    ['nothing', null],
    ['no look', { wrong: 4 }],
    ['no wrong answer', { look: 3 }],
  ])('cannot be said where %s has a cost, and the answer names what is missing [CST-4]', async (_, costs) => {
    const { weigh } = await openClaims(costs);
    expect(await weigh()).toMatchObject({
      now: null,
      suggested: null,
      saving: null,
      by_hand: null,
      sentence: 'Set what a review costs and what a wrong answer costs; then the two can be weighed.',
    });
  });

  it('suggest nothing to a policy that thresholds of the type do not reach [CST-4]', async () => {
    const { call, url, weigh } = await openClaims(claimCosts);
    await call('PUT', url, { options: ['pay', 'refuse', 'ask'] });
    const { now, suggested, sentence } = await weigh();
    expect([now.per_1000 >= 0, suggested]).toEqual([true, null]);
    expect(sentence).toMatch(/The options of the type have changed since the policy was trained\./);
  });
});
