/** Two people label the same rows: blind, with their agreement, their conflicts and a history of each row. */
import { expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { escapeHtml } from '../../../src/engine/report/html.ts';
import { callerOf, openForTest } from '../workbench.ts';

const options = ['bill', 'fault', 'other'];
const weekMs = 7 * 86_400_000;

/** A type with examples that Jana has labelled one by one, or the owner all at once. */
async function open(count: number, isAtOnce = false) {
  let nowMs = Date.UTC(2026, 4, 1);
  const bench = await openForTest({}, { now: () => nowMs, monotonic: () => performance.now() });
  const makeKey = async (name: string, scopes: string[] | null = null) => {
    const { key } = (await bench.call('POST', '/api/v1/api-keys', { name, scopes })).body;
    return callerOf(bench.app, { authorization: `Bearer ${key}` });
  };
  // A session would end with the week.
  const call = isAtOnce ? bench.call : await makeKey('desk');
  const keys = new Map([['Owner', bench.call]]);
  /** A key is one reader; people who share a session name themselves. */
  const as = async (reader: string) => {
    const known = isAtOnce ? bench.call : (keys.get(reader) ?? (await makeKey(reader)));
    keys.set(reader, known);
    return known;
  };
  const { id } = (await call('POST', '/api/v1/decision-types', { name: 'desk', options })).body;
  const url = `/api/v1/decision-types/${id}`;
  const given = Array.from({ length: count }, (_, n) => ({ input: { text: `Ticket ${n}`, n } }));
  const { body } = await call('POST', `${url}/examples`, { examples: given });
  const ids: string[] = body.map((example: { id: string }) => example.id);
  const truth = new Map(ids.map((exampleId, n) => [exampleId, options[n % 3] as string]));
  for (const decision of isAtOnce ? options : []) {
    const labelled = ids.filter((exampleId) => truth.get(exampleId) === decision);
    await call('POST', `${url}/examples/bulk`, { ids: labelled, action: 'set_decision', decision });
  }
  for (const exampleId of isAtOnce ? [] : ids) {
    const label = { expected_decision: truth.get(exampleId), reader: 'Milo', note: 'first note' };
    expect((await (await as('Jana'))('PATCH', `${url}/examples/${exampleId}`, label)).status).toBe(200);
  }
  const next = async (queue: string, reader: string, session = reader) =>
    (
      await (
        await as(reader)
      )('GET', `${url}/examples/next?queue=${queue}&reader=${reader}&session=${session}&count=100`)
    ).body;
  const second = async (exampleId: string, expected_decision: string | null, reader: string, note?: string) =>
    (await as(reader))('PUT', `${url}/examples/${exampleId}/second-reading`, {
      expected_decision,
      reader,
      ...(note && { note }),
    });
  const labelsOf = async (exampleId: string) =>
    (await call('GET', `${url}/examples/${exampleId}/labels`)).body.items as Record<string, unknown>[];
  const agreement = async () => (await call('GET', `${url}/agreement`)).body;
  return {
    ...bench,
    call,
    as,
    makeKey,
    url,
    ids,
    truth,
    next,
    second,
    labelsOf,
    agreement,
    wait: (ms: number) => (nowMs += ms),
  };
}

it('300 labels are read twice, blind, and the agreement is that of the two [REA-2] [REA-3]', async () => {
  const { call, url, ids, truth, next, second, agreement } = await open(300, true);
  expect(await agreement()).toMatchObject({ drawn: 0, share: null, sentence: 'No example was read twice yet.' });
  const half = (await call('POST', `${url}/examples/second-readings`, { share: 0.5 })).body;
  expect(half).toMatchObject({ drawn: 150, waiting: 150 });
  const undone = await call('POST', `${url}/examples/undo`, { undo_token: half.undo_token });
  expect(undone.body).toEqual({ affected: 150 });
  const drawn = await call('POST', `${url}/examples/second-readings`, { share: 1 });
  expect(drawn.body).toMatchObject({ drawn: 300, waiting: 300 });
  expect((await call('POST', `${url}/examples/second-readings`, { share: 0.5 })).body.drawn).toBe(0);
  expect((await call('GET', `${url}/examples/stats`)).body.by_queue).toMatchObject({ second_reading: 300 });
  // Who gave the first label is not asked again within a week.
  expect(await next('second_reading', 'Owner')).toMatchObject({ items: [], remaining: 0 });

  const random = createRandom(5);
  let agreed = 0;
  for (let left = 300; left > 0; ) {
    const { items, remaining } = await next('second_reading', 'Milo');
    expect(remaining).toBe(left);
    for (const { example, suggestion, why } of items) {
      expect([example.expected_decision, example.note, example.reviewed, suggestion]).toEqual([
        null,
        null,
        false,
        null,
      ]);
      expect(why).toContain('first label is not shown');
      const own = truth.get(example.id) as string;
      const label = random() < 0.9 ? own : (options[(options.indexOf(own) + 1) % 3] as string);
      agreed += Number(label === own);
      const answer = await second(example.id, label, 'Milo');
      expect(answer.body).toMatchObject({ expected_decision: label, note: null });
    }
    left -= items.length;
  }
  const found = await agreement();
  expect(found).toMatchObject({ drawn: 300, waiting: 0, conflicts: 300 - agreed, settled: 0, rows: 300, agreed });
  expect(found.pairs).toEqual([expect.objectContaining({ readers: ['Milo', 'Owner'], rows: 300, agreed })]);
  expect(found.sentence).toContain(`Two readers agree on ${Math.round(agreed / 3)}% of 300 rows`);
  const kappa = found.pairs[0].kappa;
  expect(kappa.value).toBeGreaterThan(kappa.low);
  expect(found.alpha.value).toBeCloseTo(kappa.value, 2);
  // Whoever is given a report reads the same, and from whom.
  await call('PUT', url, { fallback_option: 'other' });
  const policy = await call('POST', `${url}/policies`, { kind: 'rules_only' });
  const { text } = await call('GET', `${url}/policies/${policy.body.id}/report`);
  expect(text).toContain(`300 examples now, added on 2026-05-01: 300 with a label, ${agreed} reviewed by a person.`);
  expect(text).toContain(`${escapeHtml(found.sentence)}</bdi> They were read by <bdi>Milo</bdi> and <bdi>Owner</bdi>.`);
  // The first labels stand; those that both gave are confirmed.
  const { body } = await call('GET', `${url}/examples?reviewed=true&page_size=1`);
  expect(body.total).toBe(agreed);
  for (const id of ids.slice(0, 5)) {
    expect((await call('GET', `${url}/examples/${id}`)).body.expected_decision).toBe(truth.get(id));
  }
});

it('a conflict shows both labels with their notes, and one person settles it with a reason [REA-4] [REA-5]', async () => {
  const { call, as, url, ids, truth, next, second, labelsOf, agreement, wait } = await open(4);
  const [first = '', other = '', own = '', free = ''] = ids;
  await call('POST', `${url}/examples/second-readings`, { ids: [first, other, own] });
  expect((await second(free, 'bill', 'Milo')).body.error.message).toContain('does not wait for a second reading');
  expect((await second(own, 'bill', 'Jana')).body.error.message).toContain('after a week');
  await second(first, 'other', 'Milo', 'it is no bill');
  await second(first, 'other', 'Milo', 'it is no bill');
  expect((await second(first, 'bill', 'Sofia')).body.error.message).toContain('Somebody else has read');
  // A reading is taken back before it is settled.
  await second(other, 'other', 'Milo');
  await second(other, null, 'Milo');
  expect(await agreement()).toMatchObject({ drawn: 3, waiting: 2, conflicts: 1 });

  const { items } = await next('conflicts', 'Jana');
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ suggestion: null, example: { id: first, expected_decision: 'bill' } });
  expect(items[0].why).toBe(
    'key "Jana" said «bill» (first note), key "Milo" said «other» (it is no bill). Your label settles it.',
  );
  // Who has seen both labels does not move to the other one.
  for (const label of ['bill', null]) {
    const moved = await second(first, label, 'Milo');
    expect([moved.status, moved.body.error.message]).toEqual([409, expect.stringContaining('Both labels were shown')]);
  }
  const settle = { expected_decision: 'other', note: 'A question about a bill is no bill' };
  expect((await (await as('Sofia'))('PATCH', `${url}/examples/${first}`, settle)).body.expected_decision).toBe('other');
  expect(await agreement()).toMatchObject({ conflicts: 0, settled: 1, rows: 1, agreed: 0 });
  const seen = (await labelsOf(first)).map(({ kind, before, decision, reader, note }) => [
    kind,
    before,
    decision,
    reader,
    note,
  ]);
  expect(seen).toEqual([
    ['settled', 'bill', 'other', 'key "Sofia"', 'A question about a bill is no bill'],
    ['second_reading', null, 'other', 'key "Milo"', 'it is no bill'],
    ['label', null, 'bill', 'key "Jana"', null],
  ]);

  // The same reader a week later: their own agreement.
  wait(weekMs);
  expect((await next('second_reading', 'Jana')).items).toHaveLength(2);
  expect((await second(own, truth.get(own) ?? null, 'Jana')).status).toBe(200);
  expect((await agreement()).pairs.map(({ readers }: { readers: string[] }) => readers)).toEqual([
    ['key "Jana"', 'key "Milo"'],
    ['key "Jana"', 'key "Jana", again'],
  ]);
});

