/** Answers whose bytes are written already. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WrittenAnswer } from '../preparation/preparation.ts';

/** Whether If-None-Match names the content, which is compared weakly. */
export function hasContent({ headers }: FastifyRequest, etag: string): boolean {
  const named = (headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return named.includes(etag) || named.includes('*');
}

const takesGzip = /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/;

/** Sends the bytes, as JSON unless the type is set; of kept ones only what the caller does not have, compressed. */
export function sendWritten(request: FastifyRequest, reply: FastifyReply, { bytes, kept }: WrittenAnswer): unknown {
  if (!reply.hasHeader('content-type')) reply.type('application/json; charset=utf-8');
  if (kept === null) return reply.send(bytes);
  reply.headers({ etag: kept.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (hasContent(request, kept.etag)) return reply.code(304).send();
  if (!takesGzip.test(request.headers['accept-encoding'] ?? '')) return reply.send(bytes);
  return reply.header('content-encoding', 'gzip').send(kept.gzip);
}
