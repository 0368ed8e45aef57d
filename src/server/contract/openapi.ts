import { z } from 'zod';
import { type ErrorCode, errorTable } from '../../engine/errors.ts';
import { errorEnvelopeSchema } from './common.ts';
import { listErrors, type Operation } from './operation.ts';
import { listOperations } from './operations.ts';

export type JsonSchema = { [key: string]: unknown };

/**
 * Collects the named schemas (`.meta({ id })`) of everything it turns into JSON Schema, so that the document says
 * each of them once. A name whose written form differs from its read form (defaults) appears a second time as
 * `<name>Input`.
 */
function createSchemaWriter() {
  const named = new Map<string, JsonSchema>();
  const write = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const { $schema: _dialect, $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const definitions = new Map(Object.entries(($defs ?? {}) as Record<string, JsonSchema>));
    if (typeof own['id'] === 'string') definitions.set(own['id'], own);
    const names = new Map<string, string>();
    for (const [id, definition] of definitions) {
      const known = named.get(id);
      const same = known === undefined || JSON.stringify(known) === JSON.stringify(relinked(definition, new Map()));
      names.set(id, same ? id : `${id}Input`);
    }
    for (const [id, definition] of definitions) named.set(names.get(id) ?? id, relinked(definition, names));
    if (typeof own['id'] === 'string') return reference(names.get(own['id']) ?? own['id']);
    return relinked(own, names);
  };
  return { write, named };
}

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The same schema with its references pointing into the document's components; `id` is no keyword of JSON Schema. */
function relinked(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === 'string' && $ref.startsWith('#/$defs/')) {
      const name = $ref.slice('#/$defs/'.length);
      return reference(names.get(name) ?? name);
    }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)]));
  };
  const { id: _name, ...rest } = schema;
  return walk(rest) as JsonSchema;
}

type Write = ReturnType<typeof createSchemaWriter>['write'];

function parametersOf(write: Write, schema: z.ZodType | undefined, place: 'path' | 'query'): JsonSchema[] {
  if (schema === undefined) return [];
  const { properties, required } = write(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties ?? {}).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: place === 'path' || (required ?? []).includes(name),
    ...(description === undefined ? {} : { description }),
    schema: field,
  }));
}

function contentOf(write: Write, row: Operation): JsonSchema {
  if (row.output !== null) return { content: { 'application/json': { schema: write(row.output, 'output') } } };
  if (row.produces === undefined) return {};
  return { content: Object.fromEntries(row.produces.split(', ').map((type) => [type, { schema: {} }])) };
}

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };
const headers: Record<string, JsonSchema> = {
  'X-Request-ID': { description: "The caller's id of the request, or one made for it", schema: text, required: true },
  'X-RateLimit-Limit': { description: 'API keys: calls allowed in a minute', schema: whole },
  'X-RateLimit-Remaining': { description: 'API keys: calls left in the window', schema: whole },
  'X-RateLimit-Reset': { description: 'API keys: Unix time at which the window ends', schema: whole },
  'Retry-After': { description: 'Seconds to wait', schema: whole },
  'WWW-Authenticate': { description: 'How to sign in', schema: text },
};

function headersFor(status: number): Record<string, JsonSchema> {
  const always = ['X-Request-ID', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
  const special = status === 429 ? ['Retry-After'] : status === 401 ? ['WWW-Authenticate'] : [];
  return Object.fromEntries([...always, ...special].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Codes of one status, as the name of the response that they share. */
function responseName(codes: readonly ErrorCode[]): string {
  return codes.join('-or-');
}

function errorResponses(row: Operation): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of listErrors(row)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code].sort());
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function errorResponse(codes: readonly ErrorCode[]): JsonSchema {
  const [first] = codes;
  return {
    description: codes.map((code) => errorTable[code].meaning).join('; or: '),
    headers: headersFor(first === undefined ? 500 : errorTable[first].status),
    content: {
      'application/json': {
        schema: {
          allOf: [reference('Error')],
          properties: { error: { properties: { code: { enum: codes } } } },
        },
      },
    },
  };
}

/** The operation table as an OpenAPI 3.1 document: every parameter, body, answer and error of every operation. */
export function makeOpenApi(version: string): JsonSchema {
  const { write, named } = createSchemaWriter();
  named.set('Error', write(errorEnvelopeSchema, 'output'));
  // what is answered keeps its plain name, so it is written first
  for (const { row } of listOperations()) if (row.output !== null) write(row.output, 'output');
  const responses: Record<string, JsonSchema> = {};
  const paths: Record<string, JsonSchema> = {};
  for (const { name, row } of listOperations()) {
    const errors: Record<string, JsonSchema> = {};
    for (const [status, codes] of errorResponses(row)) {
      responses[responseName(codes)] ??= errorResponse(codes);
      errors[status] = { $ref: `#/components/responses/${responseName(codes)}` };
    }
    const path = row.path.replace(/:([a-z_]+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][row.method.toLowerCase()] = {
      operationId: name,
      summary: row.summary,
      tags: [row.tag],
      security:
        row.access === 'public' ? [] : row.access === 'key' ? [{ apiKey: [] }, { session: [] }] : [{ session: [] }],
      parameters: [...parametersOf(write, row.params, 'path'), ...parametersOf(write, row.query, 'query')],
      ...(row.body === undefined
        ? {}
        : {
            requestBody: {
              required: row.bodyOptional !== true,
              content: { 'application/json': { schema: write(row.body, 'input') } },
            },
          }),
      responses: {
        [row.status]: { description: row.summary, headers: headersFor(row.status), ...contentOf(write, row) },
        ...errors,
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Decision Workbench', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    tags: [...new Set(listOperations().map(({ row }) => row.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      headers,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key: 64 hexadecimal characters' },
        session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Session token of a person' },
      },
    },
    'x-errors': Object.entries(errorTable).map(([code, row]) => ({ code, ...row })),
  };
}
