/** The unread rest of a request's body once its answer is known. */
import type { IncomingMessage } from 'node:http';

/** How much of a body is read, and for how long, only so that its sender reads the answer. */
const drainLimits = { bytes: 80 * 1024 * 1024, timeoutMs: 5_000 } as const;

/** Whether the client may still be sending a body. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.readableEnded || request.destroyed) return false;
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
}

/**
 * Drops the rest of a body and resolves with whether its end came: many clients (urllib, fetch) read an answer only
 * when their whole body is sent.
 */
export function dropUnreadBody(request: IncomingMessage): Promise<boolean> {
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
