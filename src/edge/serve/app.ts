/** The HTTP application of a served door. */
import { createHash, randomUUID } from 'node:crypto';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type ZodType, z } from 'zod';
import { answerBatch, answerDecide, readDecideBody } from '../../door/deciding/decide-calls.ts';
import type { Keeper } from '../../door/deciding/door.ts';
import { toWorkbenchError } from '../../door/errors/envelope.ts';
import { checkKey, toCallUnderWay, toReusedKey } from '../../door/errors/keyed-calls.ts';
import { toInvalidValue, toValidationError } from '../../door/errors/validation-error.ts';
import { askDecisions, askSystemone, listModels } from '../../door/formats/ask.ts';
import { acceptJson, refuseCompressed } from '../../door/http/bodies.ts';
import { createConnections } from '../../door/http/connections.ts';
import { type HttpLogger, refuseTunnels, toListenerOptions } from '../../door/http/listener.ts';
import { createQueryPartReader } from '../../door/http/read-query.ts';
import { sendError } from '../../door/http/send-error.ts';
import type { ServiceMetrics } from '../../door/service-metrics.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { decisionOperations } from '../../server/contract/deciding/decisions.ts';
import type { Dialect } from '../../server/contract/operation.ts';
import { type BundleDoor, describeFault } from './bundle-door.ts';
import { describeService } from './document.ts';
import type { Begun } from './receipts.ts';
import type { ServedBundle, ServiceLog } from './served-bundles.ts';

/** Counts and answers that the processes of a service share. */
export type Shared = {
  begin(key: string, request: string): Promise<Begun>;
  finish(key: string, answer: string | null): void;
  readMetrics(): Promise<string>;
};

type Parts = {
  bundles: ReadonlyMap<string, ServedBundle>;
  open: BundleDoor;
  metrics: ServiceMetrics;
  shared: Shared;
  log: ServiceLog;
  version: string;
};

const maxBodyBytes = 1024 * 1024;

/** Makes the application, which does not listen yet. */
export function buildService(parts: Parts): FastifyInstance {
  const { metrics, log } = parts;
  const app = fastify(toListenerOptions(toHttpLogger(log), randomUUID));
  const connections = createConnections();
  connections.watch(app.server);
  refuseTunnels(app.server);
  acceptJson(app, maxBodyBytes);
  app.setErrorHandler((error, request, reply) => {
    metrics.countRefusal(toWorkbenchError(error).code);
    sendError(error, request, reply);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    refuseCompressed(request);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    // Who has had an answer gives way after those who have not.
    connections.noteCall(request.raw.socket, request.ip);
    const { url = 'none' } = request.routeOptions;
    metrics.countRequest(url.replace('/api/v1', ''), reply.statusCode, reply.elapsedTime);
    done();
  });
  addDeciding(app, parts);
  addFormats(app, parts);
  addProbes(app, parts);
  refuseOthers(app);
  return app;
}

/** Fastify's log, of which only the faults matter here. */
function toHttpLogger(log: ServiceLog): HttpLogger {
  const ignore = () => undefined;
  const say = (facts: { err?: unknown }, text = '') => log.error(`${text} ${describeFault(facts.err ?? facts)}`.trim());
  const logger = { level: 'error', silent: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore };
  return { ...logger, error: say, fatal: say, child: () => toHttpLogger(log) };
}

/** Does a call, with an Idempotency-Key once: the same call again has the same answer. */
async function answerOnce<Answer>(
  { shared }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  run: (receipt: Keeper<Answer> | null) => Answer | Promise<Answer>,
): Promise<Answer | string> {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return run(null);
  checkKey(String(key));
  const facts = [request.url, request.headers['x-workbench-extras'] ?? '', request.body ?? null];
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  const begun = await shared.begin(String(key), digest);
  if (begun.state === 'reused') throw toReusedKey();
  if (begun.state === 'under-way') throw toCallUnderWay();
  if (begun.state === 'answered') {
    reply.header('idempotency-replayed', 'true').type('application/json; charset=utf-8');
    return begun.answer;
  }
  let kept: string | null = null;
  try {
    return await run({ keep: (answer) => (kept = JSON.stringify(answer)) });
  } finally {
    shared.finish(String(key), kept);
  }
}

