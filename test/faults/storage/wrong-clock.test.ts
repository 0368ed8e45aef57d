/** A clock that is wrong, forward or back: nothing is deleted by it, and what it took away comes back. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Clock } from '../../../src/server/process/clock.ts';
import { chargeHosting } from '../../../src/server/services/account/connections.ts';
import { applyRetention } from '../../../src/server/services/upkeep/housekeeping.ts';
import { TrustedTime } from '../../../src/server/services/upkeep/trusted-time.ts';
import { type Call, callerOf, deployForAll, loanExamples, loanType, openForTest } from '../../server/workbench.ts';

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

const trained = deployForAll(loanType, loanExamples(40), settableClock());
/** A data folder whose log has twelve records of the present day. */
let dataDir: string;
const logTotal = async (call: Call) => (await call('GET', `${trained.url}/logs`)).body.total;

let closeLast: () => Promise<void> = async () => undefined;

/** Starts the program again on the folder, after the end of the one before. */
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

describe('a clock that is wrong', () => {
  it('removes nothing for four hours of running, whether it was set before a start or meanwhile [CLK-1] [CLK-2]', async () => {
    for (const days of [365, 40, -365, -3_650]) {
      dataDir = trained.copy();
      const { call, deps, clock, readClock } = await openWithLog();
      await decideTwelveTimes(call);
      clock.leap(days * dayMs);
      for (let hours = 0; hours < 4; hours += 1, clock.move(hourMs)) expect(await applyRetention(deps)).toBe(0);
      clock.leap(-days * dayMs);
      expect(await readClock()).toMatchObject({ state: days > 0 ? 'trusted' : 'in doubt' });

      const wrong = await openWithLog(startMs + (days + 1) * dayMs);
      for (let hours = 0; hours < 4; hours += 1, wrong.clock.move(hourMs)) {
        expect(await applyRetention(wrong.deps)).toBe(0);
      }
      expect([days, await logTotal((await openWithLog(startMs + 2 * dayMs)).call)]).toEqual([days, 12]);
    }
  });

  it('is said to be in doubt, and retention goes on when it is right again [CLK-2]', async () => {
    dataDir = trained.copy();
    await decideTwelveTimes((await openWithLog()).call);

    const ahead = await openWithLog(startMs + 365 * dayMs);
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
    expect(await readClock()).toMatchObject({ state: 'trusted' });
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

describe('a pause', () => {
  it('of days is measured by the monotonic clock of the machine, and held for hours only [CLK-2]', async () => {
    const earlier = await openForTest();
    earlier.deps.db.exec(`UPDATE clock_sightings SET trusted_at = trusted_at - ${62 * hourMs}`);
    await earlier.close();
    const { call, deps } = await openForTest({ dataDir: earlier.dataDir });
    const looks = [deps.trustedTime.look(), deps.trustedTime.look(), deps.trustedTime.look()];
    expect(looks.map(({ now, trustedAt }) => Math.round((now - trustedAt) / hourMs))).toEqual([62, 62, 62]);
    expect((await call('GET', '/api/v1/clock')).body).toMatchObject({ state: 'trusted' });
  });

  it.each([
    { machine: 'a laptop that is closed from 18 to 8 and at the weekend', sleeps: false, maxOverdueDays: 3 },
    { machine: 'one that sleeps then, with the program open', sleeps: true, maxOverdueDays: 3 },
    { machine: 'a server', sleeps: null, maxOverdueDays: 0 },
  ])('of $machine is none of the clock, for a year [CLK-1] [CLK-2]', async ({ sleeps, maxOverdueDays }) => {
    const { deps } = await openForTest({ synchronous: 'NORMAL' }, settableClock());
    const clock = settableClock();
    const start = () => new TrustedTime({ store: deps.store, clock, log: deps.log });
    let trustedTime = start();
    const overdueDays = { inTheEvening: 0, ever: 0 };
    let hoursInDoubt = 0;
    for (let hour = 0; hour < 365 * 24; hour += 1) {
      const date = new Date(clock.now());
      const isWorkingHour = date.getUTCDay() % 6 !== 0 && date.getUTCHours() >= 8 && date.getUTCHours() < 18;
      if (sleeps === null || isWorkingHour) {
        const { now, trustedAt, leapMs } = trustedTime.look();
        if (leapMs !== null) hoursInDoubt += 1;
        overdueDays.ever = Math.max(overdueDays.ever, (now - trustedAt) / dayMs);
        if (date.getUTCHours() === 17) overdueDays.inTheEvening = Math.max(overdueDays.inTheEvening, now - trustedAt);
        clock.move(hourMs);
      } else {
        clock.leap(hourMs);
        if (sleeps === false) trustedTime = start();
      }
    }
    expect({ hoursInDoubt, inTheEvening: overdueDays.inTheEvening }).toEqual({ hoursInDoubt: 0, inTheEvening: 0 });
    expect(overdueDays.ever).toBeLessThanOrEqual(maxOverdueDays);
  });

  it('of a holiday is in doubt until the program has run four hours [CLK-2]', async () => {
    const clock = settableClock();
    const { deps } = await openForTest({}, clock);
    deps.trustedTime.look();
    clock.leap(14 * dayMs);
    const leaps = [0, 1, 2, 3, 4].map(() => {
      const { leapMs } = deps.trustedTime.look();
      clock.move(hourMs);
      return leapMs !== null;
    });
    expect([leaps[0], leaps.at(-1)]).toEqual([true, false]);
    expect(deps.trustedTime.now()).toBe(clock.now());
  });

  it('does not keep a program from the clock that runs an hour a day, nor one that lasts a year [CLK-2]', async () => {
    const clock = settableClock();
    const { deps } = await openForTest({}, clock);
    for (let day = 0; day < 30; day += 1) {
      clock.leap(23 * hourMs);
      deps.trustedTime.look();
      clock.move(hourMs);
    }
    const { now, trustedAt, leapMs } = deps.trustedTime.look();
    expect([leapMs, now - trustedAt < 9 * dayMs]).toEqual([null, true]);
    clock.leap(365 * dayMs);
    for (let hours = 0; hours < 8; hours += 1, clock.move(hourMs)) deps.trustedTime.look();
    expect(deps.trustedTime.now()).toBe(clock.now());
  });

  it('ends nothing of the clean-up when it cannot be kept, nor does a part that fails [CLK-1]', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    dataDir = trained.copy();
    const { call, deps, clock } = await openWithLog();
    await decideTwelveTimes(call);
    deps.db.exec('DROP TABLE clock_sightings');
    rmSync(path.join(dataDir, 'encodings'), { recursive: true, force: true });
    writeFileSync(path.join(dataDir, 'encodings'), 'not a folder');
    clock.move(91 * dayMs);
    vi.advanceTimersByTime(hourMs);
    await vi.waitFor(async () => expect(await logTotal(call)).toBe(0));
    expect((await call('GET', '/api/v1/clock')).status).toBe(200);
  });
});
