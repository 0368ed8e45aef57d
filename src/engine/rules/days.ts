/** The days between two dates of an input as a field of the sheet: how conditions write, read and name them. */
import { printPath } from './parsing/print.ts';
import type { RuleNode } from './tree.ts';
import { toFieldPath } from './types.ts';

/** A date, or a date with a time of day. */
type Moment = { path: string[]; hasTime: boolean };
/** A field of a sheet: what stands at a path, or the days until the date at `path` since another. */
export type Subject = { path: string[]; days?: { until: Moment; since: Moment } };

/** Dates of which pairs are looked at, pairs that become inputs, and the share of the examples that have both dates. */
export const daysBetween = { maxDates: 6, maxPairs: 3, minBoth: 0.5 };

const midnight = 'T00:00:00Z';
const hoursADay = 24;

const printMoment = ({ path, hasTime }: Moment) =>
  `timestamp(${printPath(path)}${hasTime ? '' : ` + ${JSON.stringify(midnight)}`})`;

/** The part of a condition that stands for a field: its path, or one time less another. */
export const printSubject = ({ path, days }: Subject) =>
  days ? `${printMoment(days.until)} - ${printMoment(days.since)}` : printPath(path);

/** Names the days between two dates, as “reported − damaged, days”. */
export const nameDays = (until: readonly string[], since: readonly string[]) =>
  `${until.join('.')} − ${since.join('.')}, days`;

/** The two dates that a name is of which `nameDays` made; null for any other. */
export function readDaysName(name: string): { until: string; since: string } | null {
  const [, until, since] = /^(.+) − (.+), days$/s.exec(name) ?? [];
  return until === undefined || since === undefined ? null : { until, since };
}

/** The name above the column of a field. */
export const nameSubject = ({ path, days }: Subject) =>
  days ? nameDays(days.until.path, days.since.path) : path.join('.');

/** Whether two are the same field. */
export const isSameSubject = (a: Subject, b: Subject) => printSubject(a) === printSubject(b);

/** A number of whole days as a duration. */
export const printDays = (days: number) => `duration("${days * hoursADay}h")`;

function readMoment(node: RuleNode): Moment | null {
  if (node.k !== 'call' || node.fn !== 'timestamp' || !node.args[0]) return null;
  const [of] = node.args;
  const isDay = of.k === 'op' && of.op === '+' && of.right.k === 'lit' && of.right.v === midnight;
  const path = toFieldPath(isDay ? of.left : of);
  return path && path.length > 0 ? { path, hasTime: !isDay } : null;
}

/** Reads `timestamp(…) - timestamp(…)` and the duration that it is compared with; null for anything else. */
export function readDays(left: RuleNode, right: RuleNode): (Subject & { value: number }) | null {
  if (left.k !== 'op' || left.op !== '-' || right.k !== 'call' || right.fn !== 'duration') return null;
  const [until, since] = [readMoment(left.left), readMoment(left.right)];
  const [length] = right.args;
  const hours = length?.k === 'lit' && typeof length.v === 'string' ? /^(-?\d{1,9})h$/.exec(length.v)?.[1] : undefined;
  const value = Number(hours) / hoursADay;
  return until && since && Number.isInteger(value) ? { path: until.path, days: { until, since }, value } : null;
}
