/** Lists of examples ordered by a column, against an order that is computed here. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Call, makeType, openForTest } from '../workbench.ts';

type Listed = { id: string; input_payload: Record<string, unknown> };

async function openWith(examples: readonly object[]) {
  const opened = await openForTest({ synchronous: 'NORMAL' });
  const url = `/api/v1/decision-types/${await makeType(opened.call)}/examples`;
  const added = await opened.call('POST', url, { examples });
  expect(added.status).toBe(201);
  return { ...opened, url, ids: (added.body as Listed[]).map(({ id }) => id) };
}
const list = async (call: Call, url: string, query: Record<string, string | number>) =>
  (await call('GET', `${url}?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))}`)).body;

/** The ids of all pages, one after the other. */
async function readAll(call: Call, url: string, sort: string, pageSize: number): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const { items, pages } = await list(call, url, { sort, page, page_size: pageSize });
    ids.push(...items.map(({ id }: Listed) => id));
    if (page >= pages) return ids;
  }
}

describe('the list of examples', () => {
  it('is ordered by any field in either direction, newest first among equals, on all pages alike [EXA-18]', async () => {
    const values = fc.constantFrom(null, undefined, 3, -1, 2.5, 10, 'b', 'A', 'c', '', true, false);
    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (written, pageSize) => {
          const { call, url, ids, close } = await openWith(written.map((value) => ({ input: { deep: { value } } })));
          const rank = (value: unknown): [number, number | string] => {
            if (value === null || value === undefined) return [2, 0];
            return typeof value === 'string' ? [1, value.toLowerCase()] : [0, Number(value)];
          };
          for (const sign of ['', '-']) {
            const direction = sign === '' ? 1 : -1;
            const places = written.map((_, place) => place);
            places.sort((a, b) => {
              const [[kindA, valueA], [kindB, valueB]] = [rank(written[a]), rank(written[b])];
              if (kindA !== kindB) return kindA === 2 || kindB === 2 ? kindA - kindB : (kindA - kindB) * direction;
              if (valueA === valueB) return b - a;
              return valueA < valueB ? -direction : direction;
            });
            expect(await readAll(call, url, `${sign}input.deep.value`, pageSize)).toEqual(
              places.map((place) => ids[place]),
            );
          }
          await close();
        },
      ),
      { numRuns: 12 },
    );
  });

  it('is ordered by label and times, and follows what is changed [EXA-18]', async () => {
    const { call, url, ids } = await openWith([
      { input: { n: 0 }, decision: 'yes' },
      { input: { n: 1 } },
      { input: { n: 2 }, decision: 'no' },
      { input: { n: 3 }, decision: 'yes' },
    ]);
    const numbers = async (sort: string, more = {}) =>
      (await list(call, url, { sort, ...more })).items.map(({ input_payload }: Listed) => input_payload['n']);
    expect(await numbers('decision')).toEqual([2, 3, 0, 1]);
    expect(await numbers('-decision')).toEqual([3, 0, 2, 1]);
    expect(await numbers('-input.n', { decision: 'yes' })).toEqual([3, 0]);
    expect(await numbers('created_at')).toEqual([3, 2, 1, 0]);
    await call('PATCH', `${url}/${ids[1]}`, { decision: 'no', input: { n: 9 } });
    expect(await numbers('decision')).toEqual([2, 9, 3, 0]);
    expect((await numbers('-updated_at'))[0]).toBe(9);
    expect(await numbers('input.n')).toEqual([0, 2, 3, 9]);
    await call('DELETE', `${url}/${ids[2]}`);
    expect(await numbers('input.n')).toEqual([0, 3, 9]);
  });

  it('finds fields by any name they can have [EXA-18]', async () => {
    const name = 'a "quoted" \\ & naïve';
    const { call, url } = await openWith([2, 1, 3].map((n) => ({ input: { [name]: n, 'with.dot': -n } })));
    for (const [sort, field, expected] of [
      [`input.${name}`, name, [1, 2, 3]],
      ['input.with.dot', 'with.dot', [-3, -2, -1]],
    ] as const) {
      const { items } = await list(call, url, { sort });
      expect(items.map(({ input_payload }: Listed) => input_payload[field])).toEqual(expected);
    }
    // Nobody has the field: everything is equal and stands newest first.
    const { items } = await list(call, url, { sort: 'input.constructor' });
    expect(items.map(({ input_payload }: Listed) => input_payload[name])).toEqual([3, 1, 2]);
  });

  it('tells on which page an example stands, sorted or not [EXA-19]', async () => {
    const examples = Array.from({ length: 30 }, (_, n) => ({ input: { n, odd: n % 2 === 1 ? 'odd' : 'even' } }));
    const { call, url, ids } = await openWith(examples);
    for (const query of [{}, { sort: 'input.n' }, { sort: '-input.odd' }, { search: 'odd', sort: '-input.n' }]) {
      for (const [n, id] of ids.entries()) {
        const { items, page } = await list(call, url, { ...query, page_of: id, page_size: 7 });
        expect([n, items.some((item: Listed) => item.id === id)]).toEqual([n, true]);
        expect(await list(call, url, { ...query, page, page_size: 7 })).toMatchObject({ items });
      }
    }
    const elsewhere = await list(call, url, { decision: 'yes', page_of: ids[0] ?? '', page: 1 });
    expect(elsewhere).toMatchObject({ items: [], total: 0, page: 1 });
  });

  it('refuses an order it does not know, with the place and what there is [EXA-18]', async () => {
    const { call, url } = await openWith([{ input: { n: 1 } }]);
    for (const sort of [
      'amount',
      '',
      '-',
      'input.',
      '--decision',
      'seq',
      'decision,seq',
      `input.${'x'.repeat(1_000)}`,
    ]) {
      const { status, body } = await call('GET', `${url}?sort=${encodeURIComponent(sort)}`);
      expect([sort, status, body.error.details[0].loc]).toEqual([sort, 422, ['query', 'sort']]);
    }
    const { body } = await call('GET', `${url}?sort=amount`);
    expect(body.error.details[0].msg).toContain('created_at, updated_at, decision or input.');
  });
});
