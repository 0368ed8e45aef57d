import { type ErrorCode, WorkbenchError } from '../../engine/errors.ts';

/** A refusal of what could be done a moment later: the answer carries `Retry-After`. */
export class BusyError extends WorkbenchError {
  readonly retryAfterSeconds: number;
  constructor(code: Extract<ErrorCode, 'rate_limited' | 'unavailable'>, message: string, retryAfterSeconds: number) {
    super(code, message);
    this.name = 'BusyError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
