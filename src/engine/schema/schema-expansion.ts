/** Measures a schema where its references are followed: each decision may cost as much. */
import type { JsonObject } from '../domain.ts';
import type { ErrorDetail } from '../errors.ts';

/** Parts of an input schema, each reference counted as all that it refers to. */
const maxExpandedParts = 10_000;
/** Parts inside one another where references are followed; more would exhaust the stack. */
const maxExpandedDepth = 1_000;
const referenceKeywords = ['$ref', '$dynamicRef'] as const;
const anchorKeywords = ['$anchor', '$dynamicAnchor'] as const;

/** Where a part is in the schema, and what `#` means there: the nearest part around it with an `$id` of its own. */
type Place = { loc: (string | number)[]; resource: object };

type References = {
  /** Returns the path of a part in the schema, starting with the base. */
  locate(part: object): (string | number)[];
  /** Lists what a part refers to by `$ref` or `$dynamicRef`, where that is in the schema. */
  listTargets(part: object): object[];
};

function readReferences(schema: JsonObject, base: readonly (string | number)[]): References {
  const places = new Map<object, Place>();
  const anchored = new Map<object, Map<string, object>>();
  const index = (part: object, loc: (string | number)[], outer: object) => {
    const resource = typeof Reflect.get(part, '$id') === 'string' ? part : outer;
    places.set(part, { loc, resource });
    for (const keyword of anchorKeywords) {
      const name: unknown = Reflect.get(part, keyword);
      if (typeof name !== 'string') continue;
      const named = anchored.get(resource) ?? new Map<string, object>();
      anchored.set(resource, named.set(name, part));
    }
    for (const [key, child] of Object.entries(part)) {
      if (isPart(child)) index(child, [...loc, Array.isArray(part) ? Number(key) : key], resource);
    }
  };
  index(schema, [...base], schema);
  const resolve = (part: object, keyword: string): object[] => {
    const reference: unknown = Reflect.get(part, keyword);
    const resource = places.get(part)?.resource;
    if (typeof reference !== 'string' || !reference.startsWith('#') || resource === undefined) return [];
    const target = anchored.get(resource)?.get(reference.slice(1)) ?? findPart(resource, reference.slice(1));
    return target === null ? [] : [target];
  };
  return {
    locate: (part) => places.get(part)?.loc ?? [...base],
    listTargets: (part) => referenceKeywords.flatMap((keyword) => resolve(part, keyword)),
  };
}

/** Prepares to list what each part of a schema refers to, where that is in the schema. */
export function listReferencedParts(schema: JsonObject): (part: object) => object[] {
  return readReferences(schema, []).listTargets;
}

/**
 * Finds why the references of a schema cannot be followed: a part that is applied to the same value for ever, or the
 * innermost part that has more than {@link maxExpandedParts} parts where references are followed. Returns null where
 * they can. A part that refers to itself for a value inside counts once on each path, because the input bounds how
 * often it is applied. `loc` starts with `base`.
 */
export function findUnfollowable(schema: JsonObject, base: readonly (string | number)[]): ErrorDetail | null {
  const references = readReferences(schema, base);
  const endless = findLoop(schema, references);
  if (endless !== null) {
    const msg = 'must not refer to itself for the same value; refer to it from below a property or an item instead';
    return { type: 'schema_loop', loc: references.locate(endless), msg };
  }
  const overgrown = findOvergrown(schema, references);
  if (overgrown === null) return null;
  const bound = `must not have more than ${maxExpandedParts} parts where references are followed`;
  const msg = `${bound}; refer to fewer parts that contain references`;
  return { type: 'schema_expansion', loc: references.locate(overgrown), msg };
}

/** Keywords whose schemas (one, a list or a map of them) are applied to the same value as the part that has them. */
const sameValueKeywords = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'] as const;

function findLoop(schema: JsonObject, { listTargets }: References): object | null {
  const state = new Map<object, 'open' | 'done'>();
  const listApplied = (part: object): object[] => [
    ...listTargets(part),
    ...sameValueKeywords.flatMap((keyword) => {
      const value: unknown = Object.hasOwn(part, keyword) ? Reflect.get(part, keyword) : undefined;
      if (!isPart(value)) return [];
      return Array.isArray(value) || keyword === 'dependentSchemas' ? Object.values(value).filter(isPart) : [value];
    }),
  ];
  const follow = (part: object): object | null => {
    if (state.has(part)) return state.get(part) === 'open' ? part : null;
    state.set(part, 'open');
    for (const next of listApplied(part)) {
      const loop = follow(next);
      if (loop !== null) return loop;
    }
    state.set(part, 'done');
    return null;
  };
  const search = (part: object): object | null => {
    const loop = follow(part);
    if (loop !== null) return loop;
    for (const child of Object.values(part).filter(isPart)) {
      const inside = search(child);
      if (inside !== null) return inside;
    }
    return null;
  };
  return search(schema);
}

function findOvergrown(schema: JsonObject, { listTargets }: References): object | null {
  const sizes = new Map<object, number>();
  let overgrown: object | null = null;
  const measure = (part: object, depth: number): number => {
    const known = sizes.get(part);
    if (known !== undefined) return known;
    sizes.set(part, 0);
    let size = depth > maxExpandedDepth ? maxExpandedParts + 1 : 1;
    for (const target of listTargets(part)) if (overgrown === null) size += measure(target, depth + 1);
    for (const child of Object.values(part)) {
      if (overgrown === null && isPart(child)) size += measure(child, depth + 1);
    }
    sizes.set(part, size);
    if (size > maxExpandedParts) overgrown ??= part;
    return size;
  };
  measure(schema, 1);
  return overgrown;
}

function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Finds the part at a JSON pointer of a reference, null where there is none. */
function findPart(resource: object, fragment: string): object | null {
  let found: unknown = resource;
  for (const raw of fragment.split('/').slice(1)) {
    const key = decodePointerToken(raw);
    if (key === null || !isPart(found) || !Object.hasOwn(found, key)) return null;
    found = Reflect.get(found, key);
  }
  return isPart(found) ? found : null;
}

function decodePointerToken(raw: string): string | null {
  // A percent sign that encodes nothing makes the reference dangle.
  if (/%(?![0-9a-f]{2})/i.test(raw)) return null;
  return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
}
