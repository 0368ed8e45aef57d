/** Reads an input schema into its parts: where each leads, and its faults. */

import type { ErrorDetail } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { compileLinearPattern } from '../patterns.ts';

/** Schemas inside a schema that a check reads. Ajv takes about 0.3 ms to compile one. */
const maxParts = 1_000;
/** References inside what references lead to, which Ajv compiles inside one another. */
const maxNestedReferences = 100;
/** RE2JS keeps up to 8 MB of states for a pattern. */
const maxPatterns = 100;

export type Path = (string | number)[];

/** A schema inside a schema, and the parts that it leads to; `true` and `false` do not count. */
export type Part = {
  schema: JsonObject;
  loc: Path;
  /** Applied to the same value. */
  applied: Part[];
  properties: Map<string, Part>;
  /** Of properties whose names they find, or of what nothing else has looked at. */
  patternProperties: Part[];
  additionalProperties: Part[];
  propertyNames: Part[];
  /** Of `prefixItems` and `items`: an item meets one of them. */
  items: Part[];
  /** Of every item besides. */
  contains: Part[];
};

/** The parts that a check reads, each behind those that it applies to the same value, or what is wrong. */
export type ReadSchema = { parts: Part[]; problems: ErrorDetail[] };

const keywords = {
  applied: ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'],
  items: ['prefixItems', 'items'],
} as const;
const scalarTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null'];
/** Keywords that are refused, because their cost has no bound or Ajv gets them wrong, and what to write instead. */
const refusedKeywords: Record<string, string> = {
  $dynamicRef: 'refer with "$ref" to a place in this schema',
  $recursiveRef: 'refer with "$ref" to a place in this schema',
  $async: 'leave it out',
};
/** Keywords that Ajv or Python read otherwise beside one another, or on which Ajv's code throws. */
const refusedTogether = [
  ['unevaluatedProperties', 'patternProperties'],
  ['unevaluatedItems', 'contains'],
  ['unevaluatedItems', 'patternProperties'],
] as const;

/** Reads a schema; the `loc` of a part or a problem starts with `base`. */
export function readSchema(schema: JsonObject, base: Path): ReadSchema {
  const reader = new SchemaReader(schema, base);
  const root = reader.read(schema, base, 0);
  if (root !== null) reader.refuseTogether();
  return { parts: root === null ? [] : sortParts(reader), problems: reader.problems };
}

class SchemaReader {
  readonly problems: ErrorDetail[] = [];
  readonly parts = new Map<JsonObject, Part>();
  readonly #root: JsonObject;
  readonly #base: Path;
  readonly #anchors = new Map<string, { value: JsonObject; loc: Path }>();
  #patterns = 0;

  constructor(root: JsonObject, base: Path) {
    this.#root = root;
    this.#base = base;
    this.#findAnchors(root, base);
  }

  /** Reads a value as a part with all that it leads to; null if it is not one, or something is wrong already. */
  read(value: Json | undefined, loc: Path, nesting: number): Part | null {
    if (!isJsonObject(value) || this.problems.length > 0) return null;
    const known = this.parts.get(value);
    if (known !== undefined) return known;
    if (this.parts.size === maxParts) {
      this.refuse('schema_size', this.#base, `must not have more than ${maxParts} schemas inside it`);
      return null;
    }
    this.#refuseKeywords(value, loc);
    const collect = (keyword: string) => this.#readAll(value, keyword, loc, nesting);
    const part: Part = {
      schema: value,
      loc,
      applied: [],
      properties: new Map(),
      patternProperties: [],
      additionalProperties: [],
      propertyNames: [],
      items: [],
      contains: [],
    };
    this.parts.set(value, part);
    part.applied.push(...keywords.applied.flatMap(collect), ...this.#readReference(value, loc, nesting));
    const { properties } = value;
    for (const [name, child] of Object.entries(isJsonObject(properties) ? properties : {})) {
      const read = this.read(child, [...loc, 'properties', name], nesting);
      if (read !== null) part.properties.set(name, read);
    }
    part.patternProperties.push(...collect('patternProperties'), ...collect('unevaluatedProperties'));
    part.additionalProperties.push(...collect('additionalProperties'));
    part.propertyNames.push(...collect('propertyNames'));
    part.items.push(...keywords.items.flatMap(collect));
    part.contains.push(...collect('contains'), ...collect('unevaluatedItems'));
    return part;
  }

  refuse(type: string, loc: Path, msg: string): void {
    this.problems.push({ type, loc, msg });
  }

  refuseTogether(): void {
    const parts = [...this.parts.values()];
    for (const [keyword, other] of refusedTogether) {
      const part = parts.find(({ schema }) => schema[keyword] !== undefined);
      if (part === undefined || !parts.some(({ schema }) => schema[other] !== undefined)) continue;
      const msg = `is not supported in a schema with "${other}"; leave out one of them`;
      this.refuse('schema_keyword', [...part.loc, keyword], msg);
    }
  }

  /** Reads the schemas of a keyword: one, a list or a map of them. */
  #readAll(schema: JsonObject, keyword: string, loc: Path, nesting: number): Part[] {
    const value = schema[keyword];
    const at = [...loc, keyword];
    const isMap = keyword === 'patternProperties' || keyword.startsWith('depend');
    const children: [Json, Path][] = Array.isArray(value)
      ? value.map((child, index) => [child, [...at, index]])
      : isMap && isJsonObject(value)
        ? Object.entries(value).map(([key, child]) => [child, [...at, key]])
        : [[value ?? null, at]];
    return children.flatMap(([child, path]) => this.read(child, path, nesting) ?? []);
  }

  #readReference({ $ref }: JsonObject, loc: Path, nesting: number): Part[] {
    if (typeof $ref !== 'string' || this.problems.length > 0) return [];
    const at = [...loc, '$ref'];
    if (!$ref.startsWith('#')) {
      this.refuse('schema_ref', at, 'must be a reference inside the schema that starts with "#"');
      return [];
    }
    const target = this.#anchors.get($ref.slice(1)) ?? this.#findPart($ref.slice(1));
    if (target === null) this.refuse('schema_ref', at, 'refers to a place that is not in the schema');
    else if (nesting === maxNestedReferences) {
      const msg = `stands in a chain of more than ${maxNestedReferences} references; refer to fewer parts that refer on`;
      this.refuse('schema_expansion', at, msg);
    }
    return target === null ? [] : [this.read(target.value, target.loc, nesting + 1) ?? []].flat();
  }

