/** Checks input schemas (JSON Schema 2020-12), and inputs against them. */
import { Ajv2020, type ErrorObject, str, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { countUtf8Bytes } from '../code-points.ts';
import type { ErrorDetail } from '../errors.ts';
import type { Json, JsonObject } from '../json.ts';
import { compileLinearPattern } from '../patterns.ts';
import { type Path, readSchema } from './schema-parts.ts';
import { weighParts } from './schema-work.ts';

const day = String.raw`(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)`;
/** Hour, minute and second; sign, hours and minutes of the offset, whose colon may be missing. */
const clock = String.raw`([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?`;
const offset = String.raw`(?:z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)`;

/** Formats with a time of day, by the groups of which {@link isTimeOfDay} knows whether it exists. */
export const timeFormats: Readonly<Record<string, RegExp>> = {
  time: new RegExp(`^${clock}${offset}$`, 'i'),
  'date-time': new RegExp(`^${day}t${clock}${offset}$`, 'i'),
  'iso-time': new RegExp(`^${clock}${offset}?$`, 'i'),
  'iso-date-time': new RegExp(`^${day}[t\\s]${clock}${offset}?$`, 'i'),
};

/** The other formats. */
export const plainFormats: Readonly<Record<string, RegExp>> = {
  date: new RegExp(`^${day}$`),
  email:
    /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i,
};

/** Tests for a time of day that exists: the leap second is the last one of a day in UTC. */
function isTimeOfDay(match: RegExpExecArray | null): boolean {
  if (match === null) return false;
  const [, hour, minute, second, sign, offsetHours = 0, offsetMinutes = 0] = match;
  if (second !== '60') return true;
  const shift = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? 1 : -1);
  return (Number(hour) * 60 + Number(minute) + shift + 1) % (24 * 60) === 0;
}

/** Size of an input schema, in bytes of its JSON. */
const maxSchemaBytes = 64 * 1024;
const maxSchemaDepth = 32;
const maxProblems = 50;
/** Work for each character of an input, by `weighParts`: an input of a megabyte takes at most 30 s. */
const maxWeight = 4_000;
/** Work beyond which the problems of an input are not listed; only the first one is reported. About 0.1 s. */
const maxListingWork = 2_000_000;
/** Work of a check that holds up nobody: about 0.1 s. More is for a process of its own. */
export const maxLightWork = 25_000_000;
const dialect = 'https://json-schema.org/draft/2020-12/schema';
/** Older dialects whose keywords mean the same, as far as they are accepted. */
const knownDialects = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft\/2019-09|draft-07|draft-06)\/schema#?$/;
const base: Path = ['body', 'input_schema'];

/** Checks one input and returns its problems, `loc` starting with ['body', 'input']. */
export type InputValidator = {
  (input: JsonObject): ErrorDetail[];
  /** The work that the check of an input is at most; see {@link maxLightWork}. */
  estimateWork(input: JsonObject): number;
};

/**
 * Returns the problems of a JSON Schema (2020-12) for inputs, none where it may be saved: at most 64 KiB and 32
 * levels, no references out of the schema, no keyword whose work has no bound, and no more work for each character of
 * an input than `maxWeight`. `loc` of a problem starts with ['body', 'input_schema']. Takes up to half a second.
 */
export function checkInputSchema(schema: JsonObject): ErrorDetail[] {
  for (const check of [checkSize, (it: JsonObject) => readSchema(it, base).problems, checkKeywords, checkWork]) {
    const problems = check(schema);
    if (problems.length > 0) return problems.slice(0, maxProblems);
  }
  try {
    compile(schema, { isListing: false, isNoting: true });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const msg =
      error instanceof RangeError ? 'its parts go too deep; refer to fewer parts that refer on' : error.message;
    return [{ type: 'schema', loc: base, msg }];
  }
  return [];
}

function checkSize(schema: JsonObject): ErrorDetail[] {
  const tooDeep = findTooDeep(schema, base, 1);
  if (tooDeep !== null) {
    return [{ type: 'schema_depth', loc: tooDeep, msg: `must not be nested deeper than ${maxSchemaDepth} levels` }];
  }
  if (countUtf8Bytes(JSON.stringify(schema)) <= maxSchemaBytes) return [];
  return [{ type: 'schema_size', loc: base, msg: `must not be larger than ${maxSchemaBytes} bytes` }];
}

function checkKeywords(schema: JsonObject): ErrorDetail[] {
  const { $schema = dialect } = schema;
  if (typeof $schema !== 'string' || !knownDialects.test($schema)) {
    const msg = `must be ${dialect}, or that of draft 2019-09, 07 or 06`;
    return [{ type: 'schema_dialect', loc: [...base, '$schema'], msg }];
  }
  if (dialectChecker.validateSchema({ ...schema, $schema: dialect }) === true) return [];
  return (dialectChecker.errors ?? []).map((error) => toDetail(error, base, schema));
}

