/** Failures at the border of the server: anything that was thrown, as a WorkbenchError, and its form on the wire. */
import { type ErrorCode, errorTable, WorkbenchError } from '../../engine/errors.ts';
import type { ErrorEnvelope } from '../../server/contract/common.ts';

/** Returns the wire form of an error; without `details` the field is absent. */
export function toEnvelope(code: ErrorCode, message: string, details?: unknown[]): ErrorEnvelope {
  return { error: details === undefined ? { code, message } : { code, message, details } };
}

type Coded = { code?: unknown; statusCode?: unknown; message?: unknown };

const diskFull: [ErrorCode, string] = ['unavailable', 'The disk is full; nothing was changed.'];

/** Codes of Fastify, SQLite and the file system that callers can do something about. */
const knownCodes: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', errorTable.unsupported_media_type.meaning],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', errorTable.payload_too_large.meaning],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body has another length than announced.'],
  FST_ERR_BAD_URL: ['bad_request', 'The address is not well formed.'],
  // Of what a trigger refuses, by what it says: any other is a fault.
  'SQLITE_CONSTRAINT_TRIGGER: pinned': [
    'conflict',
    'This type asks for four eyes, so its pinned cases stay as they are: let two switch `publish_by_another` off first.',
  ],
  SQLITE_FULL: diskFull,
  ENOSPC: diskFull,
  EDQUOT: diskFull,
};

/** Turns anything thrown into a WorkbenchError; a fault becomes `internal_error`, its text only in `cause`. */
export function toWorkbenchError(error: unknown): WorkbenchError {
  if (error instanceof WorkbenchError) return error;
  const { code, statusCode, message: said }: Coded = typeof error === 'object' && error !== null ? error : {};
  const known = knownCodes[code === 'SQLITE_CONSTRAINT_TRIGGER' ? `${code}: ${said}` : String(code)];
  if (known !== undefined) return new WorkbenchError(known[0], known[1], undefined, { cause: error });
  if (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) {
    const message = 'Another program holds the data file; nothing was changed. Close it, or try again in a moment.';
    return new WorkbenchError('unavailable', message, undefined, { cause: error });
  }
  if (typeof code === 'string' && code.startsWith('SQLITE_IOERR')) {
    return new WorkbenchError('unavailable', 'The data file cannot be written now; nothing was changed.', undefined, {
      cause: error,
    });
  }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new WorkbenchError('bad_request', errorTable.bad_request.meaning, undefined, { cause: error });
  }
  return new WorkbenchError('internal_error', errorTable.internal_error.meaning, undefined, { cause: error });
}
