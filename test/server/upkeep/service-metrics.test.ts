/** An operator's view from outside: counts for Prometheus, and calls found by the trace that they belong to. */
import { expect, it } from 'vitest';
import { callerOf, deployForAll, loanExamples, loanType, openForTest } from '../workbench.ts';

const folder = deployForAll(loanType, loanExamples(40));

/** The value of each line, by its name with labels. */
const readValues = (text: string) =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );

it('counts decisions, refusals and the time of requests for whoever may read [SYS-6]', async () => {
  const { app, call } = await openForTest({ dataDir: folder.copy() });
  const scraper = callerOf(app, { authorization: `Bearer ${folder.key}` });
  const made = new Map<string, number>();
  for (const amount of [60_000, 1_000, 60_000, 2_000, 60_000]) {
    const input = { applicant: { score: 790 }, amount, purpose: 'car', employed: true };
    const { body } = await call('POST', '/api/v1/decide', { decision_type: 'loan', input });
    const name = `decision_edge_decisions_total{decision_type="loan",policy_version="${body.policy_version}",release="${body.release}",decision="${body.decision}",stage="${body.stage}",escalate="${body.escalate}"}`;
    made.set(name, (made.get(name) ?? 0) + 1);
  }
  const items = [{ decision_type: 'nothing', input: {} }];
  expect((await call('POST', '/api/v1/decide/batch', items)).body.failed).toBe(1);
  expect((await call('POST', '/api/v1/decide', { decision_type: 'loan', input: [] })).status).toBe(422);
  expect((await call('POST', '/api/v1/decide?dry_run=true', { decision_type: 'loan', input: {} })).status).toBe(200);
  expect((await callerOf(app, {})('GET', '/metrics')).status).toBe(401);

  const answer = await scraper('GET', '/metrics');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const values = readValues(answer.text);
  const decisions = [...values].filter(([name]) => name.startsWith('decision_edge_decisions_total'));
  expect(decisions).toEqual([...made]);
  expect(made.size).toBeGreaterThan(1);
  for (const code of ['decision_type_not_found', 'validation_error', 'unauthorized']) {
    expect([code, values.get(`decision_edge_refused_total{code="${code}"}`)]).toEqual([code, 1]);
  }
  const route = 'route="/api/v1/decide",status="200"';
  expect(values.get(`decision_edge_request_seconds_count{${route}}`)).toBe(6);
  const buckets = [...values].filter(([name]) => name.startsWith(`decision_edge_request_seconds_bucket{${route}`));
  const counts = buckets.map(([, count]) => count);
  expect([counts.at(-1), counts]).toEqual([6, counts.toSorted((a, b) => a - b)]);
  expect(values.get('decision_workbench_policy_available{decision_type="loan"}')).toBe(1);
  expect(values.get('decision_workbench_training_in_progress')).toBe(0);
  expect(values.get('decision_workbench_trainings_waiting')).toBe(0);
  expect(values.get('decision_workbench_store_bytes')).toBeGreaterThan(4_096);
  expect(values.get('decision_workbench_disk_free_bytes')).toBeGreaterThan(0);
  expect(values.has('decision_workbench_last_backup_timestamp_seconds')).toBe(false);
});

it('tells when the last backup was made [SYS-6]', async () => {
  const { call } = await openForTest({ dataDir: folder.copy() });
  const { body } = await call('POST', '/api/v1/backups', {});
  const values = readValues((await call('GET', '/metrics')).text);
  expect(values.get('decision_workbench_last_backup_timestamp_seconds')).toBe(Date.parse(body.created_at) / 1_000);
});

it('names a call by the trace that it belongs to, unless it has a name of its own [SYS-7]', async () => {
  const { call } = await openForTest({ dataDir: folder.copy() });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const parent = '00f067aa0ba902b7';
  const decide = async (headers: Record<string, string>) => {
    const { body, headers: sent } = await call('POST', '/api/v1/decide', { decision_type: 'loan', input: {} }, headers);
    expect(sent['x-request-id']).toBe(body.request_id);
    return body.request_id;
  };
  const traceparent = `00-${trace}-${parent}-01`;
  expect(await decide({ traceparent })).toBe(trace);
  expect(await decide({ traceparent: `cc-${trace}-${parent}-01-what the future brings` })).toBe(trace);
  expect(await decide({ traceparent, 'x-request-id': 'order 17' })).toBe('order 17');
  const { body: log } = await call('GET', `${folder.url}/logs`);
  expect(log.items.map(({ request_id }: { request_id: string }) => request_id)).toEqual(['order 17', trace, trace]);
  const wrong = [
    trace,
    `00-${trace}-${parent}`,
    `00-${trace}-${parent}-01-more`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `ff-${trace}-${parent}-01`,
  ];
  for (const header of wrong) expect(await decide({ traceparent: header })).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
});
