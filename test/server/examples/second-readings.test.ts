/** Two people label the same rows: blind, with their agreement, their conflicts and a history of each row. */
import { expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { callerOf, openForTest } from '../workbench.ts';

const options = ['bill', 'fault', 'other'];
const weekMs = 7 * 86_400_000;

/** A type with examples that Jana has labelled one by one, or the owner all at once. */
async function open(count: number, isAtOnce = false) {
  let nowMs = Date.UTC(2026, 4, 1);
  const bench = await openForTest({}, { now: () => nowMs, monotonic: () => performance.now() });
  const { key } = (await bench.call('POST', '/api/v1/api-keys', { name: 'desk' })).body;
  // A session would end with the week.
  const call = isAtOnce ? bench.call : callerOf(bench.app, { authorization: `Bearer ${key}` });
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
    const label = { expected_decision: truth.get(exampleId), reader: 'Jana', note: 'first note' };
    expect((await call('PATCH', `${url}/examples/${exampleId}`, label)).status).toBe(200);
  }
  const next = async (queue: string, reader: string, session = reader) =>
    (await call('GET', `${url}/examples/next?queue=${queue}&reader=${reader}&session=${session}&count=100`)).body;
  const second = (exampleId: string, expected_decision: string | null, reader: string, note?: string) =>
    call('PUT', `${url}/examples/${exampleId}/second-reading`, { expected_decision, reader, ...(note && { note }) });
  const labelsOf = async (exampleId: string) =>
    (await call('GET', `${url}/examples/${exampleId}/labels`)).body.items as Record<string, unknown>[];
  const agreement = async () => (await call('GET', `${url}/agreement`)).body;
  return { ...bench, call, url, ids, truth, next, second, labelsOf, agreement, wait: (ms: number) => (nowMs += ms) };
}

it('300 labels are read twice, blind, and the agreement is that of the two [REA-2] [REA-3]', async () => {
  const { call, url, ids, truth, next, second, agreement } = await open(300, true);
  expect(await agreement()).toMatchObject({ drawn: 0, share: null, sentence: 'No example was read twice yet.' });
  const drawn = await call('POST', `${url}/examples/second-readings`, { share: 1 });
  expect(drawn.body).toEqual({ drawn: 300, waiting: 300 });
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
  // The first labels stand; those that both gave are confirmed.
  const { body } = await call('GET', `${url}/examples?reviewed=true&page_size=1`);
  expect(body.total).toBe(agreed);
  for (const id of ids.slice(0, 5)) {
    expect((await call('GET', `${url}/examples/${id}`)).body.expected_decision).toBe(truth.get(id));
  }
});

it('a conflict shows both labels with their notes, and one person settles it with a reason [REA-4] [REA-5]', async () => {
  const { call, url, ids, truth, next, second, labelsOf, agreement, wait } = await open(4);
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
  expect(items[0].why).toBe('Jana said «bill» (first note), Milo said «other» (it is no bill). Your label settles it.');
  const settle = { expected_decision: 'other', note: 'A question about a bill is no bill', reader: 'Sofia' };
  expect((await call('PATCH', `${url}/examples/${first}`, settle)).body.expected_decision).toBe('other');
  expect(await agreement()).toMatchObject({ conflicts: 0, settled: 1, rows: 1, agreed: 0 });
  const seen = (await labelsOf(first)).map(({ kind, before, decision, reader, note }) => [
    kind,
    before,
    decision,
    reader,
    note,
  ]);
  expect(seen).toEqual([
    ['settled', 'bill', 'other', 'Sofia', 'A question about a bill is no bill'],
    ['second_reading', null, 'other', 'Milo', 'it is no bill'],
    ['label', null, 'bill', 'Jana', null],
  ]);

  // The same reader a week later: their own agreement.
  wait(weekMs);
  expect((await next('second_reading', 'Jana')).items).toHaveLength(2);
  expect((await second(own, truth.get(own) ?? null, 'Jana')).status).toBe(200);
  expect((await agreement()).pairs.map(({ readers }: { readers: string[] }) => readers)).toEqual([
    ['Jana', 'Milo'],
    ['Jana', 'Jana, again'],
  ]);
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
    ['second_reading', null, 'fault', 'Milo'],
    ['label', null, 'invoice', 'Jana'],
  ]);
  expect((await agreement()).by_option.map(({ option }: { option: string }) => option).sort()).toEqual([
    'fault',
    'invoice',
  ]);
  await call('DELETE', `${url}/examples/${gone}`);
  expect((await call('GET', `${url}/examples/${gone}/labels`)).status).toBe(404);
  expect((await agreement()).drawn).toBe(2);
});
