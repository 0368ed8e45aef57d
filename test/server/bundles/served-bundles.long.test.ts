/** A client asks exported bundles, served by the package for Node, what it asks the workbench, and gets the same answers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Service } from '../../edge/served.ts';
import { makeSampleFolder, removeDataDir, startWorkbench, type Workbench } from '../workbench.ts';

const gate = {
  name: 'gate',
  options: ['open', 'closed'],
  fallback_option: 'closed',
  input_schema: {
    type: 'object',
    properties: { amount: { type: 'number', minimum: 0 }, owner: { type: 'string' } },
    required: ['amount'],
  },
  hard_rules: [{ name: 'small', condition: 'ctx.amount < 10', then: 'open', reason_code: null, priority: 1 }],
};

let bench: Workbench;
let dataDir: string;
let service: Service;
let inputs: object[] = [];

async function exportTo(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${bench.token}`, host: '127.0.0.1' };
  const exported = await bench.app.inject({ url: `/api/v1${path}/export`, headers });
  expect(exported.statusCode, exported.body.slice(0, 500)).toBe(200);
  const file = join(dataDir, `${path.split('/').at(-1)}.zip`);
  writeFileSync(file, exported.rawPayload);
  return file;
}

beforeAll(async () => {
  const sample = await makeSampleFolder();
  dataDir = sample.dataDir;
  bench = await startWorkbench(dataDir);
  const refunds = sample.url.replace('/api/v1', '');
  const changed = await bench.call('PUT', refunds, { confidence_thresholds: { auto_decide: 0.95, escalation: 0.7 } });
  expect(changed.status, changed.text).toBe(200);
  const created = await bench.call('POST', '/decision-types', gate);
  expect(created.status, created.text).toBe(201);
  const rules = `/decision-types/${created.body.id}`;
  const policy = (await bench.call('POST', `${rules}/policies`, { kind: 'rules_only' })).body;
  await bench.call('POST', `${rules}/policies/${policy.id}/deploy`);
  const bundles = [await exportTo(refunds), await exportTo(rules)];
  const { items } = (await bench.call('GET', `${refunds}/examples?page_size=100`)).body;
  inputs = items.map(({ input_payload }: { input_payload: object }) => input_payload);
  service = await Service.start(bundles);
});

afterAll(async () => {
  await service.stop();
  await bench.stop();
  removeDataDir(dataDir);
});

/** Asks both; a text goes as it is. */
async function askBoth(path: string, body: unknown) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'asked' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
  const served = await fetch(`${service.address}/api/v1${path}`, init);
  // A dry run, which says what is not read, as the package always does.
  const there = await bench.call('POST', `${path}?dry_run=true`, body, { 'x-request-id': 'asked' });
  return { here: { status: served.status, body: await served.json() }, there };
}

test('every answer has the fields of the workbench with its values, in batches and alone [SRV-1]', async () => {
  const unlike = [
    { message: 'Zwölf Boxkämpfer jagen Viktor quer über den großen Deich.' },
    {},
    { amuont: 4, opened: 'yes', 'customer.tier': 'plus', customer: { tier: ['plus'], previous_refunds: '2' } },
    { message: 7, customer: 'gold', more: null, Category: 'travel' },
  ];
  const requests = [
    ...[...inputs, ...unlike].map((input) => ({ decision_type: 'refund-requests', input })),
    ...Array.from({ length: 20 }, (_, amount) => ({ type: 'gate', input: { amount } })),
  ];
  const pairs: { here: Record<string, unknown>; there: Record<string, unknown> }[] = [];
  for (let start = 0; start < requests.length; start += 50) {
    const { here, there } = await askBoth('/decide/batch', requests.slice(start, start + 50));
    expect(here.body.errors).toEqual(there.body.errors);
    pairs.push(
      ...here.body.results.map((result: object, at: number) => ({ here: result, there: there.body.results[at] })),
    );
  }
  for (const request of requests.slice(-25)) {
    const { here, there } = await askBoth('/decide', request);
    pairs.push({ here: here.body, there: there.body });
  }
  expect(pairs).toHaveLength(requests.length + 25);
  for (const { here, there } of pairs) {
    const { bundle_digest: _digest, latency_ms, ...answer } = here;
    expect(latency_ms).toBeGreaterThanOrEqual(0);
    // A bundle does not know the number of its release; what it decides by has the same digest.
    const { latency_ms: _ms, dry_run: _dry, release: _release, ...expected } = there;
    const near = (value: unknown) => expect.closeTo(Number(value), 5);
    const probabilities = Object.entries(expected['class_probabilities'] as object).map(([name, p]) => [name, near(p)]);
    expect(answer).toEqual({
      ...expected,
      confidence: near(expected['confidence']),
      classifier_probability: expected['classifier_probability'] && near(expected['classifier_probability']),
      class_probabilities: Object.fromEntries(probabilities),
    });
  }
  expect(new Set(pairs.map(({ here }) => here['stage']))).toEqual(new Set(['rules', 'classifier', 'fallback']));
  expect(pairs.some(({ here }) => here['unfamiliar'])).toBe(true);
  expect(Math.max(...pairs.map(({ here }) => (here['unread'] as string[]).length))).toBe(5);
});

test('what is refused has the status, code and place of the workbench [SRV-2]', async () => {
  const bodies = [
    '',
    '{',
    '[]',
    '{"decision_type": "gate", "input": {"amount": 1e999}}',
    { decision_type: 'gate' },
    { decision_type: 'gate', input: [] },
    { decision_type: '', input: {} },
    { input: {} },
    { decision_type: 'gate', type: 'gate', input: {} },
    { decision_type: 'gate', input: {}, more: 1 },
    { decision_type: 'nobody', input: {} },
    { decision_type: 'gate', input: {} },
    { decision_type: 'gate', input: { amount: -1 } },
    ' '.repeat(1024 * 1024 + 1),
  ];
  for (const body of bodies) {
    const { here, there } = await askBoth('/decide', body);
    const shown = typeof body === 'string' ? body.slice(0, 60) : JSON.stringify(body);
    expect([here.status, here.body.error.code], shown).toEqual([there.status, there.body.error.code]);
    const toPlaces = (details: { loc: string[] }[] = []) => details.map(({ loc }) => loc.slice(0, 2).join('.'));
    expect(toPlaces(here.body.error.details), shown).toEqual(toPlaces(there.body.error.details));
  }
  const items = bodies.filter((body) => typeof body !== 'string');
  const { here, there } = await askBoth('/decide/batch', { decisions: items });
  const toEntry = ({ message: _message, ...entry }: { message: string }) => entry;
  expect(here.body.errors.map(toEntry)).toEqual(there.body.errors.map(toEntry));
});
