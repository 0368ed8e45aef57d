/** What an operator is sent at night: which states are alerts, by which way they go, and what happens when none does. */
import { createHmac } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readReceiver } from '../../../src/server/connections/alert-receiver.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import { fails, startStub } from '../teacher-stub.ts';
import {
  type Call,
  callerOf,
  deployForAll,
  loanExamples,
  loanType,
  openForTest,
  pollUntil,
  stoppedClock,
  temporaryFolder,
} from '../workbench.ts';

const folder = deployForAll(loanType, loanExamples(40));
const accepts = fails(204);

const readFiring = async (call: Call) => (await call('GET', '/api/v1/alerts')).body.firing;
const nameKinds = (sent: { kind: string; state: string }[]) => sent.map(({ kind, state }) => `${kind} ${state}`);

it('tells a webhook what begins and what ends, signed, and again where it fails [ALR-1] [ALR-2]', async () => {
  const dataDir = folder.copy();
  const artifacts = join(dataDir, 'artifacts');
  const [bundle = ''] = readdirSync(artifacts);
  const away = join(temporaryFolder(), bundle);
  renameSync(join(artifacts, bundle), away);
  const { call, deps, app } = await openForTest({ dataDir });
  const { url, asked } = await startStub(fails(500), accepts);
  await deps.alerts.look();
  expect(await readFiring(call)).toMatchObject([{ kind: 'policy', decision_type: 'loan' }]);

  // Nothing leaves the program before somebody says where to; what lasts since then is on the page.
  const set = await call('PUT', '/api/v1/alerts', { url });
  expect(set.body).toMatchObject({ receiver: { kind: 'webhook', to: url, set_at_start: false }, last: null });
  expect(asked).toEqual([]);
  renameSync(away, join(artifacts, bundle));
  await pollUntil(
    () => call('GET', '/ready'),
    ({ body }) => body.unavailable_policies === 0,
  );
  await deps.alerts.look();
  await deps.alerts.whenSent();

  const body = (await call('GET', '/api/v1/alerts')).body;
  expect(body).toMatchObject({ firing: [], last: { tries: 2, error: null, alert: { state: 'resolved' } } });
  expect(asked.map((each) => each.body)).toEqual([body.last.alert, body.last.alert]);
  expect(body.secret).toBeUndefined();
  for (const { headers, body: sent } of asked) {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers;
    const key = Buffer.from(set.body.secret.replace('whsec_', ''), 'base64');
    const signed = createHmac('sha256', key)
      .update(`${id}.${at}.${JSON.stringify(sent)}`)
      .digest('base64');
    expect([id, signature]).toEqual([body.last.alert.id, `v1,${signed}`]);
  }

  expect((await call('POST', '/api/v1/alerts/test')).body).toEqual({ ok: true, message: `It arrived at ${url}.` });
  const off = await call('PUT', '/api/v1/alerts', { url: null });
  expect([off.body.receiver, off.body.secret]).toEqual([null, null]);
  expect((await call('POST', '/api/v1/alerts/test')).status).toBe(409);
  expect((await call('PUT', '/api/v1/alerts', { url: 'http://192.0.2.1/hook' })).status).toBe(422);
  expect((await callerOf(app, { authorization: `Bearer ${folder.key}` })('GET', '/api/v1/alerts')).status).toBe(403);
});

it('keeps the webhook over a restart', async () => {
  const dataDir = folder.copy();
  const { url, asked } = await startStub(accepts);
  const first = await openForTest({ dataDir });
  await first.call('PUT', '/api/v1/alerts', { url });
  await first.close();
  const second = await openForTest({ dataDir });
  expect((await second.call('POST', '/api/v1/alerts/test')).body.ok).toBe(true);
  expect(asked).toHaveLength(1);
});

it('sends what a webhook missed while it was down, once each and in order, also after a restart [ALR-2]', async () => {
  const dataDir = folder.copy();
  let isDown = true;
  const { url, asked } = await startStub((request, response) => (isDown ? fails(500) : accepts)(request, response));
  const options = { dataDir, alertFreeMb: 1e12 };
  const first = await openForTest(options);
  await first.call('PUT', '/api/v1/alerts', { url });
  await first.deps.alerts.look();
  await pollUntil(
    async () => asked.length,
    (tries) => tries > 0,
  );
  await first.close();
  const missed = asked[0]?.body;
  expect(missed).toMatchObject({ kind: 'disk', state: 'firing' });
  const second = await openForTest({ dataDir, alertFreeMb: 0 });
  isDown = false;
  asked.length = 0;
  await second.deps.alerts.look();
  await second.deps.alerts.whenSent();
  expect(asked.map(({ body }) => body)).toEqual([missed]);
  await second.close();
  const third = await openForTest(options);
  await third.deps.alerts.look();
  await third.deps.alerts.whenSent();
  expect(asked).toHaveLength(2);
});

