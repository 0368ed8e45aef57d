import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkbenchError } from '../../engine/errors.ts';
import { BusyError } from '../errors/busy-error.ts';
import { toDialectError } from '../errors/dialect-errors.ts';
import { toEnvelope, toWorkbenchError } from '../errors/envelope.ts';
import { dropUnreadBody, hasUnreadBody } from './unread-body.ts';

/**
 * Answers any error with the envelope, or in the shape of the route's own format, after the rest of its body; only
 * faults of the service are logged.
 */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = toWorkbenchError(error);
  if (failure.status >= 500) request.log.error({ err: error, requestId: request.id }, 'request failed');
  if (failure instanceof BusyError) reply.header('retry-after', failure.retryAfterSeconds);
  if (failure.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  const { dialect } = request.routeOptions.config;
  const { status, body } =
    dialect === undefined ? { status: failure.status, body: toOwn(failure) } : toDialectError(dialect, failure);
  const send = () => void reply.code(status).type('application/json').send(body);
  if (!hasUnreadBody(request.raw)) {
    send();
    return;
  }
  void dropUnreadBody(request.raw).then((isWhole) => {
    // The rest of this body would be taken for the next request.
    if (!isWhole) reply.header('connection', 'close');
    send();
  });
}

const toOwn = ({ code, message, details }: WorkbenchError) => toEnvelope(code, message, details);
