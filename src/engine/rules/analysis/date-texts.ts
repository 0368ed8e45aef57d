/** Dates in conditions: JSON has none, so they are texts, in which only ISO 8601 puts the later one behind. */
import { printPath } from '../parsing/print.ts';
import { type At, listChildren, type RuleNode } from '../tree.ts';
import { toFieldPath } from '../types.ts';

const orderings = ['<', '<=', '>', '>='] as const;
const numbersWithYear = /^\d{1,2}([./-])\d{1,2}\1\d{4}(?!\d)/;

/** Reads a date as ISO 8601 has it, with an optional time, or as 31.12.2026; null if it is not one. */
export function readDate(text: string): string | null {
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  const iso = dotted ? `${dotted[3]}-${dotted[2]?.padStart(2, '0')}-${dotted[1]?.padStart(2, '0')}` : text;
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(iso)) return null;
  const day = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(iso.slice(0, 10)) ? iso : null;
}

/** A day as the text of a timestamp; null for any other text. */
export const addTime = (text: string): string | null =>
  text.length === 10 && readDate(text) === text ? `${text}T00:00:00Z` : null;

/** The day behind a day of the calendar. */
const addDay = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
const mirrored: Readonly<Record<string, string>> = { '<=': '>=', '>=': '<=', '<': '>', '>': '<' };

/** The first moment of a day, which people write for the whole of it. */
const midnight = /^(\d{4}-\d\d-\d\d)T00:00(?::00(?:\.0+)?)?Z$/;
/** The part that a timestamp is made of, or any other part itself. */
const unwrapStamp = (node: RuleNode): RuleNode =>
  node.k === 'call' && node.fn === 'timestamp' ? (node.args[0] ?? node) : node;

/** Finds comparisons that leave out a day, or take it in, against what is meant: the field's values have a time. */
export function findLastDays(
  node: RuleNode,
  hasTimes: (path: readonly string[]) => boolean,
): { at: At; message: string; suggestion: string }[] {
  const below = listChildren(node).flatMap((child) => findLastDays(child, hasTimes));
  if (node.k !== 'op') return below;
  const [left, right] = [unwrapStamp(node.left), unwrapStamp(node.right)];
  const isStamped = left !== node.left && right !== node.right;
  const isTurned = left.k === 'lit';
  const [field, bound] = isTurned ? [right, left] : [left, right];
  const op = isTurned ? mirrored[node.op] : node.op;
  const path = field.k === 'list' ? null : toFieldPath(field);
  if (!path || bound.k !== 'lit' || typeof bound.v !== 'string' || (op !== '<=' && op !== '>')) return below;
  const day = isStamped ? (midnight.exec(bound.v)?.[1] ?? null) : addTime(bound.v) === null ? null : bound.v;
  if (day === null || !hasTimes(path)) return below;
  const name = printPath(path);
  const [subject, next] = isStamped
    ? [`timestamp(${name})`, `timestamp("${addDay(day)}T00:00:00Z")`]
    : [name, `"${addDay(day)}"`];
  const message =
    op === '<='
      ? `${day} itself is left out: values of ${name} have a time, and come after the day alone.`
      : `${day} itself is taken in: values of ${name} have a time, and come after the day alone.`;
  const suggestion = `Write ${subject} ${op === '<=' ? '<' : '>='} ${next}.`;
  return [...below, { at: bound.at, message, suggestion }];
}

/** A date that begins with its year, whether or not it is one of the calendar or has all its digits. */
const yearFirst = /^(\d{4})-(\d{1,2})-(\d{1,2})(?![\d-])/;

/**
 * Finds dates that a comparison cannot mean: 02.01.2020 is before 03.01.2010 letter by letter, so is 2024-3-15 behind
 * 2024-12-01, and no input has 2024-02-31.
 */
export function findDateTexts(node: RuleNode): { at: At; message: string; suggestion: string }[] {
  const below = listChildren(node).flatMap(findDateTexts);
  if (node.k !== 'op') return below;
  const isOrder = orderings.some((op) => op === node.op);
  const sides = [node.left, ...(node.right.k === 'list' ? node.right.items : [node.right])];
  const found = sides.flatMap((side) => {
    const problem = side.k === 'lit' && typeof side.v === 'string' ? findDateProblem(side.v, isOrder) : null;
    return problem ? [{ at: side.at, ...problem }] : [];
  });
  return [...below, ...found];
}

function findDateProblem(text: string, isOrder: boolean): { message: string; suggestion: string } | null {
  const [date, year = '', month = '', day = ''] = yearFirst.exec(text) ?? [];
  const whole = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (date !== undefined && readDate(whole) === null)
    return { message: `"${text}" is no day of the calendar.`, suggestion: 'Write a day that there is.' };
  const isMisordered = isOrder && (date === undefined ? numbersWithYear.test(text) : date !== whole);
  if (!isMisordered) return null;
  const right = date === undefined ? readDate(text) : whole + text.slice(date.length);
  return {
    message: `"${text}" is compared letter by letter, not as a date.`,
    suggestion: `Write the year first, as the inputs must, too: "${right ?? '2026-12-31'}".`,
  };
}
