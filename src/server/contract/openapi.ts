/** The document that describes the interface for programs. */
import { z } from 'zod';
import { type ErrorCode, errorTable } from '../../engine/errors.ts';
import { errorEnvelopeSchema } from './common.ts';
import { dialectErrorSchemas, toStatus } from './dialects.ts';
import { type Access, type Dialect, describeCallers, listErrors, type Operation, toOpenApiPath } from './operation.ts';

export type JsonSchema = { [key: string]: unknown };

/** Collects named schemas (`.meta({ id })`); one that is read otherwise than written is `<name>Input` as well. */
function createSchemaWriter() {
  const named = new Map<string, JsonSchema>();
  const write = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const { $schema: _dialect, $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const definitions = new Map(Object.entries(($defs ?? {}) as Record<string, JsonSchema>));
    if (typeof own['id'] === 'string') definitions.set(own['id'], own);
    const names = new Map<string, string>();
    for (const [id, definition] of definitions) {
      const known = named.get(id);
      const same = known === undefined || JSON.stringify(known) === JSON.stringify(relink(definition, new Map()));
      names.set(id, same ? id : `${id}Input`);
    }
    for (const [id, definition] of definitions) named.set(names.get(id) ?? id, relink(definition, names));
    if (typeof own['id'] === 'string') return toReference(names.get(own['id']) ?? own['id']);
    return relink(own, names);
  };
  return { write, named };
}

const toReference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The same schema with references into the document's components; `id` is not a keyword of JSON Schema. */
function relink(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: unknown };
    const plain = simplify(value as JsonSchema);
    if (typeof $ref === 'string' && $ref.startsWith('#/$defs/')) {
      const name = $ref.slice('#/$defs/'.length);
      return toReference(names.get(name) ?? name);
    }
    return Object.fromEntries(Object.entries(plain).map(([key, member]) => [key, walk(member)]));
  };
  const { id: _name, ...rest } = schema;
  return walk(rest) as JsonSchema;
}

const isRecord = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Leaves out what generators of clients get wrong; what is accepted stays the same. */
function simplify(schema: JsonSchema): JsonSchema {
  const { default: given, type, ...rest } = { ...schema, ...joinAlternatives(schema) };
  const simple: JsonSchema = { ...rest };
  if (isRecord(rest.properties)) {
    const fields = Object.entries(rest.properties);
    simple.properties = Object.fromEntries(fields.filter(([, field]) => !(isRecord(field) && 'aliasOf' in field)));
  }
  const types = listTypes(schema).filter((name) => name !== 'null');
  if (isRecord(given) || (given !== undefined && types.length > 1))
    simple.description = `${String(rest.description ?? '')} Left out: ${JSON.stringify(given)}`.trim();
  else if (given !== undefined) simple.default = given;
  if (types.length > 1) delete simple.anyOf;
  else if (type !== undefined) simple.type = type;
  return simple;
}

function listTypes({ type, anyOf = [] }: JsonSchema): unknown[] {
  return [type, ...(anyOf as JsonSchema[]).flatMap(listTypes)].flat().filter((name) => name !== undefined);
}

/** Joins the alternatives of an object, which one field distinguishes, into one object. */
function joinAlternatives({ oneOf }: JsonSchema): JsonSchema {
  if (!Array.isArray(oneOf) || !oneOf.every((each) => isRecord(each) && isRecord(each.properties))) return {};
  const properties: Record<string, JsonSchema> = {};
  for (const each of oneOf as { properties: Record<string, JsonSchema> }[]) {
    for (const [name, field] of Object.entries(each.properties)) {
      const { const: value, ...own } = field;
      const known = (properties[name]?.['enum'] ?? []) as unknown[];
      properties[name] = value === undefined ? (properties[name] ?? field) : { ...own, enum: [...known, value] };
    }
  }
  const required = (oneOf as { required?: string[] }[]).map((each) => each.required ?? []);
  const shared = required[0]?.filter((name) => required.every((each) => each.includes(name)));
  return { oneOf: undefined, type: 'object', properties, required: shared, additionalProperties: false };
}

