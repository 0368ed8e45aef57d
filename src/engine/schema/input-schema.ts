/** Checks input schemas (JSON Schema 2020-12), and inputs against them. */
import { _, Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import writeModule from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import type { JsonObject } from '../domain.ts';
import type { ErrorDetail } from '../errors.ts';
import { compileLinearPattern } from '../patterns.ts';
import { countUtf8Bytes } from '../utf8.ts';
import { repairKeywords } from './ajv-repairs.ts';
import { repairScope } from './ajv-scope.ts';
import { addCharges, countDynamicReferences, findComparedPart } from './charges.ts';
import { createCheckLibrary, requireRuntime } from './check-library.ts';
import { meter } from './metering.ts';
import { findUnfollowable } from './schema-expansion.ts';
import { createStepBudget } from './step-budget.ts';

/** Size of an input schema, in bytes of its JSON. */
const maxSchemaBytes = 64 * 1024;
/** Levels of an input schema. */
const maxSchemaDepth = 32;
/** Dynamic references of an input schema; what they cost grows with the square of their number. */
const maxDynamicReferences = 50;
/** Problems that are reported of one input or schema. */
const maxProblems = 50;
/** Steps of the check of one input: about 40 ms. An order of 1,000 positions with 20 fields takes 120,000. */
const maxSteps = 1_000_000;
const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Checks one input and returns what is wrong with it, `loc` starting with ['body', 'input']. */
export type InputValidator = {
  (input: JsonObject): ErrorDetail[];
  /** Steps that the last check took. */
  readonly steps: number;
};

const referenceKeywords = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** Checks depth, references and keywords of a schema and of everything in it. */
function checkStructure(value: unknown, path: (string | number)[], depth: number, problems: ErrorDetail[]): void {
  if (typeof value !== 'object' || value === null || problems.length >= maxProblems) return;
  if (depth > maxSchemaDepth) {
    problems.push({ type: 'schema_depth', loc: path, msg: `must not be nested deeper than ${maxSchemaDepth} levels` });
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    const loc = [...path, Array.isArray(value) ? Number(key) : key];
    if (referenceKeywords.has(key) && typeof child === 'string' && !child.startsWith('#')) {
      problems.push({ type: 'schema_ref', loc, msg: 'must be a reference inside the schema that starts with "#"' });
    }
    if (key === '$async') problems.push({ type: 'schema_keyword', loc, msg: '"$async" is not supported' });
    checkStructure(child, loc, depth + 1, problems);
  }
}

/** Writes patterns for the linear-time engine of the check library; Ajv keeps them by their text. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const { test } = compileLinearPattern(pattern);
    return { test, toString: () => `/${pattern}/u` };
  },
  { code: 'lib.compilePattern' },
);

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    logger: false,
    ownProperties: true,
    // What is compiled here has been checked before, with problems that have a place.
    validateSchema: false,
    // To shorten the code takes as long as to write it, and the same is decided as fast.
    code: { source: true, optimize: false, regExp: linearRegExp, formats: _`lib.formats` },
  });
  addFormats.default(ajv, { mode: 'fast' });
  return ajv;
}

/** Checks schemas against the dialect, whose own schema takes it 20 ms to compile: with the first one that it is asked. */
const dialectChecker = createAjv();

/** Parses a JSON pointer into a path; a segment is a number where it indexes an array of `root`. */
function parsePointer(pointer: string, root: unknown): (string | number)[] {
  const path: (string | number)[] = [];
  let value = root;
  for (const raw of pointer.split('/').slice(1)) {
    const segment = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(segment) : segment);
    value = typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined;
  }
  return path;
}

function toDetail(error: ErrorObject, prefix: (string | number)[], root: unknown): ErrorDetail {
  const params = error.params as Record<string, unknown>;
  const key = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const loc = [...prefix, ...parsePointer(error.instancePath, root), ...(typeof key === 'string' ? [key] : [])];
  const allowed = Array.isArray(params.allowedValues)
    ? `: ${params.allowedValues
        .map((v) => JSON.stringify(v))
        .join(', ')
        .slice(0, 300)}`
    : '';
  return { type: error.keyword, loc, msg: `${error.message ?? 'is not valid'}${allowed}` };
}

/** The check of an input schema as source text, for {@link loadInputCheck}, or what is wrong with the schema. */
export type WrittenCheck = { ok: true; code: string } | { ok: false; problems: ErrorDetail[] };

