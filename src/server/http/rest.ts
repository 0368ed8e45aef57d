import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Caller } from '../auth/caller.ts';
import { rawBodyOperations } from '../contract/decisions.ts';
import type { Operation, ParsedRequest } from '../contract/operation.ts';
import { listOperations, type OperationName } from '../contract/operations.ts';
import type { Deps, Download } from '../operations/context.ts';
import type { OperationHandlers } from '../operations/handlers.ts';
import { createQueryReader, parsePart } from './request-parsing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, or null; set before any route runs. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    access?: Operation['access'];
  }
}

/** What the adapter needs of a handler, whatever its operation. */
type AnyHandler = (
  deps: Deps,
  request: {
    params: unknown;
    query: unknown;
    body: unknown;
    caller: Caller | null;
    requestId: string;
    baseUrl: string;
  },
) => unknown;

/** Makes a route of every row of the operation table. */
export function registerOperations(app: FastifyInstance, deps: Deps, handlers: OperationHandlers): void {
  for (const { name, row } of listOperations()) {
    const handler = handlers[name] as AnyHandler;
    const read = createReader(name, row);
    app.route({
      method: row.method,
      url: row.path,
      ...(row.bodyLimitBytes === undefined ? {} : { bodyLimit: row.bodyLimitBytes }),
      config: { access: row.access },
      handler: (request, reply) => {
        const { params, query, body } = read(request);
        const result = handler(deps, {
          params,
          query,
          body,
          caller: request.caller,
          requestId: request.id,
          baseUrl: `http://${request.headers.host ?? request.host}`,
        });
        if (result instanceof Promise) return result.then((awaited) => answer(reply, row, awaited));
        return answer(reply, row, result);
      },
    });
  }
}

const nothing = Object.freeze({});

function createReader(
  name: OperationName,
  row: Operation,
): (request: FastifyRequest) => { params: unknown; query: unknown; body: unknown } {
  const readQuery = row.query === undefined ? null : createQueryReader(row.query);
  const emptyQuery = row.query?.safeParse({});
  return (request) => {
    const problems: unknown[] = [];
    const take = <T>(parsed: { ok: true; value: T } | { ok: false; problems: unknown[] }): T | undefined => {
      if (parsed.ok) return parsed.value;
      problems.push(...parsed.problems);
      return undefined;
    };
    const params = row.params === undefined ? nothing : take(parsePart(row.params, request.params, 'path'));
    const given = request.query as Record<string, unknown>;
    const hasQuery = Object.keys(given).length > 0;
    let query: unknown = nothing;
    if (row.query !== undefined && readQuery !== null) {
      query =
        !hasQuery && emptyQuery?.success ? emptyQuery.data : take(parsePart(row.query, readQuery(given), 'query'));
    } else if (hasQuery) {
      for (const key of Object.keys(given)) {
        problems.push({ type: 'unrecognized_keys', loc: ['query', key], msg: `unknown parameter: ${key}` });
      }
    }
    let body: unknown = request.body;
    if (row.body === undefined) {
      const empty = typeof body === 'object' && body !== null && Object.keys(body).length === 0;
      if (body !== undefined && !empty) {
        problems.push({ type: 'unrecognized_keys', loc: ['body'], msg: 'this operation takes no body' });
      }
      body = undefined;
    } else if (body === undefined && !row.bodyOptional) {
      problems.push({ type: 'missing', loc: ['body'], msg: 'a JSON body is required' });
    } else if (!rawBodyOperations.has(name)) {
      body = take(parsePart(row.body, body === undefined ? {} : body, 'body'));
    }
    if (problems.length > 0) throw new WorkbenchError('validation_error', 'Request validation failed', problems);
    return { params, query, body } satisfies { [K in keyof ParsedRequest<Operation>]: unknown };
  };
}

function isDownload(result: unknown): result is Download {
  return typeof result === 'object' && result !== null && 'download' in result && result.download === true;
}

function answer(reply: FastifyReply, row: Operation, result: unknown): unknown {
  reply.code(row.status);
  if (isDownload(result)) {
    reply.header('content-type', result.contentType);
    reply.header('content-disposition', `attachment; filename="${result.fileName.replace(/[^A-Za-z0-9._-]/g, '_')}"`);
    return reply.send(result.body);
  }
  if (row.output === null) return reply.send();
  return result;
}
