/** What things cost, what a plan allows, and that the ledger and the log tell the same story. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { prepareCreditInsert } from '../../../src/server/store/account/credits.ts';
import { callerOf, deployForAll, loanExamples, loanType, makeType, openForTest, stoppedClock } from '../workbench.ts';

const types = '/api/v1/decision-types';
const hourMs = 3600_000;
const minuteMs = 60_000;
/** Fifteenth of a month, noon: an hour later is still the same month. */
const midMonth = Date.UTC(2026, 5, 15, 12);

const trained = deployForAll(loanType, loanExamples(40), stoppedClock(midMonth));
afterEach(() => void vi.useRealTimers());

/** A workbench on a clock that stands still, with a deployed policy, called with an API key that does not expire. */
async function openDeployed() {
  const clock = stoppedClock(midMonth);
  const { key, url, policyId } = trained;
  const opened = await openForTest({ synchronous: 'NORMAL', dataDir: trained.copy() }, clock);
  const { deps, app } = opened;
  const shop = callerOf(app, { authorization: `Bearer ${key}` });
  const train = () => shop('POST', `${url}/train`, { tune_hyperparams: false });
  clock.move(1_000);
  const choose = async (plan: string) => {
    const { token } = await deps.auth.issuer.issue();
    return callerOf(app, { authorization: `Bearer ${token}` })('PUT', '/api/v1/billing/plan', { plan });
  };
  const use = (credits: number) =>
    prepareCreditInsert(deps.db)({
      id: deps.newId(),
      organisationSeq: 1,
      operation: 'generation',
      credits,
      decisionTypeId: null,
      referenceId: null,
      createdAt: clock.now(),
    });
  const loan = { decision_type: 'loan', input: { amount: 60_000 } };
  const decide = (request: object = loan, query = '') => shop('POST', `/api/v1/decide${query}`, request);
  return { ...opened, clock, shop, url, policyId, train, choose, use, decide, loan };
}

describe('the ledger', () => {
  it('has one credit for each log record and nothing for a refused decision [SVC-5] [CRD-5] [CRD-9]', async () => {
    const { shop, url, decide, loan } = await openDeployed();
    for (let n = 0; n < 3; n += 1) expect((await decide()).status).toBe(200);
    expect((await decide({ ...loan, decision_type: 'none' })).status).toBe(404);
    expect((await decide({ decision_type: 'loan' })).status).toBe(422);
    const batch = [loan, { ...loan, decision_type: 'none' }, { decision_type: 'loan', input: { amount: 10 } }];
    expect((await shop('POST', '/api/v1/decide/batch', batch)).body).toMatchObject({ succeeded: 2, failed: 1 });

    const usage = (await shop('GET', '/api/v1/credits/usage?operation=decision')).body;
    const logs = (await shop('GET', `${url}/logs`)).body;
    expect([usage.total, usage.summary.total_credits, logs.total]).toEqual([5, 5, 5]);
    const referred = usage.items.map((item: { reference_id: string }) => item.reference_id);
    expect(referred.toSorted()).toEqual(logs.items.map((record: { id: string }) => record.id).toSorted());
  });

  it('has every charge with its reference, and a summary [SVC-5] [CRD-3] [CRD-4] [CRD-6]', async () => {
    const { shop, url, policyId, decide } = await openDeployed();
    await decide();
    expect((await shop('POST', `${url}/examples/generate`, { count: 2 })).status).toBe(201);
    const usage = (await shop('GET', '/api/v1/credits/usage?page_size=2')).body;
    expect(usage).toMatchObject({ total: 4, page: 1, page_size: 2, pages: 2 });
    const { generation } = usage.summary.by_operation;
    expect(generation).toBeGreaterThanOrEqual(1);
    expect(usage.summary).toEqual({
      total_credits: 2_003 + generation,
      by_operation: { training: 2_000, hosting: 2, decision: 1, generation },
    });
    const training = (await shop('GET', '/api/v1/credits/usage?operation=training')).body;
    expect(training.items).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        operation: 'training',
        credits: 2_000,
        decision_type_id: url.slice(types.length + 1),
        reference_id: policyId,
        created_at: '2026-06-15T12:00:00.000Z',
      },
    ]);
    expect(training.summary).toEqual({ total_credits: 2_000, by_operation: { training: 2_000 } });
  });

  it('charges each started hour of hosting once, and no hour in which the service was closed [CRD-8]', async () => {
    // The service looks every minute by itself; here its minutes pass when the story says so.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { shop, clock } = await openDeployed();
    const hosting = async () =>
      (await shop('GET', '/api/v1/credits/usage?operation=hosting')).body.summary.total_credits;
    const passMinute = (clockMs = minuteMs) => {
      clock.move(clockMs);
      vi.advanceTimersByTime(minuteMs);
    };
    expect(await hosting()).toBe(2);
    passMinute(hourMs - 1_001);
    expect(await hosting()).toBe(2);
    for (let minute = 0; minute < 150; minute += 1) passMinute();
    expect(await hosting()).toBe(2 + 3 * 2);
    passMinute(10 * hourMs);
    passMinute();
    expect(await hosting()).toBe(2 + 4 * 2);
  });
});

