import type { ChildProcess } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { isDrawn, toRowContent, toRowNumber } from '../../../src/engine/drawn-rows.ts';
import type { Clock } from '../../../src/server/process/clock.ts';
import type { ServerOptions } from '../../../src/server/process/options.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import { makeType, openForTest, stoppedClock } from '../workbench.ts';

async function openRows(count: number, clock?: Clock, changes: Partial<ServerOptions> = {}) {
  const opened = await openForTest(changes, clock);
  const id = await makeType(opened.call);
  const url = `/api/v1/decision-types/${id}/examples`;
  const examples = Array.from({ length: count }, (_, n) => ({ input: { n } }));
  const added = await opened.call('POST', url, { examples });
  const ids: string[] = added.body.map((example: { id: string }) => example.id);
  const patch = (n: number, body: object) => opened.call('PATCH', `${url}/${ids[n]}`, body);
  const bulk = (body: object) => opened.call('POST', `${url}/bulk`, body);
  const list = async (status: string): Promise<number[]> =>
    (await opened.call('GET', `${url}?status=${status}`)).body.items.map(
      (item: { input_payload: { n: number } }) => item.input_payload.n,
    );
  return { ...opened, url, ids, patch, bulk, list };
}

describe('the status of an example', () => {
  it('follows its label, unless somebody skipped or flagged it [EXA-4] [LBL-1] [LBL-2]', async () => {
    const { call, url, ids, patch, list } = await openRows(4);
    expect((await patch(0, { status: 'skipped' })).body).toMatchObject({ status: 'skipped', note: null });
    const note = 'Ask the shop what "used" means.';
    expect((await patch(1, { status: 'flagged', note })).body).toMatchObject({ status: 'flagged', note });
    expect((await patch(2, { expected_decision: 'yes' })).body.status).toBe('done');
    expect((await call('GET', `${url}/${ids[1]}`)).body).toMatchObject({ id: ids[1], status: 'flagged', note });
    expect((await call('GET', `${url}/018f0000-0000-7000-8000-000000000000`)).status).toBe(404);
    expect([await list('to_label'), await list('skipped'), await list('flagged'), await list('done')]).toEqual([
      [3],
      [0],
      [1],
      [2],
    ]);
    // A label settles it; an edit of something else does not.
    expect((await patch(0, { expected_decision: 'no' })).body.status).toBe('done');
    expect((await patch(1, { reviewed: true })).body.status).toBe('flagged');
    expect((await patch(1, { expected_decision: 'no', status: 'flagged' })).body.status).toBe('flagged');
    expect((await patch(2, { expected_decision: null })).body.status).toBe('to_label');
  });

  it('is refused where the label says otherwise, and nothing is changed [LBL-1]', async () => {
    const { patch, list } = await openRows(1);
    const refused = await patch(0, { status: 'done', note: 'x' });
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'status']]);
    await patch(0, { expected_decision: 'yes' });
    expect((await patch(0, { status: 'to_label' })).status).toBe(422);
    expect((await patch(0, { status: 'done' })).body).toMatchObject({ status: 'done', note: null });
    expect(await list('done')).toEqual([0]);
  });

  it('is set for many at once, and that can be undone [LBL-1] [EXA-12]', async () => {
    const { call, url, ids, patch, bulk, list } = await openRows(4);
    await patch(3, { expected_decision: 'yes' });
    const skipped = await bulk({ ids, action: 'set_status', status: 'skipped' });
    expect([skipped.body.affected, await list('skipped')]).toEqual([4, [3, 2, 1, 0]]);
    const back = await bulk({ filter: { status: 'skipped' }, action: 'set_status', status: 'to_label' });
    expect([back.body.affected, await list('to_label'), await list('skipped')]).toEqual([3, [2, 1, 0], [3]]);
    await bulk({ ids: ids.slice(2), action: 'set_decision', decision: 'no' });
    expect(await list('done')).toEqual([3, 2]);
    await call('POST', `${url}/undo`, { undo_token: back.body.undo_token });
    expect(await list('skipped')).toEqual([2, 1, 0]);
    expect((await bulk({ ids, action: 'set_status' })).body.error.details[0].loc).toEqual(['body', 'status']);
  });
});

