import type { ZodType, z } from 'zod';
import { shorten } from '../../engine/code-points.ts';
import type { ErrorDetail, Result } from '../../engine/errors.ts';
import { toValidationError } from './validation-error.ts';

const maxReportedProblems = 100;
/** Code points of a name that was sent, of which a refusal repeats no more: it may be as long as a body. */
const maxShownName = 200;

type Part = 'body' | 'query' | 'path' | 'arguments';

/** Checks one part of a request; every problem carries its place, an unknown field its own name. */
export function parsePart<S extends ZodType>(schema: S, value: unknown, part: Part): Result<z.output<S>, ErrorDetail> {
  const parsed = schema.safeParse(value, { reportInput: false });
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems: ErrorDetail[] = [];
  for (const issue of parsed.error.issues) {
    problems.push(...toDetails(issue, [part]));
    if (problems.length >= maxReportedProblems) break;
  }
  return { ok: false, problems: problems.slice(0, maxReportedProblems) };
}

/** Reads one part of a request; throws `validation_error` with what `parsePart` finds. */
export function readPart<S extends ZodType>(schema: S, value: unknown, part: Part = 'body'): z.output<S> {
  const parsed = parsePart(schema, value, part);
  if (!parsed.ok) throw toValidationError(parsed.problems);
  return parsed.value;
}

type Issue = z.core.$ZodIssue;

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  file: 'a file',
};
const units: Readonly<Record<string, [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/** Says what a value must be: in the words of its schema where that has some, else in ours, not the checker's. */
export function describeIssue(issue: Issue): string {
  if (!/^(?:Too (?:big|small): |Invalid )/.test(issue.message)) return issue.message;
  const sayBound = (side: 'at most' | 'at least', bound: number | bigint, origin: string) => {
    const unit = units[origin]?.[bound === 1 ? 0 : 1];
    return unit === undefined ? `must be ${side} ${bound}` : `takes ${side} ${bound} ${unit}`;
  };
  switch (issue.code) {
    case 'too_big':
      return issue.inclusive === false
        ? `must be less than ${issue.maximum}`
        : sayBound('at most', issue.maximum, issue.origin);
    case 'too_small':
      if (issue.minimum === 1 && issue.origin in units) return 'must not be empty';
      return issue.inclusive === false
        ? `must be more than ${issue.minimum}`
        : sayBound('at least', issue.minimum, issue.origin);
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is missing'
        : `must be ${nouns[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be a day and a time, such as 2026-01-31T09:00:00Z'
        : `is no valid ${issue.format}`;
    default:
      return issue.message;
  }
}

function toDetails(issue: Issue, at: readonly (string | number)[]): ErrorDetail[] {
  const show = (name: string) => shorten(name, maxShownName);
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : show(String(segment))));
  const loc = [...at, ...path];
  if (issue.code === 'unrecognized_keys') {
    const kind = at[0] === 'query' ? 'parameter' : 'field';
    const keys = issue.keys.slice(0, maxReportedProblems).map(show);
    return keys.map((key) => ({ type: 'unrecognized_keys', loc: [...loc, key], msg: `unknown ${kind}: ${key}` }));
  }
  return [{ type: issue.code, loc, msg: describeIssue(issue) }];
}
