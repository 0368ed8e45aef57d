/** How large a schema is where its references are followed: each decision may cost as much. */
import type { JsonObject } from '../domain.ts';
import type { ErrorDetail } from '../errors.ts';

/** Most parts of an input schema, each reference counted as all that it refers to. */
export const maxExpandedParts = 10_000;
/** Most parts that may lie in each other where references are followed; more would exhaust the stack. */
const maxExpandedDepth = 1_000;
const references = ['$ref', '$dynamicRef'] as const;
const anchors = ['$anchor', '$dynamicAnchor'] as const;

/** Where an object stands in the schema, and what `#` means there: the nearest part with an `$id` of its own. */
type Place = { loc: (string | number)[]; resource: object };

type References = {
  /** The path of a part in the schema, starting with the base. */
  locOf(part: object): (string | number)[];
  /** What a part refers to by `$ref` or `$dynamicRef`, where that is in the schema. */
  targetsOf(part: object): object[];
};

function readReferences(schema: JsonObject, base: readonly (string | number)[]): References {
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
  const referred = (part: object, keyword: string): object[] => {
    const reference: unknown = Reflect.get(part, keyword);
    const resource = places.get(part)?.resource;
    if (typeof reference !== 'string' || !reference.startsWith('#') || resource === undefined) return [];
    const target = anchored.get(resource)?.get(reference.slice(1)) ?? findPart(resource, reference.slice(1));
    return target === null ? [] : [target];
  };
  return {
    locOf: (part) => places.get(part)?.loc ?? [...base],
    targetsOf: (part) => references.flatMap((keyword) => referred(part, keyword)),
  };
}

/**
 * Whether the references of a schema can be followed: null, or the place of a part that is asked again for the same
 * value for ever, or that grows beyond {@link maxExpandedParts} where references are followed (of the innermost one
 * first). A part that refers to itself for a value inside counts once on its own way, because the input bounds how
 * often it is read. `loc` starts with `base`.
 */
export function findUnfollowable(schema: JsonObject, base: readonly (string | number)[]): ErrorDetail | null {
  const read = readReferences(schema, base);
  const endless = findLoop(schema, read);
  if (endless !== null) {
    const msg = 'Refers to itself for the same value. Refer to it from below a property or an item instead.';
    return { type: 'schema_loop', loc: read.locOf(endless), msg };
  }
  const overgrown = findOvergrown(schema, read);
  if (overgrown === null) return null;
  const msg = `More than ${maxExpandedParts} parts where references are followed. Refer to fewer parts that hold further references.`;
  return { type: 'schema_expansion', loc: read.locOf(overgrown), msg };
}

/** Keywords whose schemas are asked for the same value as the part that holds them, one or a list or a map of them. */
const sameValue = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'] as const;

function findLoop(schema: JsonObject, { targetsOf }: References): object | null {
  const state = new Map<object, 'open' | 'done'>();
  const askedWith = (part: object): object[] => [
    ...targetsOf(part),
    ...sameValue.flatMap((keyword) => {
      const held: unknown = Object.hasOwn(part, keyword) ? Reflect.get(part, keyword) : undefined;
      if (!isPart(held)) return [];
      return Array.isArray(held) || keyword === 'dependentSchemas' ? Object.values(held).filter(isPart) : [held];
    }),
  ];
  const follow = (part: object): object | null => {
    if (state.has(part)) return state.get(part) === 'open' ? part : null;
    state.set(part, 'open');
    for (const next of askedWith(part)) {
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

function findOvergrown(schema: JsonObject, { targetsOf }: References): object | null {
  const sizes = new Map<object, number>();
  let overgrown: object | null = null;
  const sizeOf = (part: object, depth: number): number => {
    const known = sizes.get(part);
    if (known !== undefined) return known;
    sizes.set(part, 0);
    let size = depth > maxExpandedDepth ? maxExpandedParts + 1 : 1;
    for (const target of targetsOf(part)) if (overgrown === null) size += sizeOf(target, depth + 1);
    for (const child of Object.values(part)) {
      if (overgrown === null && isPart(child)) size += sizeOf(child, depth + 1);
    }
    sizes.set(part, size);
    if (size > maxExpandedParts) overgrown ??= part;
    return size;
  };
  sizeOf(schema, 1);
  return overgrown;
}

function isPart(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The part at a JSON pointer of a reference, null where there is none. */
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
  // a percent sign that stands for nothing makes the reference dangle
  if (/%(?![0-9a-f]{2})/i.test(raw)) return null;
  return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
}
