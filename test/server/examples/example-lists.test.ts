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

type FieldTest = Partial<{
  min: number | string;
  max: number | string;
  above: number | string;
  below: number | string;
  one_of: unknown[];
  contains: string;
  empty: boolean;
}>;

/** Whether a value passes a test, as the interface says it. */
function passes(value: unknown, { min, max, above, below, one_of, contains, empty }: FieldTest): boolean {
  const compare = (bound: number | string | undefined, fits: (a: number | string, b: number | string) => boolean) =>
    bound === undefined ||
    ((typeof value === 'number' || typeof value === 'string') && typeof value === typeof bound && fits(value, bound));
  const text = value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value);
  const isEmpty = text === null || text === '' || text === '[]';
  return (
    compare(min, (a, b) => a >= b) &&
    compare(max, (a, b) => a <= b) &&
    compare(above, (a, b) => a > b) &&
    compare(below, (a, b) => a < b) &&
    (one_of === undefined || one_of.some((each) => each === (value ?? null))) &&
    (contains === undefined || (text?.toLowerCase().includes(contains.toLowerCase()) ?? false)) &&
    (empty === undefined || empty === isEmpty)
  );
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

  it('ignores case in every language, and puts accents behind their letters [EXA-18]', async () => {
    const names = [
      'zoo',
      'Ärger',
      'STRASSE',
      'arg',
      'A\u0308rger',
      'ärger',
      'Straße',
      'Ода',
      'ода',
      'az',
      'ΟΔΟΣ',
      'οδος',
    ];
    const { call, url } = await openWith(names.map((name) => ({ input: { name } })));
    const { items } = await list(call, url, { sort: 'input.name', page_size: 100 });
    expect(items.map(({ input_payload }: Listed) => input_payload['name'])).toEqual([
      'arg',
      'az',
      'ärger',
      'A\u0308rger',
      'Ärger',
      'Straße',
      'STRASSE',
      'zoo',
      'οδος',
      'ΟΔΟΣ',
      'ода',
      'Ода',
    ]);
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

  it('is filtered by tests of fields, sorted or not, and a bulk change is about the same rows [GRD-1]', async () => {
    const names = ['n', 'a "b" \\ [0] ä$', '2024', 'with.dot', 'deep.down'];
    const values = fc.constantFrom(
      null,
      undefined,
      0,
      -0,
      2.5,
      12,
      1e21,
      '',
      '12',
      'Ab "c"',
      '2026-01-31',
      true,
      [],
      ['ab'],
      {},
    );
    const bound = fc.constantFrom(0, 2.5, 12, '', '2026-01-31');
    const parts = [
      { min: bound },
      { max: bound },
      { above: bound, max: bound },
      { min: bound, below: bound },
      { one_of: fc.array(fc.constantFrom(null, 12, '12', true, 'Ab "c"'), { minLength: 1 }) },
      { contains: fc.constantFrom('ab', '"C', '2') },
      { empty: fc.boolean() },
      { empty: fc.boolean(), max: bound },
    ];
    const field = fc.constantFrom(...names, ...names, 'toString');
    const tests = fc.oneof(...parts.map((part) => fc.record<FieldTest & { field: string }>({ field, ...part })));
    const written = fc.array(fc.array(values, { minLength: names.length, maxLength: names.length }), {
      minLength: 5,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        written,
        fc.array(fc.array(tests, { maxLength: 2 }), { minLength: 8, maxLength: 12 }),
        async (rows, filters) => {
          const examples = rows.map((row) => {
            const [deep, ...others] = row.toReversed();
            const input = Object.fromEntries(others.toReversed().map((value, place) => [names[place], value]));
            return { input: { ...input, deep: { down: deep } } };
          });
          const { call, url, ids, close } = await openWith(examples);
          for (const given of filters) {
            const fields = JSON.stringify(given);
            const fits = (row: unknown[]) => given.every((test) => passes(row[names.indexOf(test.field)], test));
            const expected = ids.filter((_, place) => fits(rows[place] ?? []));
            const { items, total } = await list(call, url, { fields, page_size: 100 });
            expect([fields, total, items.map(({ id }: Listed) => id)]).toEqual([
              fields,
              expected.length,
              expected.toReversed(),
            ]);
            const sorted = await list(call, url, { fields, sort: 'created_at', page_size: 100 });
            expect(sorted.items.map(({ id }: Listed) => id).toSorted()).toEqual(expected.toSorted());
            const change = { filter: { fields: JSON.parse(fields) }, action: 'set_reviewed', reviewed: true };
            expect((await call('POST', `${url}/bulk`, change)).body.affected).toBe(expected.length);
          }
          await close();
        },
      ),
      { numRuns: 6 },
    );
  });

  it('refuses tests of fields that it cannot read, with their place [GRD-1]', async () => {
    const { call, url } = await openWith([{ input: { n: 1 } }]);
    for (const [fields, loc] of [
      ['{', ['query', 'fields']],
      ['{}', ['query', 'fields']],
      ['[{"min":1}]', ['query', 'fields', 0, 'field']],
      ['[{"field":"n","min":[1]}]', ['query', 'fields', 0, 'min']],
      ['[{"field":"n","is":1}]', ['query', 'fields', 0, 'is']],
    ] as const) {
      const { status, body } = await call('GET', `${url}?fields=${encodeURIComponent(fields)}`);
      expect([fields, status, body.error.details[0].loc]).toEqual([fields, 422, loc]);
    }
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
