import type { FastifyReply, FastifyRequest } from 'fastify';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Authenticated } from '../auth/auth.ts';
import { createHostGuard } from '../auth/host-guard.ts';
import { mapMaybePromise } from '../hot-path/maybe-promise.ts';
import { writeNumber } from '../hot-path/write-number.ts';
import type { Deps } from '../operations/context.ts';

/**
 * What every request passes, also one without a route: Host and Origin first, then who calls, then the rate limit.
 * `enter` sets the headers that every answer has, and `request.caller`; it throws `forbidden` or `rate_limited`, and
 * `unavailable` for what could write while the data folder is gone.
 */
export function createRequestGuard(deps: Pick<Deps, 'auth' | 'folderWatch'>) {
  // Requests that are injected, not received, carry the standard port.
  let checkOrigin = createHostGuard(80);
  return {
    listensOn(port: number): void {
      checkOrigin = createHostGuard(port);
    },
    /** Done when it returns, or with the promise where credentials need looking up. */
    enter(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
      reply.header('x-request-id', request.id);
      reply.header('x-content-type-options', 'nosniff');
      reply.header('cross-origin-resource-policy', 'same-origin');
      checkOrigin(request.headers);
      if (request.method !== 'GET' && request.method !== 'HEAD') deps.folderWatch.checkWritable();
      const header = request.headers.authorization;
      if (header === undefined) return undefined;
      return mapMaybePromise(deps.auth.authenticate(header, request.raw.socket), (authenticated) =>
        admitCaller(authenticated, request, reply),
      );
    },
  };
}

function admitCaller(authenticated: Authenticated | null, request: FastifyRequest, reply: FastifyReply): void {
  if (authenticated === null) return;
  request.caller = authenticated.caller;
  const { rate } = authenticated;
  if (rate === null) return;
  reply.header('x-ratelimit-limit', rate.limit);
  // Another number with every call.
  reply.header('x-ratelimit-remaining', writeNumber(rate.remaining));
  reply.header('x-ratelimit-reset', rate.resetAt);
  if (rate.allowed) return;
  reply.header('retry-after', rate.retryAfter);
  throw new WorkbenchError('rate_limited', `The key's limit of ${rate.limit} requests per minute is reached.`);
}

export type RequestGuard = ReturnType<typeof createRequestGuard>;
