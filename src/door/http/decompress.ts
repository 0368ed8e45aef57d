/** Bodies that zstd has compressed. */
import { zstdDecompressSync } from 'node:zlib';
import { WorkbenchError } from '../../engine/errors.ts';

/** Decompresses a body that is read on this thread. Throws `payload_too_large` or `bad_request`. */
export function decompress(body: Buffer, maxBytes: number): Buffer {
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
