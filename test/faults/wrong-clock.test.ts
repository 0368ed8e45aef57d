/** A clock that is wrong, forward or back: nothing is deleted by it, and what it took away comes back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/server/process/clock.ts';
import { chargeHosting } from '../../src/server/services/hosting.ts';
import { applyRetention } from '../../src/server/services/housekeeping.ts';
import { loanExamples, loanType } from '../server/training-workbench.ts';
import { type Call, callerOf, makeDeployedFolder, makeType, openForTest } from '../server/workbench.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 5, 15, 12);

/** A clock that stands still until time passes (`move`) or somebody sets the wall clock (`leap`). */
function settableClock(wallMs = startMs): Clock & { move(ms: number): void; leap(ms: number): void } {
  let elapsed = 0;
  let set = 0;
  return {
    now: () => wallMs + elapsed + set,
    monotonic: () => elapsed,
    move(ms) {
      elapsed += ms;
    },
    leap(ms) {
      set += ms;
    },
  };
}

let trained: Awaited<ReturnType<typeof makeDeployedFolder>>;
/** A data folder whose log has twelve records of the present day. */
let dataDir: string;
const logTotal = async (call: Call) => (await call('GET', `${trained.url}/logs`)).body.total;

beforeAll(async () => {
  trained = await makeDeployedFolder(loanType, loanExamples(40), settableClock());
});
afterAll(() => trained.remove());

let closeLast: () => Promise<void> = async () => undefined;

/** Starts the program anew on the folder, after the end of the one before. */
async function openWithLog(wallMs = startMs + 60_000) {
  const clock = settableClock(wallMs);
  await closeLast();
  const opened = await openForTest({ dataDir }, clock);
  closeLast = opened.close;
  // Each call with a session of its moment: the clock leaps past the end of others.
  const call: Call = async (method, url, body) => {
    const { token } = await opened.deps.auth.issuer.issue();
    return opened.call(method, url, body, { authorization: `Bearer ${token}` });
  };
  return { ...opened, call, clock, readClock: async () => (await call('GET', '/api/v1/clock')).body };
}

async function decideTwelveTimes(call: Call): Promise<void> {
  const items = Array.from({ length: 12 }, (_, i) => ({ decision_type: 'loan', input: { amount: 60_000 + i } }));
  expect((await call('POST', '/api/v1/decide/batch', items)).body.succeeded).toBe(12);
}

describe('a start with the clock a year ahead', () => {
  it('deletes nothing and says so, and retention goes on when the clock is right again [CLK-1] [CLK-2]', async () => {
    dataDir = trained.copy();
    await decideTwelveTimes((await openWithLog()).call);

    const ahead = await openWithLog(startMs + 365 * dayMs);
    expect(await applyRetention(ahead.deps)).toBe(0);
    ahead.clock.move(2 * dayMs);
    expect(await applyRetention(ahead.deps)).toBe(0);
    expect(await logTotal(ahead.call)).toBe(12);
    const { state, leap_seconds: leap } = await ahead.readClock();
    expect([state, Math.round(leap / 86_400)]).toEqual(['in doubt', 365]);
    expect((await callerOf(ahead.app, {})('GET', '/ready')).body).toMatchObject({ status: 'ready', clock: 'in doubt' });

    const right = await openWithLog(startMs + dayMs);
    expect(await right.readClock()).toMatchObject({ state: 'trusted', leap_seconds: null });
    expect((await callerOf(right.app, {})('GET', '/ready')).body).toMatchObject({ clock: 'trusted' });
    right.clock.move(90 * dayMs);
    expect(await applyRetention(right.deps)).toBe(12);
  });

  it('removes nothing for good within two days after somebody believed the clock [CLK-3] [CLK-4]', async () => {
    dataDir = trained.copy();
    const before = await openWithLog();
    await decideTwelveTimes(before.call);
    const metrics = (await before.call('GET', '/api/v1/metrics')).body;

    const { app, call, deps, clock, readClock } = await openWithLog(startMs + 365 * dayMs);
    const key = { authorization: `Bearer ${trained.key}` };
    expect((await callerOf(app, key)('POST', '/api/v1/clock/confirm')).status).toBe(403);
    expect((await call('POST', '/api/v1/clock/confirm')).body).toMatchObject({ state: 'trusted' });
    expect(await applyRetention(deps)).toBe(12);
    const [total, one] = [await logTotal(call), (await call('GET', '/api/v1/metrics')).body];
    expect([total, one.total_decisions, one.decision_types[0].total_decisions]).toEqual([0, 0, 0]);
    clock.move(2 * dayMs - 1);
    expect(await applyRetention(deps)).toBe(0);

    clock.leap(-365 * dayMs);
    expect(await readClock()).toMatchObject({ state: 'in doubt' });
    expect((await call('POST', '/api/v1/clock/confirm')).body).toMatchObject({ state: 'trusted' });
    expect((await callerOf(app, key)('POST', `${trained.url}/logs/restore`)).status).toBe(403);
    expect((await call('POST', `${trained.url}/logs/restore`)).body).toEqual({ restored: 12 });
    expect(await logTotal(call)).toBe(12);
    expect((await call('GET', '/api/v1/metrics')).body).toMatchObject({ total_decisions: metrics.total_decisions });
    expect(await applyRetention(deps)).toBe(0);
    expect((await call('POST', `${trained.url}/logs/restore`)).body).toEqual({ restored: 0 });
  });

  it('charges no year of hosting, and every hour again once the clock is right [CRD-8]', async () => {
    dataDir = trained.copy();
    const { clock, deps } = await openWithLog(startMs + 2 * hourMs);
    const charge = () => chargeHosting(deps);
    charge();
    clock.leap(365 * dayMs);
    expect([charge(), charge()]).toEqual([1, 0]);
    clock.leap(-365 * dayMs);
    clock.move(hourMs);
    expect([charge(), charge()]).toEqual([1, 0]);
    clock.move(hourMs);
    expect([charge(), charge()]).toEqual([1, 0]);
  });
});

