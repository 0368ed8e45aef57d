/** A survey of inputs, counted one by one: their fields with every type and the most frequent values. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { findJsonType, type StaticType } from '../functions.ts';
import type { SeenField } from '../results.ts';
import type { KnownField } from './fields.ts';

/** Numbers counted in equal steps from `low` to `high`; the outermost steps also hold what lies beyond. */
type Distribution = NonNullable<SeenField['distribution']>;
/** A survey under way: inputs go in one by one, and its fields may be read at any time. */
type FieldSurvey = { add(input: JsonObject, option?: string | null): void; fields(): SeenField[] };

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

const dayWithTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

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

const startTally = (): Tally => ({ counts: new Map(), numbers: [] });

/** Surveys fields of inputs up to a depth of 8. The values under `piiFields`, dotted paths, are not kept. */
export function surveyFields(piiFields: readonly string[] = []): FieldSurvey {
  const found = new Map<string, Counted>();
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
      const byOption: Counted['byOption'] = found.size < maxFieldsByOption ? new Map() : null;
      field = { path, types: new Set(), isListed: true, hasTimes: false, all: startTally(), byOption };
      found.set(key, field);
    }
    field.types.add(findJsonType(value));
    if (!isPii && value !== null && typeof value !== 'object') countValue(field, value, option);
  };
  return {
    add: (input, option = null) => walk(input, [], false, option),
    fields: () =>
      [...found.values()].map(({ path, types, isListed, hasTimes, all, byOption }) => {
        const sorted = isListed ? [...all.counts].toSorted((a, b) => b[1] - a[1]) : [];
        const distribution = distribute(all.numbers);
        return {
          path,
          types: [...types],
          values: sorted.map(([value]) => value),
          counts: sorted.map(([, count]) => count),
          has_times: hasTimes,
          distribution,
          by_option: [...(byOption ?? [])].map(([option, { counts, numbers }]) => ({
            option,
            counts: sorted.map(([value]) => counts.get(value) ?? 0),
            distribution: distribution && countSteps(numbers, distribution.low, distribution.high),
          })),
        };
      }),
  };
}

function countValue(field: Counted, value: Value, option: string | null): void {
  const { all, byOption } = field;
  const isOneTooMany = !all.counts.has(value) && all.counts.size >= maxDistinct;
  if (isOneTooMany || (typeof value === 'string' && value.length > maxValueLength)) field.isListed = false;
  if (typeof value === 'string' && value[10] === 'T' && dayWithTime.test(value)) field.hasTimes = true;
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