describe('the balance', () => {
  it('is the same for a key and for a session, and counts everything used [CRD-1] [AUT-9] [PLN-7]', async () => {
    const { shop, call, choose } = await openDeployed();
    const local = {
      plan: 'local',
      allocation: null,
      used: 2_002,
      remaining: null,
      percent_used: null,
      period_start: '2026-06-01T00:00:00.000Z',
      resets_at: '2026-07-01T00:00:00.000Z',
    };
    expect((await shop('GET', '/api/v1/credits')).body).toEqual(local);
    expect((await call('GET', '/api/v1/credits')).body).toEqual(local);
    expect((await choose('starter')).body).toEqual({
      plan: 'starter',
      allocation: 50_000,
      used: 0,
      remaining: 50_000,
      percent_used: 0,
      period_start: '2026-06-15T12:00:01.000Z',
      resets_at: '2026-07-01T00:00:00.000Z',
    });
  });

  it('takes a lookback of 1 to 90 days, seven by default [CRD-2]', async () => {
    const { shop, clock, use } = await openDeployed();
    clock.move(8 * 24 * hourMs);
    use(5);
    const total = async (query: string) => (await shop('GET', `/api/v1/credits/usage${query}`)).body.total;
    expect([await total(''), await total('?days=7'), await total('?days=9'), await total('?days=90')]).toEqual([
      1, 1, 3, 3,
    ]);
    for (const query of ['days=0', 'days=91', 'days=1.5', 'operation=shopping', 'page=0']) {
      expect([query, (await shop('GET', `/api/v1/credits/usage?${query}`)).status]).toEqual([query, 422]);
    }
  });
});

