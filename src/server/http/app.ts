import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { toWorkbenchError } from '../../door/errors/envelope.ts';
import { acceptJson, refuseCompressed } from '../../door/http/bodies.ts';
import { type Connections, createConnections } from '../../door/http/connections.ts';
import { type HttpLogger, refuseTunnels, toListenerOptions } from '../../door/http/listener.ts';
import { sendError } from '../../door/http/send-error.ts';
import { errorTable, WorkbenchError } from '../../engine/errors.ts';
import { listMethods } from '../contract/operation.ts';
import { listOperations } from '../contract/operations.ts';
import { docsPath, mcpPath, pagesPath } from '../contract/paths.ts';
import { pageSecurityPolicy } from '../contract/security-policy.ts';
import { shareLogger } from '../hot-path/share-logger.ts';
import type { Deps } from '../operations/context.ts';
import { LargeBody, maxLightBodyBytes } from '../preparation/preparation.ts';
import { serveAgentTools } from './agent-tools.ts';
import { createRequestGuard, type RequestGuard } from './request-guard.ts';
import { admitLargeBody, registerOperations } from './rest.ts';
import { sendWritten } from './send-written.ts';

const pageHeaders = {
  'content-security-policy': pageSecurityPolicy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

const notBuiltPage =
  '<!doctype html><meta charset="utf-8"><title>Decision Workbench</title><p>The workbench is not built. Run <code>npm run build</code>, then reload. The service itself works.</p>';

/** Serves the workbench's pages below `/app/`, or one that says how to build them; `/docs` leads to one of them. */
async function servePages(app: FastifyInstance, rendererDir: string | null): Promise<void> {
  app.get(docsPath, async (_request, reply) => reply.redirect(`${pagesPath}docs.html`));
  await app.register(
    async (scope) => {
      scope.addHook('onSend', async (_request, reply) => {
        reply.headers(pageHeaders);
      });
      if (rendererDir !== null && existsSync(path.join(rendererDir, 'index.html'))) {
        const { fastifyStatic } = await import('@fastify/static');
        await scope.register(fastifyStatic, {
          root: rendererDir,
          wildcard: true,
          cacheControl: false,
          etag: true,
          // The build puts compressed copies beside the files.
          preCompressed: true,
        });
      } else {
        for (const page of ['/', '/docs.html'])
          scope.get(page, async (_request, reply) => reply.type('text/html; charset=utf-8').send(notBuiltPage));
      }
    },
    { prefix: pagesPath.slice(0, -1) },
  );
}

type Route = { method: string; path: string };

const otherRoutes: readonly Route[] = [
  { method: 'GET', path: '/openapi.json' },
  { method: 'GET', path: docsPath },
  { method: 'POST', path: mcpPath },
];

const countParameters = (path: string) => path.split('/:').length - 1;

/** Knows every served address. `refuse` throws `not_found` or `method_not_allowed`, before a body is parsed. */
function createUnknownRoutes(operations: readonly Route[]) {
  const routes = [...operations, ...otherRoutes].map(({ method, path }) => ({
    method,
    path,
    parameters: countParameters(path),
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:[a-z_]+/g, '[^/]+')}$`),
  }));

  /** The methods at an address; `/examples/stats` is more exact than `/examples/:example_id` and wins. */
  function findMethods(pathname: string): string[] {
    const found = routes.filter(({ pattern }) => pattern.test(pathname));
    const fewest = Math.min(...found.map(({ parameters }) => parameters));
    return [...new Set(found.filter(({ parameters }) => parameters === fewest).map(({ method }) => method))];
  }

  function refuse(request: FastifyRequest, reply: FastifyReply): never {
    const methods = findMethods(request.url.split('?', 1)[0] ?? '/');
    if (methods.length === 0) throw new WorkbenchError('not_found', 'There is nothing at this address.');
    reply.header('allow', methods.join(', '));
    throw new WorkbenchError('method_not_allowed', `${request.method} is not offered here.`);
  }

  return {
    refuse,
    /** Closes what the router would open: `PATCH /examples/stats` is not the example with the id `stats`. */
    closeShadowed(app: FastifyInstance): void {
      const closed = new Set<string>();
      for (const exact of routes) {
        for (const wider of routes) {
          const key = `${wider.method} ${exact.path}`;
          if (wider.parameters <= exact.parameters || !wider.pattern.test(exact.path)) continue;
          if (closed.has(key) || findMethods(exact.path).includes(wider.method)) continue;
          closed.add(key);
          app.route({
            method: wider.method,
            url: exact.path,
            onRequest: async (request, reply) => refuse(request, reply),
            handler: refuse,
          });
        }
      }
    },
  };
}

/** Makes the HTTP application on ready dependencies; it does not listen yet. */
export async function buildApp(deps: Deps, logger: HttpLogger): Promise<FastifyInstance> {
  const connections = createConnections();
  const guard = createRequestGuard(deps, connections);
  const app = fastify({
    ...toListenerOptions(shareLogger(logger), deps.newId),
    frameworkErrors: answerUnreadableAddress(guard),
  });
  keepConnections(app, connections);
  app.addHook('preClose', async () => deps.events.close());
  acceptBodies(app);
  app.setErrorHandler((error, request, reply) => {
    const refusal = guard.limitGuesses(error, request, reply);
    deps.serviceMetrics.countRefusal(toWorkbenchError(refusal).code);
    sendError(refusal, request, reply);
  });
  app.addHook('onResponse', (request, reply, done) => {
    deps.serviceMetrics.countRequest(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime);
    done();
  });

  const unknownRoutes = createUnknownRoutes(
    listOperations().flatMap(({ row }) => listMethods(row).map((method) => ({ method, path: row.path }))),
  );
  app.setNotFoundHandler(unknownRoutes.refuse);
  admitRequests(app, guard);
  checkAddresses(app, unknownRoutes.refuse);
  authoriseRoutes(app, deps);
  unknownRoutes.closeShadowed(app);

  registerOperations(app, deps);
  app.get('/openapi.json', async (request, reply) => sendWritten(request, reply, await deps.openApi()));
  serveAgentTools(app, deps);
  await servePages(app, deps.options.rendererDir);
  return app;
}

/** Gives the connections their places, and ends them with the application, whatever their clients do. */
function keepConnections(app: FastifyInstance, connections: Connections): void {
  connections.watch(app.server);
  refuseTunnels(app.server);
  app.addHook('preClose', async () => connections.beginClosing());
  app.addHook('onClose', async () => connections.endClosing());
}

/** Fastify finds no route for an address that it cannot decode, and so runs no hooks: the guard is asked here. */
function answerUnreadableAddress(guard: RequestGuard) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    void (async () => guard.enter(request, reply))().then(
      () => sendError(error, request, reply),
      (refusal: unknown) => sendError(refusal, request, reply),
    );
  };
}

/** Accepts JSON and, where an operation takes a file, forms (else 415); large bodies stay bytes. */
function acceptBodies(app: FastifyInstance): void {
  acceptJson(app, maxLightBodyBytes, (bytes) => new LargeBody(bytes));
  app.addContentTypeParser<Buffer>('multipart/form-data', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.config.takesFile) done(null, new LargeBody(body, request.headers['content-type']));
    else done(new WorkbenchError('unsupported_media_type', errorTable.unsupported_media_type.meaning));
  });
}

function admitRequests(app: FastifyInstance, guard: RequestGuard): void {
  app.decorateRequest('caller', null);
  app.addHook('onListen', async () => {
    const address = app.server.address();
    if (typeof address === 'object' && address !== null) guard.listensOn(address.port);
  });
  // The hooks of every request call `done`: as `async` functions, and with a logger for each request, a decision took
  // 8 to 12% more processor time.
  app.addHook('onRequest', (request, reply, done) => {
    const entered = guard.enter(request, reply);
    if (entered === undefined) done();
    else entered.then(() => done(), done);
  });
}

/** Redirects people to the pages, and refuses compressed bodies and unknown addresses before a body is read. */
function checkAddresses(
  app: FastifyInstance,
  refuseUnknown: (request: FastifyRequest, reply: FastifyReply) => never,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    // A person who opens the bare address wants the pages, a program wants the service record.
    const wantsPages = request.url === '/' && request.headers.accept?.includes('text/html');
    if (wantsPages || request.url === '/app') {
      reply.redirect(pagesPath, 302);
      return;
    }
    refuseCompressed(request);
    if (request.is404) refuseUnknown(request, reply);
    done();
  });
}

/** Gives every route that states who may call it the check of its caller and the admission of its large bodies. */
function authoriseRoutes(app: FastifyInstance, deps: Deps): void {
  app.addHook('onRoute', (route) => {
    const { access, scope } = route.config ?? {};
    if (access === undefined) return;
    route.onRequest = (request, reply, done) => {
      deps.auth.authorise(request.caller, access, scope);
      admitLargeBody(deps, request, reply);
      done();
    };
  });
}
