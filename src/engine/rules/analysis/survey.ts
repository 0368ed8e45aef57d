/** What inputs look like, counted one by one: their fields with every type and the values that occur most. */
import type { Json, JsonObject } from '../../domain.ts';
import { isJsonObject } from '../../json.ts';
import type { StaticType } from '../functions.ts';
import type { KnownField } from './fields.ts';

/** A field that was seen: its types, and its values, the most frequent first. */
export type SeenField = { path: string[]; types: StaticType[]; values: (string | number | boolean)[] };
/** A survey under way: inputs go in one by one, and its fields may be read at any time. */
export type FieldSurvey = { add(input: JsonObject): void; fields(): SeenField[] };

const maxDepth = 8;
const maxFields = 2000;
/** Distinct values counted for each field; a field with more is no list of choices. */
const maxDistinct = 50;
/** Characters of a string that is counted; a longer one makes its field no list of choices. */
const maxValueLength = 60;

type Counted = { path: string[]; types: Set<StaticType>; counts: Map<string | number | boolean, number> | null };

/** Surveys fields of inputs up to a depth of 8. The values under `piiFields`, dotted paths, are not kept. */
export function surveyFields(piiFields: readonly string[] = [], maxValues = 10): FieldSurvey {
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
      field = { path, types: new Set(), counts: isPii ? null : new Map() };
      found.set(key, field);
    }
    field.types.add(inferValueType(value));
    if (!field.counts || value === null || typeof value === 'object') return;
    const isOneTooMany = !field.counts.has(value) && field.counts.size >= maxDistinct;
    if (isOneTooMany || (typeof value === 'string' && value.length > maxValueLength)) field.counts = null;
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
