import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { applyRetention } from '../../../src/server/services/upkeep/housekeeping.ts';
import { type NewLoggedDecision, prepareLogInsert } from '../../../src/server/store/deciding/log-writer.ts';
import { usualDecision } from '../usual-decision.ts';
import { makeType, openForTest, stoppedClock } from '../workbench.ts';

const types = '/api/v1/decision-types';

/** A workbench with a type and `count` log records, one per minute up to now. */
async function openWithLogs(
  count: number,
  change: (index: number) => Partial<NewLoggedDecision> = () => ({}),
  now = Date.now(),
) {
  const clock = stoppedClock(now);
  const opened = await openForTest({ synchronous: 'NORMAL' }, clock);
  const id = await makeType(opened.call, { reason_codes: ['A'] });
  const { seq } = opened.deps.db.prepare<[], { seq: number }>('SELECT seq FROM decision_types').get()!;
  const insert = prepareLogInsert(opened.deps.db);
  opened.deps.store.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      insert({
        ...usualDecision,
        decisionTypeSeq: seq,
        requestId: `r${index}`,
        input: { n: index },
        decision: index % 2 === 0 ? 'yes' : 'no',
        confidence: (index % 10) / 10,
        classProbabilities: { yes: 0.5, no: 0.5 },
        escalated: index % 4 === 0,
        latencyMs: 2,
        createdAt: clock.now() - (count - 1 - index) * 60_000,
        ...change(index),
      });
    }
  });
  return { ...opened, clock, url: `${types}/${id}` };
}

