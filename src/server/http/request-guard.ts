import type { FastifyReply, FastifyRequest } from 'fastify';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Authenticated } from '../auth/auth.ts';
import { createHostGuard } from '../auth/host-guard.ts';
import type { Deps } from '../operations/context.ts';

/**
 * What every request passes, also one without a route: Host and Origin first, then who calls, then the rate limit.
 * `enter` sets the headers that every answer has and `request.caller`; it throws `forbidden` or `rate_limited`.
 */
export function createRequestGuard(deps: Pick<Deps, 'auth'>) {
  // requests that are injected, not received, carry the standard port
  let check = createHostGuard(80);
  return {
    listensOn(port: number): void {
      check = createHostGuard(port);
    },
    /** Done when it returns, or with the promise where credentials need looking up. */
    enter(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
      reply.header('x-request-id', request.id);
      reply.header('x-content-type-options', 'nosniff');
      reply.header('cross-origin-resource-policy', 'same-origin');
      check(request.headers);
      const header = request.headers.authorization;
      if (header === undefined) return undefined;
      const found = deps.auth.authenticate(header, request.raw.socket);
      if (found instanceof Promise) return found.then((authenticated) => admit(authenticated, request, reply));
      return admit(found, request, reply);
    },
  };
}

function admit(authenticated: Authenticated | null, request: FastifyRequest, reply: FastifyReply): void {
  if (authenticated === null) return;
  request.caller = authenticated.caller;
  const { rate } = authenticated;
  if (rate === null) return;
  reply.header('x-ratelimit-limit', rate.limit);
  // not as a number: V8 keeps each number that becomes a text, and there is another one with every call
  reply.header('x-ratelimit-remaining', JSON.stringify(rate.remaining));
  reply.header('x-ratelimit-reset', rate.resetAt);
  if (rate.allowed) return;
  reply.header('retry-after', rate.retryAfter);
  throw new WorkbenchError('rate_limited', `The key's limit of ${rate.limit} requests per minute is reached.`);
}

export type RequestGuard = ReturnType<typeof createRequestGuard>;