describe('a plan', () => {
  it('is one of the table [PLN-1]', async () => {
    const { call } = await openForTest();
    const { current, plans } = (await call('GET', '/api/v1/billing/plans')).body;
    expect(current).toBe('local');
    const row = (plan: Record<string, unknown>) =>
      ['name', 'price_per_month', 'credits', 'renews', 'decision_types', 'decisions', 'bundle_export'].map(
        (field) => plan[field],
      );
    expect(plans.map(row)).toEqual([
      ['local', 0, null, true, null, null, true],
      ['trial', 0, 5_000, false, 1, 250, false],
      ['developer', 19, 10_000, true, 2, null, false],
      ['starter', 199, 50_000, true, 3, null, false],
      ['growth', 599, 200_000, true, 10, null, true],
      ['scale', 1_999, 1_000_000, true, 50, null, true],
    ]);
  });

  it('limits the decision types: the next one is a 402 [PLN-3]', async () => {
    const { call } = await openForTest({ synchronous: 'NORMAL' });
    for (const [plan, limit] of [
      ['trial', 1],
      ['developer', 2],
      ['starter', 3],
      ['growth', 10],
      ['scale', 50],
    ] as const) {
      await call('PUT', '/api/v1/billing/plan', { plan });
      const have = (await call('GET', types)).body.total;
      for (let n = have; n < limit; n += 1) await makeType(call, { name: `type ${n}` });
      const refused = await call('POST', types, { name: 'one more', options: ['a', 'b'] });
      expect([plan, refused.status, refused.body.error.code]).toEqual([plan, 402, 'quota_exceeded']);
    }
    const [first] = (await call('GET', types)).body.items;
    expect((await call('DELETE', `${types}/${first.id}`)).status).toBe(204);
    expect((await call('POST', types, { name: 'one more', options: ['a', 'b'] })).status).toBe(201);
  });

  it('trial ends after 250 decisions, within a batch, too, and is given once [PLN-2] [BAT-7] [PLN-8]', async () => {
    const { shop, decide, choose, loan, url } = await openDeployed();
    await choose('trial');
    for (let n = 0; n < 248; n += 1) expect((await decide()).status).toBe(200);
    const { status, body } = await shop('POST', '/api/v1/decide/batch', [loan, loan, loan, loan]);
    expect([status, body.succeeded, body.failed]).toEqual([200, 2, 2]);
    expect(body.results.map((result: unknown) => result !== null)).toEqual([true, true, false, false]);
    expect(body.errors).toMatchObject([
      { index: 2, code: 'quota_exceeded', status_code: 402, retryable: false },
      { index: 3, code: 'quota_exceeded', status_code: 402, retryable: false },
    ]);
    const refused = await decide();
    expect([refused.status, refused.body.error.code]).toEqual([402, 'quota_exceeded']);
    expect((await shop('GET', `${url}/logs`)).body.total).toBe(250);
    await choose('trial');
    expect((await decide()).status).toBe(402);
    await choose('local');
    expect((await decide()).status).toBe(200);
    expect((await choose('trial')).body).toMatchObject({
      plan: 'trial',
      allocation: 5_000,
      used: 251,
      resets_at: null,
    });
    expect((await decide()).status).toBe(402);
  });

  it('refuses everything that costs once its credits are used up, until the month is over [PLN-5] [PLN-6] [PLN-9] [DEC-12]', async () => {
    const { shop, decide, choose, use, train, url, clock } = await openDeployed();
    expect((await choose('developer')).body.remaining).toBe(10_000);
    use(8_002);
    const short = await train();
    expect([short.status, short.body.error.code]).toEqual([402, 'insufficient_credits']);
    expect(short.body.error.message).toContain('1998 credits are left');
    use(1_998);
    const out = await train();
    expect([out.status, out.body.error.code]).toEqual([402, 'quota_exceeded']);
    const refused = await decide();
    expect([refused.status, refused.body.error.code]).toEqual([402, 'quota_exceeded']);
    expect((await decide(undefined, '?dry_run=true')).status).toBe(402);
    expect((await shop('GET', `${url}/policies`)).body).toHaveLength(1);
    expect((await shop('GET', '/api/v1/credits')).body).toMatchObject({
      used: 10_000,
      remaining: 0,
      percent_used: 100,
    });
    clock.move(Date.UTC(2026, 6, 1) - clock.now());
    expect((await shop('GET', '/api/v1/credits')).body).toMatchObject({
      used: 0,
      remaining: 10_000,
      period_start: '2026-07-01T00:00:00.000Z',
      resets_at: '2026-08-01T00:00:00.000Z',
    });
    expect((await decide()).status).toBe(200);
    expect((await shop('GET', '/api/v1/credits')).body).toMatchObject({ used: 1, remaining: 9_999 });
  });

  it('gives no credits again when another is chosen within the month [PLN-10] [PLN-9]', async () => {
    const { shop, decide, choose, use, clock } = await openDeployed();
    use(700);
    clock.move(hourMs);
    expect((await choose('developer')).body).toMatchObject({ used: 0, remaining: 10_000 });
    use(10_000);
    clock.move(hourMs);
    expect((await choose('starter')).body).toMatchObject({ allocation: 50_000, used: 10_000, remaining: 40_000 });
    use(5);
    for (const between of ['starter', 'local', 'trial']) {
      await choose(between);
      clock.move(hourMs);
      expect((await choose('developer')).body).toMatchObject({ used: 10_005, remaining: 0 });
      expect((await decide()).status).toBe(402);
    }
    clock.move(Date.UTC(2026, 6, 2) - clock.now());
    expect((await shop('GET', '/api/v1/credits')).body).toMatchObject({ used: 0, remaining: 10_000 });
    expect((await choose('growth')).body).toMatchObject({ used: 0, period_start: '2026-07-01T00:00:00.000Z' });
  });

  it('exports bundles under Growth, Scale and local only [PLN-4]', async () => {
    const { shop, choose, url } = await openDeployed();
    const answers = [];
    for (const plan of ['trial', 'developer', 'starter', 'growth', 'scale', 'local']) {
      await choose(plan);
      const { status, body } = await shop('GET', `${url}/export?slim=true`);
      answers.push([plan, status, body?.error.code ?? null]);
    }
    expect(answers).toEqual([
      ['trial', 403, 'forbidden'],
      ['developer', 403, 'forbidden'],
      ['starter', 403, 'forbidden'],
      ['growth', 200, null],
      ['scale', 200, null],
      ['local', 200, null],
    ]);
  });
});
