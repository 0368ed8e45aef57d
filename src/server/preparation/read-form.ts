/** Forms with a file, as any client writes them. */
import { toInvalidValue, toValidationError } from '../../door/errors/validation-error.ts';

/** The parser of the runtime finds a boundary wherever its letters stand; a file hardly holds so many. */
const minBoundaryLength = 24;
const filling = '-made-longer-so-that-no-file-holds-it';

/** Reads a multipart/form-data body; rejects any other with `validation_error`. */
export async function readForm(bytes: Uint8Array, contentType: string): Promise<FormData> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  const isLong = boundary === undefined || boundary.length >= minBoundaryLength;
  const body = isLong ? Buffer.from(bytes) : lengthenBoundary(Buffer.from(bytes), boundary);
  const type = isLong ? contentType : `multipart/form-data; boundary="${boundary}${filling}"`;
  return new Response(body, { headers: { 'content-type': type } }).formData().catch(() => {
    const problem = 'the body is not multipart/form-data; let your HTTP client write it';
    throw toValidationError([toInvalidValue(['body', 'file'], problem)]);
  });
}

/** Writes a longer boundary wherever a line begins with the given one. */
function lengthenBoundary(body: Buffer, boundary: string): Buffer<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const line = `\r\n--${boundary}`;
  let copied = 0;
  let end = body.indexOf(`--${boundary}`) === 0 ? boundary.length + 2 : 0;
  while (end > copied) {
    parts.push(body.subarray(copied, end), Buffer.from(filling));
    copied = end;
    const next = body.indexOf(line, copied);
    end = next < 0 ? 0 : next + line.length;
  }
  return Buffer.concat([...parts, body.subarray(copied)]);
}
