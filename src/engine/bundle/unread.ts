/** Finds the parts of an input that a policy ignores: unknown fields, and values of another kind (read as missing). */
import type { Json, JsonObject } from '../domain.ts';
import { isJsonObject } from '../json.ts';
import { findNearest } from '../rules/suggest.ts';
import { type InputFieldKind, isKind, listOtherPaths, type ReadingParts } from './input-fields.ts';

/** Names of an object; a field's kind at the end of each path. */
type Names = Map<string, Names | InputFieldKind>;

const kindNames: Readonly<Record<InputFieldKind, string>> = {
  number: 'a number',
  boolean: 'true or false',
  category: 'a string',
  date: 'an ISO 8601 date',
  text: 'a string',
  numbers: 'a list',
  strings: 'a list',
  objects: 'a list',
  any: '',
};

/** Unknown names of an input that are compared with the fields: more of them are no slips of the pen, and take time. */
const maxHints = 50;

/** Prepares the sentences about what an input holds besides the fields of a policy, in the order of the input. */
export function compileUnread(parts: ReadingParts): (input: JsonObject) => string[] {
  const { plan } = parts;
  const names: Names = new Map();
  for (const { path, kind } of plan.fields) addPath(names, path, kind);
  for (const path of plan.text?.fields ?? []) addPath(names, path, 'text');
  const others = listOtherPaths(parts);
  for (const path of others) if (path.length > 0) addPath(names, path, 'any');
  for (const { path } of plan.left_out) addPath(names, path.split('.'), 'any');
  const readsAll = others.some((path) => path.length === 0);
  return (input) => {
    const sentences: string[] = [];
    let hints = maxHints;
    const describe = (known: Names | InputFieldKind | undefined, value: Json, hint: () => string): string | null => {
      if (known === undefined) return readsAll ? null : `is no field of the policy${hints-- > 0 ? hint() : ''}`;
      if (value === null) return null;
      if (typeof known !== 'string') return isJsonObject(value) ? null : 'must be an object';
      return isKind[known](value) ? null : `must be ${kindNames[known]}`;
    };
    const walk = (values: JsonObject, level: Names, above: string): void => {
      for (const [name, value] of Object.entries(values)) {
        const known = level.get(name);
        const problem = describe(known, value, () => makeHint(name, level));
        if (problem !== null) sentences.push(`${quote(above + name)} ${problem}`);
        else if (known instanceof Map && isJsonObject(value)) walk(value, known, `${above}${name}.`);
      }
    };
    walk(input, names, '');
    return sentences;
  };
}

function addPath(names: Names, path: readonly string[], kind: InputFieldKind): void {
  let place = names;
  for (const segment of path.slice(0, -1)) {
    const inner = place.get(segment) ?? new Map();
    if (typeof inner === 'string') return;
    place.set(segment, inner);
    place = inner;
  }
  const last = path.at(-1) ?? '';
  if (!place.has(last)) place.set(last, kind);
}

function makeHint(name: string, names: Names): string {
  if (name.includes('.')) return '; nest it, or give the table itself';
  const nearest = findNearest(name, [...names.keys()].sort());
  return nearest === null ? '' : `; did you mean ${quote(nearest)}?`;
}

const quote = (name: string) => `'${JSON.stringify(name).slice(1, -1)}'`;
