/** How the documentation page shows JSON Schemas: as words with links, as tables of fields, as an example. */
import type { JsonSchema } from '../contract/openapi.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const code = (value: unknown) => `<code>${escapeHtml(JSON.stringify(value))}</code>`;
const list = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);
const record = (value: unknown): Record<string, JsonSchema> =>
  typeof value === 'object' && value !== null ? (value as Record<string, JsonSchema>) : {};

function nameIn(schema: JsonSchema): string | null {
  return typeof schema['$ref'] === 'string' ? (schema['$ref'].split('/').at(-1) ?? null) : null;
}

/** The schema itself, or the named one that it points to. */
export function resolveReference(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = nameIn(schema);
  return name === null ? schema : (schemas[name] ?? {});
}

/** The kind of values in words, named schemas as links. */
export function describeType(schema: JsonSchema): string {
  const name = nameIn(schema);
  if (name !== null) return `<a href="#schema-${name}">${name}</a>`;
  const choices = [...list(schema['anyOf']), ...(schema['properties'] === undefined ? list(schema['oneOf']) : [])];
  if (choices.length > 0 && schema['type'] === undefined) return [...new Set(choices.map(describeType))].join(' or ');
  if (Array.isArray(schema['enum'])) return schema['enum'].map(code).join(', ');
  if (schema['const'] !== undefined) return code(schema['const']);
  if (schema['type'] === 'array') return `list of ${describeType((schema['items'] ?? {}) as JsonSchema)}`;
  if (schema['type'] === 'object') {
    const fields = Object.keys(record(schema['properties']));
    if (fields.length > 0) return `object (${fields.map(escapeHtml).join(', ')})`;
    const values = schema['additionalProperties'];
    return typeof values === 'object' && values !== null && Object.keys(values).length > 0
      ? `object of ${describeType(values as JsonSchema)}`
      : 'object';
  }
  const types = [schema['type'] ?? 'any'].flat().map(String).join(' or ');
  return typeof schema['format'] === 'string' ? `${types} (${escapeHtml(schema['format'])})` : types;
}

const bounds: readonly [string, (value: unknown) => string][] = [
  ['minLength', (value) => (value === 1 ? 'not empty' : `at least ${value} characters`)],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minItems', (value) => `at least ${value}`],
  ['maxItems', (value) => `at most ${value}`],
  ['minimum', (value) => `from ${value}`],
  ['maximum', (value) => `to ${value}`],
];

/** Default, bounds and meaning of one field. */
function notesOf(schema: JsonSchema): string {
  const parts: string[] = [];
  if (schema['default'] !== undefined) parts.push(`default ${code(schema['default'])}`);
  for (const [key, say] of bounds) {
    const value = schema[key];
    if (
      typeof value === 'number' &&
      Math.abs(value) < Number.MAX_SAFE_INTEGER &&
      !(key.startsWith('min') && value === 0)
    ) {
      parts.push(say(value));
    }
  }
  if (schema['uniqueItems'] === true) parts.push('distinct');
  if (typeof schema['description'] === 'string') parts.push(escapeHtml(schema['description']));
  return parts.join(', ');
}

/** A table of the fields, or one line for what is not an object. */
export function listFields(title: string, given: JsonSchema, schemas: Schemas, open: boolean): string {
  const name = nameIn(given);
  if (name !== null && !open) return `<p>${escapeHtml(title)}: ${describeType(given)}</p>`;
  const schema = resolveReference(given, schemas);
  const fields = Object.entries(record(schema['properties']));
  if (fields.length === 0) return `<p>${escapeHtml(title)}: ${describeType(schema)}</p>`;
  const required = new Set((schema['required'] ?? []) as string[]);
  const rows = fields.map(
    ([field, of]) =>
      `<tr><td><code>${escapeHtml(field)}</code>${required.has(field) ? '' : ' <i>optional</i>'}</td><td>${describeType(of)}</td><td>${notesOf(of)}</td></tr>`,
  );
  return `<table><thead><tr><th>${escapeHtml(title)}</th><th>type</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** A value that fits: the schema's own example, else its required fields with plain values. */
export function buildExample(given: JsonSchema, schemas: Schemas): unknown {
  const schema = resolveReference(given, schemas);
  if (Array.isArray(schema['examples'])) return schema['examples'][0];
  if (schema['default'] !== undefined) return schema['default'];
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [choice] = [...list(schema['anyOf']), ...list(schema['oneOf'])];
  if (choice !== undefined && schema['type'] === undefined) return buildExample(choice, schemas);
  if (schema['format'] === 'uuid') return '00000000-0000-4000-8000-000000000000';
  if (schema['type'] === 'array') return [buildExample((schema['items'] ?? {}) as JsonSchema, schemas)];
  if (schema['type'] === 'object') {
    const required = new Set((schema['required'] ?? []) as string[]);
    const fields = Object.entries(record(schema['properties'])).filter(([field]) => required.has(field));
    return Object.fromEntries(fields.map(([field, of]) => [field, buildExample(of, schemas)]));
  }
  if (schema['type'] === 'integer' || schema['type'] === 'number') return schema['minimum'] ?? 0;
  if (schema['type'] === 'boolean') return true;
  return schema['type'] === 'null' ? null : 'text';
}
