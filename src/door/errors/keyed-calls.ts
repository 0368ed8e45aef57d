/** Refusals of calls with an Idempotency-Key. */
import { WorkbenchError } from '../../engine/errors.ts';
import { toInvalidValue, toValidationError } from './validation-error.ts';

/** For how long the answer to a call with a key is kept. */
export const receiptLifeMs = 24 * 3600 * 1000;

const keyPattern = /^[\x20-\x7e]{1,128}$/;
const refuse = (msg: string) => toValidationError([toInvalidValue(['header', 'idempotency-key'], msg)]);

/** Throws `validation_error` for a key that is malformed. */
export function checkKey(key: string): void {
  if (!keyPattern.test(key)) throw refuse('must be 1 to 128 printable ASCII characters');
}

/** Returns the refusal of a key that came with another request before. */
export const toReusedKey = (): WorkbenchError =>
  refuse('was used for another request: address and body count to the letter, the order of keys too');

/** Returns the refusal of a call whose twin is not answered yet. */
export const toCallUnderWay = (): WorkbenchError =>
  new WorkbenchError('conflict', 'The call with this Idempotency-Key is still under way. Ask again later.');
