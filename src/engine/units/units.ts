/** One case: the unit by which rows are put on sides and into folds, and by which figures count them. */
import { atRandom, type SplitWay } from '../domain/training.ts';
import type { JsonObject } from '../json.ts';
import { findCases, maxChanceInCount } from './copies.ts';
import { compilePlacement, groupUnits } from './hold-out.ts';
import { compareStrings, type SplitRow, timeOf } from './sides.ts';

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
