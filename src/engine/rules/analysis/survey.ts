/** What inputs look like, gathered one by one: their fields with every type and the values that occur most. */
import type { Json, JsonObject } from '../../domain.ts';
import type { StaticType } from '../functions.ts';
import type { KnownField } from './fields.ts';

/** One field that was seen: its types, and its values, most often first. */
export type SeenField = { path: string[]; types: StaticType[]; values: (string | number | boolean)[] };
export type FieldSurvey = { add(input: JsonObject): void; fields(): SeenField[] };

const deepest = 8;
const maxFields = 2000;
/** Distinct values counted for each field; a field with more is no list of choices. */
const maxDistinct = 50;
const longestValue = 60;

type Counted = { path: string[]; types: Set<StaticType>; counts: Map<string | number | boolean, number> | null };

/** Gathers fields of inputs up to a depth of 8. `hidden` are dotted paths whose values are not kept (personal data). */
export function surveyFields(hidden: readonly string[] = [], maxValues = 10): FieldSurvey {
  const found = new Map<string, Counted>();
  const walk = (value: Json, path: string[], secret: boolean) => {
    if (path.length > 0) count(value, path, secret);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || path.length >= deepest) return;
    for (const [name, child] of Object.entries(value)) {
      const below = [...path, name];
      walk(child, below, secret || hidden.includes(below.join('.')));
    }
  };
  const count = (value: Json, path: string[], secret: boolean) => {
    const key = JSON.stringify(path);
    let field = found.get(key);
    if (!field) {
      if (found.size >= maxFields) return;
      field = { path, types: new Set(), counts: secret ? null : new Map() };
      found.set(key, field);
    }
    field.types.add(inferValueType(value));
    if (!field.counts || value === null || typeof value === 'object') return;
    const tooMany = !field.counts.has(value) && field.counts.size >= maxDistinct;
    if (tooMany || (typeof value === 'string' && value.length > longestValue)) field.counts = null;
    else field.counts.set(value, (field.counts.get(value) ?? 0) + 1);
  };
  return {
    add: (input) => walk(input, [], false),
    fields: () =>
      [...found.values()].map(({ path, types, counts }) => ({
        path,
        types: [...types],
        values: [...(counts ?? [])]
          .toSorted((a, b) => b[1] - a[1])
          .slice(0, maxValues)
          .map(([value]) => value),
      })),
  };
}

/** Seen fields as the checks and the editor know them: 'any' where types are mixed; nulls do not count. */
export function toKnownFields(seen: readonly Pick<SeenField, 'path' | 'types' | 'values'>[]): KnownField[] {
  return seen.map(({ path, types, values }) => {
    const real = types.filter((type) => type !== 'null');
    return {
      path,
      type: real.length === 1 ? (real[0] ?? 'any') : 'any',
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
