import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import { WorkbenchError } from '../../engine/errors.ts';
import { listOperations } from '../contract/operations.ts';
import { docsPath, mcpPath, pagesPath } from '../contract/paths.ts';
import { pageSecurityPolicy } from '../contract/security-policy.ts';
import { readJsonBody } from '../hot-path/json-body.ts';
import type { Mcp } from '../mcp/endpoint.ts';
import type { Deps } from '../operations/context.ts';
import { toEnvelope, toWorkbenchError } from '../operations/envelope.ts';
import { operationHandlers } from '../operations/handlers.ts';
import { createRequestGuard, type RequestGuard } from './request-guard.ts';
import { registerOperations } from './rest.ts';
import { createUnknownRoutes } from './unknown-routes.ts';

/** The bounds of the listener. */
export const limits = {
  bodyBytes: 1024 * 1024,
  /** Of a tool call: as large as the examples that can be added. */
  toolBytes: 16 * 1024 * 1024,
  headersTimeoutMs: 5_000,
  /** How often connections are looked through for slow clients. */
  slowClientCheckMs: 1_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 72_000,
  connections: 256,
  /** Longer than an address can be: a wrong id is told as a wrong id, however long. */
  parameterLength: 16 * 1024,
} as const;

const printable = /^[\x21-\x7e][\x20-\x7e]{0,127}$/;

/** Makes the HTTP application on ready dependencies; it does not listen yet. */
export async function buildApp(
  deps: Deps,
  logger: NonNullable<FastifyServerOptions['loggerInstance']>,
): Promise<FastifyInstance> {
  const door = createRequestGuard(deps);
  // a line of the log names its request itself: a child logger for each request would only cost time
  const shared: typeof logger = Object.assign(Object.create(logger) as typeof logger, { child: () => shared });
  const app: FastifyInstance = fastify({
    loggerInstance: shared,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    trustProxy: false,
    routerOptions: { maxParamLength: limits.parameterLength },
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.slowClientCheckMs,
      maxHeaderSize: 16 * 1024,
      // a request without Host is refused by the guard, in the envelope
      requireHostHeader: false,
    },
    requestIdHeader: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && printable.test(given) ? given : deps.newId();
    },
    // an address that cannot be read has no route, and so no hooks: the door is here
    frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
      void (async () => door.enter(request, reply))().then(
        () => sendFault(error, request, reply),
        (refusal: unknown) => sendFault(refusal, request, reply),
      );
    },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return;
      const body = JSON.stringify(
        toEnvelope('bad_request', 'The request is not well-formed HTTP, or came too slowly.'),
      );
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    },
  });
  app.server.maxConnections = limits.connections;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, readJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  app.decorateRequest('caller', null);
  const unknown = createUnknownRoutes(listOperations().map(({ row }) => row));
  guard(app, deps, door, unknown.refuse);
  app.setErrorHandler(sendFault);
  app.setNotFoundHandler(unknown.refuse);
  unknown.closeShadowed(app);
  registerOperations(app, deps, operationHandlers);
  app.get('/openapi.json', async (_request, reply) => reply.redirect('/api/v1/openapi.json', 302));
  serveAgentTools(app, deps);
  serveDocs(app, deps);
  await servePages(app, deps.options.rendererDir);
  return app;
}

/** Every request passes the door; then the address must exist and be allowed to the caller. */
function guard(
  app: FastifyInstance,
  deps: Deps,
  door: RequestGuard,
  refuseUnknown: (request: FastifyRequest, reply: FastifyReply) => never,
): void {
  app.addHook('onListen', async () => {
    const address = app.server.address();
    if (typeof address === 'object' && address !== null) door.listensOn(address.port);
  });
  // hooks with `done`: a promise for each of them would cost every call more than what they do
  app.addHook('onRequest', (request, reply, done) => {
    const entered = door.enter(request, reply);
    if (entered === undefined) done();
    else entered.then(() => done(), done);
  });
  app.addHook('onRequest', (request, reply, done) => {
    // a person who opens the bare address wants the pages, a program the service record
    const wantsPages = request.url === '/' && request.headers.accept?.includes('text/html');
    if (wantsPages || request.url === '/app') {
      reply.redirect(pagesPath, 302);
      return;
    }
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      throw new WorkbenchError('unsupported_media_type', 'Compressed bodies are not accepted.');
    }
    if (request.is404) refuseUnknown(request, reply);
    done();
  });
  app.addHook('onRoute', (route) => {
    const access = route.config?.access;
    if (access === undefined) return;
    route.onRequest = (request, _reply, done) => {
      deps.auth.authorise(request.caller, access);
      done();
    };
  });
}

/** Any fault as the envelope; only what went wrong in the service is logged. */
function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toWorkbenchError(error);
  if (known.status >= 500) request.log.error({ err: error, requestId: request.id }, 'request failed');
  if (known.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  return reply
    .code(known.status)
    .type('application/json')
    .send(toEnvelope(known.code, known.message, known.details));
}

/** The interface as a readable page. */
function serveDocs(app: FastifyInstance, deps: Deps): void {
  app.get(docsPath, async (request, reply) => {
    const { docsSecurityPolicy, makeDocsPage } = await import('./docs-page.ts');
    reply.headers({ ...pageHeaders, 'content-security-policy': docsSecurityPolicy }).type('text/html; charset=utf-8');
    return makeDocsPage(deps.toolVersion, `http://${request.headers.host ?? request.host}`);
  });
}

/** The agent tools at one address. Their library is loaded with the first call, so that it costs the start nothing. */
function serveAgentTools(app: FastifyInstance, deps: Deps): void {
  let loaded: Promise<Mcp> | null = null;
  app.post(mcpPath, { config: { access: 'key' }, bodyLimit: limits.toolBytes }, async (request) => {
    const { caller } = request;
    if (caller === null) throw new Error('an authorised request has no caller');
    loaded ??= import('../mcp/endpoint.ts').then(({ createMcp }) => createMcp(deps));
    const mcp = await loaded;
    const baseUrl = `http://${request.headers.host ?? request.host}`;
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (typeof value === 'string' && name !== 'authorization') headers.set(name, value);
    }
    const message = new Request(`${baseUrl}${mcpPath}`, { method: 'POST', headers });
    return mcp.answer(message, request.body, { caller, requestId: request.id, baseUrl });
  });
  app.addHook('onClose', async () => {
    if (loaded !== null) await (await loaded).close();
  });
}

const pageHeaders = {
  'content-security-policy': pageSecurityPolicy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

const notBuilt =
  '<!doctype html><meta charset="utf-8"><title>Decision Workbench</title><p>The workbench is not built. Run <code>npm run build</code>, then reload. The service itself works.</p>';

/** The workbench's pages below /app/, with their own headers; a line that says how to build them where they are missing. */
async function servePages(app: FastifyInstance, rendererDir: string | null): Promise<void> {
  const built = rendererDir !== null && existsSync(path.join(rendererDir, 'index.html'));
  const files = built ? (await import('@fastify/static')).fastifyStatic : null;
  await app.register(
    async (scope) => {
      scope.addHook('onSend', async (_request, reply) => {
        reply.headers(pageHeaders);
      });
      if (files !== null && rendererDir !== null) {
        await scope.register(files, { root: rendererDir, wildcard: true, cacheControl: false, etag: true });
      } else {
        scope.get('/', async (_request, reply) => reply.type('text/html; charset=utf-8').send(notBuilt));
      }
    },
    { prefix: pagesPath.slice(0, -1) },
  );
}
