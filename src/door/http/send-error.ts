import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkbenchError } from '../../engine/errors.ts';
import { BusyError } from '../errors/busy-error.ts';
import { toDialectError } from '../errors/dialect-errors.ts';
import { toEnvelope, toWorkbenchError } from '../errors/envelope.ts';

/** Answers any error in the envelope or the route's own format, after its body; only faults are logged. */
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

/** How much of a body is read, and for how long, only so that its sender reads the answer. */
const drainLimits = { bytes: 80 * 1024 * 1024, timeoutMs: 5_000 } as const;

function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.readableEnded || request.destroyed) return false;
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
}

/** Drops the rest of a body and says whether it ended: many clients read an answer only when all is sent. */
function dropUnreadBody(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let leftBytes: number = drainLimits.bytes;
    const finish = (isWhole: boolean) => {
      clearTimeout(timer);
      request.off('data', count).off('end', reachEnd).off('close', giveUp).off('error', giveUp);
      if (!isWhole) request.pause();
      resolve(isWhole);
    };
    const reachEnd = () => finish(true);
    const giveUp = () => finish(false);
    const count = (chunk: Buffer) => {
      leftBytes -= chunk.length;
      if (leftBytes < 0) giveUp();
    };
    const timer = setTimeout(giveUp, drainLimits.timeoutMs).unref();
    request.on('data', count).once('end', reachEnd).once('close', giveUp).once('error', giveUp);
    request.resume();
  });
}
