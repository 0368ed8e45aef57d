/** The parts into which each field divides rows. */

import { parseDate } from '../features/dates.ts';
import { findBinEnds } from '../features/tell-label.ts';
import { readPath } from '../features/values.ts';
import type { JsonObject } from '../json.ts';
import { isPiiField } from '../pii.ts';
import type { LanguageDetector } from '../ports.ts';
import { collectRows, countRows, type RowSet } from '../row-sets.ts';
import { minLanguageShare, nameLanguage } from '../text/languages.ts';
import { type Cell, type Column, collectColumns, isTextColumn } from './columns.ts';

/** An input with the names of the fields whose value could not be read: they are not missing. */
export type SeenInput = { input: JsonObject; unreadable?: readonly string[] | undefined };
export type Condition = { field: string; text: string; rows: RowSet; count: number };

const maxValues = 20;
const maxNumbersAsValues = 10;
const bins = 4;
const maxConditions = 240;
const maxShownCharacters = 40;

type ListOptions = {
  byDate: boolean;
  detectLanguage: LanguageDetector | null;
  /** Names of fields whose values say nothing: only their absence is looked at. */
  valueless: ReadonlySet<string>;
};

const show = (cell: string | number | boolean) => {
  if (typeof cell !== 'string') return String(cell);
  return cell.length <= maxShownCharacters ? `"${cell}"` : `"${cell.slice(0, maxShownCharacters)}…"`;
};

/** Conditions before their rows are known. */
type Test = { text: string; holds(row: number): boolean };

/** How the ends of bins are said. */
type Words = { over: string; upTo: string; show(end: number): string };
const ofNumbers: Words = { over: 'over', upTo: 'at most', show: String };
const dayMs = 86_400_000;
const ofDays: Words = {
  over: 'after',
  upTo: 'up to',
  show: (day) => new Date(day * dayMs).toISOString().slice(0, 10),
};

function listBinTests(name: string, numbers: readonly (number | null)[], words = ofNumbers): Test[] {
  const known = numbers.filter((number) => number !== null);
  const ends = findBinEnds(known, bins);
  return ends.map((end, bin) => {
    const low = ends[bin - 1] ?? Number.NEGATIVE_INFINITY;
    const parts = [
      ...(low === Number.NEGATIVE_INFINITY ? [] : [`${words.over} ${words.show(low)}`]),
      ...(end === Number.POSITIVE_INFINITY ? [] : [`${words.upTo} ${words.show(end)}`]),
    ];
    const holds = (row: number) => {
      const number = numbers[row] ?? null;
      return number !== null && number > low && number <= end;
    };
    return { text: `${name} is ${parts.join(' and ')}`, holds };
  });
}

function listValueTests(name: string, cells: readonly Cell[]): Test[] {
  const counts = new Map<string | number | boolean, number>();
  for (const cell of cells) if (cell !== undefined && cell !== null) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (show(a[0]) < show(b[0]) ? -1 : 1))
    .slice(0, maxValues)
    .map(([value]) => ({ text: `${name} is ${show(value)}`, holds: (row) => cells[row] === value }));
}

/** The days of a column that holds dates alone, many of them; null of another one. */
function readDays(cells: readonly Cell[]): (number | null)[] | null {
  const days = cells.map((cell) => {
    const time = parseDate(cell)?.epochDays;
    return time === undefined ? null : Math.floor(time);
  });
  const isDate = cells.every((cell, row) => cell === null || cell === undefined || cell === '' || days[row] !== null);
  return isDate && new Set(days).size > maxNumbersAsValues + 1 ? days : null;
}

/** The languages of a column of texts, each of at least a twentieth of them: of fewer they are mostly errors. */
function listLanguageTests({ name, cells }: Column, detect: LanguageDetector): Test[] {
  const languages = cells.map((cell) => (typeof cell === 'string' ? detect(cell) : null));
  const counts = new Map<string, number>();
  for (const language of languages) if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= minLanguageShare * cells.length)
    .map(([language]) => ({
      text: `${name} is in ${nameLanguage(language)}`,
      holds: (row) => languages[row] === language,
    }));
}

function listTests(column: Column, rows: readonly SeenInput[], options: ListOptions): Test[] {
  const { name, cells, lengths } = column;
  const isUnreadable = (row: number) => rows[row]?.unreadable?.includes(name) ?? false;
  const isAbsent = (row: number) => cells[row] === undefined || (cells[row] === null && lengths?.[row] === undefined);
  return [
    ...(options.valueless.has(name) ? [] : listTestsOfValues(column, options)),
    { text: `${name} is missing`, holds: (row) => isAbsent(row) && !isUnreadable(row) },
    { text: `${name} is unreadable`, holds: isUnreadable },
  ];
}

function listTestsOfValues(column: Column, { byDate, detectLanguage }: ListOptions): Test[] {
  const { name, cells, lengths } = column;
  const days = byDate ? readDays(cells) : null;
  const tests: Test[] = [];
  const isText = isTextColumn(column);
  const numbers = cells.map((cell) => (typeof cell === 'number' ? cell : null));
  const different = new Set(numbers);
  if (days !== null) tests.push(...listBinTests(name, days, ofDays));
  else if (different.size > maxNumbersAsValues + 1) tests.push(...listBinTests(name, numbers));
  else if (!isText) tests.push(...listValueTests(name, cells));
  if (isText && detectLanguage !== null) tests.push(...listLanguageTests(column, detectLanguage));
  if (lengths !== null && (isText || cells.every((cell) => cell === null || cell === undefined))) {
    tests.push(
      ...listBinTests(
        `the length of ${name}`,
        lengths.map((length) => length ?? null),
      ),
    );
  }
  return tests;
}

const byDefault: ListOptions = { byDate: false, detectLanguage: null, valueless: new Set() };

/** Groups into which a field divides rows, each row in one of them. */
export type Division = { field: string; groups: { name: string; rows: number[] }[] };

/** Divides rows by the values of a field, by quarters of many numbers or days, by its absence, and the others. */
export function divideRows(rows: readonly SeenInput[], field: string): Division {
  const path = field.split('.');
  const cells = rows.map(({ input }): Cell => {
    const value = readPath(input, path);
    return typeof value === 'object' ? null : value;
  });
  const column = { path, name: field, cells, lengths: null };
  const tests = listTests(column, rows, { ...byDefault, byDate: true });
  const names = tests.map(({ text }) => text.slice(`${field} is `.length));
  const byName = Map.groupBy(
    rows.keys(),
    (row) => names[tests.findIndex(({ holds }) => holds(row))] ?? 'another value',
  );
  return { field, groups: [...byName].map(([name, own]) => ({ name, rows: own })) };
}

/** Conditions of at least `minRows` rows but not all: values, quarters, absence; none of personal fields. */
export function listConditions(
  rows: readonly SeenInput[],
  minRows: number,
  piiFields: readonly string[],
  options: Partial<ListOptions> = {},
): Condition[] {
  const table = collectColumns();
  for (const { input } of rows) table.add(input);
  const conditions = table
    .finish()
    .filter(({ path }) => !isPiiField(path, piiFields))
    .flatMap((column) =>
      listTests(column, rows, { ...byDefault, ...options }).map(({ text, holds }): Condition => {
        const held = collectRows(rows.length, holds);
        return { field: column.name, text, rows: held, count: countRows(held) };
      }),
    )
    .filter(({ count }) => count >= minRows && count < rows.length);
  return conditions.sort((a, b) => b.count - a.count).slice(0, maxConditions);
}
