/** What inputs look like, counted one by one: their fields with every type and the values that occur most. */
import type { Json, JsonObject } from '../../domain.ts';
import { isJsonObject } from '../../json.ts';
import type { StaticType } from '../functions.ts';
import type { KnownField } from './fields.ts';

/** Numbers counted in equal steps from `low` to `high`; the outermost steps also hold what lies beyond. */
type Distribution = { low: number; high: number; counts: number[] };
/**
 * A field that was seen: its types, its values, the most frequent first, with how often each occurs, and how its
 * numbers are distributed (null without any).
 */
export type SeenField = {
  path: string[];
  types: StaticType[];
  values: (string | number | boolean)[];
  counts: number[];
  distribution: Distribution | null;
};
/** A survey under way: inputs go in one by one, and its fields may be read at any time. */
type FieldSurvey = { add(input: JsonObject): void; fields(): SeenField[] };

const maxDepth = 8;
const maxFields = 2000;
/** Distinct values counted for each field; a field with more is no list of choices. */
const maxDistinct = 50;
/** Characters of a string that is counted; a longer one makes its field no list of choices. */
const maxValueLength = 60;
const steps = 24;
/** The share of the numbers at each end that may lie beyond the outermost steps. */
const beyond = 0.01;

type Counted = {
  path: string[];
  types: Set<StaticType>;
  counts: Map<string | number | boolean, number> | null;
  numbers: number[];
};

/** Surveys fields of inputs up to a depth of 8. The values under `piiFields`, dotted paths, are not kept. */
export function surveyFields(piiFields: readonly string[] = []): FieldSurvey {
  const found = new Map<string, Counted>();
  const walk = (value: Json, path: string[], isPii: boolean) => {
    if (path.length > 0) count(value, path, isPii);
    if (!isJsonObject(value) || path.length >= maxDepth) return;
    for (const [name, child] of Object.entries(value)) {
      const childPath = [...path, name];
      walk(child, childPath, isPii || piiFields.includes(childPath.join('.')));
    }
  };
  const count = (value: Json, path: string[], isPii: boolean) => {
    const key = JSON.stringify(path);
    let field = found.get(key);
    if (!field) {
      if (found.size >= maxFields) return;
      field = { path, types: new Set(), counts: isPii ? null : new Map(), numbers: [] };
      found.set(key, field);
    }
    field.types.add(inferValueType(value));
    if (typeof value === 'number' && !isPii) field.numbers.push(value);
    if (!field.counts || value === null || typeof value === 'object') return;
    const isOneTooMany = !field.counts.has(value) && field.counts.size >= maxDistinct;
    if (isOneTooMany || (typeof value === 'string' && value.length > maxValueLength)) field.counts = null;
    else field.counts.set(value, (field.counts.get(value) ?? 0) + 1);
  };
  return {
    add: (input) => walk(input, [], false),
    fields: () =>
      [...found.values()].map(({ path, types, counts, numbers }) => {
        const sorted = [...(counts ?? [])].toSorted((a, b) => b[1] - a[1]);
        return {
          path,
          types: [...types],
          values: sorted.map(([value]) => value),
          counts: sorted.map(([, count]) => count),
          distribution: distribute(numbers),
        };
      }),
  };
}

function distribute(numbers: readonly number[]): Distribution | null {
  const sorted = Float64Array.from(numbers).sort();
  const last = sorted.length - 1;
  const low = sorted[Math.floor(last * beyond)];
  const high = sorted[Math.ceil(last * (1 - beyond))];
  if (low === undefined || high === undefined) return null;
  const counts = Array<number>(steps).fill(0);
  for (const value of sorted) {
    const step = Math.floor(((value - low) / (high - low || 1)) * steps) || 0;
    const place = Math.min(steps - 1, Math.max(0, step));
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return { low, high, counts };
}

/** Converts seen fields for the checks and the editor: 'any' where types are mixed; nulls do not count. */
export function toKnownFields(seen: readonly Pick<SeenField, 'path' | 'types' | 'values'>[]): KnownField[] {
  return seen.map(({ path, types, values }) => {
    const [type = 'any', ...others] = types.filter((name) => name !== 'null');
    return {
      path,
      type: others.length === 0 ? type : 'any',
      values: values.length > 0 ? values : null,
      help: 'Seen in examples, most frequent values first.',
    };
  });
}

function inferValueType(value: Json): StaticType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'map';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'bool';
}