const places = ['Berlin', 'Hamburg', 'Munich', 'Cologne', 'Dresden', 'Bremen', 'Leipzig', 'Essen', 'Bonn', 'Kiel'];
const delivery = places.map((place) => `The parcel to ${place} has not arrived and nobody knows where the courier is.`);
const payment = places.map((place) => `My card was charged twice in the shop in ${place}, please return the money.`);

/** A type with texts of two kinds; `next` polls until the labelling model has read all of them. */
async function openTexts(
  fields: Record<string, unknown> = {},
  texts = delivery.flatMap((text, n) => [text, payment[n] ?? '']),
) {
  const opened = await openForTest();
  const options = ['late_delivery', 'wrong_payment'];
  const id = await makeType(opened.call, { name: 'mail', options, ...fields });
  const url = `/api/v1/decision-types/${id}/examples`;
  await opened.call('POST', url, { examples: texts.map((message) => ({ input: { message } })) });
  const next = async (query = '') => (await opened.call('GET', `${url}/next?${query}`)).body;
  const waitUntilRead = () =>
    vi.waitFor(
      async () => {
        const { labelling_model } = await next('count=1&session=reader&restart=true');
        expect(labelling_model.examples_read).toBe(texts.length);
      },
      { timeout: 600_000, interval: 100 },
    );
  const label = (example: { id: string }, expected_decision: string) =>
    opened.call('PATCH', `${url}/${example.id}`, { expected_decision });
  return { ...opened, url, next, waitUntilRead, label };
}
type Item = {
  example: { id: string; input_payload: { message: string } };
  suggestion: { decision: string; probability: number; source: string };
  why: string;
};
const judge = ({ example }: Pick<Item, 'example'>) =>
  example.input_payload.message.includes('parcel') ? 'late_delivery' : 'wrong_payment';

