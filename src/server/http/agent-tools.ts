/** The agent tools over HTTP. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Caller } from '../auth/caller.ts';
import { mcpPath } from '../contract/paths.ts';
import type { Mcp } from '../mcp/endpoint.ts';
import type { Deps } from '../operations/context.ts';
import { LargeBody } from '../preparation/preparation.ts';
import { loadOnce } from '../process/load-once.ts';
import { readLargeBody } from './rest.ts';

/** Serves the agent tools at `/mcp`; their library is loaded with the first call. */
export function serveAgentTools(app: FastifyInstance, deps: Deps): void {
  let opened: Mcp | null = null;
  const load = loadOnce(async () => {
    const { createMcp } = await import('../mcp/endpoint.ts');
    opened = createMcp(deps);
    return opened;
  });
  app.post(mcpPath, { config: { access: 'key' } }, async (request) => {
    const { caller } = request;
    if (caller === null) throw new Error('An authorised request has no caller.');
    const mcp = await load();
    const baseUrl = `http://${request.headers.host ?? request.host}`;
    const { body } = request;
    const message = body instanceof LargeBody ? await readLargeBody(deps, request, body, null) : body;
    const countCall = createCallCounter(deps, caller);
    const { lostDigits } = request;
    const call = { caller, requestId: request.id, baseUrl, countCall, lostDigits };
    return mcp.answer(toWebRequest(request, baseUrl), message, call);
  });
  app.addHook('onClose', async () => {
    await opened?.close();
  });
}

/** Counts each further tool call of a JSON-RPC batch as a call of the key. Throws `rate_limited`. */
function createCallCounter({ auth }: Pick<Deps, 'auth'>, caller: Caller): () => void {
  let isCounted = true;
  return () => {
    const rate = isCounted ? null : auth.countFurtherCall(caller);
    isCounted = false;
    if (rate === null || rate.allowed) return;
    throw new WorkbenchError(
      'rate_limited',
      `The key's limit of ${rate.limit} requests per minute is reached. Call again in ${rate.retryAfter} s.`,
    );
  };
}

/** The request as the protocol's library reads it: without its body, which is read already, and without credentials. */
function toWebRequest(request: FastifyRequest, baseUrl: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && name !== 'authorization') headers.set(name, value);
  }
  return new Request(`${baseUrl}${mcpPath}`, { method: 'POST', headers });
}
