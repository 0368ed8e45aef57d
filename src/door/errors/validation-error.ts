/** The one refusal of a request that breaks the contract or a rule of the decision type it is about. */
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';

/** Returns the `validation_error` that reports these problems. */
export function toValidationError(problems: readonly ErrorDetail[]): WorkbenchError {
  return new WorkbenchError('validation_error', 'Request validation failed.', [...problems]);
}

/** The problems of a `validation_error`; none of any other error. */
export function readProblems({ code, details = [] }: WorkbenchError): ErrorDetail[] {
  return code === 'validation_error' ? (details as ErrorDetail[]) : [];
}

/** Throws a `validation_error` with the problems, if there are any. */
export function refuseProblems(problems: readonly ErrorDetail[]): void {
  if (problems.length > 0) throw toValidationError(problems);
}

/** Returns the problem of a value, at `loc`, that is well formed but not allowed there. */
export function toInvalidValue(loc: ErrorDetail['loc'], msg: string): ErrorDetail {
  return { type: 'invalid_value', loc, msg };
}

const maxNamedOptions = 20;

/** Returns the problem of a value, at `loc`, that is not an option, with the names of the options. */
export function toUnknownOption(loc: ErrorDetail['loc'], options: readonly string[]): ErrorDetail {
  const names = options.slice(0, maxNamedOptions).map((option) => JSON.stringify(option));
  const more = options.length > maxNamedOptions ? ` and ${options.length - maxNamedOptions} more` : '';
  return toInvalidValue(loc, `must be one of the options ${names.join(', ')}${more}`);
}