function addDeciding(app: FastifyInstance, parts: Parts): void {
  const readDecideQuery = createReader(decisionOperations.decide.query);
  const readBatchQuery = createReader(decisionOperations['decide.batch'].query);
  const { deciding } = parts.open;
  // Where the workbench has them: a client of it needs another host alone.
  for (const prefix of ['', '/api/v1']) {
    app.post(`${prefix}/decide`, (request, reply) => {
      const query = readDecideQuery(request);
      if (query.explain) {
        const msg = 'the workbench explains decisions, by its examples; a bundle has none';
        throw toValidationError([toInvalidValue(['query', 'explain'], msg)]);
      }
      const call = toCall(request);
      const asked = readDecideBody(readBody(request));
      return answerOnce(parts, request, reply, (receipt) => answerDecide(deciding, asked, query, { ...call, receipt }));
    });
    app.post(`${prefix}/decide/batch`, (request, reply) => {
      const { dry_run: dryRun } = readBatchQuery(request);
      const [call, body] = [toCall(request), readBody(request)];
      return answerOnce(parts, request, reply, (receipt) => answerBatch(deciding, body, dryRun, { ...call, receipt }));
    });
  }
}

function addFormats(app: FastifyInstance, parts: Parts): void {
  const readQuery = createReader(z.strictObject({}));
  const add = <Kept>(
    dialect: Dialect,
    ask: (body: unknown, call: ReturnType<typeof toCall> & { receipt: Keeper<Kept> | null }) => Kept | Promise<Kept>,
  ): void => {
    app.post(`/v1/${dialect}`, { config: { dialect, takesZstd: true } }, (request, reply) => {
      readQuery(request);
      const [call, body] = [toCall(request), readBody(request)];
      return answerOnce<Kept>(parts, request, reply, (receipt) => ask(body, { ...call, receipt }));
    });
  };
  add('systemone', (body, call) => askSystemone(parts.open, body, call));
  add('decisions', (body, call) => askDecisions(parts.open, body, call));
  app.get('/v1/models', { config: { dialect: 'decisions' } }, async () =>
    listModels(
      [...parts.bundles.values()].map(({ name, opened: { info } }) => ({
        name,
        description: '',
        deployedAt: Date.parse(info.created_at),
      })),
    ),
  );
}

function addProbes(app: FastifyInstance, { bundles, shared, version }: Parts): void {
  const nameReleases = () =>
    [...bundles.values()].map(({ name, opened: { info } }) => ({
      decision_type: name,
      policy_version: info.policy_version,
      digest: info.digest,
    }));
  app.get('/health', async () => ({ status: 'ok', bundles: nameReleases() }));
  app.get('/ready', async () => {
    const named = nameReleases();
    const found = [...bundles.values()].map(({ file, problem, opened: { info } }, at) => ({
      ...named[at],
      file,
      bundle_digest: info.bundle_digest,
      problem,
    }));
    return { status: found.every(({ problem }) => problem === null) ? 'ready' : 'degraded', bundles: found };
  });
  app.get('/metrics', async (_, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return shared.readMetrics();
  });
  app.get('/openapi.json', async () =>
    describeService(
      [...bundles.values()].map(({ opened }) => opened),
      version,
    ),
  );
}

/** Answers at addresses and to methods that are not offered. */
function refuseOthers(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const methods = ['GET', 'POST'].filter((method) => app.hasRoute({ method, url: path }));
    if (methods.length === 0)
      throw new WorkbenchError('not_found', 'There is nothing at this address; GET /openapi.json lists what there is.');
    reply.header('allow', methods.join(', '));
    throw new WorkbenchError('method_not_allowed', `${request.method} is not offered here.`);
  });
}

const toCall = (request: FastifyRequest) => ({
  caller: null,
  requestId: request.id,
  lostDigits: request.lostDigits,
  sendsExtras: request.headers['x-workbench-extras'] !== 'off',
});

function readBody({ body }: FastifyRequest): unknown {
  if (body !== undefined) return body;
  throw toValidationError([{ type: 'missing', loc: ['body'], msg: 'a JSON body is required' }]);
}

function createReader<Query>(schema: ZodType<Query>): (request: FastifyRequest) => Query {
  const read = createQueryPartReader(schema);
  return ({ query: given }) => {
    const problems: ErrorDetail[] = [];
    const query = read(given, problems);
    if (query === undefined) throw toValidationError(problems);
    return query;
  };
}
