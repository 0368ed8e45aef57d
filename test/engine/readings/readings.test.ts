/** Readings: what an import makes of a cell is what a call makes of the same text, and the Python package. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reading } from '../../../src/engine/domain/definition.ts';
import { createRowReader } from '../../../src/engine/import/row-reader.ts';
import type { Sheet } from '../../../src/engine/import/sheet.ts';
import type { Json } from '../../../src/engine/json.ts';
import { datePatterns } from '../../../src/engine/readings/dates.ts';
import { numberPatterns } from '../../../src/engine/readings/numbers.ts';
import { compileReadings, missingMarks, missingWords, yesNoPairs } from '../../../src/engine/readings/readings.ts';
import shared from '../../cases/readings.json' with { type: 'json' };

type SharedCase = { reading: Reading; must_be: string; values: (Json | { misread: true })[] };
const cases = shared.cases as SharedCase[];

/** The value of one cell as an import has it; undefined where it is no value of its kind. */
function importCell(reading: Reading, text: string): Json | undefined {
  const row = { line: 2, cells: [text] };
  const sheet: Sheet = {
    columns: ['x'],
    rows: [row],
    detected: [],
    refused: [],
    skipped: [],
    notes: [],
    workbook: null,
    header: { line: 1, first: [] },
  };
  const { readRow, misfits } = createRowReader(
    sheet,
    { inputs: ['x'], decision: null, reasons: null, second: null },
    new Map([['x', reading]]),
  );
  const { input } = readRow(row);
  return misfits.size > 0 ? undefined : input['x'];
}

/** The page for readers in other languages. */
const page = readFileSync(path.join(import.meta.dirname, '../../../docs/readings.md'), 'utf8');
/** The rows of its table whose head names these ways to read: texts, and what each way makes of them. */
const listRows = (...ways: string[]) =>
  (page.split(`| text | ${ways.map((way) => `${way} |`).join(' ')}\n`)[1] ?? '')
    .split('\n\n')[0]
    ?.split('\n')
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ) ?? [];

function decideText(reading: Reading, text: string): Json | undefined {
  const { input, misread } = compileReadings({ x: reading })({ x: text });
  return misread.length > 0 ? undefined : input['x'];
}

describe('a text at a field with a reading', () => {
  it.each(cases)(
    'is read by import and call as the shared cases say: $must_be [RDG-1]',
    ({ reading, values, must_be }) => {
      for (const [at, text] of shared.texts.entries()) {
        const value = values[at] ?? null;
        const expected = value !== null && typeof value === 'object' && 'misread' in value ? undefined : value;
        const [imported, decided] = [importCell(reading, text), decideText(reading, text)];
        expect([text, JSON.stringify(imported), JSON.stringify(decided)]).toEqual([
          text,
          JSON.stringify(expected),
          JSON.stringify(expected),
        ]);
        if (expected === undefined) {
          expect(compileReadings({ x: reading })({ x: text }).misread).toEqual([`'x' must be ${must_be}`]);
        }
      }
    },
  );

  it('is explained to readers in other languages by the patterns, words and examples of today [RDG-1]', () => {
    const listSources = (patterns: object) =>
      Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, pattern.source]));
    const { months, ...dates } = datePatterns;
    const listOnce = (at: 0 | 1) => [...new Set(yesNoPairs.map((pair) => pair[at]))];
    expect(JSON.parse(page.split('```')[1]?.slice('json\n'.length) ?? '')).toEqual({
      number: listSources(numberPatterns),
      date: listSources(dates),
      months: months.map(({ source }) => source),
      missing: { any_kind: missingMarks, but_text: missingWords },
      yes: listOnce(0),
      no: listOnce(1),
    });
    const numbers = listRows('`decimal` `.`', '`decimal` `,`');
    const days = listRows('`day_first`', '`month_first`', '`year_first`');
    const monthsOfYears = listRows('`month_only`');
    expect([numbers.length, days.length, monthsOfYears.length]).toEqual([4, 5, 2]);
    const show = (value: Json | undefined) => (value === undefined ? 'not read' : String(value));
    for (const [texts = '', ...expected] of [...numbers, ...days, ...monthsOfYears]) {
      const all = texts.split(/, (?=`)/).map((text) => text.replaceAll('`', ''));
      const orders =
        expected.length === 1 ? (['month_only'] as const) : (['day_first', 'month_first', 'year_first'] as const);
      const ways: Reading[] = numbers.some(([first]) => first === texts)
        ? [
            { kind: 'number', decimal: '.' },
            { kind: 'number', decimal: ',' },
          ]
        : orders.map((order) => ({ kind: 'date', order }));
      const read = ways.map((way) => [...new Set(all.map((text) => show(decideText(way, text))))].join(', '));
      expect([texts, ...read]).toEqual([texts, ...expected]);
    }
  });

  it('is read alike by import and call, whatever it is, and once more as it was [RDG-1]', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(...shared.texts),
      fc.stringMatching(/^[-+(€$ ]{0,2}[\d.,' ]{0,12}[-)€% ]{0,2}$/),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(...cases), (given, { reading }) => {
        const value = decideText(reading, given);
        expect(value).toEqual(importCell(reading, given));
        if (typeof value === 'string') expect(decideText(reading, value)).toBe(value);
      }),
      { numRuns: 5_000 },
    );
  });

  it('leaves an input the same object where all is of its kind already [RDG-2]', () => {
    const read = compileReadings({
      price: { kind: 'number', decimal: ',' },
      'stay.from': { kind: 'date', order: 'day_first' },
      guest: { kind: 'boolean' },
      hotel: { kind: 'text' },
    });
    const typed = { price: 7, stay: { from: '2024-04-03' }, guest: true, hotel: 'City', other: '7,5' };
    expect(read(typed)).toEqual({ input: typed, misread: [], unreadable: [] });
    expect(read(typed).input).toBe(typed);
    // Other values than texts stay what they are: the policy says of them what it says without readings.
    const others = { price: true, stay: 'x', guest: 1, hotel: 7 };
    expect(read(others).input).toBe(others);
    const texts = { price: '7,5', stay: { from: '03.04.2024', nights: '2' }, guest: 'ja', hotel: '' };
    expect(read(texts)).toEqual({
      input: { price: 7.5, stay: { from: '2024-04-03', nights: '2' }, guest: true, hotel: null },
      misread: [],
      unreadable: [],
    });
    expect(read({ price: 'viel', stay: { from: 'bald' } })).toEqual({
      input: { price: null, stay: { from: null } },
      misread: ["'price' must be a number with a decimal comma", "'stay.from' must be a date with the day first"],
      unreadable: ['price', 'stay.from'],
    });
  });

  it('names twenty of many texts that are not of their kind, and how many more [RDG-3]', () => {
    const names = Array.from({ length: 23 }, (_, i) => `n${i}`);
    const read = compileReadings(Object.fromEntries(names.map((name) => [name, { kind: 'number', decimal: ',' }])));
    const first = names.slice(0, 20).map((name) => `'${name}' must be a number with a decimal comma`);
    expect(read(Object.fromEntries(names.map((name) => [name, 'viel']))).misread).toEqual([...first, 'and 3 more']);
  });
});