type WriteSchema = ReturnType<typeof createSchemaWriter>['write'];

function listParameters(write: WriteSchema, schema: z.ZodType | undefined, place: 'path' | 'query'): JsonSchema[] {
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

const idempotencyKey: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names the call, so that it can be sent again: for 24 hours the same key with the same request of the same caller ' +
    'is answered as the first time and does nothing.',
  schema: { type: 'string', pattern: '^[!-~]([ -~]{0,126}[!-~])?$' },
};

const ifMatch: JsonSchema = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of the decision type as it was read: where somebody has changed it since, nothing is done (412). ' +
    '`*` stands for any state.',
  schema: { type: 'string' },
};

const string = { type: 'string' };
const downloadSchemas: Readonly<Record<string, JsonSchema>> = {
  'application/zip': { type: 'string', format: 'binary' },
  'text/csv': string,
  'text/html': string,
  'text/plain': string,
  'text/event-stream': string,
};
const count = { type: 'integer', minimum: 0 };
const headers: Record<string, JsonSchema> = {
  'X-Request-ID': { description: "The caller's id of the request, or one made for it", schema: string, required: true },
  'X-RateLimit-Limit': { description: 'API keys: calls allowed in a minute', schema: count },
  'X-RateLimit-Remaining': { description: 'API keys: calls left in the window', schema: count },
  'X-RateLimit-Reset': { description: 'API keys: Unix time at which the window ends', schema: count },
  'Retry-After': { description: 'Seconds to wait', schema: count },
  'Idempotency-Replayed': {
    description: 'Calls with an Idempotency-Key: true when the answer is that of an earlier call',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: { description: 'Identity of the content', schema: string },
  'WWW-Authenticate': { description: 'How to sign in', schema: string },
};

function toContent(write: WriteSchema, row: Operation): JsonSchema {
  if (row.output !== null) return { content: { 'application/json': { schema: write(row.output, 'output') } } };
  if (row.produces === undefined) return {};
  const toDownload = (type: string) => [type, { schema: downloadSchemas[type] ?? {} }];
  return { content: Object.fromEntries(row.produces.split(', ').map(toDownload)) };
}

function listHeaders(
  status: number,
  { takesIdempotencyKey, sendsETag, guardsType }: Partial<Operation> = {},
): Record<string, JsonSchema> {
  const always = ['X-Request-ID', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
  const special = status === 429 ? ['Retry-After'] : status === 401 ? ['WWW-Authenticate'] : [];
  if (takesIdempotencyKey) special.push('Idempotency-Replayed');
  if (sendsETag || guardsType) special.push('ETag');
  return Object.fromEntries([...always, ...special].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function groupErrorsByStatus(row: Operation): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of listErrors(row)) {
    const status = toStatus(row.dialect ?? null, code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code].sort());
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function toErrorResponse(codes: readonly ErrorCode[], status: number, dialect: Dialect | undefined): JsonSchema {
  return {
    description: codes.map((code) => errorTable[code].meaning).join('; or: '),
    headers: listHeaders(status),
    content: {
      'application/json': {
        schema:
          dialect === undefined
            ? { allOf: [toReference('Error')], properties: { error: { properties: { code: { enum: codes } } } } }
            : toReference(dialect === 'systemone' ? 'SystemoneError' : 'DecisionsError'),
      },
    },
  };
}

const securityByAccess: Readonly<Record<Access, JsonSchema[]>> = {
  public: [],
  key: [{ apiKey: [] }, { session: [] }],
  jwt: [{ session: [] }],
  owner: [{ session: [] }],
};

function toRequestBody(write: WriteSchema, row: Operation): JsonSchema {
  if (row.body === undefined && row.fileForm === undefined) return {};
  const content = {
    ...(row.body === undefined ? {} : { 'application/json': { schema: write(row.body, 'input') } }),
    ...(row.fileForm === undefined ? {} : { 'multipart/form-data': { schema: write(row.fileForm, 'input') } }),
  };
  return { requestBody: { required: row.bodyOptional !== true, content } };
}

function describeUse(row: Operation): string {
  const { readOnly, destructive, idempotent, openWorld } = row.hints;
  const again = readOnly || idempotent ? null : row.takesIdempotencyKey ? 'once with an Idempotency-Key' : 'again';
  return [
    ...(row.description === undefined ? [] : [row.description]),
    `For: ${describeCallers(row)}.`,
    ...(readOnly ? ['Changes nothing.'] : []),
    ...(destructive ? ['What was there before is replaced or removed.'] : []),
    ...(again === null ? [] : [`A call that is sent twice is done ${again}.`]),
    ...(openWorld ? ['A connected model may be asked.'] : []),
    ...(row.bodyLimitBytes === undefined ? [] : [`Its body may have ${row.bodyLimitBytes / 1024 ** 2} MiB.`]),
  ].join(' ');
}

/** The answer that a caller has already, by its ETag. */
const notModified = { description: 'The content is that of the ETag in If-None-Match', headers: listHeaders(304) };
const ifNoneMatch: JsonSchema = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what the caller has: where it is unchanged, the answer is a 304 without a body.',
  schema: string,
};

/** One operation of the document; the responses that it shares with others go to `responses`. */
function describeOperation(
  write: WriteSchema,
  name: string,
  row: Operation,
  responses: Record<string, JsonSchema>,
): JsonSchema {
  const errors: Record<string, JsonSchema> = {};
  for (const [status, codes] of groupErrorsByStatus(row)) {
    const response = [...(row.dialect === undefined ? [] : [row.dialect]), codes.join('-or-')].join('-');
    responses[response] ??= toErrorResponse(codes, status, row.dialect);
    errors[status] = { $ref: `#/components/responses/${response}` };
  }
  return {
    operationId: name,
    summary: row.summary,
    description: describeUse(row),
    tags: [row.tag],
    security: securityByAccess[row.access],
    parameters: [
      ...listParameters(write, row.params, 'path'),
      ...listParameters(write, row.query, 'query'),
      ...(row.takesIdempotencyKey ? [idempotencyKey] : []),
      ...(row.sendsETag ? [ifNoneMatch] : []),
      ...(row.guardsType && row.method !== 'GET' ? [ifMatch] : []),
    ],
    ...toRequestBody(write, row),
    responses: {
      [row.status]: {
        description: row.summary,
        headers: listHeaders(row.status, row),
        ...toContent(write, row),
      },
      ...(row.sendsETag ? { 304: notModified } : {}),
      ...errors,
    },
  };
}

/** Operations as an OpenAPI 3.1 document: every parameter, body, answer and error of every operation. */
export function makeOpenApi(
  { title, version }: { title: string; version: string },
  operations: readonly { name: string; row: Operation }[],
) {
  const { write, named } = createSchemaWriter();
  named.set('Error', write(errorEnvelopeSchema, 'output'));
  for (const schema of Object.values(dialectErrorSchemas)) write(schema, 'output');
  // The schema of the answer keeps its plain name, so it is written first.
  for (const { row } of operations) if (row.output !== null) write(row.output, 'output');
  const responses: Record<string, JsonSchema> = {};
  const paths: Record<string, JsonSchema> = {};
  for (const { name, row } of operations) {
    const path = toOpenApiPath(row);
    paths[path] ??= {};
    paths[path][row.method.toLowerCase()] = describeOperation(write, name, row, responses);
  }
  return {
    openapi: '3.1.0',
    info: { title, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    tags: [...new Set(operations.map(({ row }) => row.tag))].map((name) => ({ name })),
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
