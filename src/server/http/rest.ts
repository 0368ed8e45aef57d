/** The binding between the operation table and the HTTP framework. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { parsePart } from '../../door/errors/parse-part.ts';
import { refuseProblems } from '../../door/errors/validation-error.ts';
import { createQueryPartReader, takeValue } from '../../door/http/read-query.ts';
import { mapMaybePromise } from '../../door/maybe-promise.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { isJsonObject } from '../../engine/json.ts';
import { type Caller, toCallerId } from '../auth/caller.ts';
import { preparedOperations } from '../contract/examples/examples.ts';
import { listMethods, type Operation } from '../contract/operation.ts';
import { listOperations, type OperationName } from '../contract/operations.ts';
import { toFolderPaths } from '../data-folder/folder.ts';
import { type Deps, isDownload } from '../operations/context.ts';
import { runOperation } from '../operations/run-operation.ts';
import { LargeBody, maxLightBodyBytes, WrittenAnswer } from '../preparation/preparation.ts';
import { SpilledForm, spillForm } from '../preparation/spilled-form.ts';
import type { Receipt, Receipts } from '../services/receipts.ts';
import { hasContent, sendWritten } from './send-written.ts';

type PreparationDeps = Pick<Deps, 'preparation'>;

const findCallerId = ({ caller, ip }: FastifyRequest) => (caller === null ? ip : toCallerId(caller));

/**
 * Takes room for a large body before it is read, until the request is answered or its client is gone; throws
 * `rate_limited` or `unavailable` if there is none. One without an announced length counts as the largest allowed.
 */
export function admitLargeBody(deps: PreparationDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const announced = encoding === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY;
  if (announced <= maxLightBodyBytes) return;
  const { bodyLimit, config } = request.routeOptions;
  const weightBytes = Math.min(announced, config.spillsUpToBytes ?? bodyLimit);
  reply.raw.once('close', deps.preparation.admit(findCallerId(request), weightBytes));
}

/** Checks a large body in another process, by its operation's schema if any; throws what is wrong. */
export async function readLargeBody(
  deps: PreparationDeps,
  request: FastifyRequest,
  { bytes }: LargeBody,
  operation: OperationName | null,
): Promise<unknown> {
  const order = { bytes, operation };
  const { problems, lostDigits } = await deps.preparation.run(findCallerId(request), 'checkBody', order);
  refuseProblems(problems);
  request.lostDigits = lostDigits;
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** Lets the forms of a scope's routes be written to files as they come, up to some bytes. */
function spillForms(
  scope: FastifyInstance,
  { options, newId }: Pick<Deps, 'options' | 'newId'>,
  maxBytes: number,
): FastifyInstance {
  scope.removeContentTypeParser('multipart/form-data');
  scope.addContentTypeParser('multipart/form-data', (request: FastifyRequest, body: Readable) => {
    const gone = new AbortController();
    request.raw.socket.once('close', () => gone.abort());
    const contentType = request.headers['content-type'] ?? '';
    const folder = toFolderPaths(options.dataDir).imports;
    return spillForm(body, { folder, id: newId(), contentType, maxBytes, signal: gone.signal });
  });
  return scope;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, or null; set before any route runs. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    access?: Operation['access'];
    scope?: Operation['scope'];
    takesFile?: boolean;
    spillsUpToBytes?: number;
  }
}

const isPrepared: ReadonlySet<string> = new Set(preparedOperations);

/** Registers a route for each operation: its request is read by the contract's schemas, its answer sent as they say. */
export function registerOperations(app: FastifyInstance, deps: Deps): void {
  for (const { name, row } of listOperations()) {
    const readRequest = createRequestReader(row);
    const answer = (request: FastifyRequest, reply: FastifyReply) => {
      const { params, query, body } = readRequest(request);
      const run = (receipt: Receipt | null) => {
        const parts = {
          params,
          query,
          body,
          caller: request.caller,
          lostDigits: request.lostDigits,
          receipt,
          ifMatch: row.guardsType ? (request.headers['if-match'] ?? null) : null,
          sendsExtras: row.dialect !== undefined && request.headers['x-workbench-extras'] !== 'off',
          requestId: request.id,
          baseUrl: `http://${request.headers.host ?? request.host}`,
        };
        return mapMaybePromise(runOperation(deps, name, row, parts), (outcome) =>
          sendAnswer(request, reply, row, outcome),
        );
      };
      if (!row.takesIdempotencyKey || request.headers[keyHeader] === undefined) return run(null);
      return answerOnce(deps.receipts, request, reply.code(row.status), run);
    };
    const route: RouteOptions = {
      method: listMethods(row),
      url: row.path,
      ...(row.bodyLimitBytes === undefined ? {} : { bodyLimit: row.bodyLimitBytes }),
      config: {
        access: row.access,
        scope: row.scope,
        takesFile: row.fileForm !== undefined,
        ...(row.spillsUpToBytes === undefined ? {} : { spillsUpToBytes: row.spillsUpToBytes }),
        takesZstd: row.takesZstd === true,
        dialect: row.dialect,
      },
      handler: (request, reply) => {
        const { body } = request;
        if (!(body instanceof LargeBody) || isPrepared.has(name)) return answer(request, reply);
        return readLargeBody(deps, request, body, name).then((value) => {
          request.body = value;
          return answer(request, reply);
        });
      },
    };
    if (row.spillsUpToBytes === undefined) app.route(route);
    else app.register(async (scope) => void spillForms(scope, deps, row.spillsUpToBytes ?? 0).route(route));
  }
}

