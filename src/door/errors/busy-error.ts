import { type ErrorCode, WorkbenchError } from '../../engine/errors.ts';

/** A refusal of a request that could succeed a moment later: the answer carries `Retry-After`. */
export class BusyError extends WorkbenchError {
  readonly retryAfterSeconds: number;
  constructor(code: Extract<ErrorCode, 'rate_limited' | 'unavailable'>, message: string, retryAfterSeconds: number) {
    super(code, message);
    this.name = 'BusyError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
