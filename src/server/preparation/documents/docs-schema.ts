/** How the documentation page shows JSON Schemas: as words with links, as tables of fields, as an example. */
import { escapeHtml } from '../../../engine/report/html.ts';
import {
  describeType,
  findReferenceName,
  listConstraints,
  listProperties,
  type SchemaMarkup,
} from '../../../engine/schema/describe-schema.ts';
import type { JsonSchema } from '../../contract/openapi.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

const code = (value: unknown) => `<code>${escapeHtml(JSON.stringify(value))}</code>`;
const list = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);
const record = (value: unknown): Record<string, JsonSchema> =>
  typeof value === 'object' && value !== null ? (value as Record<string, JsonSchema>) : {};

function resolveReference(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = findReferenceName(schema);
  return name === null ? schema : (schemas[name] ?? {});
}

const html: SchemaMarkup = {
  code,
  text: escapeHtml,
  link: (name) => `<a href="#schema-${name}">${name}</a>`,
};

function describeField(schema: JsonSchema): string {
  const meaning = schema['description'];
  return [...listConstraints(schema, html), ...(typeof meaning === 'string' ? [escapeHtml(meaning)] : [])].join(', ');
}

/** A table of the fields, or one line for what is not an object. */
export function listFields(title: string, given: JsonSchema, schemas: Schemas, open: boolean): string {
  const name = findReferenceName(given);
  if (name !== null && !open) return `<p>${escapeHtml(title)}: ${describeType(given, html)}</p>`;
  const schema = resolveReference(given, schemas);
  const { fields, required } = listProperties(schema);
  if (fields.length === 0) return `<p>${escapeHtml(title)}: ${describeType(schema, html)}</p>`;
  const rows = fields.map(
    ([field, of]) =>
      `<tr><td><code>${escapeHtml(field)}</code>${required.has(field) ? '' : ' <i>optional</i>'}</td><td>${describeType(of, html)}</td><td>${describeField(of)}</td></tr>`,
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
