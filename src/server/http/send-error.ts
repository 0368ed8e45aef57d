import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkbenchError } from '../../engine/errors.ts';
import { BusyError } from '../errors/busy-error.ts';
import { toEnvelope, toWorkbenchError } from '../errors/envelope.ts';
import { dropUnreadBody, hasUnreadBody } from './unread-body.ts';

/** Answers any error with the envelope, after the rest of its body; only faults of the service are logged. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = toWorkbenchError(error);
  if (failure.status >= 500) request.log.error({ err: error, requestId: request.id }, 'request failed');
  if (failure instanceof BusyError) reply.header('retry-after', failure.retryAfterSeconds);
  if (failure.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  if (!hasUnreadBody(request.raw)) {
    sendEnvelope(failure, reply);
    return;
  }
  void dropUnreadBody(request.raw).then((isWhole) => {
    // The rest of this body would be taken for the next request.
    if (!isWhole) reply.header('connection', 'close');
    sendEnvelope(failure, reply);
  });
}

function sendEnvelope({ status, code, message, details }: WorkbenchError, reply: FastifyReply): void {
  reply
    .code(status)
    .type('application/json')
    .send(toEnvelope(code, message, details));
}
