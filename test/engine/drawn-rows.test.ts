/** The permanent number of a row: copies have one, whatever tells them apart. */
import { expect, test } from 'vitest';
import { drawnShare, isDrawn, noOpenRows, toRowContent, toRowNumber } from '../../src/engine/drawn-rows.ts';
import { listIdentifyingFields } from '../../src/engine/features/identifying-fields.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import { createRandom } from '../../src/engine/random.ts';
import { prepareRows } from '../../src/engine/training/data/labelled-rows.ts';
import { assignFolds, splitRows } from '../../src/engine/units/sides.ts';
import { createExample } from './training-request.ts';

/** 200 orders, each three times, as an export of order lines has them. */
function listOrderLines(): JsonObject[] {
  const random = createRandom(5);
  const orders = Array.from({ length: 200 }, (_, i) => ({
    amount: Math.round(random() * 10_000) / 100,
    country: ['DE', 'FR', 'ES'][i % 3] ?? '',
    plan: 'basic',
  }));
  return [...orders, ...orders, ...orders].map((order, i) => ({
    ...order,
    row_id: `R-${1_000 + i}`,
    line: { number: i + 1, entered: `2026-01-01T00:00:${i}` },
  }));
}

test('fields that only tell rows apart are known without a label, and nothing else is', () => {
  expect(listIdentifyingFields(listOrderLines()).map((path) => path.join('.'))).toEqual([
    'row_id',
    'line.number',
    'line.entered',
  ]);
  const texts = Array.from({ length: 50 }, (_, i) => ({ text: `word${i}` }));
  expect(listIdentifyingFields(texts)).toEqual([]);
  const amounts = Array.from({ length: 50 }, (_, i) => ({ amount: (i * 7919) % 10_007, text: `Order number ${i}` }));
  expect(listIdentifyingFields(amounts)).toEqual([]);
});

test('copies of a row have one number, one side and one fold [DRW-5]', () => {
  const lines = listOrderLines();
  const examples = lines.map((input, i) => createExample(`${i}`, input, i % 2 === 0 ? 'a' : 'b'));
  const { rows } = prepareRows(examples, ['a', 'b']);
  const sides = splitRows(rows);
  const heldOut = new Set(sides.test);
  const folds = assignFolds(rows, 5, 1);
  for (const copies of Map.groupBy(rows.keys(), (position) => Number(rows[position]?.id) % 200).values()) {
    expect(copies).toHaveLength(3);
    expect(new Set(copies.map((position) => heldOut.has(position))).size).toBe(1);
    expect(new Set(copies.map((position) => folds[position])).size).toBe(1);
  }
  expect(new Set(folds).size).toBe(5);
  expect(sides.test.length).toBeGreaterThan(60);
});

test('a number is that of the content alone, and about a fifth of all contents are drawn', () => {
  const numbers = Array.from({ length: 5_000 }, (_, i) => toRowNumber(toRowContent({ text: `${i}`, id: i }, [['id']])));
  expect(numbers[17]).toBe(toRowNumber('{"text":"17"}'));
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(numbers.filter(isDrawn).length / numbers.length).toBeCloseTo(0.2, 1);
});

/** 300 rows of two labels; those of `laterFrom` on came without theirs. */
const listRows = (laterFrom: number) =>
  prepareRows(
    Array.from({ length: 300 }, (_, i) => ({
      ...createExample(`${i}`, { text: `row ${i}` }, i % 3 === 0 ? 'a' : 'b'),
      later: i >= laterFrom,
    })),
    ['a', 'b'],
    { identifying: [] },
  ).rows;

test('of rows that came without a label, those below every open one are held out and the others learned [DRW-1]', () => {
  const rows = listRows(0);
  const { rule, train, test: heldOut } = splitRows(rows, 'random', { rows: 900, lowest: 0.08 });
  expect(rule).toBe('drawn');
  const numbers = rows.map(({ content }) => toRowNumber(content));
  expect(heldOut.map((position) => numbers[position] ?? 1).every((number) => number < 0.08)).toBe(true);
  expect(heldOut.length).toBe(numbers.filter((number) => number < 0.08).length);
  expect(train.length + heldOut.length).toBe(300);
  // Once all drawn rows have a label, they are held out as they are everywhere.
  expect(splitRows(rows, 'random', { rows: 900, lowest: drawnShare })).toEqual(splitRows(rows));
});

test('open rows change nothing where most rows came with their label, but chosen ones are not measured [DRW-4]', () => {
  const before = splitRows(listRows(300), 'random', noOpenRows);
  expect(splitRows(listRows(300), 'random', { rows: 5_000, lowest: 0.001 })).toEqual(before);
  const rows = listRows(250);
  const { rule, test: heldOut } = splitRows(rows, 'random', { rows: 60, lowest: 0.01 });
  expect(rule).toBe('hash');
  const chosen = heldOut.filter((position) => Number(rows[position]?.id) >= 250);
  expect(chosen.every((position) => toRowNumber(rows[position]?.content ?? '') < 0.01)).toBe(true);
  expect(heldOut.length).toBeGreaterThan(40);
});
