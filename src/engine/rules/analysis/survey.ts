/** A survey of inputs, counted one by one: their fields with every type and the most frequent values. */
import { log } from '../../exact-math.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { daysBetween } from '../days.ts';
import { parseTimestamp, Timestamp } from '../evaluation/values.ts';
import { findJsonType, type StaticType } from '../functions.ts';
import type { SeenDays, SeenField } from '../results.ts';
import { addTime } from './date-texts.ts';
import type { KnownField } from './fields.ts';

/** Numbers counted in equal steps from `low` to `high`; the outermost steps also hold what lies beyond. */
type Distribution = NonNullable<SeenField['distribution']>;
/** A survey under way: inputs go in one by one, and its fields may be read at any time. */
type FieldSurvey = {
  add(input: JsonObject, option?: string | null): void;
  fields(): SeenField[];
  /** The days between two dates that most inputs have, as fields by themselves. */
  days(): SeenDays[];
};

const maxDepth = 8;
const maxFields = 2000;
/** Fields that are counted for each label. */
const maxFieldsByOption = 200;
/** Distinct values counted for each field; a field with more is not a list of choices. */
const maxDistinct = 50;
/** Characters of a string that is counted; a longer one makes its field no list of choices. */
const maxValueLength = 60;
const steps = 24;
/** The share of the numbers at each end that may lie beyond the outermost steps. */
const beyond = 0.01;

const dayWithTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;
const dayMs = 86_400_000;

type Value = string | number | boolean;
type Tally = { counts: Map<Value, number>; numbers: number[] };
type Counted = {
  path: string[];
  types: Set<StaticType>;
  /** Whether its values are so few and short that they are listed. */
  isListed: boolean;
  hasTimes: boolean;
  all: Tally;
  /** Null for fields beyond those that are counted so. */
  byOption: Map<string, Tally> | null;
};

/** A text that is a day, perhaps with its time, in days since 1970; null for anything else. */
function readDay(value: Json): number | null {
  if (typeof value !== 'string' || value[4] !== '-' || value[7] !== '-') return null;
  const read = parseTimestamp(addTime(value) ?? value);
  return read instanceof Timestamp ? read.ms / dayMs : null;
}

const startTally = (): Tally => ({ counts: new Map(), numbers: [] });

/** Surveys fields of inputs up to a depth of 8. The values under `piiFields`, dotted paths, are not kept. */
export function surveyFields(piiFields: readonly string[] = []): FieldSurvey {
  const found = new Map<string, Counted>();
  const between = surveyDays();
  let dates: DateSeen[] = [];
  const walk = (value: Json, path: string[], isPii: boolean, option: string | null) => {
    if (path.length > 0) count(value, path, isPii, option);
    if (!isJsonObject(value) || path.length >= maxDepth) return;
    for (const [name, child] of Object.entries(value)) {
      const childPath = [...path, name];
      walk(child, childPath, isPii || piiFields.includes(childPath.join('.')), option);
    }
  };
  const count = (value: Json, path: string[], isPii: boolean, option: string | null) => {
    const key = JSON.stringify(path);
    let field = found.get(key);
    if (!field) {
      if (found.size >= maxFields) return;
      field = startCounted(path, found.size < maxFieldsByOption);
      found.set(key, field);
    }
    field.types.add(findJsonType(value));
    if (isPii || value === null || typeof value === 'object') return;
    countValue(field, value, option);
    const day = readDay(value);
    if (day !== null) dates.push({ key, path, day });
  };
  return {
    add: (input, option = null) => {
      dates = [];
      walk(input, [], false, option);
      between.add(dates, option);
    },
    fields: () => [...found.values()].map(toSeenField),
    days: () =>
      between.list().map(({ since, ...field }) => ({
        ...toSeenField(field),
        has_times: found.get(JSON.stringify(field.path))?.hasTimes ?? false,
        since: { path: since, has_times: found.get(JSON.stringify(since))?.hasTimes ?? false },
      })),
  };
}

type DateSeen = { key: string; path: string[]; day: number };

/** Counts the days between each two dates that inputs have both of. */
function surveyDays() {
  const { maxDates, maxPairs, minBoth } = daysBetween;
  const known = new Set<string>();
  const pairs = new Map<string, Counted & { since: string[] }>();
  let inputs = 0;
  return {
    add(dates: readonly DateSeen[], option: string | null) {
      inputs += 1;
      for (const { key } of dates) if (known.size < maxDates) known.add(key);
      const counted = dates.filter(({ key }) => known.has(key)).sort((a, b) => (a.key < b.key ? -1 : 1));
      for (const [at, until] of counted.entries())
        for (const since of counted.slice(at + 1)) {
          const key = until.key + since.key;
          const pair = pairs.get(key) ?? { ...startCounted(until.path, true), since: since.path };
          pairs.set(key, pair);
          pair.types.add('number');
          countValue(pair, until.day - since.day, option);
        }
    },
    /** Those that most inputs have, the closest first; each from the date that is earlier on the whole. */
    list() {
      const used = [...pairs.values()].filter(
        ({ all }) => all.numbers.length >= minBoth * inputs && new Set(all.numbers).size > 1,
      );
      return used
        .map((pair) => ({ pair, ...measureSpread(pair.all.numbers) }))
        .sort((a, b) => a.spread - b.spread)
        .slice(0, maxPairs)
        .map(({ pair, mean }) => (mean < 0 ? turn(pair) : pair));
    },
  };
}

