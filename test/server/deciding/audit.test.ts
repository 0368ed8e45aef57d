/** The audit: live decisions drawn at random, judged blind, and the error that follows. */
import { describe, expect, it } from 'vitest';
import { type Call, openForTest, stoppedClock } from '../workbench.ts';

const score = (n: number) => (n * 37) % 1_000;
/** The rule decides below 500; who judges says that the line is at 600. */
const rules = [{ name: 'low', condition: 'ctx.score < 500', then: 'no', priority: 1 }];
const toTruth = (input: { score: number }) => (input.score < 600 ? 'no' : 'yes');

type Next = { example: { id: string; input_payload: { score: number } }; suggestion: unknown; why: string };

describe('the audit of live decisions', () => {
  async function open(audit: object | null, decisions: number, clock = stoppedClock()) {
    const { call: first, deps } = await openForTest({}, clock);
    let authorization = '';
    const call: Call = (method, path, body, headers) => first(method, path, body, { authorization, ...headers });
    /** Moves the clock by a week, which no login outlives. */
    const passWeek = async (weeks = 1) => {
      clock.move(weeks * 7 * 24 * 3_600_000);
      authorization = `Bearer ${(await deps.auth.issuer.issue()).token}`;
    };
    await passWeek(0);
    const type = { name: 'triage', options: ['yes', 'no'], rules, fallback_option: 'yes', audit };
    const made = await call('POST', '/api/v1/decision-types', type);
    expect([made.status, made.body.audit]).toEqual([201, audit]);
    const url = `/api/v1/decision-types/${made.body.id}`;
    const policy = await call('POST', `${url}/policies`, { kind: 'rules_only' });
    await call('POST', `${url}/policies/${policy.body.id}/deploy`, {});
    const decide = async (from: number, count: number) => {
      const items = Array.from({ length: count }, (_, i) => ({
        decision_type: 'triage',
        input: { score: score(from + i) },
      }));
      expect((await call('POST', '/api/v1/decide/batch', items)).status).toBe(200);
    };
    for (let from = 0; from < decisions; from += 50) await decide(from, Math.min(50, decisions - from));
    const audited = async () => (await call('GET', `${url}/audit`)).body;
    const next = async (count = 20, queue = 'audit'): Promise<Next[]> =>
      (await call('GET', `${url}/examples/next?queue=${queue}&count=${count}&restart=true`)).body.items;
    const judge = async ({ example }: Next) =>
      (await call('PATCH', `${url}/examples/${example.id}`, { expected_decision: toTruth(example.input_payload) }))
        .status;
    return { call, deps, passWeek, url, decide, audited, next, judge };
  }

  const countLogs = async (call: Call, url: string) => (await call('GET', `${url}/logs`)).body.total;

  it('draws its share as decisions are recorded, and none without a setting [AUD-2]', async () => {
    const { call, url, audited, decide } = await open({ share: 0.2 }, 400);
    const { to_judge: drawn, policies } = await audited();
    expect(await countLogs(call, url)).toBe(400);
    expect(drawn).toBeGreaterThan(50);
    expect(drawn).toBeLessThan(110);
    expect(policies).toMatchObject([
      { policy_version: 'v1', drawn, error: { judged: 0, share: null, low: 0, high: 1 } },
    ]);
    const { body } = await call('PUT', url, { audit: null });
    expect([body.audit, body.active_version.version_number]).toEqual([null, 1]);
    await decide(400, 50);
    expect((await audited()).to_judge).toBe(drawn);
    for (const share of [0, 1.5]) expect((await call('PUT', url, { audit: { share } })).status).toBe(422);
    // A dry run is no decision.
    await call('PUT', url, { audit: { share: 1 } });
    await call('POST', '/api/v1/decide?dry_run=true', { decision_type: 'triage', input: { score: 1 } });
    expect((await audited()).to_judge).toBe(drawn);
  });

  it('gives drawn decisions out oldest first, without what was decided or is likely [AUD-3] [CAR-1]', async () => {
    const { call, url, next, judge, audited } = await open({ share: 1 }, 30);
    const items = await next(5);
    expect(items.map(({ example }) => example.input_payload.score)).toEqual([0, 1, 2, 3, 4].map(score));
    for (const item of items) {
      expect(item.suggestion).toBeNull();
      expect(item.example).toMatchObject({ expected_decision: null, audited: true });
      expect(JSON.stringify(item.example)).not.toMatch(/"(yes|no)"/);
    }
    const ids = items.map(({ example }) => example.id);
    const { body: suggested } = await call('POST', `${url}/examples/suggestions`, { ids });
    expect(suggested.items).toEqual(ids.map((example_id) => ({ example_id, suggestion: null })));
    expect(items[0]?.why).toBe(
      'A live decision, drawn at random. What was decided is not shown, so that you judge freely.',
    );
    // Whoever labels in another order does not meet them, and corrections are another queue.
    expect(await next(20, 'to_label')).toEqual([]);
    expect(await next(20, 'corrections')).toEqual([]);
    expect((await call('GET', `${url}/examples/stats`)).body.by_queue.audit).toBe(30);
    for (const item of items) expect(await judge(item)).toBe(200);
    expect((await next(2)).map(({ example }) => example.input_payload.score)).toEqual([5, 6].map(score));
    expect(await audited()).toMatchObject({ to_judge: 25, deployed: { drawn: 30, error: { judged: 5 } } });
  });

  it('gives the live error with a bound that whoever looks often may believe [AUD-4]', async () => {
    const { next, judge, audited } = await open({ share: 1 }, 100);
    const decided = Array.from({ length: 100 }, (_, i) => ({ score: score(i) }));
    const wrong = decided.filter((input) => (input.score < 500 ? 'no' : 'yes') !== toTruth(input)).length;
    for (const item of await next(100)) await judge(item);
    const { deployed } = await audited();
    expect(deployed.error).toMatchObject({ judged: 100, wrong, passed_over: 0, share: wrong / 100 });
    expect(deployed.error.low).toBeGreaterThan(0.01);
    expect(deployed.error.high).toBeLessThan(0.3);
    // The fallback's answers are nobody's own: a rule decided the others alone, and rightly.
    const alone = decided.filter((input) => input.score < 500).length;
    expect(deployed.error_automatic).toMatchObject({ judged: alone, wrong: 0, low: 0 });
    expect(deployed.sentence).toMatch(
      new RegExp(
        `^Of 100 decisions drawn at random and judged blind, ${wrong} were wrong \\(${wrong}%; between [\\d.]+% and [\\d.]+% with 95% certainty, whenever you look\\)\\.$`,
      ),
    );
  });

  it('counts what was passed over against the policy, and is not bent by corrections in Monitor [AUD-4]', async () => {
    const { call, url, next, judge, audited } = await open({ share: 1 }, 60);
    // Somebody corrects the wrong ones as they catch the eye: no figure follows from that.
    const logs = (await call('GET', `${url}/logs?page_size=100`)).body.items;
    const seen = logs.filter(
      ({ input, decision }: { input: { score: number }; decision: string }) => decision !== toTruth(input),
    );
    for (const { id } of seen) await call('PUT', `${url}/logs/${id}/correction`, { decision: 'no' });
    expect((await audited()).deployed.error).toMatchObject({ judged: 0, share: null, high: 1 });
    // Judged blind, the others follow; the corrected ones count where they were drawn.
    const items = await next(100);
    expect(items).toHaveLength(60 - seen.length);
    const [passed, ...others] = items;
    for (const item of others) await judge(item);
    const { error } = (await audited()).deployed;
    expect(error).toMatchObject({ judged: 59, wrong: seen.length, passed_over: 1 });
    if (passed) await judge(passed);
    const whole = (await audited()).deployed.error;
    expect(whole).toMatchObject({ judged: 60, wrong: seen.length, passed_over: 0 });
    expect(whole.high).toBeLessThan(error.high);
    // A judgement can be taken back like any label, also from the log.
    const judged = await call('GET', `${url}/examples?page_size=100&labelled=true`);
    const [one] = judged.body.items.filter(({ audited: is }: { audited: boolean }) => is);
    await call('PATCH', `${url}/examples/${one.id}`, { expected_decision: null });
    expect((await audited()).to_judge).toBe(1);
  });

  it('stays right when options are renamed, and leaves with its type [AUD-4]', async () => {
    const { call, url, next, judge, audited } = await open({ share: 1 }, 40);
    for (const item of await next(40)) await judge(item);
    const before = (await audited()).deployed.error;
    const renamed = await call('POST', `${url}/options/rename`, { from: 'no', to: 'never' });
    expect(renamed.status).toBe(200);
    expect((await audited()).deployed.error).toEqual(before);
    await call('POST', `${url}/options/undo`, { undo_token: renamed.body.undo_token });
    expect((await audited()).deployed.error).toEqual(before);
  });

  it('draws so many of a week when it is over, each with the same chance, and all of a quiet one [LFT-4]', async () => {
    const { url, call, passWeek, decide, audited, next, judge } = await open({ per_week: 11 }, 0);
    let drawn = 0;
    for (const decisions of [100, 100, 100, 100, 100, 7, 100, 100, 100]) {
      const from = decisions === 100 ? 0 : 100;
      for (let done = 0; done < decisions; done += 50) await decide(from + done, Math.min(50, decisions - done));
      // Others of the week could still come before those that stand first so far.
      expect(await audited()).toMatchObject({ to_judge: drawn, policies: drawn === 0 ? [] : [{ drawn }] });
      await passWeek();
      drawn += Math.min(11, decisions);
      expect((await audited()).to_judge).toBe(drawn);
    }
    const items = await next(100);
    const order = Array.from({ length: 107 }, (_, i) => score(i));
    const places = items.map(({ example }) => order.indexOf(example.input_payload.score));
    expect(places.filter((place) => place >= 100)).toEqual([100, 101, 102, 103, 104, 105, 106]);
    // Early and late decisions of a week alike.
    const early = places.filter((place) => place < 50).length;
    expect([items.length, early > 29, early < 59]).toEqual([95, true, true]);
    for (const item of items.slice(0, 3)) await judge(item);
    const { deployed } = await audited();
    expect(deployed.error).toMatchObject({ judged: 3, passed_over: 0 });
    expect(deployed.sentence).toMatch(
      / Weeks count by how many were drawn of them, not by how many decisions they had\.$/,
    );
    expect((await call('GET', url)).body.audit).toEqual({ per_week: 11 });
  });

  it('draws again from the rest of a week whose number is changed, and keeps what is certain [LFT-4]', async () => {
    const { url, call, passWeek, decide, audited } = await open({ per_week: 40 }, 50);
    await passWeek();
    await decide(0, 50);
    expect((await call('PUT', url, { audit: { per_week: 5 }, description: 'fewer' })).status).toBe(200);
    await decide(0, 30);
    await call('PUT', url, { description: 'the same number' });
    expect((await audited()).to_judge).toBe(40);
    await passWeek();
    expect((await audited()).to_judge).toBe(45);
    // A share is drawn at once, beside them.
    await call('PUT', url, { audit: { share: 1 } });
    await decide(0, 10);
    expect((await audited()).to_judge).toBe(55);
  });

  it('takes a share or a number, and a log that is kept long enough for weeks [LFT-4]', async () => {
    const { call } = await openForTest();
    const make = (fields: object) =>
      call('POST', '/api/v1/decision-types', { name: 'triage', options: ['yes', 'no'], ...fields });
    for (const audit of [{}, { share: 0.1, per_week: 5 }, { per_week: 0 }, { per_week: 1.5 }, { per_week: 1_001 }])
      expect((await make({ audit })).status, JSON.stringify(audit)).toBe(422);
    const short = await make({ audit: { per_week: 5 }, retention_days: 13 });
    expect(short.body.error.details).toMatchObject([{ loc: ['body', 'audit', 'per_week'] }]);
    const { body } = await make({ audit: { per_week: 5 }, retention_days: 14 });
    const put = (fields: object) => call('PUT', `/api/v1/decision-types/${body.id}`, fields);
    expect((await put({ retention_days: 7 })).status).toBe(422);
    expect((await put({ retention_days: 7, audit: { share: 0.5 } })).status).toBe(200);
    expect((await put({ audit: { per_week: 5 } })).status).toBe(422);
    expect((await put({ audit: { per_week: 5 }, retention_days: null })).body.audit).toEqual({ per_week: 5 });
  });
});
