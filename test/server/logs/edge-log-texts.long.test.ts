/** Lines of texts that come home while their text model is not loaded: one in 20 is decided again, a forger is found. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { forAll, makeSampleFolder, openForTest } from '../workbench.ts';

const sample = forAll(makeSampleFolder, ({ remove }) => remove());
const perCall = 500;

it('are decided again by one in 20, and all of them once the text model is loaded [HOM-7]', async () => {
  const dataDir = sample.copy();
  const made = await openForTest({ dataDir });
  const { items } = (await made.call('GET', `${sample.url}/examples?page_size=10`)).body;
  const truly: Record<string, unknown>[] = [];
  for (const { input_payload: input } of items) {
    const asked = { decision_type: 'refund-requests', input };
    const { body } = await made.call('POST', '/api/v1/decide?dry_run=true', asked);
    const { escalate: escalated, release: _release, dry_run: _dry, unread: _unread, ...answer } = body;
    truly.push({ ...answer, ...asked, escalated, created_at: new Date(Date.now() - 60_000).toISOString() });
  }
  const fallback = await made.call('PUT', sample.url, { fallback_option: 'deny' });
  expect(fallback.status, fallback.text).toBe(200);
  const { body: rules } = await made.call('POST', `${sample.url}/policies`, { kind: 'rules_only' });
  expect((await made.call('POST', `${sample.url}/policies/${rules.id}/deploy`, { reason: 'a test' })).status).toBe(200);
  await made.close();

  // From here on rules alone decide, and nothing has loaded the text model of the release before.
  const { call } = await openForTest({ dataDir });
  const bring = async (lines: readonly object[]) =>
    (await call('POST', '/api/v1/logs/import', { lines: lines.map((line) => JSON.stringify(line)) })).body;
  const repeat = (changes: object) =>
    Array.from({ length: perCall }, (_, at) => ({ ...truly[at % truly.length], id: randomUUID(), ...changes }));
  const first = await bring(repeat({ reason_codes: [], explanation: 'forged', rules_triggered: ['forged'] }));
  expect(first).toMatchObject({ unknown: [], known: 0 });
  expect(first.added + first.refused.length).toBe(perCall);
  // 25 of 500 on average; fewer than 4 or more than 60 in less than one run of a million.
  expect(first.refused.length).toBeGreaterThanOrEqual(4);
  expect(first.refused.length).toBeLessThanOrEqual(60);
  expect(first.refused[0].message).toMatch(/^its release decides so for other reasons|^it says /);
  const second = await bring(repeat({ rules_triggered: ['forged'] }));
  expect([second.added, second.refused.length]).toEqual([0, perCall]);
  expect(await bring(repeat({}))).toMatchObject({ added: perCall, refused: [] });
});