it('runs a command with each alert: promise, drift, disk and backup [ALR-1] [ALR-3]', async () => {
  const there = temporaryFolder();
  const file = join(there, 'notify');
  const sent = () =>
    readFileSync(join(there, 'sent'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  writeFileSync(file, `#!/bin/sh\ncat >> ${there}/sent; echo >> ${there}/sent\n`);
  chmodSync(file, 0o700);
  const clock = stoppedClock();
  let isBroken = true;
  const options = {
    dataDir: folder.copy(),
    alerts: readReceiver(file, undefined, undefined),
    // More than any disk has free.
    alertFreeMb: 1e12,
    spawnChild(...[name, settings]: Parameters<typeof spawnChild>) {
      if (name === 'data-child' && isBroken) throw new Error('no more processes');
      return spawnChild(name, settings);
    },
  };
  const { call, deps } = await openForTest(options, clock);
  const type = { name: 'triage', options: ['yes', 'no'], fallback_option: 'yes', rules: [] };
  const path = `/api/v1/decision-types/${(await call('POST', '/api/v1/decision-types', type)).body.id}`;
  const policy = await call('POST', `${path}/policies`, { kind: 'rules_only' });
  await call('POST', `${path}/policies/${policy.body.id}/deploy`, {});
  const examples = Array.from({ length: 60 }, (_, i) => ({ input: { score: i, by: 'mail' }, decision: 'no' }));
  await call('POST', `${path}/examples`, { examples });
  const items = Array.from({ length: 50 }, (_, i) => ({ decision_type: 'triage', input: { score: i, by: 'chat' } }));
  await call('POST', '/api/v1/decide/batch', items);
  await call('PUT', `${path}/promise`, { target_error: 0.01 });
  expect((await call('POST', '/api/v1/backups', {})).status).toBeGreaterThanOrEqual(500);

  const kinds = ['disk', 'backup', 'promise', 'drift'];
  await pollUntil(
    async () => {
      await deps.alerts.look();
      return readFiring(call);
    },
    ({ length }) => length === kinds.length,
  );
  await deps.alerts.whenSent();
  expect(nameKinds(sent())).toEqual(kinds.map((kind) => `${kind} firing`));
  expect(sent()[3]).toMatchObject({ decision_type: 'triage', message: expect.stringMatching(/by is "chat"/) });
  expect((await call('GET', '/metrics')).text).toContain(
    'decision_workbench_alert{kind="promise",decision_type="triage"} 1\n',
  );

  // What lasts is sent once; what ends, too.
  isBroken = false;
  expect((await call('POST', '/api/v1/backups', {})).status).toBe(201);
  await call('DELETE', `${path}/promise`);
  await deps.alerts.look();
  await deps.alerts.whenSent();
  expect(nameKinds(sent().slice(4))).toEqual(['backup resolved', 'promise resolved']);
  expect((await call('PUT', '/api/v1/alerts', { url: null })).status).toBe(409);
});

it('says why a command did not take an alert [ALR-3]', async () => {
  const there = temporaryFolder();
  const file = join(there, 'notify');
  writeFileSync(file, '#!/bin/sh\necho "no route to pager" >&2; exit 3\n');
  expect(() => readReceiver(file, undefined, undefined)).toThrow(/--alert-command takes a program that may be run/);
  chmodSync(file, 0o700);
  const { call } = await openForTest({ alerts: readReceiver(file, undefined, undefined) });
  const { body } = await call('POST', '/api/v1/alerts/test');
  expect(body).toEqual({ ok: false, message: 'It ended with exit code 3. no route to pager' });
  expect((await call('GET', '/api/v1/alerts')).body.last).toMatchObject({ tries: 1, error: body.message });
  expect(existsSync(join(there, 'sent'))).toBe(false);
  const url = 'https://pager.example/hook';
  expect(() => readReceiver(undefined, url, 'whsec_short')).toThrow(/needs WORKBENCH_ALERT_SECRET/);
  expect(() => readReceiver(undefined, 'http://pager.example', undefined)).toThrow(/must begin with https/);
  expect(() => readReceiver(file, url, undefined)).toThrow(/to a command or to a webhook/);
});
