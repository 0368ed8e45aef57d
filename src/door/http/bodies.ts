/** Bodies of JSON, as they came or compressed by zstd. */
import { zstdDecompressSync } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { WorkbenchError } from '../../engine/errors.ts';
import { readJsonBody } from '../../engine/strict-json/json-body.ts';
import { toWorkbenchError } from '../errors/envelope.ts';

/** Accepts bodies of JSON alone; one of more than `maxBytes` becomes what `keepLarge` makes of it. */
export function acceptJson(app: FastifyInstance, maxBytes: number, keepLarge?: (bytes: Buffer) => object): void {
  app.decorateRequest('lostDigits', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const isPlain = request.headers['content-encoding'] !== 'zstd';
      if (isPlain && keepLarge !== undefined && body.length > maxBytes) {
        done(null, keepLarge(body));
        return;
      }
      const bytes = isPlain ? body : decompress(body, maxBytes);
      const value = readJsonBody(bytes, undefined, (places) => {
        request.lostDigits = places;
      });
      done(null, value);
    } catch (error) {
      done(toWorkbenchError(error));
    }
  });
}

/** Throws `unsupported_media_type` for a compressed body, unless by zstd where a call takes that. */
export function refuseCompressed({ headers, routeOptions }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && !(encoding === 'zstd' && routeOptions.config.takesZstd))
    throw new WorkbenchError('unsupported_media_type', 'Compressed bodies are not accepted.');
}

/** Decompresses a body that is read on this thread. Throws `payload_too_large` or `bad_request`. */
function decompress(body: Buffer, maxBytes: number): Buffer {
  try {
    return zstdDecompressSync(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    const isTooLarge = cause instanceof RangeError;
    throw new WorkbenchError(
      isTooLarge ? 'payload_too_large' : 'bad_request',
      isTooLarge
        ? `Decompressed the body is larger than ${maxBytes / 1024} KiB. Send it uncompressed.`
        : 'The body is not what zstd has compressed.',
      undefined,
      { cause },
    );
  }
}
