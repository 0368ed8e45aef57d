/** Which rows are held out, and what holds for ever about it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { prepareRows } from '../../../src/engine/training/data/labelled-rows.ts';
import { findNearDuplicates } from '../../../src/engine/training/stages/prepare.ts';
import { assignFolds, type SplitRow, splitRows } from '../../../src/engine/units/sides.ts';
import { createExample } from '../training-request.ts';

const rowsOf = (label: number, ids: readonly number[], source: SplitRow['source'] = 'user'): SplitRow[] =>
  ids.map((id) => ({ content: `{"place":${label}-${id}}`, label, source }));
const anyRow = fc.record({
  content: fc.integer({ min: 0, max: 60 }).map((id) => `{"place":${id}}`),
  label: fc.integer({ min: 0, max: 3 }),
  source: fc.constantFrom<SplitRow['source']>('user', 'user', 'user', 'synthetic'),
});
const manyRows = fc.array(anyRow, { maxLength: 120 });

/** The side of every input of the user. */
function readSides(rows: readonly SplitRow[]): Map<string, 'train' | 'test'> {
  const { train, test } = splitRows(rows);
  const sides = new Map<string, 'train' | 'test'>();
  for (const position of train) if (rows[position]?.source === 'user') sides.set(rows[position].content, 'train');
  for (const position of test) sides.set(rows[position]?.content ?? '', 'test');
  return sides;
}

describe('the split', () => {
  it('keeps equal inputs on one side whatever their labels, and generated ones off the test side [TRN-7] [TRN-8]', () => {
    fc.assert(
      fc.property(manyRows, (rows) => {
        const { train, test } = splitRows(rows);
        const trained = new Set(train.map((position) => rows[position]?.content));
        for (const position of test) {
          expect(rows[position]?.source).toBe('user');
          expect(trained.has(rows[position]?.content)).toBe(false);
        }
        // What is on neither side is a generated row that equals a held-out input.
        const placed = new Set([...train, ...test]);
        const tested = new Set(test.map((position) => rows[position]?.content));
        rows.forEach((row, position) => {
          if (placed.has(position)) return;
          expect(row.source).toBe('synthetic');
          expect(tested.has(row.content)).toBe(true);
        });
      }),
    );
  });

  it('does not depend on the order of the rows, and has some of every option of five inputs on both sides [TRN-7]', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { minLength: 5, maxLength: 30 }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.integer(),
        (options, seed) => {
          const rows = options.flatMap((ids, label) => rowsOf(label, ids));
          const sides = readSides(rows);
          options.forEach((ids, label) => {
            const own = new Set(rowsOf(label, ids).map(({ content }) => sides.get(content)));
            expect(own).toEqual(new Set(['train', 'test']));
          });
          const shuffled = rows.toSorted((a, b) => ((a.content.length * seed) % 7) - ((b.content.length * seed) % 7));
          expect(readSides(shuffled)).toEqual(sides);
        },
      ),
    );
  });

  it('moves no input when rows are added, but for the one that a small option had lent to its empty side [TRN-7]', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(ids, ids, (before, added) => {
        const rows = rowsOf(0, before);
        const first = readSides(rows);
        const second = readSides([...rows, ...rowsOf(0, added), ...rowsOf(1, added)]);
        const moved = [...first].filter(([content, side]) => second.get(content) !== side);
        // By hash alone an input's side is what it is among two hundred others.
        const byHash = readSides([
          ...rows,
          ...rowsOf(
            0,
            Array.from({ length: 200 }, (_, i) => 20_000 + i),
          ),
        ]);
        const lent = [...first].filter(([content, side]) => byHash.get(content) !== side);
        expect(lent.length).toBeLessThanOrEqual(1);
        expect(moved.length).toBeLessThanOrEqual(2);
        if (lent.length === 0 && new Set(first.values()).size === 2) expect(moved).toEqual([]);
      }),
    );
    // From 38 inputs on, the fewest that a training takes, practically every option has both sides by its hashes.
    const rows = rowsOf(0, [...Array(38).keys()]);
    const first = readSides(rows);
    const second = readSides([...rows, ...rowsOf(0, [...Array(5_000).keys()])]);
    expect([...first].filter(([content, side]) => second.get(content) !== side)).toEqual([]);
    const share = [...second.values()].filter((side) => side === 'test').length / second.size;
    expect(share).toBeGreaterThan(0.185);
    expect(share).toBeLessThan(0.215);
  });

  it('holds no correction of a live decision out, and moves no other row for it [AUD-1]', () => {
    fc.assert(
      fc.property(manyRows, manyRows, (rows, corrected) => {
        const all: SplitRow[] = [...rows, ...corrected.map((row) => ({ ...row, source: 'correction' as const }))];
        const before = splitRows(rows);
        const { train, test } = splitRows(all);
        expect(test).toEqual(before.test);
        expect(train.filter((position) => position < rows.length)).toEqual(before.train);
        const heldOut = new Set(test.map((position) => all[position]?.content));
        for (const position of train) expect(heldOut.has(all[position]?.content)).toBe(false);
      }),
    );
    const marked: SplitRow[] = [
      { content: '{"place":1}', label: 0, source: 'correction', test: true },
      { content: '{"place":1}', label: 0, source: 'correction' },
      { content: '{"place":2}', label: 0, source: 'user' },
    ];
    expect(splitRows(marked)).toEqual({ rule: 'test_rows', test: [0], train: [2], repeats: 0, putAside: 0 });
  });

  it('is what the analyst marked, with the equals of the marked rows, where any row is marked [TRN-15]', () => {
    const rows = [...rowsOf(0, [1, 2, 3, 4, 5, 6]), ...rowsOf(1, [1, 2, 3]), ...rowsOf(0, [2], 'synthetic')];
    const marked = rows.map((row, i) => ({ ...row, test: i === 1 || i === 7 }));
    const twin = { content: '{"place":0-2}', label: 1, source: 'user' as const };
    const { train, test, rule } = splitRows([...marked, twin]);
    expect(rule).toBe('test_rows');
    expect(test).toEqual([1, 7, 10]);
    expect(train).toEqual([0, 2, 3, 4, 5, 6, 8]);
    expect(splitRows(rows.map((row) => ({ ...row, test: row.source === 'synthetic' }))).rule).toBe('hash');
  });
});

