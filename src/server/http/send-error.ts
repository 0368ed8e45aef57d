import type { FastifyReply, FastifyRequest } from 'fastify';
import { toEnvelope, toWorkbenchError } from '../errors/envelope.ts';

/** Answers any error with the error envelope; only what went wrong inside the service is logged. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, code, message, details } = toWorkbenchError(error);
  if (status >= 500) request.log.error({ err: error, requestId: request.id }, 'request failed');
  if (code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .type('application/json')
    .send(toEnvelope(code, message, details));
}
