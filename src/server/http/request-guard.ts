import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Connections } from '../../door/http/connections.ts';
import { mapMaybePromise } from '../../door/maybe-promise.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Authenticated } from '../auth/auth.ts';
import { toCallerId } from '../auth/caller.ts';
import { createRateLimiter } from '../auth/rate-limit.ts';
import { pagesPath } from '../contract/paths.ts';
import { writeNumber } from '../hot-path/write-number.ts';
import type { Deps } from '../operations/context.ts';
import { checkOutside, requireKey } from './outside.ts';

/**
 * Makes what every request passes: Host and Origin (outside: its key), caller, rate. `enter` sets headers and
 * `request.caller`; throws `forbidden`, `rate_limited` or `unavailable`.
 */
export function createRequestGuard(
  deps: Pick<Deps, 'auth' | 'clock' | 'folderWatch' | 'options'>,
  connections: Connections,
) {
  const { maxWrongCredentialsPerMinute, host, listen } = deps.options;
  const wrongCredentials = createRateLimiter(deps.clock);
  const admit = (authenticated: Authenticated | null, request: FastifyRequest, reply: FastifyReply): void => {
    if (authenticated === null) return;
    admitCaller(authenticated, request, reply);
    connections.noteCall(request.raw.socket, toCallerId(authenticated.caller));
  };
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
      // Answers hold keys, tokens and personal values; only the pages and their files may be kept by a browser.
      if (!request.url.startsWith(pagesPath)) reply.header('cache-control', 'no-store');
      if (connections.isClosing()) {
        reply.header('connection', 'close');
        throw new WorkbenchError('unavailable', 'The workbench is closing. Ask again when it runs.');
      }
      const isOutside = listen !== null && request.raw.socket.localAddress !== host;
      if (isOutside) checkOutside(request.headers);
      else checkOrigin(request.headers);
      if (request.method !== 'GET' && request.method !== 'HEAD') deps.folderWatch.checkWritable();
      const header = request.headers.authorization;
      if (header === undefined) return admit(null, request, reply);
      return mapMaybePromise(deps.auth.authenticate(header, request.raw.socket), (authenticated) => {
        if (isOutside) requireKey(authenticated);
        admit(authenticated, request, reply);
      });
    },
    /** Counts wrong credentials by address; returns `rate_limited` in the place of `unauthorized` past a limit. */
    limitGuesses(refusal: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
      if (!(refusal instanceof WorkbenchError) || refusal.code !== 'unauthorized') return refusal;
      // A credential stands in the header or, as a login code, in a body; a call without one guesses nothing.
      if (request.headers.authorization === undefined && request.body === undefined) return refusal;
      const { allowed, retryAfter } = wrongCredentials.take(request.ip, maxWrongCredentialsPerMinute);
      if (allowed) return refusal;
      reply.header('retry-after', retryAfter);
      return new WorkbenchError(
        'rate_limited',
        `More than ${maxWrongCredentialsPerMinute} wrong credentials came from this address within a minute.`,
      );
    },
  };
}

function admitCaller(authenticated: Authenticated, request: FastifyRequest, reply: FastifyReply): void {
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

type GuardedHeaders = {
  host?: string | undefined;
  origin?: string | string[] | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
};

/** Throws `forbidden` for requests that a foreign web page could have caused, by Host, Origin and fetch site. */
function createHostGuard(port: number): (headers: GuardedHeaders) => void {
  const hosts = new Set<string>();
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    hosts.add(`${name}:${port}`);
    if (port === 80) hosts.add(name);
  }
  return (headers) => {
    if (headers.host === undefined || !hosts.has(headers.host.toLowerCase())) {
      throw new WorkbenchError('forbidden', 'This Host is not served.');
    }
    const { origin } = headers;
    if (origin !== undefined) {
      const allowed = typeof origin === 'string' && origin.startsWith('http://') && hosts.has(origin.slice(7));
      if (!allowed) throw new WorkbenchError('forbidden', 'This Origin is not allowed.');
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new WorkbenchError('forbidden', 'Requests of other sites are not allowed.');
    }
  };
}
