/** The tests that a condition can be made of, field by field, each with the rows on which it is true. */
import { foldCase } from '../../code-points.ts';
import { compilePath, identifierPattern, isFiniteNumber, listFrequentValues } from '../../features/values.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { isPiiField } from '../../pii.ts';
import { collectRows, hasRow, type RowSet } from '../../row-sets.ts';
import { printLiteral, printPath } from '../parsing/print.ts';
import { findBestCut, findCuts } from './cuts.ts';

/** One test of a field, as source. `guards` must be true before it, or it would fail where the field is missing. */
export type FieldTest = {
  source: string;
  guards: readonly string[];
  rows: RowSet;
  /** The same test of a number with the best cut among some rows, where a row of others weighs so much; null: none. */
  refine?(among: RowSet, target: RowSet, weight: number): FieldTest | null;
};
export type SearchRow = { input: JsonObject; label: number };

/** A field over all rows: undefined where it is missing. */
type Column = { path: string[]; values: (Json | undefined)[]; guards: string[] };

const maxFields = 200;
/** Strings with more distinct values than this are texts, or of no use. */
const maxCategories = 50;
const maxValueLength = 60;
/** Rows between two pauses. */
const rowsAtOnce = 1_000;
/** Fewer rows than this are never worth a test. */
const minRows = 8;

/** Lists tests of all fields, but personal or identifying ones; undefined is a mere pause. */
export function* listFieldTests(
  rows: readonly SearchRow[],
  optionCount: number,
  piiFields: readonly string[],
): Generator<FieldTest | undefined> {
  for (const path of yield* listPaths(rows)) {
    if (isPiiField(path, piiFields) || identifierPattern.test(path.at(-1) ?? '')) continue;
    const read = compilePath(path);
    const values = rows.map(({ input }) => read(input));
    const column = { path, values, guards: listGuards(rows, path, values) };
    yield* listPresenceTests(column);
    yield* listValueTests(column, rows, optionCount);
  }
}

/** The fields below one place: whether a value stands there, and the names that lead on. */
type Place = { isField: boolean; below: Map<string, Place> };

/** Lists the paths of all fields in the order of their names; inner objects are opened. */
function* listPaths(rows: readonly SearchRow[]): Generator<undefined, string[][]> {
  const root: Place = { isField: false, below: new Map() };
  const visit = (value: JsonObject, place: Place) => {
    for (const name in value) {
      const member = value[name];
      let inner = place.below.get(name);
      if (inner === undefined) {
        inner = { isField: false, below: new Map() };
        place.below.set(name, inner);
      }
      if (isJsonObject(member)) visit(member, inner);
      else inner.isField = true;
    }
  };
  for (const [place, { input }] of rows.entries()) {
    visit(input, root);
    if (place % rowsAtOnce === 0) yield undefined;
  }
  const list = ({ isField, below }: Place, path: string[]): string[][] => [
    ...(isField ? [path] : []),
    ...[...below].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, place]) => list(place, [...path, name])),
  ];
  return list(root, []).slice(0, maxFields);
}

/** The tests that keep a field from being read where it, or an object above it, is missing or null. */
function listGuards(rows: readonly SearchRow[], path: readonly string[], values: readonly unknown[]): string[] {
  const guards: string[] = [];
  for (let depth = 1; depth < path.length; depth++) {
    const part = path.slice(0, depth);
    const read = compilePath(part);
    if (rows.some(({ input }) => read(input) === undefined)) guards.push(`has(${printPath(part)})`);
  }
  if (values.includes(undefined)) guards.push(`has(${printPath(path)})`);
  if (values.includes(null)) guards.push(`${printPath(path)} != null`);
  return guards;
}

function makeTest(column: Column, source: string, holds: (value: Json | undefined) => boolean): FieldTest {
  const { values, guards } = column;
  return { source, guards, rows: collectRows(values.length, (row) => holds(values[row])) };
}

function listPresenceTests(column: Column): FieldTest[] {
  const { path, guards, values } = column;
  const name = printPath(path);
  const above = guards.filter((guard) => guard !== `has(${name})` && guard !== `${name} != null`);
  const tests: FieldTest[] = [];
  if (guards.includes(`has(${name})`)) {
    tests.push({ ...makeTest(column, `has(${name})`, (value) => value !== undefined), guards: above });
    if (above.length === 0)
      tests.push({ ...makeTest(column, `!has(${name})`, (value) => value === undefined), guards: [] });
  }
  if (values.includes(null))
    tests.push({
      ...makeTest(column, `${name} == null`, (value) => value === null),
      guards: guards.filter((guard) => guard !== `${name} != null`),
    });
  return tests;
}

/** The tests of what most values of a field are: numbers, true or false, strings or lists. */
function listValueTests(column: Column, rows: readonly SearchRow[], optionCount: number): Iterable<FieldTest> {
  const known = column.values.filter((value) => value !== undefined && value !== null);
  const isMostly = (test: (value: unknown) => boolean) => known.filter(test).length >= 0.8 * known.length;
  if (known.length < minRows) return [];
  if (isMostly(isFiniteNumber)) return listNumberTests(column, rows, optionCount);
  if (isMostly((value) => typeof value === 'boolean')) return listFlagTests(column);
  if (isMostly((value) => typeof value === 'string')) return listStringTests(column, rows, optionCount);
  return isMostly(Array.isArray) ? listListTests(column) : [];
}

function listFlagTests(column: Column): FieldTest[] {
  const name = printPath(column.path);
  return [makeTest(column, name, (value) => value === true), makeTest(column, `!${name}`, (value) => value === false)];
}

