/** How large a schema is where its references are followed: each decision may cost as much. */
import type { JsonObject } from './domain.ts';
import type { ErrorDetail } from './errors.ts';

/** Most parts of an input schema, each reference counted as all that it refers to. */
export const maxExpandedParts = 10_000;
/** Most parts that may lie in each other where references are followed; more would exhaust the stack. */
const maxExpandedDepth = 1_000;
const references = ['$ref', '$dynamicRef'] as const;
const anchors = ['$anchor', '$dynamicAnchor'] as const;

/** Where an object stands in the schema, and what `#` means there: the nearest part with an `$id` of its own. */
type Place = { loc: (string | number)[]; resource: object };

/**
 * The place of a part that grows beyond {@link maxExpandedParts} where its references are followed, of the innermost one
 * first; null where there is none. A part that refers to itself counts once on its own way, because the input bounds
 * how often it is read. `loc` starts with `base`.
 */
export function findOvergrown(schema: JsonObject, base: readonly (string | number)[]): ErrorDetail | null {
  const places = new Map<object, Place>();
  const anchored = new Map<object, Map<string, object>>();
  const locate = (part: object, loc: (string | number)[], outer: object) => {
    const resource = typeof Reflect.get(part, '$id') === 'string' ? part : outer;
    places.set(part, { loc, resource });
    for (const keyword of anchors) {
      const name: unknown = Reflect.get(part, keyword);
      if (typeof name !== 'string') continue;
      const named = anchored.get(resource) ?? new Map<string, object>();
      anchored.set(resource, named.set(name, part));
    }
    for (const [key, child] of Object.entries(part)) {
      if (isPart(child)) locate(child, [...loc, Array.isArray(part) ? Number(key) : key], resource);
    }
  };
  locate(schema, [...base], schema);

  const referred = (part: object, keyword: string): object | null => {
    const reference: unknown = Reflect.get(part, keyword);
    const resource = places.get(part)?.resource;
    if (typeof reference !== 'string' || !reference.startsWith('#') || resource === undefined) return null;
    return anchored.get(resource)?.get(reference.slice(1)) ?? partAt(resource, reference.slice(1));
  };

  const sizes = new Map<object, number>();
  let overgrown: object | null = null;
  const sizeOf = (part: object, depth: number): number => {
    const known = sizes.get(part);
    if (known !== undefined) return known;
    sizes.set(part, 0);
    let size = depth > maxExpandedDepth ? maxExpandedParts + 1 : 1;
    for (const keyword of references) {
      const target = overgrown === null ? referred(part, keyword) : null;
      if (target !== null) size += sizeOf(target, depth + 1);
    }
    for (const child of Object.values(part)) {
      if (overgrown === null && isPart(child)) size += sizeOf(child, depth + 1);
    }
    sizes.set(part, size);
    if (size > maxExpandedParts) overgrown ??= part;
    return size;
  };
  sizeOf(schema, 1);
  if (overgrown === null) return null;
  const msg = `More than ${maxExpandedParts} parts where references are followed. Refer to fewer parts that hold further references.`;
  return { type: 'schema_expansion', loc: places.get(overgrown)?.loc ?? [...base], msg };
}

function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The part at a JSON pointer of a reference, null where there is none. */
function partAt(resource: object, fragment: string): object | null {
  let found: unknown = resource;
  for (const raw of fragment.split('/').slice(1)) {
    const key = decoded(raw);
    if (key === null || !isPart(found) || !Object.hasOwn(found, key)) return null;
    found = Reflect.get(found, key);
  }
  return isPart(found) ? found : null;
}

function decoded(raw: string): string | null {
  // a percent sign that stands for nothing makes the reference dangle
  if (/%(?![0-9a-f]{2})/i.test(raw)) return null;
  return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
}
