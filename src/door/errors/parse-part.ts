import { type ZodType, z } from 'zod';
import { shorten } from '../../engine/code-points.ts';
import type { ErrorDetail, Result } from '../../engine/errors.ts';
import { findNearest, HintBudget } from '../../engine/rules/suggest.ts';
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
  const budget = new HintBudget();
  const { issues } = parsed.error;
  const isLoose = !issues.some(({ code }) => code === 'unrecognized_keys');
  for (const issue of issues) {
    const known = listKeys(schema, issue.code === 'unrecognized_keys' ? issue.path : issue.path.slice(0, -1));
    const suggest = (key: string) => suggestName(key, known, budget);
    const details = toDetails(issue, [part], suggest);
    // A message of the schema itself, on fields that belong together, is the better one.
    const mayMiss = isLoose && issue.code !== 'custom' && issue.path.length > 0;
    const misnamed = mayMiss ? findMisnamed(value, issue.path, known, budget) : null;
    problems.push(...(misnamed === null ? details : details.map((each) => ({ ...each, msg: misnamed }))));
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

/** The name that was meant by one that is not known, as the end of its sentence; '' where none is near. */
export function suggestName(name: string, known: readonly string[], budget?: HintBudget): string {
  const nearest = findNearest(name, known, budget);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
}

/** Says by what other name a missing field was sent, where further ones are taken as well; null where by none. */
function findMisnamed(value: unknown, path: readonly PropertyKey[], known: readonly string[], budget: HintBudget) {
  const place = path.map(String);
  const name = place.pop() ?? '';
  const parent = place.reduce<unknown>((inner, step) => Reflect.get(Object(inner), step), value);
  if (typeof parent !== 'object' || parent === null || Object.hasOwn(parent, name)) return null;
  const others = Object.keys(parent).slice(0, maxReportedProblems);
  const sent = findNearest(
    name,
    others.filter((key) => !known.includes(key)),
    budget,
  );
  return sent === null ? 'is missing' : `is missing; ${sent} is not its name`;
}

/** The fields that a schema has at a place. */
function listKeys(schema: unknown, path: readonly PropertyKey[]): string[] {
  const [step, ...rest] = path;
  if (schema instanceof z.ZodObject)
    return step === undefined ? Object.keys(schema.shape) : listKeys(schema.shape[String(step)], rest);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => listKeys(option, path));
  if (schema instanceof z.ZodArray) return listKeys(schema.element, rest);
  if (schema instanceof z.ZodPipe) return listKeys(schema.in, path);
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;
  return isWrapped ? listKeys(schema.unwrap(), path) : [];
}

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

function toDetails(issue: Issue, at: readonly (string | number)[], suggest: (name: string) => string): ErrorDetail[] {
  const show = (name: string) => shorten(name, maxShownName);
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : show(String(segment))));
  const loc = [...at, ...path];
  if (issue.code === 'unrecognized_keys') {
    const kind = at[0] === 'query' ? 'parameter' : 'field';
    const keys = issue.keys.slice(0, maxReportedProblems).map(show);
    return keys.map((key) => ({
      type: 'unrecognized_keys',
      loc: [...loc, key],
      msg: `unknown ${kind}: ${key}${suggest(key)}`,
    }));
  }
  return [{ type: issue.code, loc, msg: describeIssue(issue) }];
}
