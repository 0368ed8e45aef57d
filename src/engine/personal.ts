/** Where personal data stands in an input, by the dot paths that a decision type names. */
import type { Json, JsonObject } from './domain.ts';

/**
 * The input with every value at one of the dot paths replaced; null stays null. A path through an array applies to each
 * of its elements, an index in it to that element. A key may itself hold dots: each key that fits counts. The input
 * itself is left as it is.
 */
export function replacePersonal(
  input: JsonObject,
  personal: readonly string[],
  replace: (value: Json) => Json,
): JsonObject {
  return personal.reduce<Json>((rest, path) => replaceAt(rest, path.split('.'), replace), input) as JsonObject;
}

function replaceAt(value: Json, segments: readonly string[], replace: (value: Json) => Json): Json {
  if (segments.length === 0) return value === null ? null : replace(value);
  if (Array.isArray(value)) {
    const [first, ...rest] = segments;
    return value.map((member, index) =>
      replaceAt(String(index) === first ? replaceAt(member, rest, replace) : member, segments, replace),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  let replaced = value;
  for (let length = 1; length <= segments.length; length += 1) {
    const key = segments.slice(0, length).join('.');
    if (!Object.hasOwn(value, key)) continue;
    replaced = { ...replaced, [key]: replaceAt(value[key] as Json, segments.slice(length), replace) };
  }
  return replaced;
}

/** Whether a field lies at one of the personal paths or below it. */
export function isPersonalField(path: readonly string[], personal: readonly string[]): boolean {
  const dotted = path.join('.');
  return personal.some((each) => dotted === each || dotted.startsWith(`${each}.`));
}