it('a key that may only label learns nothing of the first label, whatever it calls itself [REA-2]', async () => {
  const { call, url, ids, next, makeKey, labelsOf } = await open(2);
  const [id = '', own = ''] = ids;
  await call('POST', `${url}/examples/second-readings`, { ids: [id] });
  const blind = await makeKey('blind', ['label']);
  const change = (body: object) => blind('PATCH', `${url}/examples/${id}`, body);
  for (const body of [{}, { note: 'seen' }, { reviewed: true }]) {
    const { status, body: shown } = await change(body);
    expect([status, shown.expected_decision, shown.first_decision, shown.reason_codes]).toEqual([200, null, null, []]);
  }
  const asked = await change({ expected_decision: 'other', replaces: 'fault' });
  expect([asked.status, asked.body.error.message]).toEqual([409, expect.not.stringContaining('bill')]);
  const given = await blind('PUT', `${url}/examples/${id}/second-reading`, {
    expected_decision: 'fault',
    reader: 'Anna',
  });
  expect(given.body.expected_decision).toBe('fault');
  // The same key is no other reader under another name.
  await blind('PATCH', `${url}/examples/${own}`, { expected_decision: 'other', reader: 'Anna' });
  await call('POST', `${url}/examples/second-readings`, { ids: [own] });
  const again = await blind('PUT', `${url}/examples/${own}/second-reading`, {
    expected_decision: 'other',
    reader: 'Berta',
  });
  expect([again.status, again.body.error?.message]).toEqual([409, expect.stringContaining('after a week')]);
  expect((await labelsOf(id))[0]).toMatchObject({ reader: 'key "blind"' });
  expect((await next('conflicts', 'Sofia')).items).toHaveLength(1);
});

