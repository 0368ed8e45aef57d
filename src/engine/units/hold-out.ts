/** One case: the unit by which rows are put on sides and into folds, and by which figures count them. */
import { atRandom, fieldSeparator, nameFields, type SplitWay } from '../domain/training.ts';
import { WorkbenchError } from '../errors.ts';
import { parseDate } from '../features/dates.ts';
import { isFiniteNumber, readPath } from '../features/values.ts';
import type { Json, JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { countOf, formatCount } from '../numeric.ts';
import { isPiiField } from '../pii.ts';
import { findCases, maxChanceInCount } from './copies.ts';
import { foldText } from './field-model.ts';
import { compareStrings, type Split, type SplitRow, timeOf } from './sides.ts';

/** With fewer groups, a fifth of them is a matter of luck. */
const minGroups = 10;
const heldOutWords = /^(test|held[ _-]?out|hold-?out|true|yes|1)$/i;

/** Reads a field by its dotted name, several as a list; a name that is a key itself counts as one. */
export function readField(input: JsonObject, field: string): Json {
  const names = Object.hasOwn(input, field) ? [field] : field.split(fieldSeparator);
  const values = names.map((name): Json => {
    const value = Object.hasOwn(input, name) ? input[name] : readPath(input, name.split('.'));
    return value === '' ? null : (value ?? null);
  });
  if (values.length === 1) return values[0] ?? null;
  return values.every((value) => value === null) ? null : values;
}

/** A moment as a number: of a date, of a number itself, of year, month and day by their order. */
function readTime(value: Json): number | undefined {
  if (isFiniteNumber(value)) return value;
  if (!Array.isArray(value)) return parseDate(value)?.epochDays;
  const [year, month = 1, day = 1] = value;
  const isDate = isFiniteNumber(year) && isFiniteNumber(month) && isFiniteNumber(day);
  return isDate ? (12 * year + month) * daysOfMonth + day : undefined;
}
const daysOfMonth = 32;

/** Words that a sentence keeps at least; of fewer, as of a company's name, nothing may be left out. */
const minTemplateWords = 4;
const longestTitle = 3;
/** Numbers, addresses, names of files and the like. */
const variableWord = /[\d@/\\_]/;
const wordEdges = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/**
 * A sentence without what differs from one use of its template to the next, as logs are grouped: words with digits or
 * signs of addresses, and capitalised ones that begin no sentence, in runs. Null of a text that is no sentence.
 */
export function toTemplate(text: string): string | null {
  const kept: string[] = [];
  let words = 0;
  let isFirst = true;
  for (const token of text.match(/\S+/gu) ?? []) {
    const word = token.replace(wordEdges, '');
    const isVariable = variableWord.test(word) || (!isFirst && /^\p{Lu}/u.test(word));
    if (!isVariable && word !== '') kept.push(word.toLowerCase());
    else if (kept.at(-1) !== '#' && word !== '') kept.push('#');
    words += Number(!isVariable && word !== '');
    // A title as in “Dr. Who” ends no sentence.
    isFirst = word.length > longestTitle && /[.!?:]$/.test(token);
  }
  return words < minTemplateWords ? null : kept.join(' ');
}

/** Gives the group of a value: the value itself, and of a sentence its template. */
function toUnit(field: string, value: Json): string {
  const template = typeof value === 'string' ? toTemplate(value) : null;
  if (Array.isArray(value))
    return `${field}=${JSON.stringify(value.map((each) => (typeof each === 'string' ? foldText(each) : each)))}`;
  return template === null ? `${field}=${JSON.stringify(value)}` : `${field}~${template}`;
}

/** Whether most rows are held out by the templates of their sentences. */
const areTemplates = (field: string, rows: readonly SplitRow[]) =>
  2 * rows.filter(({ unit }) => unit?.startsWith(`${field}~`)).length > rows.length;

/** The groups by a field, in words. */
export const nameGroups = (field: string, rows: readonly SplitRow[]): string =>
  areTemplates(field, rows)
    ? `sentences in ${JSON.stringify(field)}, names and numbers aside,`
    : `values of ${nameFields(field)}`;

type Placement = Pick<SplitRow, 'unit' | 'time' | 'test'>;

/** Prepares reading what an input says of its row's side; nothing at random, or where the field is missing. */
export function compilePlacement({ by, field }: SplitWay): (input: JsonObject) => Placement {
  if (field === null || by === 'random') return () => ({});
  return (input) => {
    const value = readField(input, field);
    if (value === null) return {};
    if (by === 'group') return { unit: toUnit(field, value) };
    if (by === 'column') return heldOutWords.test(String(value)) ? { test: true } : {};
    const time = readTime(value);
    return time === undefined ? {} : { time };
  };
}

/** Gives rows of one unit one group; the others keep that of their case. */
function groupUnits(rows: readonly Pick<SplitRow, 'unit'>[], cases: Int32Array): Int32Array {
  const groupOf = new Map<string, number>();
  return cases.map((group, i) => {
    const unit = rows[i]?.unit;
    if (unit === undefined) return group;
    const known = groupOf.get(unit) ?? rows.length + groupOf.size;
    groupOf.set(unit, known);
    return known;
  });
}

type Row = SplitRow & { input: JsonObject };
type Sides = { split: Split; rows: readonly Row[]; train: readonly Row[]; test: readonly Row[] };

/** Throws 'validation_error' where rows cannot be held out as is asked for. */
export function checkSides({ by, field }: SplitWay, { split, rows }: Omit<Sides, 'train' | 'test'>): void {
  if (by === 'random' || split.rule === 'test_rows') return;
  const name = JSON.stringify(field);
  const refuse = (reason: string) => {
    throw new WorkbenchError('validation_error', `${reason} Choose another field, or hold out examples at random.`);
  };
  if (by === 'column' && split.rule !== 'column') {
    refuse(`No example is held out by the field ${name}: its value is nowhere test, held out, true, yes or 1.`);
  }
  if (by === 'date' && split.rule !== 'date') {
    refuse(`The field ${name} has no two different dates or numbers, so none of the examples are newer than others.`);
  }
  const groups = by === 'group' ? countUnits(rows) : minGroups;
  if (groups < minGroups) {
    refuse(`The field ${name} has ${groups} different values; at least ${minGroups} are needed to hold some out.`);
  }
}

const countUnits = (rows: readonly SplitRow[]) => new Set(rows.flatMap(({ unit }) => unit ?? [])).size;

/** Finds the first of some labels of which too few rows are left to learn from; undefined where each has enough. */
export function findUnlearned(
  labels: readonly number[],
  train: readonly Pick<Row, 'label'>[],
): { label: number; rows: number } | undefined {
  const countRows = (label: number) => train.filter((row) => row.label === label).length;
  return labels
    .map((label) => ({ label, rows: countRows(label) }))
    .find(({ rows }) => rows < limits.leastExamplesPerOption);
}

/** Throws 'validation_error' for an option of which a chosen way leaves too few examples to learn from. */
export function checkLearned(
  { by, field }: SplitWay,
  rule: Split['rule'],
  options: readonly string[],
  train: readonly Row[],
): void {
  if (by === 'random' || rule === 'test_rows') return;
  const rare = findUnlearned([...options.keys()], train);
  if (rare === undefined) return;
  throw new WorkbenchError(
    'validation_error',
    `Held out by the field ${JSON.stringify(field)}, ${countOf(rare.rows, 'example')} of the option "${options[rare.label]}" ${rare.rows === 1 ? 'is' : 'are'} left to learn from; at least ${limits.leastExamplesPerOption} are needed. Add examples of it, or hold out examples at random.`,
  );
}

/** Says in a sentence what one case is, and how many there are among the rows of people. */
export function describeCases({ by, field }: SplitWay, rows: readonly SplitRow[]): string {
  const own = rows.filter(({ source }) => source === 'user');
  const cases = new Set(own.map((row) => ((row.group ?? -1) < 0 ? row : row.group))).size;
  const many = `${countOf(cases, 'case')} in ${countOf(own.length, 'example')}.`;
  if (by === 'group' && field !== null) {
    const wording = areTemplates(field, own) ? 'wording of ' : '';
    return `Examples with the same ${wording}${nameFields(field)} are one case: ${many}`;
  }
  const time = by === 'date' ? `, at the time of its ${nameFields(field ?? '')}` : '';
  return cases === own.length
    ? `Each of the ${countOf(cases, 'example')} is a case of its own${time}.`
    : `An example is one case with its copies and near copies${time}: ${many}`;
}

/** Says in a sentence what was held out, unless at random or by marks; no value of a personal field. */
export function describeSides({ by, field }: SplitWay, piiFields: readonly string[], sides: Sides): string {
  const { split, rows, train, test } = sides;
  const name = nameFields(field ?? '');
  const examples = formatCount(test.length);
  if (field === null || by === 'random' || split.rule === 'test_rows') return '';
  if (by === 'column') return `The ${examples} held-out examples are those whose field ${name} says so.`;
  if (by === 'group') {
    return `Held out: ${formatCount(countUnits(test))} of ${formatCount(countUnits(rows))} ${nameGroups(field, rows)} with all their examples, ${examples}: nothing of them is learned before the figures are measured.`;
  }
  const [oldest] = test.toSorted((a, b) => (a.time ?? 0) - (b.time ?? 0));
  const isPersonal = isPiiField(field.split('.'), piiFields);
  const from = isPersonal ? '' : `, from ${String(readField(oldest?.input ?? {}, field))} on`;
  const undated = train.filter(({ time }) => time === undefined).length;
  const rest = undated === 0 ? '' : ` ${formatCount(undated)} without a date are among those learned.`;
  return `Held out: the newest examples by ${name}${from}: ${examples}. The figures are of a model that learned from ${formatCount(train.length)} older ones.${rest}`;
}

type Placed = SplitRow & { input: JsonObject; decision: string; first?: { decision: string }; id: string };

/**
 * Gives rows the unit and the group that decide their side and fold: rows that are one case share both, and so do those
 * of a held-out group; equal rows that are cases of their own have units of their own, the oldest that of its content.
 */
export function placeUnits<Row extends Placed>(
  rows: readonly Row[],
  identifying: readonly (readonly string[])[],
): { rows: Row[]; nearRepeats: number } {
  const { groups, apart, nearRepeats } = findCases(rows, identifying, ({ source }) => source === 'user');
  const ranks = new Map<Row, number>();
  for (const equals of Map.groupBy(rows, ({ content }) => content).values()) {
    if (!apart.has(equals[0]?.content ?? '')) continue;
    const labelOf = ({ first, decision }: Row) => first?.decision ?? decision;
    const byAge = (a: Row, b: Row) =>
      timeOf(a) - timeOf(b) || compareStrings(labelOf(a), labelOf(b)) || compareStrings(a.id, b.id);
    const users = equals.filter(({ source }) => source === 'user').sort(byAge);
    for (const [rank, row] of users.entries()) ranks.set(row, rank);
  }
  const toUnit = (row: Row): string | undefined => {
    if (row.unit !== undefined || !apart.has(row.content)) return row.unit;
    // A row of nobody's is no case: it has a unit that no case has.
    const rank = ranks.get(row) ?? row.source;
    return rank === 0 ? undefined : `${row.content}#${rank}`;
  };
  const together = groupUnits(rows, groups);
  return { rows: rows.map((row, i) => ({ ...row, group: together[i] ?? -1, unit: toUnit(row) })), nearRepeats };
}

/** Into so many spans the times of measured rows are cut: a next period differs from them as they differ. */
const periods = 6;
/** With fewer rows each, a period's share is chance. */
const minRowsPerPeriod = 10;

/** Marks of a measured row that it shares with others: those of one case or group, and those of one period. */
type Counted = { group: number | undefined; period: number | undefined };

/**
 * Groups measured rows for counting how much they say about others: rows of one case have one number, and so have those
 * of a group that was held out, and of rows held out by time those of a sixth of it. Undefined for a row on its own.
 */
export function groupMeasured(
  rows: readonly { content: string; input: JsonObject }[],
  identifying: readonly (readonly string[])[],
  split: SplitWay,
): Counted[] {
  const place = compilePlacement(split.by === 'column' ? atRandom : split);
  const { groups } = findCases(rows, identifying, () => true, maxChanceInCount);
  const placed = rows.map(({ input }) => place(input));
  const together = groupUnits(placed, groups);
  const times = Float64Array.from(placed.flatMap(({ time }) => time ?? [])).sort();
  const periodOf = new Map<number, number>();
  if (times.length >= periods * minRowsPerPeriod) {
    times.forEach((time, at) => {
      periodOf.set(time, periodOf.get(time) ?? Math.floor((periods * at) / times.length));
    });
  }
  return placed.map(({ time }, i) => ({
    group: (together[i] ?? -1) < 0 ? undefined : together[i],
    period: time === undefined ? undefined : periodOf.get(time),
  }));
}
