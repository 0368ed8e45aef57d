/** Failures in the error shapes of the two formats of decision models. */
import type { ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { type DecisionsError, modelErrors, type SystemoneError, toStatus } from '../../server/contract/dialects.ts';
import type { Dialect } from '../../server/contract/operation.ts';
import { readProblems } from './validation-error.ts';

const maxListedProblems = 3;

/** Turns a failure into status and body as the format of decision models has them. */
export function toDialectError(
  dialect: Dialect,
  failure: WorkbenchError,
): { status: number; body: SystemoneError | DecisionsError } {
  const { code, message } = failure;
  const status = toStatus(dialect, code);
  const problems = readProblems(failure);
  if (dialect === 'systemone') {
    if (problems.length > 0) return { status, body: { detail: problems } };
    const error_type = modelErrors.has(code) ? 'api_usage_error' : code;
    return { status, body: { detail: { error_type, message } } };
  }
  const [first] = problems;
  const listed = problems
    .slice(0, maxListedProblems)
    .map(({ loc, msg }) => [toParam(loc), msg].filter(Boolean).join(': '));
  const error = {
    message: listed.length === 0 ? message : listed.join('; '),
    type: toErrorType(status),
    param: modelErrors.has(code) ? 'model' : first === undefined ? null : toParam(first.loc) || null,
    code: modelErrors.has(code) ? 'model_not_found' : (first?.type ?? code),
  };
  return { status, body: { error } };
}

/** A place of the body as the format names it: `questions[1].choices`. */
function toParam([, ...steps]: ErrorDetail['loc']): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}

function toErrorType(status: number): string {
  if (status >= 500) return 'server_error';
  if (status === 429) return 'rate_limit_error';
  if (status === 401) return 'authentication_error';
  return status === 403 ? 'permission_error' : 'invalid_request_error';
}
