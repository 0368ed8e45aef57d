/** Personal data in an input, found by the dot paths that a decision type names. */
import type { Json, JsonObject } from './json.ts';

/**
 * Copies the input with every value at a dot path replaced, in every element of arrays; null stays. A key with dots
 * counts where it fits; of nested values the whole is replaced.
 */
export function redactPii(input: JsonObject, piiFields: readonly string[], replace: (value: Json) => Json): JsonObject {
  return replaceAt(input, createPlace(piiFields.map((path) => `.${path}`)), replace) as JsonObject;
}

/** The input with a placeholder for each redacted value: "[removed]" for a string, null for anything else. */
export function redactToPlaceholder(input: JsonObject, piiFields: readonly string[]): JsonObject {
  return redactPii(input, piiFields, (value) => (typeof value === 'string' ? '[removed]' : null));
}

/** The rest of the paths below one value, each segment behind a dot: '' where one ends. */
type Place = { rests: ReadonlySet<string>; below(): ReadonlyMap<string, Place> };

function createPlace(paths: Iterable<string>): Place {
  const rests = new Set(paths);
  let below: ReadonlyMap<string, Place> | null = null;
  return { rests, below: () => (below ??= findPlacesBelow(rests)) };
}

function findPlacesBelow(rests: Iterable<string>): ReadonlyMap<string, Place> {
  const found = new Map<string, string[]>();
  for (const rest of rests) {
    for (let end = 0; end < rest.length; ) {
      const dot = rest.indexOf('.', end + 1);
      end = dot < 0 ? rest.length : dot;
      const key = rest.slice(1, end);
      const left = found.get(key);
      if (left === undefined) found.set(key, [rest.slice(end)]);
      else left.push(rest.slice(end));
    }
  }
  return new Map(Array.from(found, ([key, left]) => [key, createPlace(left)]));
}

function replaceAt(value: Json, place: Place, replace: (value: Json) => Json): Json {
  if (value === null) return null;
  if (place.rests.has('')) return replace(value);
  if (typeof value !== 'object') return value;
  const below = place.below();
  if (Array.isArray(value)) {
    return value.map((member, index) => {
      const own = below.get(String(index));
      return replaceAt(member, own === undefined ? place : createPlace([...place.rests, ...own.rests]), replace);
    });
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const own = below.get(key);
      return [key, own === undefined ? member : replaceAt(member, own, replace)];
    }),
  );
}

/** Whether a field lies at one of the dot paths or below it. */
export function isPiiField(path: readonly string[], piiFields: readonly string[]): boolean {
  const dotted = path.join('.');
  return piiFields.some((each) => dotted === each || dotted.startsWith(`${each}.`));
}

const maskPattern = /^pii:[0-9a-f]{24}$/;

/** Words for a mask where people read it. */
export const maskWords = 'personal, not shown';

/** Whether a value is the mask that stands in the log for a personal one. */
export function isMask(value: Json | undefined): boolean {
  return typeof value === 'string' && maskPattern.test(value);
}

/** Returns the input with null for every mask at the dot paths, and whether there was one: its value is not known. */
export function blankMasks(input: JsonObject, piiFields: readonly string[]): { input: JsonObject; isMasked: boolean } {
  if (piiFields.length === 0) return { input, isMasked: false };
  let isMasked = false;
  const blanked = redactPii(input, piiFields, (value) => {
    if (!isMask(value)) return value;
    isMasked = true;
    return null;
  });
  return { input: isMasked ? blanked : input, isMasked };
}
