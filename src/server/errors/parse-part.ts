import type { ZodType, z } from 'zod';
import { shorten } from '../../engine/code-points.ts';
import type { ErrorDetail, Result } from '../../engine/errors.ts';

const maxReportedProblems = 100;
/** Code points of a name that was sent, of which a refusal repeats no more: it may be as long as a body. */
const maxShownName = 200;

/** Checks one part of a request; every problem carries its place, an unknown field its own name. */
export function parsePart<S extends ZodType>(
  schema: S,
  value: unknown,
  part: 'body' | 'query' | 'path' | 'arguments',
): Result<z.output<S>, ErrorDetail> {
  const parsed = schema.safeParse(value, { reportInput: false });
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems: ErrorDetail[] = [];
  for (const issue of parsed.error.issues) {
    problems.push(...toDetails(issue, [part]));
    if (problems.length >= maxReportedProblems) break;
  }
  return { ok: false, problems: problems.slice(0, maxReportedProblems) };
}

type Issue = z.core.$ZodIssue;

function toDetails(issue: Issue, at: readonly (string | number)[]): ErrorDetail[] {
  const show = (name: string) => shorten(name, maxShownName);
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : show(String(segment))));
  const loc = [...at, ...path];
  if (issue.code === 'unrecognized_keys') {
    const kind = at[0] === 'query' ? 'parameter' : 'field';
    const keys = issue.keys.slice(0, maxReportedProblems).map(show);
    return keys.map((key) => ({ type: 'unrecognized_keys', loc: [...loc, key], msg: `unknown ${kind}: ${key}` }));
  }
  return [{ type: issue.code, loc, msg: issue.message }];
}