function checkWork(schema: JsonObject): ErrorDetail[] {
  const heaviest = weighParts(readSchema(schema, base)).findHeaviest(maxWeight);
  if (heaviest === undefined) return [];
  const bound = `must not take more than ${maxWeight} steps for each character of an input`;
  const remedy = 'use fewer alternatives, shorter lists and patterns, or fewer references to this part from inside it';
  return [{ type: 'schema_work', loc: heaviest.loc, msg: `${bound}; ${remedy}` }];
}

function findTooDeep(value: Json, path: Path, depth: number): Path | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth > maxSchemaDepth) return path;
  for (const [key, child] of Object.entries(value)) {
    const found = findTooDeep(child, [...path, Array.isArray(value) ? Number(key) : key], depth + 1);
    if (found !== null) return found;
  }
  return null;
}

const unevaluated = ['unevaluatedProperties', 'unevaluatedItems'];

/** Compiles a schema, also one saved under laxer bounds. Throws Ajv's error if it is not one. */
export function compileInputSchema(schema: JsonObject): InputValidator {
  const read = readSchema(schema, base);
  const isBounded = read.problems.length === 0;
  const weight = isBounded ? weighParts(read).weight : Number.POSITIVE_INFINITY;
  // Without a bound on its parts, the code that ends with the first problem may be nested too deeply.
  const isNoting = !isBounded || read.parts.some((part) => unevaluated.some((keyword) => keyword in part.schema));
  const decide = compile(schema, { isListing: !isBounded, isNoting });
  let list: ValidateFunction | null = null;
  const estimateWork = (input: JsonObject) => weight * JSON.stringify(input).length;
  const check = (input: JsonObject): ErrorDetail[] => {
    if (decide(input)) return [];
    const { errors } = decide;
    if (estimateWork(input) > maxListingWork) return toDetails(errors, input);
    list ??= compile(schema, { isListing: true, isNoting });
    list(input);
    return toDetails(list.errors, input);
  };
  return Object.assign(check, { estimateWork });
}

/** Compiles patterns for a linear-time engine; Ajv keeps them by their text. */
const linearRegExp = Object.assign(
  (pattern: string) => ({ test: compileLinearPattern(pattern).test, toString: () => pattern }),
  { code: 'linearRegExp' },
);

function createAjv(isListing: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: isListing,
    strict: false,
    logger: false,
    ownProperties: true,
    // Schemas compiled here have been checked before, by a check that names the place of each problem.
    validateSchema: false,
    // The work is bounded with references as calls; written in their place, they would multiply the code.
    inlineRefs: false,
    // To shorten the code takes ten times as long as to write it.
    code: { optimize: false, regExp: linearRegExp },
  });
  addFormats.default(ajv, { mode: 'fast' });
  for (const [name, pattern] of Object.entries(plainFormats)) ajv.addFormat(name, pattern);
  for (const [name, pattern] of Object.entries(timeFormats))
    ajv.addFormat(name, (text: string) => isTimeOfDay(pattern.exec(text)));
  ajv.removeKeyword('multipleOf').addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
    compile: (divisor: number) => (value: number) => isMultiple(value, divisor),
  });
  return ajv;
}

/** Checks schemas against the dialect, whose own schema takes 20 ms to compile: with the first one that it is asked. */
const dialectChecker = createAjv(true);

/** Lists all problems or stops at the first; notes what was looked at, where Ajv's own account fails. */
type Compilation = { isListing: boolean; isNoting: boolean };

function compile(schema: JsonObject, { isListing, isNoting }: Compilation): ValidateFunction {
  const ajv = createAjv(isListing);
  ajv.opts.unevaluated = isNoting;
  return ajv.compile(schema);
}

/** Parses a JSON pointer into a path; a segment is a number where it indexes an array of `root`. */
function parsePointer(pointer: string, root: unknown): Path {
  const path: Path = [];
  let value = root;
  for (const raw of pointer.split('/').slice(1)) {
    const segment = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(segment) : segment);
    value = typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined;
  }
  return path;
}

function toDetails(errors: ValidateFunction['errors'], input: JsonObject): ErrorDetail[] {
  return (errors ?? []).slice(0, maxProblems).map((error) => toDetail(error, ['body', 'input'], input));
}

function toDetail(error: ErrorObject, prefix: Path, root: unknown): ErrorDetail {
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

/** Tests whether a number is a whole multiple of another one as both are written: 19.99 is one of 0.01. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [a, b] = [readDecimal(value), readDecimal(divisor)];
  const exponent = Math.min(a.exponent, b.exponent);
  const [whole, by] = [a, b].map((one) => one.digits * 10n ** BigInt(one.exponent - exponent));
  return whole !== undefined && by !== undefined && by !== 0n && whole % by === 0n;
}

/** The digits of a finite number as a whole number, and the power of ten that it is multiplied by. */
function readDecimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  return { digits: BigInt(mantissa.replace('.', '')), exponent: Number(exponent) - decimals };
}
