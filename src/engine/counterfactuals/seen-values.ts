/** The values that fields have in the data: what an input could plausibly have been instead. */

import { listLeaves, readPath } from '../features/values.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Another value for one field. `distance` is 0 to 1: for numbers the share of seen values that lie between. */
export type Change = { path: string[]; from: Json | null; to: Json; distance: number };

/** Fields whose values are tried, the heaviest. */
const maxFields = 100;
/** Different values of a field that are tried; numbers in steps of equal shares of the data. */
const maxValuesPerField = 8;
/** From this many words on a string is a text, whose words are looked at instead. */
const minWordsOfText = 4;

type Scalar = string | number | boolean;

function isScalar(value: Json | undefined): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Whether a value is long enough to be read as natural language. */
export function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim().split(/\s+/).length >= minWordsOfText;
}

export type SeenField = {
  path: string[];
  changes: Change[];
  /** For a number all different values in ascending order, else none. */
  numbers: number[];
};

/** Which fields may be tried and which first, and what is called between examples so that others have their turn. */
type SeenFieldsOptions = {
  isExcluded(path: readonly string[]): boolean;
  weigh(path: readonly string[]): number;
  pause(): Promise<void>;
};

/** Values seen in place of the present one for the heaviest 100 fields, most frequent first; no texts or lists. */
export async function listSeenFields(
  input: JsonObject,
  examples: Iterable<JsonObject>,
  { isExcluded, weigh, pause }: SeenFieldsOptions,
): Promise<{ fields: SeenField[]; leftOut: string[][] }> {
  const fields = new Map<string, { path: string[]; counts: Map<Scalar, number> }>();
  for (const example of examples) {
    await pause();
    for (const { path, value } of listLeaves(example)) {
      if (!isScalar(value) || isText(value)) continue;
      const key = JSON.stringify(path);
      const field = fields.get(key) ?? { path, counts: new Map() };
      field.counts.set(value, (field.counts.get(value) ?? 0) + 1);
      fields.set(key, field);
    }
  }
  const seen = [...fields.values()].flatMap(({ path, counts }) => {
    const present = readPath(input, path) ?? null;
    const isReplaceable = present === null || (isScalar(present) && !isText(present));
    return isReplaceable && !isExcluded(path) ? [{ path, present, counts, weight: weigh(path) }] : [];
  });
  seen.sort((a, b) => b.weight - a.weight);
  return {
    fields: seen.slice(0, maxFields).map(({ path, present, counts }) => toSeenField(path, present, counts)),
    leftOut: seen.slice(maxFields).map(({ path }) => path),
  };
}

function toSeenField(path: string[], present: Scalar | null, counts: ReadonlyMap<Scalar, number>): SeenField {
  const numbers = [...counts.keys()].filter((value) => typeof value === 'number').sort((a, b) => a - b);
  if (numbers.length > maxValuesPerField && (present === null || typeof present === 'number')) {
    const picked = Array.from({ length: maxValuesPerField }, (_, step) =>
      numbers.at(Math.round((step / (maxValuesPerField - 1)) * (numbers.length - 1))),
    );
    const changes = [...new Set(picked)].flatMap((to) =>
      to === undefined || to === present ? [] : [toNumberChange(path, present, to, numbers)],
    );
    return { path, changes, numbers };
  }
  const changes = [...counts]
    .filter(([value]) => value !== present && (present === null || typeof value === typeof present))
    .sort(([, m], [, n]) => n - m)
    .slice(0, maxValuesPerField)
    .map(([to]): Change => ({ path, from: present, to, distance: 0.5 }));
  return { path, changes, numbers: [] };
}

/** The change of a number to another one that was seen. */
export function toNumberChange(path: string[], from: Json | null, to: number, numbers: readonly number[]): Change {
  const present = typeof from === 'number' ? from : to;
  const between = numbers.filter((value) => value > Math.min(present, to) && value < Math.max(present, to)).length;
  return { path, from, to, distance: (between + 1) / (numbers.length + 1) };
}

/** A copy of the input with the changes made; the input itself is left as it is. */
export function applyChanges(input: JsonObject, changes: readonly Pick<Change, 'path' | 'to'>[]): JsonObject {
  return changes.reduce((changed, { path, to }) => setAt(changed, path, to), input);
}

function setAt(input: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return input;
  if (rest.length === 0) return { ...input, [key]: value };
  const below = Object.hasOwn(input, key) ? input[key] : undefined;
  return { ...input, [key]: setAt(isJsonObject(below) ? below : {}, rest, value) };
}