type RequestParts = { params: unknown; query: unknown; body: unknown };
type PartReader = (request: FastifyRequest, problems: ErrorDetail[]) => unknown;

const nothing = Object.freeze({});

/** Makes the reader of an operation's requests; it throws `validation_error` with the problems of all parts. */
function createRequestReader(row: Operation): (request: FastifyRequest) => RequestParts {
  const { params: paramsSchema } = row;
  const readParams: PartReader =
    paramsSchema === undefined
      ? () => nothing
      : (request, problems) => takeValue(parsePart(paramsSchema, request.params, 'path'), problems);
  const readQuery = createQueryPartReader(row.query);
  const readBody = createBodyPartReader(row);
  return (request) => {
    const problems: ErrorDetail[] = [];
    const params = readParams(request, problems);
    const query = readQuery(request.query, problems) ?? nothing;
    const body = readBody(request, problems);
    if (problems.length > 0) throw new WorkbenchError('validation_error', 'Request validation failed.', problems);
    return { params, query, body };
  };
}

function createBodyPartReader({ body: schema, bodyOptional, decides, spillsUpToBytes }: Operation): PartReader {
  if (spillsUpToBytes !== undefined)
    return ({ body }, problems) => {
      if (body instanceof SpilledForm) return body;
      problems.push({ type: 'missing', loc: ['body', 'file'], msg: 'send a form (multipart/form-data) with a file' });
      return undefined;
    };
  if (schema === undefined) {
    return ({ body }, problems) => {
      const isEmpty = typeof body === 'object' && body !== null && Object.keys(body).length === 0;
      if (body !== undefined && !isEmpty) {
        problems.push({ type: 'unrecognized_keys', loc: ['body'], msg: 'this operation takes no body' });
      }
      return undefined;
    };
  }
  return ({ body = bodyOptional ? {} : undefined }, problems) => {
    if (body === undefined) {
      problems.push({ type: 'missing', loc: ['body'], msg: 'a JSON body is required' });
      return undefined;
    }
    return decides || body instanceof LargeBody ? body : takeValue(parsePart(schema, body, 'body'), problems);
  };
}

function sendAnswer(request: FastifyRequest, reply: FastifyReply, row: Operation, answer: unknown): unknown {
  reply.code(row.status);
  if (isDownload(answer)) {
    reply.header('content-type', answer.contentType);
    if (answer.fileName !== undefined) {
      const fileName = answer.fileName.replace(/[^A-Za-z0-9._-]/g, '_');
      reply.header('content-disposition', `attachment; filename="${fileName}"`);
    }
    if (answer.etag !== undefined) {
      const etag = `"${answer.etag}"`;
      reply.header('etag', etag);
      if (hasContent(request, etag)) return reply.code(304).send();
    }
    if (answer.body instanceof Uint8Array) {
      reply.header('repr-digest', `sha-256=:${createHash('sha256').update(answer.body).digest('base64')}:`);
    }
    return reply.send(answer.body);
  }
  if (row.guardsType && isJsonObject(answer) && typeof answer['etag'] === 'string')
    reply.header('etag', answer['etag']);
  if (answer instanceof WrittenAnswer) return sendWritten(request, reply, answer);
  return row.output === null ? reply.send() : answer;
}

const keyHeader = 'idempotency-key';

/** Does a call with an Idempotency-Key by `run`, or replays its answer. Rejects as `Receipts.begin`. */
async function answerOnce<Answer>(
  receipts: Receipts,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (receipt: Receipt) => Answer | Promise<Answer>,
): Promise<Answer | string> {
  const { caller, method, url, body } = request;
  if (caller === null) throw new Error('An authorised request has no caller.');
  const begun = receipts.begin(caller, { key: String(request.headers[keyHeader]), method, url, body });
  if ('answer' in begun) {
    reply.header('idempotency-replayed', 'true');
    reply.type('application/json; charset=utf-8');
    return begun.answer;
  }
  try {
    return await run(begun.receipt);
  } finally {
    begun.receipt.finish();
  }
}
