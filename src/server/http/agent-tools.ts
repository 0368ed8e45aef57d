import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mcpPath } from '../contract/paths.ts';
import type { Mcp } from '../mcp/endpoint.ts';
import type { Deps } from '../operations/context.ts';
import { LargeBody } from '../preparation/preparation.ts';
import { readLargeBody } from './large-bodies.ts';
import { listenerLimits } from './listener.ts';

/**
 * Serves the agent tools at `/mcp`. Their library is loaded with the first call, so that it costs the start nothing.
 */
export function serveAgentTools(app: FastifyInstance, deps: Deps): void {
  let loading: Promise<Mcp> | null = null;
  app.post(mcpPath, { config: { access: 'key' }, bodyLimit: listenerLimits.toolBodyBytes }, async (request) => {
    const { caller } = request;
    if (caller === null) throw new Error('An authorised request has no caller.');
    loading ??= import('../mcp/endpoint.ts').then(({ createMcp }) => createMcp(deps));
    const mcp = await loading;
    const baseUrl = `http://${request.headers.host ?? request.host}`;
    const { body } = request;
    const message = body instanceof LargeBody ? await readLargeBody(deps, request, body, null) : body;
    return mcp.answer(toWebRequest(request, baseUrl), message, { caller, requestId: request.id, baseUrl });
  });
  app.addHook('onClose', async () => {
    if (loading !== null) await (await loading).close();
  });
}

/** The request as the protocol's library reads it: without its body, which is read already, and without credentials. */
function toWebRequest(request: FastifyRequest, baseUrl: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && name !== 'authorization') headers.set(name, value);
  }
  return new Request(`${baseUrl}${mcpPath}`, { method: 'POST', headers });
}
