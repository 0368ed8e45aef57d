import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WorkbenchError } from '../../engine/errors.ts';
import { docsPath, mcpPath } from '../contract/paths.ts';

type Route = { method: string; path: string };

const otherRoutes: readonly Route[] = [
  { method: 'GET', path: '/openapi.json' },
  { method: 'GET', path: docsPath },
  { method: 'POST', path: mcpPath },
];

const countParameters = (path: string) => path.split('/:').length - 1;

/** Knows every served address. `refuse` throws `not_found` or `method_not_allowed`, before a body is parsed. */
export function createUnknownRoutes(operations: readonly Route[]) {
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
