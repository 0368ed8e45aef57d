/** The whole decision of a policy, and promises about it, told over the API. */
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { createTrainable, loanExamples, loanType, openForAll, pollUntil, terminal } from '../workbench.ts';

describe('a promise', () => {
  const bench = openForAll();
  let path: string;
  let policy: string;

  beforeAll(async () => {
    path = await createTrainable(bench, { ...loanType, fallback_option: 'decline' }, loanExamples(150));
    const started = await bench.call('POST', `${path}/train`, { tune_hyperparams: false });
    policy = `${path}/policies/${started.body.policy_id}`;
    await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
  });

  const get = async (url: string) => (await bench.call('GET', url)).body;
  const setType = (body: object) => bench.call('PUT', path, body);
  const rule = (condition: string) => [{ name: 'rule', condition, then: 'approve', priority: 1 }];

  it('follows the whole decision, which follows rules and thresholds at once [PRM-7]', async () => {
    const before = await get(`${policy}/whole-decision`);
    const { metrics } = await get(policy);
    expect(before).toMatchObject(metrics.whole);
    expect(before.rows).toBe(metrics.test_size);
    expect(metrics.escalation_estimate).toBe(before.escalated.share);
    expect(before.error_automatic.of).toBe(before.automatic.count);

    await setType({ confidence_thresholds: { auto_decide: 1, escalation: 1 } });
    const strict = await get(`${policy}/whole-decision`);
    expect(strict.automatic.count).toBeLessThan(before.automatic.count);
    expect(strict.fallback.count).toBe(strict.escalated.count);
    await setType({ hard_rules: rule('ctx.amount > 0') });
    const ruled = await get(`${policy}/whole-decision`);
    expect(ruled.by_rule).toMatchObject({ count: before.rows, share: 1 });
    expect(ruled.error_automatic.share).toBeGreaterThan(0.3);
    await setType({ hard_rules: loanType.rules, confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 } });
    expect(await get(`${policy}/whole-decision`)).toEqual(before);
  });

  it('stands beside one headline, which list, figures and model card share and every change moves [HDL-1]', async () => {
    const { id } = await get(policy);
    const inList = async () => (await get(`${path}/policies`)).find((each: { id: string }) => each.id === id).whole;
    const whole = await get(`${policy}/whole-decision`);
    const [first = '', second = ''] = whole.headline.split('. ');
    const { accuracy, baseline } = whole;
    const round = (share: number) => `${Number((100 * share).toFixed(1))}%`;
    // Of fewer than 60 rows the interval leads.
    const range = `${round(accuracy.low).replace('%', '')} to ${round(accuracy.high)}`;
    expect(first).toBe(
      `Correct on ${range} (95% confidence interval; ${round(accuracy.share)} of ${accuracy.of} unseen examples)`,
    );
    const always = `Always answering «${baseline.option}» would get ${round(baseline.accuracy.share)}`;
    expect(second).toBe(always);
    const readCard = async () => {
      const { token } = await bench.deps.auth.issuer.issue();
      const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
      const exported = await bench.app.inject({ url: `/api/v1${path}/export?slim=true`, headers });
      return unpackBundle(exported.rawPayload, sha256).modelCard;
    };
    expect(await inList()).toMatchObject({ headline: whole.headline, accuracy });
    expect((await get(policy)).metrics.whole.headline).toBe(whole.headline);
    expect(await readCard()).toContain(`- ${whole.headline}\n`);

    await setType({ hard_rules: rule('ctx.amount > 0') });
    const ruled = await get(`${policy}/whole-decision`);
    const byRules = round(ruled.baseline.rules_alone.share);
    expect(ruled.headline).toContain(` ${always}, the rules alone ${byRules}. `);
    expect((await inList()).headline).toBe(ruled.headline);
    const card = await readCard();
    expect(card).toContain(`- ${ruled.headline}\n`);
    expect(card.indexOf('## The classifier alone')).toBeLessThan(card.indexOf('macro F1'));
    await setType({ hard_rules: loanType.rules });
    expect((await inList()).headline).toBe(whole.headline);
  });

  it('is found, or refused with the rows that it takes [PRM-1] [PRM-3]', async () => {
    const found = await get(`${policy}/promise?target_error=0.1`);
    expect(found).toMatchObject({ possible: true, certainty: 0.95, option: null, measured_on: 'before_refit' });
    expect(found.error_bound).toBeLessThanOrEqual(0.1);
    expect(found.sentence).toMatch(
      /^From [\d.]+, [\d.]+% are decided alone, at most 10% wrong with 95% certainty\. This bound holds for every target you try\./,
    );
    const refused = await get(`${policy}/promise?target_error=0.005`);
    expect(refused).toMatchObject({ possible: false, threshold: null, share_automatic: null });
    expect(refused.rows_needed).toBeGreaterThan(refused.rows);
    expect(refused.sentence).toBe(
      `A promise of 0.5% with 95% certainty needs about ${refused.rows_needed} test rows if errors stay as frequent; there are ${refused.rows}.`,
    );
    const own = await get(`${policy}/promise?target_error=0.3&option=approve&certainty=0.9`);
    expect(own).toMatchObject({ possible: true, option: 'approve', certainty: 0.9 });
    expect(await get(`${policy}/promise`)).toMatchObject({ target_error: 0.02, basis: 'explored' });
    for (const query of ['?target_error=0', '?target_error=0.9', '?target_error=0.1&option=nobody']) {
      expect((await bench.call('GET', `${policy}/promise${query}`)).status, query).toBe(422);
    }
    const { metrics } = await get(policy);
    const suggested = metrics.suggested_thresholds.find((each: { target_error: number }) => each.target_error === 0.1);
    expect(suggested).toMatchObject({ threshold: found.threshold, coverage: found.share_automatic });
  });

  it('that cannot be kept changes nothing [PRM-4]', async () => {
    const type = await get(path);
    const refused = await bench.call('PUT', `${policy}/promise`, { target_error: 0.005 });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain('A promise of 0.5% with 95% certainty needs');
    expect(await get(path)).toEqual(type);
    expect((await get(policy)).promise).toBeNull();
  });

  it('is kept with the policy, and checked again after each change of rules and thresholds [PRM-4] [PRM-5] [PRM-8]', async () => {
    const kept = await bench.call('PUT', `${policy}/promise`, { target_error: 0.1 });
    expect(kept.status).toBe(200);
    expect(kept.body).toMatchObject({ state: 'kept', target_error: 0.1, certainty: 0.95 });
    const type = await get(path);
    expect(type.active_version.confidence_thresholds.auto_decide).toBe(kept.body.threshold);
    expect(type.active_version.version_number).toBe(kept.body.decision_type_version);
    expect(type.promise).toEqual(kept.body);
    expect((await get(policy)).promise).toEqual(kept.body);

    const exported = await bench.app.inject({
      url: `/api/v1${path}/export?slim=true`,
      headers: { authorization: `Bearer ${(await bench.deps.auth.issuer.issue()).token}`, host: '127.0.0.1' },
    });
    const { modelCard } = unpackBundle(exported.rawPayload, sha256);
    expect(modelCard).toContain(`- ${kept.body.sentence} Promised ${kept.body.made_at}.`);
    expect(modelCard).toContain('Then it was fitted to all of them; the figures are of the model before that.');

    await setType({ hard_rules: rule('ctx.amount > 0') });
    const broken = (await get(path)).promise;
    expect(broken).toMatchObject({ state: 'broken', threshold: kept.body.threshold });
    expect(broken.sentence).toMatch(/^The promise is broken: .* 10% was promised\. Ask for the promise again\.$/);
    // A stricter threshold decides too few rows alone to say anything.
    await setType({ hard_rules: [], confidence_thresholds: { auto_decide: 1, escalation: 0.6 } });
    expect((await get(path)).promise).toMatchObject({ state: 'unknown', now: { error_bound: expect.any(Number) } });
    const { auto_decide, escalation } = type.active_version.confidence_thresholds;
    await setType({ hard_rules: loanType.rules, confidence_thresholds: { auto_decide, escalation } });
    expect((await get(path)).promise.state).toBe('kept');
  });

  it('counts what corrections say of automatic decisions [PRM-6]', async () => {
    const { id } = await get(path);
    const inputs = (loanExamples(150) as { input: object }[])
      .slice(0, 8)
      .filter((_, i) => i % 2 === 0)
      .map(({ input }) => input);
    for (const [i, input] of inputs.entries()) {
      const decided = await bench.call('POST', '/decide', { decision_type: 'loan', input });
      expect(decided.body.escalate).toBe(false);
      if (i === 3) break;
      const [log] = (await get(`/decision-types/${id}/logs?page_size=1`)).items;
      const decision = i === 0 ? 'decline' : decided.body.decision;
      expect((await bench.call('PUT', `/decision-types/${id}/logs/${log.id}/correction`, { decision })).status).toBe(
        200,
      );
    }
    const { live, sentence } = (await get(path)).promise;
    // Counts without a bound: what people look at is no sample.
    expect(live).toEqual({ checked: 3, wrong: 1, error_bound: null });
    expect(sentence).toMatch(
      /People looked at 3 automatic decisions since, the doubtful ones first, and found 1 wrong: these are counts, no sample, and say nothing of a rate\.$/,
    );
  });

  it('leaves out held-out examples that were deleted or changed since, and says how many [PRM-7]', async () => {
    const { items } = await get(`${policy}/held-out?page_size=2`);
    const [first, second] = items.map((item: { example_id: string }) => item.example_id);
    const before = await get(`${policy}/whole-decision`);
    expect((await bench.call('DELETE', `${path}/examples/${first}`)).status).toBe(204);
    const changed = { method: 'PATCH', url: `/api/v1${path}/examples/${second}` } as const;
    const { token } = await bench.deps.auth.issuer.issue();
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    await bench.app.inject({ ...changed, headers, payload: { input_payload: { amount: 99 } } });
    const after = await get(`${policy}/whole-decision`);
    expect([after.rows, after.missing]).toEqual([before.rows - 2, 2]);
  });

  it('is taken back without touching thresholds, and asks for a deployed policy [PRM-4]', async () => {
    const { active_version } = await get(path);
    expect((await bench.call('DELETE', `${policy}/promise`)).status).toBe(204);
    const type = await get(path);
    expect([type.promise, type.active_version]).toEqual([null, active_version]);
    bench.deps.db.prepare("UPDATE policies SET status = 'trained'").run();
    const refused = await bench.call('PUT', `${policy}/promise`, { target_error: 0.1 });
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      'Only the deployed policy can be given a promise. Deploy this one first.',
    ]);
  });
});