  /** Finds the value at a JSON pointer of a reference, null if there is none. */
  #findPart(fragment: string): { value: Json; loc: Path } | null {
    let value: Json = this.#root;
    const loc = [...this.#base];
    for (const raw of fragment.split('/').slice(1)) {
      const key = decodePointerToken(raw);
      if (key === null || typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
      loc.push(Array.isArray(value) ? Number(key) : key);
      value = Reflect.get(value, key);
    }
    return { value, loc };
  }

  #findAnchors(value: Json, loc: Path): void {
    if (isJsonObject(value) && typeof value.$anchor === 'string') this.#anchors.set(value.$anchor, { value, loc });
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      this.#findAnchors(child, [...loc, Array.isArray(value) ? Number(key) : key]);
    }
  }

  #refuseKeywords(schema: JsonObject, loc: Path): void {
    for (const [keyword, remedy] of Object.entries(refusedKeywords)) {
      if (schema[keyword] !== undefined) {
        this.refuse('schema_keyword', [...loc, keyword], `is not supported; ${remedy}`);
      }
    }
    const { $id, const: constant, enum: values, format, items, pattern, patternProperties } = schema;
    if ($id !== undefined && schema !== this.#root) {
      const msg = 'must stand at the top of the schema only; leave it out, and refer to places with "#/"';
      this.refuse('schema_keyword', [...loc, '$id'], msg);
    }
    if ([constant, values].flat().some((value) => typeof value === 'object' && value !== null)) {
      const at = [...loc, constant === undefined ? 'enum' : 'const'];
      this.refuse('schema_keyword', at, 'must not hold lists or objects; give the properties or items such values');
    }
    if (format === 'url') {
      this.refuse('schema_keyword', [...loc, 'format'], '"url" takes too long on some texts; use "uri"');
    }
    if (Array.isArray(items)) {
      this.refuse(
        'schema_keyword',
        [...loc, 'items'],
        'must be one schema; write schemas of single items as "prefixItems"',
      );
    }
    if (schema.uniqueItems === true && !hasScalarItems(items)) {
      const msg =
        'compares every item with every other one; give "items" a "type" of string, number, integer or boolean';
      this.refuse('schema_keyword', [...loc, 'uniqueItems'], msg);
    }
    if (typeof pattern === 'string') this.#refusePattern(pattern, [...loc, 'pattern']);
    for (const name of Object.keys(isJsonObject(patternProperties) ? patternProperties : {})) {
      this.#refusePattern(name, [...loc, 'patternProperties', name]);
    }
  }

  #refusePattern(pattern: string, loc: Path): void {
    this.#patterns += 1;
    if (this.#patterns > maxPatterns) {
      this.refuse('schema_size', this.#base, `must not have more than ${maxPatterns} patterns`);
      return;
    }
    try {
      compileLinearPattern(pattern);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.refuse('schema_pattern', loc, `must be an RE2 pattern: ${error.message}`);
    }
  }
}

function hasScalarItems(items: Json | undefined): boolean {
  const types = isJsonObject(items) ? [items.type].flat() : [];
  return types.length > 0 && types.every((type) => scalarTypes.includes(type));
}

function decodePointerToken(raw: string): string | null {
  // A percent sign that encodes nothing makes the reference dangle.
  if (/%(?![0-9a-f]{2})/i.test(raw)) return null;
  return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Puts every part behind those that it applies to the same value; one that applies itself again is a problem. */
function sortParts(reader: SchemaReader): Part[] {
  const sorted = new Set<Part>();
  const open = new Set<Part>();
  const visit = (part: Part): void => {
    if (sorted.has(part) || reader.problems.length > 0) return;
    if (open.has(part)) {
      const msg = 'must not refer to itself for the same value; refer to it from below a property or an item instead';
      reader.refuse('schema_loop', part.loc, msg);
      return;
    }
    open.add(part);
    part.applied.forEach(visit);
    sorted.add(part);
  };
  for (const part of reader.parts.values()) visit(part);
  return [...sorted];
}
