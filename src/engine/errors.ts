/** The one table of errors: code → HTTP status, whether a retry can help, meaning. */
export const errorTable = {
  bad_request: { status: 400, retryable: false, meaning: 'Malformed request' },
  unauthorized: { status: 401, retryable: false, meaning: 'Missing or invalid credentials' },
  quota_exceeded: { status: 402, retryable: false, meaning: 'Credit quota exhausted for the billing period' },
  insufficient_credits: { status: 402, retryable: false, meaning: 'Not enough credits for the operation' },
  forbidden: {
    status: 403,
    retryable: false,
    meaning: 'Insufficient permissions, including an API key on a JWT-only route',
  },
  not_found: { status: 404, retryable: false, meaning: 'Resource not found' },
  decision_type_not_found: { status: 404, retryable: false, meaning: 'The decision type does not exist' },
  method_not_allowed: { status: 405, retryable: false, meaning: 'The route exists, not with this method' },
  conflict: { status: 409, retryable: false, meaning: 'The state of the resource does not allow this' },
  precondition_failed: { status: 412, retryable: false, meaning: 'Changed by somebody else since: read it again' },
  payload_too_large: { status: 413, retryable: false, meaning: 'Request body exceeds the size limit' },
  unsupported_media_type: { status: 415, retryable: false, meaning: 'Bodies must be application/json' },
  validation_error: { status: 422, retryable: false, meaning: 'Request validation failed' },
  model_not_deployed: { status: 428, retryable: false, meaning: 'No deployed model for the decision type' },
  rate_limited: { status: 429, retryable: true, meaning: 'Rate limit exceeded; retry after Retry-After' },
  headers_too_large: { status: 431, retryable: false, meaning: 'Request headers exceed the size limit' },
  internal_error: { status: 500, retryable: true, meaning: 'Unexpected server error' },
  training_dispatch_failed: {
    status: 503,
    retryable: true,
    meaning: 'Training could not be dispatched; details name the policy',
  },
  unavailable: { status: 503, retryable: true, meaning: 'A needed part is not available now; nothing was changed' },
} as const;

export type ErrorCode = keyof typeof errorTable;
/** One finding of a validation: where (`loc`, path segments) and what. */
export type ErrorDetail = { type: string; loc: (string | number)[]; msg: string };

/** A failure that is reported to the caller: thrown anywhere, turned into the wire envelope at the border. */
export class WorkbenchError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown[] | undefined;
  constructor(code: ErrorCode, message: string, details?: unknown[], options?: ErrorOptions) {
    super(message, options);
    this.name = 'WorkbenchError';
    this.code = code;
    this.details = details;
  }
  get status(): number {
    return errorTable[this.code].status;
  }
}

/** A value or the problems that prevent it: how expected failures travel. */
export type Result<T, P> = { ok: true; value: T } | { ok: false; problems: P[] };