it('every way to give a label is in the history, with who did it; a new name of an option is no label [REA-5]', async () => {
  const { call, url, ids, labelsOf, agreement, second } = await open(3);
  const [id = '', gone = ''] = ids;
  await call('POST', `${url}/examples/second-readings`, { ids });
  await second(id, 'fault', 'Milo');
  const { undo_token } = (
    await call('POST', `${url}/examples/bulk`, { ids, action: 'set_decision', decision: 'other' })
  ).body;
  await call('POST', `${url}/examples/undo`, { undo_token });
  await call('POST', `${url}/options/rename`, { from: 'bill', to: 'invoice', commit: true });
  const history = (await labelsOf(id)).map(({ kind, before, decision, reader }) => [kind, before, decision, reader]);
  expect(history).toEqual([
    ['label', 'other', 'invoice', 'key "desk"'],
    ['label', 'invoice', 'other', 'key "desk"'],
    ['second_reading', null, 'fault', 'key "Milo"'],
    ['label', null, 'invoice', 'key "Jana"'],
  ]);
  expect((await agreement()).by_option.map(({ option }: { option: string }) => option).sort()).toEqual([
    'fault',
    'invoice',
  ]);
  await call('DELETE', `${url}/examples/${gone}`);
  expect((await call('GET', `${url}/examples/${gone}/labels`)).status).toBe(404);
  expect((await agreement()).drawn).toBe(2);
});