function measureSpread(numbers: readonly number[]): { mean: number; spread: number } {
  const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  return { mean, spread: numbers.reduce((sum, each) => sum + (each - mean) ** 2, 0) / numbers.length };
}

/** The days until the other of both dates. */
function turn(pair: Counted & { since: string[] }): Counted & { since: string[] } {
  const turnTally = ({ counts, numbers }: Tally): Tally => ({
    counts: new Map([...counts].map(([value, count]) => [typeof value === 'number' ? -value : value, count])),
    numbers: numbers.map((value) => -value),
  });
  const byOption = new Map([...(pair.byOption ?? [])].map(([option, tally]) => [option, turnTally(tally)]));
  return { ...pair, path: pair.since, since: pair.path, all: turnTally(pair.all), byOption };
}

const startCounted = (path: string[], isByOption: boolean): Counted => ({
  path,
  types: new Set(),
  isListed: true,
  hasTimes: false,
  all: startTally(),
  byOption: isByOption ? new Map() : null,
});

/**
 * Measures what a field says about the label, in nats: the mutual information of its values, or steps, and the labels,
 * less its bias (Miller 1955).
 */
function measureInformation({
  distribution,
  by_option: shares,
}: Pick<SeenField, 'distribution' | 'by_option'>): number {
  const columns = shares.map((share) => (distribution ? (share.distribution ?? []) : share.counts));
  const rows = Math.max(0, ...columns.map(({ length }) => length));
  const add = (some: readonly number[]) => some.reduce((sum, each) => sum + each, 0);
  const totals = Array.from({ length: rows }, (_, row) => add(columns.map((column) => column[row] ?? 0)));
  const all = add(totals);
  if (all === 0) return 0;
  const cell = (column: readonly number[], row: number) => {
    const share = (column[row] ?? 0) / all;
    return share === 0 ? 0 : share * log((share * all * all) / ((totals[row] ?? 0) * add(column)));
  };
  const used = totals.filter((total) => total > 0).length;
  const bias = ((used - 1) * (columns.length - 1)) / (2 * all);
  return add(columns.map((column) => add(totals.map((_, row) => cell(column, row))))) - bias;
}

function toSeenField({ path, types, isListed, hasTimes, all, byOption }: Counted): SeenField {
  const sorted = isListed ? [...all.counts].toSorted((a, b) => b[1] - a[1]) : [];
  const distribution = distribute(all.numbers);
  const shares = [...(byOption ?? [])].map(([option, { counts, numbers }]) => ({
    option,
    counts: sorted.map(([value]) => counts.get(value) ?? 0),
    distribution: distribution && countSteps(numbers, distribution.low, distribution.high),
  }));
  return {
    path,
    types: [...types],
    values: sorted.map(([value]) => value),
    counts: sorted.map(([, count]) => count),
    has_times: hasTimes,
    distribution,
    by_option: shares,
    information: measureInformation({ distribution, by_option: shares }),
  };
}

function countValue(field: Counted, value: Value, option: string | null): void {
  const { all, byOption } = field;
  const isOneTooMany = !all.counts.has(value) && all.counts.size >= maxDistinct;
  if (isOneTooMany || (typeof value === 'string' && value.length > maxValueLength)) field.isListed = false;
  if (typeof value === 'string' && dayWithTime.test(value)) field.hasTimes = true;
  let own: Tally | null = null;
  if (option !== null && byOption !== null) {
    own = byOption.get(option) ?? startTally();
    byOption.set(option, own);
  }
  for (const tally of own === null ? [all] : [all, own]) {
    if (field.isListed) tally.counts.set(value, (tally.counts.get(value) ?? 0) + 1);
    if (typeof value === 'number') tally.numbers.push(value);
  }
}

function distribute(numbers: readonly number[]): Distribution | null {
  const sorted = Float64Array.from(numbers).sort();
  const last = sorted.length - 1;
  const low = sorted[Math.floor(last * beyond)];
  const high = sorted[Math.ceil(last * (1 - beyond))];
  if (low === undefined || high === undefined) return null;
  return { low, high, counts: countSteps(sorted, low, high) };
}

function countSteps(numbers: Iterable<number>, low: number, high: number): number[] {
  const counts = Array<number>(steps).fill(0);
  for (const value of numbers) {
    const step = Math.floor(((value - low) / (high - low || 1)) * steps) || 0;
    const place = Math.min(steps - 1, Math.max(0, step));
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

/** Converts seen fields for the checks and the editor: 'any' where types are mixed; nulls do not count. */
export function toKnownFields(
  seen: readonly Pick<SeenField, 'path' | 'types' | 'values' | 'has_times'>[],
): KnownField[] {
  return seen.map(({ path, types, values, has_times: hasTimes }) => {
    const [type = 'any', ...others] = types.filter((name) => name !== 'null');
    return {
      path,
      type: others.length === 0 ? type : 'any',
      values: values.length > 0 ? values : null,
      hasTimes,
      help: 'Seen in examples, most frequent values first.',
    };
  });
}
