/** Finds the parts of an input that a policy ignores: unknown fields, and values of another kind (read as missing). */
import { foldCase, shorten } from '../code-points.ts';
import { isCalendarDay, parseDate } from '../features/dates.ts';
import { isBetweenDates, listTextFields } from '../features/plan.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { findNearest, HintBudget } from '../rules/suggest.ts';
import { type InputFieldKind, isKind, listOtherPaths, type ReadingParts } from './input-fields.ts';

/** A field's kind; of a category its values, and each of them by its folded text. */
type Leaf = { kind: InputFieldKind; known: ReadonlySet<string>; byFolded: ReadonlyMap<string, string> };
/** Names of an object; a field at the end of each path. */
type Names = Map<string, Names | Leaf>;

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

/** Prepares the sentences about what an input holds besides a policy's fields, at most twenty, with hints. */
export function compileUnread(parts: ReadingParts): (input: JsonObject) => string[] {
  const { plan } = parts;
  const names: Names = new Map();
  for (const field of plan.fields.filter((each) => !isBetweenDates(each)))
    addPath(names, field.path, field.kind, field.kind === 'category' ? field.values : []);
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
    const describe = (name: string, known: Names | Leaf | undefined, level: Names, value: Json) => {
      if (known === undefined) return `is no field of the policy${makeHint(name, level, budget)}`;
      if (known instanceof Map) return 'must be an object';
      return findDoubt(known, value) ?? `must be ${kindNames[known.kind]}`;
    };
    const walk = (values: JsonObject, level: Names, above: string): void => {
      for (const [name, value] of Object.entries(values)) {
        const known = level.get(name);
        if (known instanceof Map && isJsonObject(value)) walk(value, known, `${above}${name}.`);
        else if (isRead(known, value, readsAll)) continue;
        else if (sentences.length === maxSentences) more += 1;
        else {
          const shown = shorten(name, maxShownName);
          sentences.push(`${quote(above + shown)} ${describe(shown, known, level, value)}`);
        }
      }
    };
    walk(input, sorted, '');
    return more === 0 ? sentences : [...sentences, `and ${more} more`];
  };
}

function addPath(names: Names, path: readonly string[], kind: InputFieldKind, values: readonly string[] = []): void {
  let place = names;
  for (const segment of path.slice(0, -1)) {
    const inner = place.get(segment) ?? new Map();
    if (!(inner instanceof Map)) return;
    place.set(segment, inner);
    place = inner;
  }
  const last = path.at(-1) ?? '';
  const byFolded = new Map(values.toReversed().map((value) => [foldCase(value), value]));
  if (!place.has(last)) place.set(last, { kind, known: new Set(values), byFolded });
}

function isRead(known: Names | Leaf | undefined, value: Json, readsAll: boolean): boolean {
  if (known === undefined) return readsAll;
  if (value === null) return true;
  return !(known instanceof Map) && isKind[known.kind](value) && findDoubt(known, value) === null;
}

/**
 * Says why a value that is read may not be meant: a day that there is not, or an unknown category that is a known
 * one but for case, blanks around it and stored accents. Null where nothing is to be said.
 */
function findDoubt({ kind, known, byFolded }: Leaf, value: Json): string | null {
  if (typeof value !== 'string' || known.has(value)) return null;
  if (kind === 'date') return parseDate(value) === null || isCalendarDay(value) ? null : 'is no day of the calendar';
  const near = byFolded.size === 0 ? undefined : byFolded.get(foldCase(value.trim()));
  return near === undefined ? null : `is no known value; did you mean ${quote(near)}?`;
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

/** Warns of whole numbers at places of an input that lose digits: at most twenty sentences and how many more. */
export function describeLostDigits(places: readonly (readonly (string | number)[])[]): string[] {
  const sentences = places.slice(0, maxSentences).map((place) => {
    const written = place.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    return `${quote(shorten(written.slice(1), maxShownName))} ${lostDigits}`;
  });
  return places.length > maxSentences ? [...sentences, `and ${places.length - maxSentences} more`] : sentences;
}

const quote = (name: string) => `'${JSON.stringify(name).slice(1, -1)}'`;
