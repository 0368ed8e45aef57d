/** Finds the parts of an input that a policy ignores: unknown fields, and values of another kind (read as missing). */
import { shorten } from '../code-points.ts';
import { listTextFields } from '../features/plan.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { findNearest, HintBudget } from '../rules/suggest.ts';
import { type InputFieldKind, isKind, listOtherPaths, type ReadingParts } from './input-fields.ts';

/** Names of an object; a field's kind at the end of each path. */
type Names = Map<string, Names | InputFieldKind>;

const kindNames: Readonly<Record<InputFieldKind, string>> = {
  number: 'a number',
  boolean: 'true or false',
  category: 'a string',
  date: 'an ISO 8601 date',
  text: 'a string',
  conversation: 'a list of turns or a string',
  numbers: 'a list',
  strings: 'a list',
  objects: 'a list',
  any: '',
};

/** The sentence on a whole number that a double cannot hold. */
export const lostDigits = 'is a whole number beyond 2^53, which loses digits; send it as text';

/** Sentences about one input; of more only their number is given. */
const maxSentences = 20;
/** Code points of a name that a sentence repeats. */
const maxShownName = 100;

/**
 * Prepares the sentences about what an input holds besides the fields of a policy, in the order of the input: at most
 * twenty and how many more, with hints as far as one budget of compared letters goes.
 */
export function compileUnread(parts: ReadingParts): (input: JsonObject) => string[] {
  const { plan } = parts;
  const names: Names = new Map();
  for (const { path, kind } of plan.fields) addPath(names, path, kind);
  for (const { path, kind } of listTextFields(plan)) addPath(names, path, kind);
  const others = listOtherPaths(parts);
  for (const path of others) if (path.length > 0) addPath(names, path, 'any');
  for (const { path } of plan.left_out) addPath(names, path.split('.'), 'any');
  const sorted = sortNames(names);
  const readsAll = others.some((path) => path.length === 0);
  return (input) => {
    const sentences: string[] = [];
    const budget = new HintBudget();
    let more = 0;
    const describe = (name: string, known: Names | InputFieldKind | undefined, level: Names) => {
      if (known === undefined) return `is no field of the policy${makeHint(name, level, budget)}`;
      return `must be ${known instanceof Map ? 'an object' : kindNames[known]}`;
    };
    const walk = (values: JsonObject, level: Names, above: string): void => {
      for (const [name, value] of Object.entries(values)) {
        const known = level.get(name);
        if (known instanceof Map && isJsonObject(value)) walk(value, known, `${above}${name}.`);
        else if (isRead(known, value, readsAll)) continue;
        else if (sentences.length === maxSentences) more += 1;
        else {
          const shown = shorten(name, maxShownName);
          sentences.push(`${quote(above + shown)} ${describe(shown, known, level)}`);
        }
      }
    };
    walk(input, sorted, '');
    return more === 0 ? sentences : [...sentences, `and ${more} more`];
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

function isRead(known: Names | InputFieldKind | undefined, value: Json, readsAll: boolean): boolean {
  if (known === undefined) return readsAll;
  return value === null || (typeof known === 'string' && isKind[known](value));
}

/** Names in the order in which hints compare them. */
function sortNames(names: Names): Names {
  const sorted = [...names].sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted.map(([name, known]) => [name, known instanceof Map ? sortNames(known) : known]));
}

function makeHint(name: string, names: Names, budget: HintBudget): string {
  if (name.includes('.')) return '; nest it, or give the table itself';
  const nearest = findNearest(name, names.keys(), budget);
  return nearest === null ? '' : `; did you mean ${quote(nearest)}?`;
}

/** Says of whole numbers at places of an input that they lose digits: at most twenty sentences and how many more. */
export function describeLostDigits(places: readonly (readonly (string | number)[])[]): string[] {
  const sentences = places.slice(0, maxSentences).map((place) => {
    const written = place.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    return `${quote(shorten(written.slice(1), maxShownName))} ${lostDigits}`;
  });
  return places.length > maxSentences ? [...sentences, `and ${places.length - maxSentences} more`] : sentences;
}

const quote = (name: string) => `'${JSON.stringify(name).slice(1, -1)}'`;