describe('near repeats', () => {
  const people = Array.from({ length: 300 }, (_, i) => ({
    job: `job ${(i * 7) % 23}`,
    town: `town ${(i * 11) % 17}`,
    age: 18 + ((i * 37) % 60),
    income: 1_000 + ((i * 7_919) % 90_000),
  }));
  const copyOf = (person: (typeof people)[number], by: number) => ({
    ...person,
    age: person.age + by,
    income: person.income - by,
  });
  const toId = (at: number) => String(at).padStart(5, '0');
  const prepare = (inputs: readonly JsonObject[]) =>
    prepareRows(
      inputs.map((input, i) => ({ ...createExample(toId(i), input, i % 2 === 0 ? 'a' : 'b'), addedMs: i })),
      ['a', 'b'],
    ).rows;
  const sidesOf = (inputs: readonly JsonObject[]) => {
    const rows = prepare(inputs);
    const { test } = splitRows(rows);
    const heldOut = new Set(test.map((position) => rows[position]?.id));
    return { rows, isHeldOut: (at: number) => heldOut.has(toId(at)) };
  };

  it('share a side and a fold with what they repeat, which keeps its side [AUD-6]', () => {
    const before = sidesOf(people);
    const copies = people.flatMap((person) => [copyOf(person, 1), copyOf(person, -1)]);
    const { rows, isHeldOut } = sidesOf([...people, ...copies]);
    people.forEach((_, i) => {
      expect([i, isHeldOut(i)]).toEqual([i, before.isHeldOut(i)]);
      for (const copy of [0, 1]) expect(isHeldOut(people.length + 2 * i + copy)).toBe(isHeldOut(i));
    });
    const folds = assignFolds(rows, 5, 1);
    const foldOf = new Map(rows.map(({ id }, position) => [id, folds[position]]));
    people.forEach((_, i) => {
      for (const copy of [0, 1]) expect(foldOf.get(toId(people.length + 2 * i + copy))).toBe(foldOf.get(toId(i)));
    });
    // Every fold still gets its share.
    const sizes = Array.from({ length: 5 }, (_, fold) => folds.filter((each) => each === fold).length);
    expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(1.5);
  });

  it('of the test rows that were marked are on neither side, and counted [AUD-6] [TRN-15]', () => {
    const copies = people.slice(0, 30).flatMap((person) => [copyOf(person, 1), copyOf(person, -1)]);
    const rows = prepare([...people, ...copies]).map((row) => ({ ...row, test: Number(row.id) < 20 }));
    const { train, test, repeats } = splitRows(rows);
    const idsOf = (positions: readonly number[]) => positions.map((position) => Number(rows[position]?.id));
    expect(idsOf(test).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    const learned = new Set(idsOf(train));
    for (let i = 0; i < 30; i += 1) {
      for (const copy of [0, 1]) expect([i, learned.has(people.length + 2 * i + copy)]).toEqual([i, i >= 20]);
    }
    expect(repeats).toBe(rows.length - train.length - test.length);
    expect(repeats).toBeGreaterThanOrEqual(40);
  });

  it('have the same side whenever the same rows are imported at one time, whatever their ids [AUD-6]', () => {
    const copies = people.map((person) => copyOf(person, 1));
    const heldOut = (toSuffix: (at: number) => number) => {
      const examples = [...people, ...copies].map((input, i) =>
        createExample(`01940000-0000-7${String(toSuffix(i)).padStart(3, '0')}`, input, i % 2 === 0 ? 'a' : 'b'),
      );
      const { rows } = prepareRows(examples, ['a', 'b']);
      return splitRows(rows).test.map((position) => rows[position]?.content);
    };
    expect(heldOut((at) => 999 - at)).toEqual(heldOut((at) => at));
  });

  it('are told from rows that are close by chance [AUD-6]', () => {
    const grouped = (inputs: readonly JsonObject[]) => prepare(inputs).filter(({ group = -1 }) => group >= 0).length;
    expect(grouped(people)).toBeLessThan(0.02 * people.length);
    // Few values, all combinations of which occur: neighbours everywhere.
    const dense = Array.from({ length: 2_000 }, (_, i) => ({ score: (i * 7) % 50, months: Math.floor(i / 50) }));
    expect(grouped(dense)).toBe(0);
    const texts = ['Where is my parcel?', 'my parcel: where IS', 'Where is my order?'];
    const repeated = prepare(texts.map((text) => ({ text }))).flatMap(({ id, group = -1 }) => (group < 0 ? [] : [id]));
    expect(repeated.sort()).toEqual([toId(0), toId(1)]);
  });
});

describe('near duplicates', () => {
  it('are held-out inputs that differ in case, marks and order of words only [TRN-16]', () => {
    const input = (message: string): JsonObject => ({ message, amount: 3, tags: ['a', 'B!'] });
    const { rows } = prepareRows(
      [
        createExample('one', input('Where is my parcel?'), 'a'),
        createExample('two', input('my parcel:  where IS'), 'a'),
        createExample('three', { ...input('Where is my parcel?'), amount: 4 }, 'b'),
        createExample('four', { other: 'Where is my parcel?', amount: 3, tags: ['a', 'B!'] }, 'b'),
      ],
      ['a', 'b'],
    );
    const pick = (...ids: string[]) => rows.filter(({ id }) => ids.includes(id));
    expect(findNearDuplicates(pick('one'), pick('two', 'three', 'four'))).toEqual({ count: 1, exampleIds: ['two'] });
    expect(findNearDuplicates([], pick('two'))).toEqual({ count: 0, exampleIds: [] });
  });
});