describe('records past their retention', () => {
  const countRows = ({ deps }: Awaited<ReturnType<typeof openWithLog>>) =>
    deps.db.prepare('SELECT count(*) FROM decision_logs').pluck().get();

  it('can be brought back for two days, and are then really deleted [TYP-21] [CLK-4]', async () => {
    dataDir = trained.copy();
    const opened = await openWithLog();
    const { call, deps, clock } = opened;
    await decideTwelveTimes(call);
    const [{ id }] = (await call('GET', `${trained.url}/logs`)).body.items;
    const correction = () => call('PUT', `${trained.url}/logs/${id}/correction`, { decision: 'approve' });
    clock.move(91 * dayMs);
    expect(await applyRetention(deps)).toBe(12);
    expect((await correction()).status).toBe(404);
    const { text: exported } = await call('GET', `${trained.url}/logs/export?format=csv`);
    expect(exported.trim().split('\n')).toHaveLength(1);
    await call('PUT', trained.url, { retention_days: 365 });
    expect((await call('POST', `${trained.url}/logs/restore`)).body).toEqual({ restored: 12 });
    expect((await correction()).status).toBe(200);

    await call('PUT', trained.url, { retention_days: 90 });
    expect([await applyRetention(deps), countRows(opened)]).toEqual([12, 12]);
    clock.move(2 * dayMs);
    expect([await applyRetention(deps), countRows(opened)]).toEqual([0, 0]);
    expect((await call('POST', `${trained.url}/logs/restore`)).body).toEqual({ restored: 0 });
  });

  it('are deleted at once where the type has personal fields, those that wait as well [TYP-21] [CLK-4]', async () => {
    dataDir = trained.copy();
    const opened = await openWithLog();
    const { call, deps, clock } = opened;
    await decideTwelveTimes(call);
    clock.move(91 * dayMs);
    expect([await applyRetention(deps), countRows(opened)]).toEqual([12, 12]);
    await call('PUT', trained.url, { pii_fields: ['applicant.email'] });
    expect([await applyRetention(deps), countRows(opened)]).toEqual([0, 0]);
    await decideTwelveTimes(call);
    clock.move(91 * dayMs);
    expect([await applyRetention(deps), countRows(opened)]).toEqual([12, 0]);
  });
});

describe('a clock in doubt', () => {
  it('is believed when it has agreed with itself for as long as it leapt, seven days at most [CLK-2]', async () => {
    for (const [leapDays, probationDays] of [
      [3, 3],
      [-5, 5],
      [400, 7],
    ] as const) {
      const clock = settableClock();
      const { deps } = await openForTest({}, clock);
      clock.leap(leapDays * dayMs);
      expect(deps.trustedTime.now()).toBeNull();
      for (let hours = 1; hours < probationDays * 24; hours += 1) {
        clock.move(hourMs);
        expect(deps.trustedTime.now()).toBeNull();
      }
      clock.move(hourMs);
      expect([leapDays, deps.trustedTime.now()]).toEqual([leapDays, clock.now()]);
    }
  });

  it('begins its time again with another leap, and is believed at once when it is back', async () => {
    const clock = settableClock();
    const { deps } = await openForTest({}, clock);
    clock.leap(5 * dayMs);
    deps.trustedTime.look();
    clock.move(4 * dayMs);
    clock.leap(20 * dayMs);
    deps.trustedTime.look();
    clock.move(2 * dayMs);
    expect(deps.trustedTime.now()).toBeNull();
    clock.leap(-25 * dayMs);
    expect(deps.trustedTime.now()).toBe(clock.now());
  });

  it('is not what a service that ran, slept for a day or was set back by minutes has [CLK-1]', async () => {
    const clock = settableClock();
    const { call, deps } = await openForTest({}, clock);
    await makeType(call);
    clock.move(30 * dayMs);
    expect(deps.trustedTime.now()).toBe(clock.now());
    clock.leap(dayMs);
    const highest = deps.trustedTime.now();
    expect(highest).toBe(clock.now());
    clock.leap(-5 * 60_000);
    expect(deps.trustedTime.now()).toBe(highest);
  });
});