/**
 * Checks a JSON Schema (2020-12) for inputs and writes the code that inputs are checked by: at most 64 KiB and 32 levels,
 * no references out of the schema, 10,000 parts where those inside are followed. `loc` of a problem starts with
 * ['body', 'input_schema']. Takes up to a second; to load what is written takes less than a tenth of that.
 */
export function writeInputCheck(schema: JsonObject): WrittenCheck {
  const base = ['body', 'input_schema'];
  const problems = checkForm(schema);
  if (problems.length > 0) return { ok: false, problems };
  try {
    const code = writeCode(schema);
    if (!loadInputCheck(code)({}).some(({ type }) => type === 'input_steps')) return { ok: true, code };
    return { ok: false, problems: [tooCostly(base)] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, problems: [{ type: 'schema', loc: base, msg: error.message }] };
  }
}

/** Checks a schema as {@link writeInputCheck} does, and returns what is wrong with it, nothing where it can be used. */
export function checkInputSchema(schema: JsonObject): ErrorDetail[] {
  const written = writeInputCheck(schema);
  return written.ok ? [] : written.problems;
}

/** Checks what can be said of a schema before it is compiled. */
function checkForm(schema: JsonObject): ErrorDetail[] {
  const base = ['body', 'input_schema'];
  const problems: ErrorDetail[] = [];
  checkStructure(schema, base, 1, problems);
  if (problems.length > 0) return problems;
  if (countUtf8Bytes(JSON.stringify(schema)) > maxSchemaBytes) {
    return [{ type: 'schema_size', loc: base, msg: `must not be larger than ${maxSchemaBytes} bytes` }];
  }
  const unfollowable = findUnfollowable(schema, base);
  if (unfollowable !== null) return [unfollowable];
  const declared = schema.$schema;
  if (declared !== undefined && (typeof declared !== 'string' || declared.replace(/#$/, '') !== dialect)) {
    return [{ type: 'schema_dialect', loc: [...base, '$schema'], msg: `must be ${dialect}` }];
  }
  if (findComparedPart(schema) !== null)
    return [{ type: 'schema_ref', loc: base, msg: 'must not have references into "enum" or "const"' }];
  if (countDynamicReferences(schema) > maxDynamicReferences)
    return [
      { type: 'schema_ref', loc: base, msg: `must not have more than ${maxDynamicReferences} dynamic references` },
    ];
  if (dialectChecker.validateSchema(schema) !== true)
    return (dialectChecker.errors ?? []).slice(0, maxProblems).map((error) => toDetail(error, base, schema));
  return [];
}

/** Compiles a schema that {@link checkInputSchema} accepts, once for all inputs. */
export function compileInputSchema(schema: JsonObject): InputValidator {
  return loadInputCheck(writeCode(schema));
}

function writeCode(schema: JsonObject): string {
  const ajv = createAjv();
  repairKeywords(ajv);
  meter(ajv, schema, maxProblems);
  repairScope(ajv);
  return writeModule(ajv, ajv.compile(addCharges(schema)));
}

/** Loads what {@link writeInputCheck} has written. */
export function loadInputCheck(code: string): InputValidator {
  const budget = createStepBudget();
  const lib = createCheckLibrary(budget);
  const written: { exports: ValidateFunction | null } = { exports: null };
  // The text is Ajv's, in which everything that comes from a schema is quoted.
  new Function('module', 'require', 'lib', code)(written, requireRuntime, lib);
  const validate = written.exports;
  if (validate === null) throw new Error('The written check has no function.');
  const check = (input: JsonObject): ErrorDetail[] => {
    const errors = budget.run(maxSteps, () => (validate(input) ? [] : (validate.errors ?? [])));
    if (errors === null) return [tooManySteps(['body', 'input'])];
    return errors.slice(0, maxProblems).map((error) => toDetail(error, ['body', 'input'], input));
  };
  return Object.defineProperty(check, 'steps', { get: () => budget.taken }) as InputValidator;
}

function tooManySteps(loc: ErrorDetail['loc']): ErrorDetail {
  const msg = `takes more than ${maxSteps} steps to compare with the input schema; send less, or simplify the schema`;
  return { type: 'input_steps', loc, msg };
}

function tooCostly(loc: ErrorDetail['loc']): ErrorDetail {
  const msg = `takes more than ${maxSteps} steps to compare with an empty input; use shorter lists or fewer references`;
  return { type: 'schema_steps', loc, msg };
}
