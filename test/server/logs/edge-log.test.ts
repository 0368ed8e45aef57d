/** Decisions that a bundle made elsewhere come into the log: each once, as the type says, and nothing is believed. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Call, callerOf, openForTest, stoppedClock } from '../workbench.ts';

const dayMs = 24 * 3600 * 1000;
const type = {
  name: 'refunds',
  options: ['pay', 'refuse'],
  reason_codes: ['SMALL'],
  rules: [{ name: 'small', condition: 'ctx.amount < 20', then: 'pay', reason_code: 'SMALL', priority: 1 }],
  fallback_option: 'refuse',
  pii_fields: ['customer.name'],
};

/** A workbench with a type that rules decide, and what a service at the edge writes of its decisions. */
async function open(fields: object = {}) {
  const clock = stoppedClock();
  const { call, deps, app } = await openForTest({}, clock);
  const deploy = async (settings: object) => {
    const made = await call('POST', '/api/v1/decision-types', settings);
    const url = `/api/v1/decision-types/${made.body.id}`;
    const policy = await call('POST', `${url}/policies`, { kind: 'rules_only' });
    await call('POST', `${url}/policies/${policy.body.id}/deploy`);
    return url;
  };
  const url = await deploy({ ...type, ...fields });
  const write = async (amount: number, changes: object = {}, name = type.name) => {
    const input = { amount, customer: { name: `Ada ${amount}` } };
    const asked = { decision_type: name, input };
    const { body } = await call('POST', '/api/v1/decide?dry_run=true', asked);
    const { escalate: escalated, release: _release, dry_run: _dry, unread: _unread, ...answer } = body;
    const created_at = new Date(clock.now() - 60_000).toISOString();
    const own = { id: randomUUID(), request_id: `r${amount}`, decision_type: name, input, created_at };
    return { ...answer, ...own, escalated, ...changes };
  };
  const bring = async (lines: readonly (object | string)[], by: Call = call, file?: string) =>
    by('POST', '/api/v1/logs/import', {
      file,
      lines: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))),
    });
  const list = async (query = '') => (await call('GET', `${url}/logs?page_size=100${query}`)).body.items;
  return { call, app, deps, clock, url, deploy, write, bring, list };
}

