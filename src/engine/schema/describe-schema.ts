/** Describes JSON Schemas in words, for the documents that are made from them. */
import { isJsonObject } from '../json.ts';

type JsonSchema = { readonly [key: string]: unknown };

/** How a document writes what a description consists of. */
export type SchemaMarkup = {
  code(value: unknown): string;
  text(text: string): string;
  /** A reference to a schema that is described under its own name. */
  link(name: string): string;
};

/** Returns the name of the schema that a reference points to, or null for a schema that is not a reference. */
export function findReferenceName(schema: JsonSchema): string | null {
  const reference = schema['$ref'];
  return typeof reference === 'string' ? (reference.split('/').at(-1) ?? null) : null;
}

/** Lists an object's fields, those of all `oneOf` alternatives; required where all of them require it. */
export function listProperties(schema: JsonSchema): {
  fields: [name: string, of: JsonSchema][];
  required: Set<unknown>;
} {
  const objects = schema['properties'] === undefined ? listSchemas(schema['oneOf']) : [schema];
  const byName = Map.groupBy(
    objects.flatMap((object) => Object.entries(toSchema(object['properties']))),
    ([name]) => name,
  );
  const fields = [...byName].map(([name, all]): [string, JsonSchema] => {
    const distinct = new Map(all.map(([, of]) => [JSON.stringify(of), toSchema(of)]));
    const [first = {}] = distinct.values();
    return [name, distinct.size === 1 ? first : { anyOf: [...distinct.values()] }];
  });
  const required = objects.map((object) => [object['required'] ?? []].flat());
  return { fields, required: new Set(required[0]?.filter((name) => required.every((names) => names.includes(name)))) };
}

/** Describes the type of a schema's values, such as "list of string" or "object (name, priority)". */
export function describeType(schema: JsonSchema, markup: SchemaMarkup): string {
  const name = findReferenceName(schema);
  if (name !== null) return markup.link(name);
  const properties = schema['properties'];
  const alternatives = [
    ...listSchemas(schema['anyOf']),
    ...(properties === undefined ? listSchemas(schema['oneOf']) : []),
  ];
  if (alternatives.length > 0 && schema['type'] === undefined)
    return [...new Set(alternatives.map((alternative) => describeType(alternative, markup)))].join(' or ');
  if (Array.isArray(schema['enum'])) return schema['enum'].map(markup.code).join(', ');
  if (schema['const'] !== undefined) return markup.code(schema['const']);
  if (schema['type'] === 'array') return `list of ${describeType(toSchema(schema['items']), markup)}`;
  if (schema['type'] === 'object') {
    const fields = Object.keys(toSchema(properties));
    if (fields.length > 0) return `object (${fields.map(markup.text).join(', ')})`;
    const values = toSchema(schema['additionalProperties']);
    return Object.keys(values).length > 0 ? `object of ${describeType(values, markup)}` : 'object';
  }
  const types = [schema['type'] ?? 'any'].flat().map(String).join(' or ');
  return typeof schema['format'] === 'string' ? `${types} (${markup.text(schema['format'])})` : types;
}

const bounds: readonly [keyword: string, describe: (value: number) => string | null][] = [
  ['minLength', (value) => (value === 0 ? null : value === 1 ? 'not empty' : `at least ${value} characters`)],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minItems', (value) => (value === 0 ? null : `at least ${value}`)],
  ['maxItems', (value) => `at most ${value}`],
  ['minimum', (value) => `from ${value}`],
  ['maximum', (value) => `to ${value}`],
];

/** Lists the default and the bounds of a schema's values in words, without bounds that every safe integer meets. */
export function listConstraints(schema: JsonSchema, markup: SchemaMarkup): string[] {
  const constraints = schema['default'] === undefined ? [] : [`default ${markup.code(schema['default'])}`];
  for (const [keyword, describe] of bounds) {
    const value = schema[keyword];
    if (typeof value !== 'number' || Math.abs(value) >= Number.MAX_SAFE_INTEGER) continue;
    const words = describe(value);
    if (words !== null) constraints.push(words);
  }
  if (schema['uniqueItems'] === true) constraints.push('distinct');
  return constraints;
}

function toSchema(value: unknown): JsonSchema {
  return isJsonObject(value) ? value : {};
}

function listSchemas(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.map(toSchema) : [];
}
