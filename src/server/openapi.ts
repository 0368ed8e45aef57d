import { z } from 'zod';
import { errorTable } from '../engine/errors.ts';
import { errorEnvelopeSchema } from './contract/common.ts';
import type { Operation } from './contract/operation.ts';
import { listOperations } from './contract/operations.ts';

type JsonSchema = Record<string, unknown>;

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): JsonSchema[] {
  if (schema === undefined) return [];
  const { properties, required } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || (required ?? []).includes(name),
    schema: field,
  }));
}

function responsesOf(row: Operation): JsonSchema {
  const content =
    row.output !== null
      ? { 'application/json': { schema: schemaOf(row.output, 'output') } }
      : row.produces === undefined
        ? undefined
        : Object.fromEntries(row.produces.split(', ').map((type) => [type, { schema: {} }]));
  return {
    [row.status]: { description: row.summary, ...(content === undefined ? {} : { content }) },
    default: {
      description: 'An error',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  };
}

/** The operation table as an OpenAPI 3.1 document. */
export function makeOpenApi(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { name, row } of listOperations()) {
    const path = row.path.replace(/:([a-z_]+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][row.method.toLowerCase()] = {
      operationId: name,
      summary: row.summary,
      tags: [row.tag],
      security:
        row.access === 'public' ? [] : row.access === 'key' ? [{ apiKey: [] }, { session: [] }] : [{ session: [] }],
      parameters: [...parametersOf(row.params, 'path'), ...parametersOf(row.query, 'query')],
      ...(row.body === undefined
        ? {}
        : {
            requestBody: {
              required: row.bodyOptional !== true,
              content: { 'application/json': { schema: schemaOf(row.body, 'input') } },
            },
          }),
      responses: responsesOf(row),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Decision Workbench', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas: { Error: schemaOf(errorEnvelopeSchema, 'output') },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key: 64 hexadecimal characters' },
        session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
    'x-errors': Object.entries(errorTable).map(([code, row]) => ({ code, ...row })),
  };
}