describe('what to label next', () => {
  it('starts from the words of the options, learns each label, and says how good it is [LBL-3] [LBL-5] [LBL-6] [CAR-2]', async () => {
    const { call, url, next, waitUntilRead, label } = await openTexts();
    await waitUntilRead();
    await next('session=reader&restart=true&count=1&queue=flagged');
    const first = await next('session=a&count=6');
    expect(first).toMatchObject({ remaining: 20, recent_accuracy: null, stop_hint: null });
    expect(first.items).toHaveLength(6);
    for (const item of first.items as Item[]) {
      expect(item.suggestion).toMatchObject({ source: 'labelling', probability: expect.any(Number) });
      expect(item.why).toMatch(/^[A-Z].*\.$/);
    }
    const right = (first.items as Item[]).filter((item) => item.suggestion.decision === judge(item)).length;
    expect(right).toBeGreaterThanOrEqual(4);
    for (const item of first.items as Item[]) await label(item.example, judge(item));
    const second = await next('session=a&count=14');
    expect(second).toMatchObject({
      remaining: 14,
      recent: { right, of: 6 },
      recent_accuracy: right / 6,
      labelling_model: { labels: 6, examples_read: 20 },
    });
    expect((second.items as Item[]).map((item) => item.suggestion.decision)).toEqual(
      (second.items as Item[]).map(judge),
    );
    const [item] = second.items as Item[];
    const similar = await call('GET', `${url}/${item?.example.id}/similar?count=9`);
    expect(similar.body.items.map(judge)).toEqual(new Array(9).fill(judge(item as Item)));
    const labelled = (await call('GET', `${url}/${item?.example.id}/similar?count=9&labelled=true`)).body.items;
    expect(new Set(labelled.map(({ example }: Item) => example.id))).toEqual(
      new Set((first.items as Item[]).map(({ example }) => example.id)),
    );
    expect((await call('GET', `${url}/018f0000-0000-7000-8000-000000000000/similar`)).status).toBe(404);
  });

  it('gives no odds of its own beside those of the policy, which suggests [LFT-6]', async () => {
    const hard_rules = [{ name: 'parcel', condition: 'ctx.message.contains("parcel")', then: 'late_delivery' }];
    const { call, url, next, waitUntilRead, label } = await openTexts({ hard_rules, fallback_option: 'wrong_payment' });
    const type = url.replace('/examples', '');
    const policy = await call('POST', `${type}/policies`, { kind: 'rules_only' });
    await call('POST', `${type}/policies/${policy.body.id}/deploy`, {});
    await waitUntilRead();
    await next('session=reader&restart=true&count=1&queue=flagged');
    const { items } = (await next('session=a&count=20&restart=true')) as { items: Item[] };
    const byPolicy = items.filter(({ suggestion }) => suggestion.source === 'policy');
    expect([byPolicy.length, byPolicy.every(({ suggestion }) => suggestion.probability === 1)]).toEqual([10, true]);
    for (const { why } of byPolicy) expect(why).not.toMatch(/%/);
    expect(items.every(({ why }) => /random/.test(why))).toBe(true);
    for (const item of items.slice(0, 10)) await label(item.example, judge(item));
    const later = (await next('session=a&count=10&restart=true')).items as Item[];
    expect(later.map(({ why }) => why)).toContainEqual(
      expect.stringMatching(/^The labels so far leave it open: «\w+» or «\w+»\.$/),
    );
    expect(later.filter(({ why }) => /%/.test(why))).toEqual([]);
  });

  it('offers one row in five to measure by, drawn by what it holds, whatever its number in the file [LBL-10]', async () => {
    const { call, url, label, next } = await openTexts();
    const more = Array.from({ length: 100 }, (_, n) => ({
      input: { message: `${delivery[n % 10]} It is parcel ${n % 50} of mine.`, id: `P-${1_000 + n}` },
    }));
    await call('POST', url, { examples: more });
    await vi.waitFor(
      async () => {
        const { labelling_model } = await next('count=1&session=reader&restart=true');
        expect(labelling_model).toEqual({ examples_read: 120, labels: 0, drawn: 0 });
      },
      { timeout: 600_000, interval: 100 },
    );
    await next('session=reader&restart=true&count=1&queue=flagged');
    const numberOf = ({ example }: Pick<Item, 'example'>) => toRowNumber(toRowContent(example.input_payload, [['id']]));
    const all: Item['example'][] = [];
    for (const page of [1, 2]) all.push(...(await call('GET', `${url}?page_size=100&page=${page}`)).body.items);
    const drawn = all
      .map((example) => numberOf({ example }))
      .filter(isDrawn)
      .sort((a, b) => a - b);
    const offered: Item[] = [];
    for (const count of [7, 13, 20]) offered.push(...(await next(`session=a&count=${count}`)).items);
    const measured = offered.filter(({ why }) => why.startsWith('A random row'));
    expect(measured.map(numberOf)).toEqual(drawn.slice(0, 8));
    expect(offered.filter((item) => isDrawn(numberOf(item)))).toHaveLength(8);
    for (const item of measured.slice(0, 5)) await label(item.example, judge(item));
    expect((await next('session=b&count=1')).labelling_model).toMatchObject({ labels: 5, drawn: 5 });
  });

  it('gives who labels faster than texts are read the same share of drawn rows, or these alone [LBL-10] [LBL-13]', async () => {
    const texts = Array.from({ length: 300 }, (_, n) => `${delivery[n % 10]} It is parcel ${n} of mine.`);
    const { url, call, next, label } = await openTexts({}, texts);
    const numberOf = ({ example }: Pick<Item, 'example'>) => toRowNumber(toRowContent(example.input_payload, []));
    const all: Item['example'][] = [];
    for (const page of [1, 2, 3]) all.push(...(await call('GET', `${url}?page_size=100&page=${page}`)).body.items);
    const numbers = all.map((example) => numberOf({ example })).sort((a, b) => a - b);
    const first = await next('session=a&count=100');
    expect(first.items.map(numberOf).filter(isDrawn)).toEqual(numbers.slice(0, 20));
    // Whatever is labelled beside the queue, a fifth of all labels is measured by.
    const given = new Set(first.items.map(({ example }: Item) => example.id));
    const beside = all.filter((example) => !given.has(example.id) && !isDrawn(numberOf({ example }))).slice(0, 50);
    for (const example of beside) await label(example, 'late_delivery');
    const second = await next('session=a&count=20');
    expect(second.items.slice(0, 10).map(numberOf)).toEqual(numbers.slice(20, 30));
    const random = await next('session=b&count=30&queue=random');
    const left = numbers.filter((number) => ![...first.items, ...second.items].map(numberOf).includes(number));
    const open = left.filter((number) => !beside.map((example) => numberOf({ example })).includes(number));
    expect([random.items.map(numberOf), random.remaining]).toEqual([open.slice(0, 30), 250]);
    expect(random.items.every(({ why }: Item) => why.startsWith('A random row'))).toBe(true);
  });

  it('finds the open near copies of an example, which one call labels and one takes back [LBL-12]', async () => {
    const { call, url, next, waitUntilRead } = await openTexts();
    const [text = ''] = delivery;
    const copies = [text, text.replace('parcel', 'parcel,'), text.replace(' the courier', ' our courier')];
    await waitUntilRead();
    const added = await call('POST', url, { examples: copies.map((message) => ({ input: { message } })) });
    await vi.waitFor(
      async () => expect((await next('count=1&session=reader&restart=true')).labelling_model.examples_read).toBe(23),
      { timeout: 600_000, interval: 100 },
    );
    const rows: Item['example'][] = (await call('GET', `${url}?page_size=100`)).body.items;
    const first = rows.find(({ id, input_payload }) => input_payload.message === text && id !== added.body[0].id);
    const read = async () => {
      const { body } = await call('GET', `${url}/${first?.id}/similar?near_copies=true&count=20`);
      return body.items.map(({ example }: Item) => example.input_payload.message).sort();
    };
    expect(await read()).toEqual([...copies].sort());
    const ids = added.body.map(({ id }: { id: string }) => id);
    const { body } = await call('POST', `${url}/bulk`, { ids, action: 'set_decision', decision: 'late_delivery' });
    await vi.waitFor(async () => expect(await read()).toEqual([]), { timeout: 600_000, interval: 100 });
    await call('POST', `${url}/undo`, { undo_token: body.undo_token });
    await vi.waitFor(async () => expect(await read()).toEqual([...copies].sort()), { timeout: 600_000, interval: 100 });
    // Fields alone are alike too easily.
    const table = await openRows(30);
    const similar = (query: string) => table.call('GET', `${table.url}/${table.ids[0]}/similar?${query}`);
    await vi.waitFor(async () => expect((await similar('count=3')).body.items).toHaveLength(3), { timeout: 600_000 });
    expect((await similar('near_copies=true')).body.items).toEqual([]);
  });

  it('reads texts by a model of their language [LBL-11]', async () => {
    const late = [
      '荷物がまだ届いていません。',
      '配達が遅れています。',
      '荷物はどこにありますか。',
      '配達日を過ぎても届きません。',
    ];
    const paid = [
      '二重に請求されました。',
      '支払いの金額が間違っています。',
      'カードから余分に引き落とされました。',
      '請求書の金額がおかしいです。',
    ];
    const { next } = await openTexts({ options: ['parcel delivery is late', 'payment amount is wrong'] }, [
      ...late,
      ...paid,
    ]);
    await vi.waitFor(
      async () => {
        const { labelling_model } = await next('count=1&session=reader&restart=true');
        expect(labelling_model.examples_read).toBe(8);
      },
      { timeout: 600_000, interval: 100 },
    );
    await next('session=reader&restart=true&count=1&queue=flagged');
    const items = (await next('session=a&count=8')).items as Item[];
    const right = items.filter(
      ({ example, suggestion }) =>
        late.includes(example.input_payload.message) === suggestion.decision.startsWith('parcel'),
    );
    expect(right).toHaveLength(8);
  });

  it('suggests labels for any examples, likeliest first, and gives none of them out [CAR-1]', async () => {
    const { call, url, next, waitUntilRead } = await openTexts();
    await waitUntilRead();
    await next('session=reader&restart=true&count=1&queue=flagged');
    const rows: Item['example'][] = (await call('GET', `${url}?page_size=20`)).body.items;
    const ids = rows.map(({ id }) => id);
    const gone = '018f0000-0000-7000-8000-000000000000';
    const { body } = await call('POST', `${url}/suggestions`, { ids: [gone, ...ids] });
    expect(body.items.map(({ example_id }: { example_id: string }) => example_id)).toEqual(ids);
    const given = (await next('session=a&count=20')).items as Item[];
    expect(given).toHaveLength(20);
    for (const { example_id, suggestion } of body.items) {
      expect(suggestion).toEqual(given.find(({ example }) => example.id === example_id)?.suggestion);
      const { decision, probability, likely } = suggestion;
      expect(likely[0]).toEqual({ decision, probability });
      expect(likely.map((each: { decision: string }) => each.decision).sort()).toEqual([
        'late_delivery',
        'wrong_payment',
      ]);
      expect(likely[0].probability + likely[1].probability).toBeCloseTo(1, 6);
    }
    expect((await call('POST', `${url}/suggestions`, { ids: [] })).status).toBe(422);
  });

  it('says how the numbers of the inputs are spread, but for personal ones [CAR-4]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call, { pii_fields: ['person.age'] });
    const url = `/api/v1/decision-types/${id}/examples`;
    const inputs = Array.from({ length: 201 }, (_, n) => ({
      amount: (n * 37) % 201,
      person: { age: n, visits: n < 150 ? 0 : 3 },
      text: String(n),
      ...(n < 9 ? { rare: n } : {}),
    }));
    await call('POST', url, { examples: inputs.map((input) => ({ input })) });
    const { body } = await call('GET', `${url}/numbers`);
    const byField = new Map(body.items.map(({ field, cuts }: { field: string; cuts: number[] }) => [field, cuts]));
    expect([...byField.keys()].sort()).toEqual(['amount', 'person.visits']);
    expect(byField.get('amount')).toEqual(Array.from({ length: 101 }, (_, step) => 2 * step));
    expect(byField.get('person.visits')).toEqual(Array.from({ length: 101 }, (_, step) => (step < 75 ? 0 : 3)));
  });

  it('never gives a row twice, to one window or to two at once [LBL-4]', async () => {
    const clock = stoppedClock();
    const { call, url, ids, patch } = await openRows(60, clock);
    const take = async (query: string): Promise<string[]> =>
      (await call('GET', `${url}/next?${query}`)).body.items.map((item: Item) => item.example.id);
    const given = await Promise.all(['a', 'b', 'a', 'b'].map((session) => take(`session=${session}&count=10`)));
    expect([new Set(given.flat()).size, given.flat().length]).toEqual([40, 40]);
    await patch(0, { status: 'skipped' });
    await patch(1, { status: 'flagged' });
    const rest = await take('count=100');
    expect([...given.flat(), ...rest].length).toBe(new Set([...given.flat(), ...rest]).size);
    expect(rest).not.toContain(ids[0]);
    expect(await take('session=a')).toEqual([]);
    // A window that was opened again asks for its rows again; after a minute whoever has nothing else gets them.
    const again = await take('session=a&count=100&restart=true');
    expect(again.every((id) => given[0]?.includes(id) || given[2]?.includes(id))).toBe(true);
    expect(again.length).toBeGreaterThanOrEqual(18);
    expect(await take('session=c&count=100')).toEqual([]);
    // Windows that were closed with all rows in them keep nobody waiting for longer than a minute.
    clock.move(60_000);
    expect((await take('session=c&count=100')).sort()).toEqual(ids.slice(2).sort());
    expect(await take('session=c&count=100')).toEqual([]);
    clock.move(5 * 60_000);
    expect((await take('session=d&count=100')).sort()).toEqual(ids.slice(2).sort());
    expect((await call('GET', `${url}/next?queue=flagged`)).body).toMatchObject({
      items: [{ example: { id: ids[1] }, why: 'Somebody flagged it.' }],
      remaining: 1,
    });
  });

  it('comes to what a window has had only when nothing else is left, labelled or passed over [LBL-4]', async () => {
    const clock = stoppedClock();
    const { call, url, ids, patch, bulk } = await openRows(30, clock);
    await bulk({ ids, action: 'set_status', status: 'flagged' });
    const take = async (): Promise<string[]> =>
      (await call('GET', `${url}/next?queue=flagged&session=a&count=10`)).body.items.map(
        (item: Item) => item.example.id,
      );
    const given = new Set<string>();
    for (const age of ['labelled', 'passed over', 'last']) {
      const items = await take();
      expect([age, items.filter((id) => given.has(id)), items.length]).toEqual([age, [], 10]);
      for (const id of items) given.add(id);
      // A flag that stays keeps the labelled row in the queue; the time of the others is up.
      const label = { expected_decision: 'yes', status: 'flagged' };
      if (age === 'labelled') await Promise.all(items.map((id) => patch(ids.indexOf(id), label)));
      else clock.move(5 * 60_000);
    }
    expect(given.size).toBe(30);
    expect(await take()).toHaveLength(10);
  });

  it('follows what is added, deleted, edited and undone elsewhere [LBL-5]', async () => {
    const { call, url, next, waitUntilRead } = await openTexts();
    await waitUntilRead();
    const all = await call('GET', `${url}?page_size=100`);
    const [gone, edited, ...others]: Item['example'][] = all.body.items;
    await call('DELETE', `${url}/${gone?.id}`);
    await call('PATCH', `${url}/${edited?.id}`, { input: { message: delivery[3] } });
    const ids = others.map(({ id }) => id);
    const { undo_token } = (
      await call('POST', `${url}/bulk`, { ids, action: 'set_decision', decision: 'late_delivery' })
    ).body;
    await call('POST', url, { examples: [{ input: { message: payment[2] }, expected_decision: 'wrong_payment' }] });
    await vi.waitFor(
      async () => expect((await next()).labelling_model).toMatchObject({ examples_read: 20, labels: 19 }),
      {
        timeout: 600_000,
        interval: 100,
      },
    );
    await call('POST', `${url}/undo`, { undo_token });
    await vi.waitFor(
      async () => expect((await next()).labelling_model).toMatchObject({ examples_read: 20, labels: 1 }),
      {
        timeout: 600_000,
        interval: 100,
      },
    );
    const similar = (await call('GET', `${url}/${edited?.id}/similar?count=1`)).body.items;
    expect(similar[0]).toMatchObject({ example: { input_payload: { message: delivery[3] } } });
    expect(similar[0].similarity).toBeCloseTo(1, 3);
  });

  it('takes rows evenly from all while they are being read, as a file may be sorted by its answers [LBL-10]', async () => {
    const away = () => {
      throw new Error('No process can be started.');
    };
    const { call, url } = await openRows(100, undefined, {
      spawnChild: (name, options) => (name === 'labelling-child' ? away() : spawnChild(name, options)),
    });
    const take = async (): Promise<number[]> =>
      (await call('GET', `${url}/next?session=a&count=20`)).body.items.map(
        ({ example }: { example: { input_payload: { n: number } } }) => example.input_payload.n,
      );
    expect(await take()).toEqual(Array.from({ length: 20 }, (_, n) => 5 * n + 4));
    const rest = await take();
    expect([rest.length, Math.min(...rest) < 10, Math.max(...rest) > 90]).toEqual([20, true, true]);
  });

  it('reads the rows that come while it reads others', async () => {
    const { call, url } = await openRows(1_000);
    const isRead = async () => {
      const { body } = await call('GET', `${url}/next?count=1&restart=true`);
      expect(body.labelling_model.examples_read).toBe(1_000);
    };
    await vi.waitFor(isRead, { timeout: 600_000, interval: 50 });
  });

  it('goes on without the labelling model when its process dies, and starts it again [LBL-3]', async () => {
    const children: ChildProcess[] = [];
    const { call, url } = await openRows(30, undefined, {
      spawnChild: (name, options) => {
        const child = spawnChild(name, options);
        if (name === 'labelling-child') children.push(child);
        return child;
      },
    });
    const isRead = async () => {
      const { body } = await call('GET', `${url}/next?count=1&restart=true`);
      expect([body.items.length, body.labelling_model.examples_read]).toEqual([1, 30]);
    };
    await vi.waitFor(isRead, { timeout: 600_000, interval: 100 });
    children[0]?.kill('SIGKILL');
    expect((await call('GET', `${url}/next?count=1`)).body.items).toHaveLength(1);
    await vi.waitFor(isRead, { timeout: 600_000, interval: 100 });
    expect(children.length).toBe(2);
  });

  it('learns labels under the options of now, also where these change while examples are read [LBL-3]', async () => {
    const late: (() => void)[] = [];
    const { call } = await openForTest({
      spawnChild: (name, options) => {
        const child = spawnChild(name, options);
        if (name === 'labelling-child') holdAnswer(child, 'number', late);
        return child;
      },
    });
    const type = `/api/v1/decision-types/${await makeType(call)}`;
    const url = `${type}/examples`;
    const examples = Array.from({ length: 60 }, (_, n) => ({
      input: { colour: n % 2 === 0 ? 'red' : 'blue', n },
      expected_decision: n < 50 ? (n % 2 === 0 ? 'yes' : 'no') : null,
    }));
    await call('POST', url, { examples });
    await call('GET', `${url}/next?count=1&restart=true`);
    await vi.waitFor(() => expect(late).toHaveLength(1), { timeout: 600_000, interval: 50 });
    expect((await call('PUT', type, { options: ['no', 'yes'] })).status).toBe(200);
    const next = async () => (await call('GET', `${url}/next?count=10&restart=true`)).body;
    const isRead = async () => expect((await next()).labelling_model.examples_read).toBe(60);
    await vi.waitFor(isRead, { timeout: 600_000, interval: 50 });
    late[0]?.();
    for (let asked = 0; asked < 3; asked += 1)
      for (const { example, suggestion } of (await next()).items)
        expect(suggestion.decision).toBe(example.input_payload.colour === 'red' ? 'yes' : 'no');
  });
});

/** Holds the answer of a child to its first order of a name back, until what is added to `late` is called. */
function holdAnswer(child: ChildProcess, name: string, late: (() => void)[]): void {
  const [send, emit] = [child.send.bind(child), child.emit.bind(child)];
  let held: number | null = null;
  child.send = (message: { name?: string; id: number }, ...others: never[]) => {
    if (message.name === name) held ??= message.id;
    return send(message, ...others);
  };
  child.emit = (event: string, ...values: unknown[]) => {
    const [answer] = values as [{ kind: string; id: number } | undefined];
    if (event !== 'message' || answer?.kind !== 'done' || answer.id !== held || late.length > 0)
      return emit(event, ...values);
    late.push(() => emit(event, ...values));
    return true;
  };
}
