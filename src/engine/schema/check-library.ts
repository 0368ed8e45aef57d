/** What the written check of a schema calls: by these names, which the code knows under `lib`. */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { fastFormats } from 'ajv-formats/dist/formats.js';
import { toCanonicalJson } from '../canonical-json.ts';
import { countCodePoints } from '../code-points.ts';
import type { Json } from '../domain.ts';
import { compileLinearPattern, type LinearPattern, weighPattern } from '../patterns.ts';
import { type Outcome, type StepBudget, stepsPerProblem } from './step-budget.ts';

/** Characters that a length, a format or a comparison reads in one step. */
const charactersPerStep = 8;
const stepsPerKey = 3;
const stepsPerPattern = 8;
const stepsPerItem = 16;
/** Instructions of a compiled pattern that are carried out on a character in one step. */
const instructionsPerStep = 2;

/** How a reference calls its part, which has a number of its own. */
type CallOptions = {
  part: number;
  /** What the part says depends on the value alone. */
  isStatic: boolean;
  isAlternative: boolean;
  maxProblems: number;
};

/** What written checks `require` of Ajv; lists and objects are never compared by it, but by `createComparison`. */
export function requireRuntime(path: string): { default: unknown } {
  if (path === 'ajv/dist/runtime/ucs2length') return { default: countCodePoints };
  if (path === 'ajv/dist/runtime/equal') return { default: (a: unknown, b: unknown) => a === b };
  throw new Error(`A written check requires ${path}, which is not in its library.`);
}

/** Creates the library of one check; what it does spends the budget. */
export function createCheckLibrary(budget: StepBudget) {
  return {
    spend: budget.spend,
    settle: budget.settle,
    formats: fastFormats,
    parse: (json: string): unknown => JSON.parse(json),
    /** Ajv looks names up in an ordinary object, in which `constructor` is always there. */
    ownNames: (names: object): object => Object.assign(Object.create(null), names),
    areDistinct: (items: readonly Json[]) => areDistinct(items, budget),
    createMeasure,
    createComparison: (json: string) => createComparison(JSON.parse(json), budget),
    compilePattern: (pattern: string) => compilePattern(pattern, budget),
    createCall: (find: () => ValidateFunction, options: CallOptions) => createCall(find, options, budget),
  };
}

/** Returns what tells the charge of a part on a value. */
function createMeasure(fixed: number, textReaders: number, keyReaders: number) {
  return (value: unknown): number => {
    if (typeof value === 'string') return fixed + Math.ceil((textReaders * value.length) / charactersPerStep);
    if (keyReaders === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return fixed;
    return fixed + keyReaders * stepsPerKey * Object.keys(value).length;
  };
}

/** Returns what tells whether a value is one of these, of which some are lists or objects. */
function createComparison(values: readonly Json[], budget: StepBudget) {
  const keys = new Set(values.map(toCanonicalJson));
  return (value: Json): boolean => {
    if (typeof value !== 'object' || value === null) return values.includes(value);
    const key = toCanonicalJson(value);
    budget.spend(key.length);
    return keys.has(key);
  };
}

/** Compiles a pattern for a linear-time engine with its first text: most patterns of a large schema meet none. */
function compilePattern(pattern: string, budget: StepBudget) {
  const weight = weighPattern(pattern);
  let compiled: LinearPattern | null = null;
  return {
    test: (text: string): boolean => {
      budget.spend(Math.ceil(stepsPerPattern + (text.length * weight) / instructionsPerStep));
      compiled ??= compileLinearPattern(pattern);
      return compiled.test(text);
    },
  };
}

function areDistinct(items: readonly Json[], budget: StepBudget): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const key = toCanonicalJson(item);
    // Objects and lists are written member by member, texts at once.
    const ofKey = typeof item === 'object' ? key.length : Math.ceil(key.length / charactersPerStep);
    budget.spend(stepsPerItem + ofKey);
    seen.add(key);
  }
  return seen.size === items.length;
}

/** Creates the function that a reference calls instead of the check that `find` gives, in the form of Ajv's own. */
function createCall(
  find: () => ValidateFunction,
  { part, isStatic, isAlternative, maxProblems }: CallOptions,
  budget: StepBudget,
): ValidateFunction {
  const ask: (...args: Parameters<ValidateFunction>) => Outcome = (value, context) => {
    const validate = find();
    const isValid = validate(value, context);
    if (isValid) return { isValid, errors: null, evaluated: validate.evaluated && { ...validate.evaluated } };
    return { isValid, errors: validate.errors?.slice(0, maxProblems), evaluated: undefined };
  };
  const tryOut: typeof ask = (...args) => (isAlternative ? budget.tryOut(() => ask(...args)) : ask(...args));
  const remember: typeof ask = (value, context) => {
    if (!isStatic || typeof value !== 'object' || value === null) return tryOut(value, context);
    const known = budget.recall(part);
    const outcome = known.get(value) ?? tryOut(value, context);
    known.set(value, outcome);
    return outcome;
  };
  const call = ((value, context) => {
    const { isValid, errors, evaluated } = remember(value, context);
    const properties = evaluated?.props;
    if (typeof properties === 'object') budget.spend(Object.keys(properties).length);
    if (errors) budget.spend(stepsPerProblem * errors.length);
    // A copy, because the caller adds problems of its own to it.
    call.errors = errors ? [...errors] : null;
    if (evaluated) call.evaluated = evaluated;
    return isValid;
  }) as ValidateFunction;
  return call;
}