describe('decisions of the edge', () => {
  it('stand in the log once, with where they were decided, and without personal values [HOM-1] [HOM-2]', async () => {
    const { call, url, write, bring, list } = await open();
    const credits = async () => (await call('GET', '/api/v1/credits')).body.used;
    await call('POST', '/api/v1/decide', { decision_type: type.name, input: { amount: 1 } });
    const before = await credits();
    const lines = await Promise.all(Array.from({ length: 30 }, (_, at) => write(at)));
    const first = await bring(lines.slice(0, 20));
    expect([first.status, first.body]).toEqual([200, { added: 20, known: 0, expired: 0, unknown: [], refused: [] }]);
    // A file that is given again, and one that laps over it.
    expect((await bring(lines.slice(0, 20))).body).toMatchObject({ added: 0, known: 20 });
    expect((await bring([...lines.slice(10), ...lines.slice(25)])).body).toMatchObject({ added: 10, known: 15 });
    const items = await list();
    expect(items).toHaveLength(31);
    expect(items.map(({ origin }: { origin: string }) => origin)).toEqual([...Array(30).fill('edge'), 'workbench']);
    const { id: _id, ...line } = lines[29] ?? {};
    const record = { ...line, input: { amount: 29, customer: { name: expect.stringMatching(/^pii:[0-9a-f]{24}$/) } } };
    expect(items[0]).toMatchObject({ ...record, release: 1, decision_type_version: 1, api_key_id: null });
    const exported = await call('GET', `${url}/logs/export`);
    expect(exported.text).not.toContain('Ada');
    expect(exported.text.match(/"origin":"edge"/g)).toHaveLength(30);
    const csv = (await call('GET', `${url}/logs/export?format=csv`)).text.trim().split('\r\n');
    expect([csv[0]?.includes(',origin,'), csv[1]?.includes(',edge,')]).toEqual([true, true]);
    expect(await credits()).toBe(before);
  });

  it('count in Monitor, days and releases, in replays, corrections and the audit [HOM-3]', async () => {
    const { call, clock, url, write, bring, list } = await open({ audit: { share: 1 } });
    const yesterday = { created_at: new Date(clock.now() - dayMs).toISOString() };
    const today = await Promise.all(Array.from({ length: 6 }, (_, at) => write(at * 10)));
    await bring([...today, await write(5, yesterday)]);
    expect((await call('GET', `${url}/metrics`)).body).toMatchObject({
      total_decisions: 7,
      decision_distribution: { pay: 3, refuse: 4 },
    });
    const days = (await call('GET', `${url}/metrics/days?days=2`)).body.items;
    expect(days.map((each: { total_decisions: number }) => each.total_decisions)).toEqual([1, 6]);
    const [release] = (await call('GET', `${url}/releases`)).body.items;
    expect(release.live).toMatchObject({ decisions: 7 });
    await call('PUT', url, { hard_rules: [{ ...type.rules[0], condition: 'ctx.amount < 40' }] });
    const newer = (await call('POST', `${url}/policies`, { kind: 'rules_only' })).body.id;
    const replayed = await call('GET', `${url}/policies/${newer}/replay`);
    expect(replayed.body).toMatchObject({ rows: 7 });
    const [record] = await list('&decision=refuse');
    const corrected = await call('PUT', `${url}/logs/${record.id}/correction`, { decision: 'pay' });
    expect([corrected.status, corrected.body.corrected_decision]).toEqual([200, 'pay']);
    expect((await call('GET', `${url}/examples`)).body.items).toMatchObject([
      { expected_decision: 'pay', reviewed: true },
    ]);
    expect((await call('GET', `${url}/audit`)).body.to_judge).toBe(6);
  });

  it('are summed up block by block, as those that were made here [HOM-3]', async () => {
    const { call, deps, url, write, bring } = await open();
    const [paid, refused] = [await write(1), await write(90)];
    for (let part = 0; part < 5; part += 1) {
      const lines = Array.from({ length: 1_000 }, (_, at) => ({
        ...(at % 4 === 0 ? refused : paid),
        id: randomUUID(),
      }));
      expect((await bring(lines)).body).toMatchObject({ added: 1_000 });
    }
    const read = async () => (await call('GET', `${url}/metrics`)).body;
    const metrics = await read();
    expect(metrics).toMatchObject({ total_decisions: 5_000, decision_distribution: { pay: 3_750, refuse: 1_250 } });
    deps.store.logs.rebuildBlocks();
    expect(await read()).toEqual(metrics);
  });

  it('belong to the release of their digest, whatever the type is called by now [HOM-1]', async () => {
    const { call, url, deploy, write, bring, list } = await open();
    const old = await write(1);
    await call('PUT', url, { name: 'renamed', hard_rules: [{ ...type.rules[0], condition: 'ctx.amount < 30' }] });
    const unknown = { ...old, digest: 'f'.repeat(64) };
    const { body } = await bring([old, unknown, { ...unknown, id: randomUUID() }, await write(2, {}, 'renamed')]);
    const lines = [{ digest: 'f'.repeat(64), decision_type: 'refunds', lines: 2 }];
    expect(body).toEqual({ added: 2, known: 0, expired: 0, refused: [], unknown: lines });
    expect((await list()).map(({ release }: { release: number }) => release)).toEqual([2, 1]);
    // Two types that decide alike are told apart by their names; where none has it, nothing is guessed.
    await deploy(type);
    const named = [await write(3), { ...old, id: randomUUID(), decision_type: 'renamed' }];
    expect((await bring(named)).body).toMatchObject({ added: 2, unknown: [] });
    const another = { ...old, id: randomUUID(), decision_type: 'another' };
    expect((await bring([another])).body).toMatchObject({
      added: 0,
      unknown: [{ decision_type: 'another', lines: 1 }],
    });
    expect(await list()).toHaveLength(3);
  });

  it('are believed in nothing: what is odd in a line is said, and the others come [HOM-4]', async () => {
    const { clock, write, bring, list } = await open({ retention_days: 30 });
    const good = await write(3);
    const { confidence: _confidence, ...without } = good;
    const at = (ms: number) => ({ created_at: new Date(clock.now() + ms).toISOString() });
    const odd: [line: object | string, message: string][] = [
      [without, 'confidence: is missing'],
      [{ ...good, id: '7' }, 'id: is no valid uuid'],
      [{ ...good, confidence: 1.5 }, 'confidence: must be at most 1'],
      [{ ...good, stage: 'escalation' }, 'stage: must be one of rules, classifier, fallback'],
      [{ ...good, decision: 'give' }, '"give" is no option of its release'],
      [{ ...good, class_probabilities: { give: 1 } }, '"give" is no option of its release'],
      [{ ...good, reason_codes: ['BIG'] }, '"BIG" is no reason code of its release'],
      [{ ...good, input: [1] }, 'input: must be an object'],
      [{ ...good, request_id: 'naïve' }, 'request_id: must be 1 to 128 printable ASCII characters'],
      [{ ...good, explanation: 'x'.repeat(2_001) }, 'explanation: takes at most 2000 characters'],
      [{ ...good, latency_ms: -1 }, 'latency_ms: must be at least 0'],
      [{ ...good, ...at(2 * dayMs) }, 'created_at lies in the future'],
      [{ ...good, created_at: '0001-01-01T00:00:00Z' }, 'created_at lies before the year 2000'],
      [{ ...good, created_at: 'yesterday' }, 'created_at: must be a day and a time'],
      ['{"id": 1', 'is not JSON: '],
      ['[]', 'must be an object'],
      [JSON.stringify(good).replace('{', '{"id":"x",'), 'it has the key "id" twice in one object.'],
      [JSON.stringify({ ...good, input: 0 }).replace(':0', ':1e999'), 'the number is too large'],
      [JSON.stringify({ ...good, input: 0 }).replace(':0', ':{"a":"\\u0000"}'), 'the text holds a NUL'],
    ];
    const lines = odd.flatMap(([line], index) => [line, { ...good, id: randomUUID(), request_id: `good ${index}` }]);
    const { body } = await bring([...lines, { ...good, ...at(-31 * dayMs) }]);
    expect(body).toMatchObject({ added: odd.length, known: 0, expired: 1, unknown: [] });
    expect(body.refused).toEqual(
      odd.map(([, message], index) => ({ index: index * 2, message: expect.stringContaining(message) })),
    );
    expect(await list()).toHaveLength(odd.length);
    // What a line names beside what is taken from it is not looked at: the release says it.
    await bring([
      { ...good, policy_version: 'v99', corrected_decision: 'refuse', api_key_id: 'k', origin: 'workbench' },
    ]);
    expect((await list())[0]).toMatchObject({ policy_version: 'v1', corrected_decision: null, api_key_id: null });
  });

  it('are decided again, and refused with both answers where they were not decided so [HOM-7]', async () => {
    const { url, write, bring, list, call } = await open();
    const [paid, refused] = [await write(3), await write(900)];
    const forged: [line: object, message: RegExp][] = [
      [{ ...refused, decision: 'pay' }, /^it says "pay" by fallback .*, and its release decides "refuse" by fallback/],
      [{ ...paid, input: { amount: 900 } }, /^it says "pay" by rules with 1\.0000, and its release decides "refuse"/],
      [{ ...refused, class_probabilities: { pay: 1, refuse: 1 } }, /^its release decides so for other reasons or with/],
      [{ ...paid, rules_triggered: ['large'] }, /^its release decides so for other reasons/],
      [
        { ...refused, confidence: 0.9 },
        /^it says "refuse" by fallback with 0\.9000, handed on, and its release decides/,
      ],
    ];
    const { body } = await bring([paid, ...forged.map(([line]) => ({ ...line, id: randomUUID() })), refused]);
    expect(body).toMatchObject({ added: 2, known: 0 });
    expect(body.refused).toEqual(
      forged.map(([, message], index) => ({ index: index + 1, message: expect.stringMatching(message) })),
    );
    expect((await call('GET', `${url}/metrics`)).body).toMatchObject({ total_decisions: 2 });
    // What is said beside the decision is the release's own.
    const said = { ...(await write(4)), explanation: 'Anything I like.' };
    await bring([said]);
    expect((await list())[0].explanation).toBe(paid.explanation);
  });

  it('come by a key that may bring them, whose name and file stand at each [HOM-1] [HOM-6]', async () => {
    const { call, app, write, bring, list } = await open();
    const line = await write(1);
    const keyed = async (scopes: string[]) => {
      const { body } = await call('POST', '/api/v1/api-keys', { name: scopes.join(), scopes });
      return callerOf(app, { authorization: `Bearer ${body.key}` });
    };
    expect((await bring([line], await keyed(['read']))).status).toBe(403);
    expect((await bring([line], await keyed(['decide']))).status).toBe(403);
    expect((await bring([line], await keyed(['logs']), 'decisions.jsonl')).body).toMatchObject({ added: 1 });
    const { body: keys } = await call('GET', '/api/v1/api-keys');
    const { id } = keys.find(({ name }: { name: string }) => name === 'logs');
    expect((await list())[0]).toMatchObject({
      api_key_id: id,
      imported_by: 'key "logs"',
      imported_file: 'decisions.jsonl',
    });
    expect((await call('GET', '/api/v1/activity')).body.items[0]).toMatchObject({
      operation: 'logs.import',
      by: 'key "logs"',
      details: 'decisions.jsonl: 1 added, 0 known before, 0 refused',
    });
    expect((await call('POST', '/api/v1/logs/import', { lines: [] })).status).toBe(422);
  });
});