describe('the decision log', () => {
  it('shows those that need review with unfamiliar inputs first, until they are corrected', async () => {
    const { call, url } = await openWithLogs(12, (index) => ({
      escalated: index % 3 === 0,
      unfamiliar: index === 3,
    }));
    const review = async () => (await call('GET', `${url}/logs?review=true`)).body.items;
    const requests = async () => (await review()).map((record: { request_id: string }) => record.request_id);
    expect(await requests()).toEqual(['r3', 'r9', 'r6', 'r0']);
    const [first] = await review();
    expect(first).toMatchObject({ unfamiliar: true, escalated: true });
    await call('PUT', `${url}/logs/${first.id}/correction`, { decision: 'no' });
    expect(await requests()).toEqual(['r9', 'r6', 'r0']);
  });

  it('is listed newest first and filtered [LOG-1] [LOG-2]', async () => {
    const { call, url, clock } = await openWithLogs(40);
    const first = await call('GET', `${url}/logs`);
    expect(first.body).toMatchObject({ total: 40, pages: 2 });
    expect(first.body.items[0]).toMatchObject({
      request_id: 'r39',
      input: { n: 39 },
      decision_type: 'triage',
      corrected_decision: null,
    });
    const total = async (query: string) => (await call('GET', `${url}/logs?${query}`)).body.total;
    expect(await total('decision=yes')).toBe(20);
    expect(await total('escalated=true')).toBe(10);
    expect(await total('escalated=false')).toBe(30);
    expect(await total('decision=no&escalated=true')).toBe(0);
    expect(await total('min_confidence=0.5&max_confidence=0.7')).toBe(12);
    const from = new Date(clock.now() - 9.5 * 60_000).toISOString();
    expect(await total(`start_time=${from}`)).toBe(10);
    expect(await total(`end_time=${from}`)).toBe(30);
    expect(await total(`start_time=${from.replace('Z', '')}`)).toBe(10);
    for (const wrong of ['min_confidence=1.1', 'escalated=1', 'start_time=yesterday', 'colour=red']) {
      expect([wrong, (await call('GET', `${url}/logs?${wrong}`)).status]).toEqual([wrong, 422]);
    }
    const day = (await call('GET', `${url}/logs?start_time=2026-01-01`)).body;
    expect(day.error.details[0].msg).toBe('must be a day and a time, such as 2026-01-31T09:00:00Z');
  });

  it('is exported whole as JSON and as CSV that no spreadsheet runs [LOG-4] [LOG-5]', async () => {
    const { call, url } = await openWithLogs(1_203, (index) => (index === 0 ? { requestId: '=1+1,"x"' } : {}));
    const json = JSON.parse((await call('GET', `${url}/logs/export`)).text);
    expect(json).toHaveLength(1_203);
    expect(new Set(json.map((record: { id: string }) => record.id)).size).toBe(1_203);
    const csv = await call('GET', `${url}/logs/export?format=csv&decision=yes`);
    expect(csv.headers['content-type']).toContain('text/csv');
    const lines = csv.text.split('\r\n');
    expect(lines).toHaveLength(602 + 2);
    expect(lines[602]).toContain(`,"'=1+1,""x""",`);
    expect(JSON.parse((await call('GET', `${url}/logs/export?decision=none`)).text)).toEqual([]);
  });

  it('starts no cell of a CSV with what some spreadsheet runs [LOG-5]', async () => {
    const texts = [
      '=1+1',
      '+1',
      '-1',
      '@a',
      '\ta',
      '\ra',
      '\na',
      '\uff1d1',
      '\uff0b1',
      '\uff0d1',
      '\uff20a',
      "'a",
      'a=1',
      '',
    ];
    // Where another character stands between cells, quotes within a line hold nothing together.
    const input = { note: 'a;=1+1;b', list: ['|@x', '-5'] };
    const { call, url } = await openWithLogs(texts.length, (index) => ({
      decision: texts[index] ?? '',
      confidence: -0.5,
      input,
    }));
    const lines = (await call('GET', `${url}/logs/export?format=csv`)).text;
    expect(lines).not.toMatch(/[;|]["']*[=+\-@]/);
    const rows: string[][] = parse(lines, { from_line: 2 });
    const told = rows.map((row) => row[5]).toReversed();
    expect(told).toEqual(texts.map((text, index) => (index < 11 ? `'${text}` : text)));
    expect(rows.map((row) => row[6])).toEqual(texts.map(() => '-0.5'));
    expect(rows.map((row) => JSON.parse(row[4] ?? ''))).toEqual(texts.map(() => input));
  });

  it('is corrected into one reviewed example [LOG-6]', async () => {
    const { call, url } = await openWithLogs(1);
    const [record] = (await call('GET', `${url}/logs`)).body.items;
    const correct = (body: unknown) => call('PUT', `${url}/logs/${record.id}/correction`, body);
    expect((await correct({ decision: 'no', reason_codes: ['A'] })).body.corrected_decision).toBe('no');
    expect((await correct({ decision: 'yes' })).body.corrected_decision).toBe('yes');
    expect((await correct({ decision: 'other' })).status).toBe(422);
    expect((await correct({ decision: 'yes', reason_codes: ['Z'] })).status).toBe(422);
    const examples = (await call('GET', `${url}/examples`)).body;
    expect(examples).toMatchObject({
      total: 1,
      items: [{ expected_decision: 'yes', reviewed: true, input_payload: { n: 0 } }],
    });
    const missing = await call('PUT', `${url}/logs/00000000-0000-4000-8000-000000000000/correction`, {
      decision: 'yes',
    });
    expect(missing.status).toBe(404);
    expect((await correct({ decision: null })).body.corrected_decision).toBeNull();
    expect((await call('GET', `${url}/examples`)).body.total).toBe(0);
    expect((await correct({ decision: null })).status).toBe(200);
  });

  it('gives the metrics of a day and of the organisation [MET-1] [MET-2]', async () => {
    const { call, url } = await openWithLogs(4, (index) =>
      index === 0 ? { createdAt: Date.now() - 25 * 3600_000 } : {},
    );
    expect((await call('GET', `${url}/metrics`)).body).toEqual({
      total_decisions: 3,
      avg_confidence: expect.closeTo(0.2),
      avg_latency_ms: 2,
      latency_p50_ms: 2,
      latency_p95_ms: 2,
      escalation_rate: 0,
      decision_distribution: { no: 2, yes: 1 },
    });
    const all = (await call('GET', '/api/v1/metrics')).body;
    expect(all).toMatchObject({
      total_decisions: 4,
      avg_latency_ms: 2,
      decision_types: [{ name: 'triage', total_decisions: 4, decisions_24h: 3, escalation_rate: 0.25 }],
    });
  });

  it('counts as decisions of today those since midnight UTC [MET-2]', async () => {
    const midnight = Date.UTC(2026, 5, 15);
    const times = [midnight - 86_400_000, midnight - 1, midnight, midnight + 60_000];
    const { call } = await openWithLogs(4, (index) => ({ createdAt: times[index] ?? 0 }), midnight + 3_600_000);
    expect((await call('GET', '/api/v1/metrics')).body).toMatchObject({ total_decisions: 4, decisions_today: 2 });
  });

  it('gives the metrics of each of the last days, from midnight to midnight UTC [CHA-4]', async () => {
    const midnight = Date.UTC(2026, 5, 15);
    const times = [midnight - 86_400_000, midnight - 1, midnight, midnight + 60_000];
    const { call, url } = await openWithLogs(4, (index) => ({ createdAt: times[index] ?? 0 }), midnight + 3_600_000);
    const { items } = (await call('GET', `${url}/metrics/days?days=3`)).body;
    expect(items).toMatchObject([
      { day: '2026-06-13', total_decisions: 0, avg_confidence: null, escalation_rate: null, decision_distribution: {} },
      { day: '2026-06-14', total_decisions: 2 },
      { day: '2026-06-15', total_decisions: 2 },
    ]);
    expect(Object.values(items[2].decision_distribution)).toEqual([1, 1]);
    expect((await call('GET', `${url}/metrics/days?days=91`)).status).toBe(422);
    const hours = (await call('GET', `${url}/metrics/days?days=2&step=hour`)).body.items;
    const filled = hours.filter((item: { total_decisions: number }) => item.total_decisions > 0);
    expect([hours.length, filled]).toMatchObject([
      26,
      [
        { day: '2026-06-14', hour: 0, total_decisions: 1 },
        { day: '2026-06-14', hour: 23, total_decisions: 1 },
        { day: '2026-06-15', hour: 0, total_decisions: 2 },
      ],
    ]);
    expect((await call('GET', `${url}/metrics/days?days=4&step=hour`)).status).toBe(422);
    expect((await call('GET', `${url}/metrics/days?step=hour`)).body.items.length).toBeLessThanOrEqual(24);
  });

  it('forgets records past their retention [TYP-21]', async () => {
    const { call, url, deps, clock } = await openWithLogs(5);
    await call('PUT', url, { retention_days: 1 });
    expect(await applyRetention(deps)).toBe(0);
    clock.move(24 * 3600_000 + 1);
    expect(await applyRetention(deps)).toBe(5);
  });

  it('keeps the records of a deleted type to the end of their retention, and no longer [TYP-21] [TYP-24]', async () => {
    const { call, url, deps, clock } = await openWithLogs(5);
    await call('PUT', url, { retention_days: 1 });
    await call('DELETE', url);
    expect(await applyRetention(deps)).toBe(0);
    clock.move(24 * 3600_000 + 1);
    expect(await applyRetention(deps)).toBe(5);
  });
});