function* listNumberTests(column: Column, rows: readonly SearchRow[], optionCount: number): Generator<FieldTest> {
  const numbers = Float64Array.from(column.values, (value) => (isFiniteNumber(value) ? value : Number.NaN));
  const known = Array.from(numbers.keys()).filter((row) => !Number.isNaN(numbers[row]));
  const values = Float64Array.from(known, (row) => numbers[row]);
  const labels = Int32Array.from(known, (row) => rows[row]?.label ?? 0);
  for (const cut of findCuts(values, labels, optionCount)) {
    yield makeNumberTest(column, numbers, '>', cut);
    yield makeNumberTest(column, numbers, '<=', cut);
  }
}

function makeNumberTest(column: Column, numbers: Float64Array, operator: '>' | '<=', cut: number): FieldTest {
  const isAbove = operator === '>';
  return {
    source: `${printPath(column.path)} ${operator} ${printLiteral(cut)}`,
    guards: column.guards,
    rows: collectRows(numbers.length, (row) => (isAbove ? numbers[row] > cut : numbers[row] <= cut)),
    refine: (among, target, weight) => {
      const places = Array.from(numbers.keys()).filter((row) => hasRow(among, row) && !Number.isNaN(numbers[row]));
      const values = Float64Array.from(places, (row) => numbers[row]);
      const isOwn = places.map((row) => hasRow(target, row));
      const better = findBestCut(values, isOwn, weight, isAbove ? 'above' : 'below');
      return better === null ? null : makeNumberTest(column, numbers, operator, better);
    },
  };
}

const isWritable = (value: string) => value.length <= maxValueLength && value.isWellFormed() && !value.includes('\0');

function* listStringTests(column: Column, rows: readonly SearchRow[], optionCount: number): Generator<FieldTest> {
  const name = printPath(column.path);
  const texts = column.values.map((value) => (typeof value === 'string' ? value : null));
  if (new Set(texts).size <= maxCategories + 1) {
    const short = texts.filter((text) => text !== null && isWritable(text)) as string[];
    for (const chosen of listFrequentValues(short, minRows, maxCategories)) {
      yield makeTest(column, `${name} == ${printLiteral(chosen)}`, (value) => value === chosen);
      yield makeTest(
        column,
        `${name} != ${printLiteral(chosen)}`,
        (value) => value !== chosen && typeof value === 'string',
      );
    }
    return;
  }
  const labels = rows.map(({ label }) => label);
  const folded = texts.map((text) => (text === null ? null : foldCase(text)));
  for (const word of findTellingWords(folded, labels, optionCount)) {
    yield {
      source: `${name}.foldCase().contains(${printLiteral(word)})`,
      guards: column.guards,
      rows: collectRows(folded.length, (row) => folded[row]?.includes(word) === true),
    };
  }
}

function listListTests(column: Column): FieldTest[] {
  const name = printPath(column.path);
  const members = column.values.flatMap((value) =>
    Array.isArray(value)
      ? [...new Set(value.filter((member) => typeof member === 'string' && isWritable(member)))]
      : [],
  ) as string[];
  const contained = listFrequentValues(members, minRows, maxCategories).map((member) =>
    makeTest(column, `${printLiteral(member)} in ${name}`, (value) => Array.isArray(value) && value.includes(member)),
  );
  const sized = [0, 1, 2, 3, 5].flatMap((size) => [
    makeTest(column, `${name}.size() > ${size}`, (value) => Array.isArray(value) && value.length > size),
    makeTest(column, `${name}.size() <= ${size}`, (value) => Array.isArray(value) && value.length <= size),
  ]);
  return [...contained, ...sized];
}

/** Texts whose words are counted, and characters that are read of each. */
const maxTexts = 2_000;
const maxCharacters = 500;
const maxWords = 24;
const minTexts = 8;

/** Folded words of three letters or more that tell an option apart (chi-squared), the most telling first. */
function findTellingWords(texts: readonly (string | null)[], labels: readonly number[], optionCount: number): string[] {
  const totals = new Float64Array(optionCount);
  const counts = new Map<string, Float64Array>();
  const step = Math.max(1, Math.ceil(texts.length / maxTexts));
  let read = 0;
  for (let row = 0; row < texts.length; row += step) {
    const label = labels[row] ?? 0;
    totals[label] = totals[label] + 1;
    read++;
    for (const word of new Set(texts[row]?.slice(0, maxCharacters).match(/\p{L}{3,30}/gu))) {
      const own = counts.get(word) ?? new Float64Array(optionCount);
      own[label] = own[label] + 1;
      counts.set(word, own);
    }
  }
  return [...counts]
    .map(([word, own]) => ({ word, score: scoreWord(own, totals, read) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.word.length - a.word.length || (a.word < b.word ? -1 : 1))
    .slice(0, maxWords)
    .map(({ word }) => word);
}

/** Chi-squared of a word and the option that it speaks for most; 0 for a rare word. */
function scoreWord(own: Float64Array, totals: Float64Array, read: number): number {
  const present = own.reduce((sum, count) => sum + count, 0);
  if (present < minTexts || present === read) return 0;
  let best = 0;
  for (let option = 0; option < own.length; option++) {
    const total = totals[option];
    const expected = (present * total) / read;
    const more = own[option] - expected;
    if (more <= 0 || total === read) continue;
    best = Math.max(best, (more * more) / (expected * (1 - total / read) * (1 - present / read)));
  }
  return best;
}
