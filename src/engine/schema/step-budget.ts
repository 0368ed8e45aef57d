/**
 * What the check of one input may cost, counted in steps while the code runs that Ajv generates: no clock, no chance, so
 * that the same schema and input give the same answer on every machine. What it relies on in Ajv beside the documented
 * interface is pinned by test/engine/ajv-internals.test.ts.
 */
import {
  _,
  type Ajv2020,
  type AnySchema,
  type ErrorObject,
  type KeywordCxt,
  Name,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js';
import { callRef } from 'ajv/dist/vocabularies/core/ref.js';
import { toCanonicalJson } from '../canonical-json.ts';
import type { Json, JsonObject } from '../domain.ts';
import { compileLinearPattern } from '../patterns.ts';
import { type Charge, chargeKeyword } from './charges.ts';

/** What a part said of a value: whether it fits, and which of its properties and items it has looked at. */
type Outcome = { isValid: boolean; errors: ValidateFunction['errors']; evaluated: ValidateFunction['evaluated'] };

/** Thrown out of generated code when the steps are used up; never leaves this folder. */
class StepsExhausted extends Error {}
/** Thrown out of generated code when enough problems are known that no alternative can undo. */
class ProblemsFound extends Error {
  readonly errors: ErrorObject[];
  constructor(errors: ErrorObject[]) {
    super('Enough problems are known.');
    this.errors = errors;
  }
}

/** The steps that are left in one check (outside of one there is no limit), and what is known in it so far. */
export type StepBudget = {
  /** Takes steps, and ends the check where too few are left. */
  spend(steps: number): void;
  /** Ends the check with these problems, unless the part that found them is only an alternative. */
  settle(errors: ErrorObject[]): void;
  /** Runs a part for an alternative, whose problems may not count; each of its parts then costs more. */
  tryOut(ask: () => Outcome): Outcome;
  /** Runs a check with this many steps. Returns its problems, or null where the steps are not enough. */
  run(steps: number, check: () => ErrorObject[]): ErrorObject[] | null;
  /** What a part has said of values in this check, for the part's own use. */
  recall(part: object): Map<object, Outcome>;
};

/** Creates a budget; one belongs to one compiled schema, whose checks never overlap. */
export function createStepBudget(): StepBudget {
  let left = Number.POSITIVE_INFINITY;
  let alternatives = 0;
  let outcomes = new Map<object, Map<object, Outcome>>();
  return {
    spend(steps) {
      left -= alternatives === 0 ? steps : steps + stepsPerAlternative;
      if (left < 0) throw new StepsExhausted('The steps of the check are used up.');
    },
    settle(errors) {
      if (alternatives === 0) throw new ProblemsFound(errors);
    },
    tryOut(ask) {
      alternatives += 1;
      try {
        return ask();
      } finally {
        alternatives -= 1;
      }
    },
    run(steps, check) {
      left = steps;
      try {
        return check();
      } catch (error) {
        if (error instanceof StepsExhausted) return null;
        if (error instanceof ProblemsFound) return error.errors;
        throw error;
      } finally {
        left = Number.POSITIVE_INFINITY;
        if (outcomes.size > 0) outcomes = new Map();
      }
    },
    recall(part) {
      const known = outcomes.get(part) ?? new Map<object, Outcome>();
      outcomes.set(part, known);
      return known;
    },
  };
}

// A step stands for about 40 ns on the machine on which these were measured.
/** Steps of a part of an alternative: a problem is made, and thrown away where another alternative fits. */
const stepsPerAlternative = 8;
/** Steps of a call of what a reference leads to, more for a larger part, and of a problem that it passes on. */
const stepsPerCall = 4;
const charactersOfCallPerStep = 16;
const stepsPerProblem = 8;
/** Problems that are copied in one step. */
const problemsPerStep = 32;
/** Characters that a length, a format or a comparison reads in one step. */
const charactersPerStep = 8;
const stepsPerKey = 3;
const stepsPerPattern = 8;
const stepsPerItem = 16;
/** Instructions of a compiled pattern that are carried out on a character in one step. */
const instructionsPerStep = 2;

/** The variables of generated code that hold the problems known so far. */
const errorCount = new Name('errors');
const errorList = new Name('vErrors');

/**
 * Makes Ajv spend the budget: at every part of a schema that has a charge, in patterns, in the comparison of items, and
 * at references. What a reference leads to is asked once for each object or list of an input, because parts that refer
 * to the same part several times would otherwise multiply with each level of the input. A reference passes on at most
 * `maxProblems` problems.
 */
export function meter(ajv: Ajv2020, budget: StepBudget, schema: JsonObject, maxProblems: number): void {
  // Ajv compares every item with every other one: a list of 100,000 would block the service for minutes.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isWanted: boolean, items: readonly Json[]) => !isWanted || areDistinct(items, budget),
    error: { message: 'must NOT have duplicate items' },
  });
  // What a dynamic reference leads to depends on the way to it, so that nothing may be remembered or settled.
  const isStatic = !JSON.stringify(schema).includes('"$dynamicRef"');
  const settling = isStatic ? maxProblems : null;
  ajv.addKeyword({ keyword: chargeKeyword, before: '$ref', code: (cxt) => writeCharge(cxt, budget, settling) });
  const reference = ajv.RULES.all['$ref'];
  if (typeof reference !== 'object' || !('code' in reference.definition)) throw new Error('Ajv has no keyword "$ref".');
  const { code } = reference.definition;
  reference.definition.code = (cxt, ...rest) => {
    const target = findTarget(cxt);
    if (target === null) return code(cxt, ...rest);
    const isAlternative = cxt.it.compositeRule === true;
    const call = createCall({ target, budget, isStatic, isAlternative, maxProblems: isAlternative ? 1 : maxProblems });
    const spending = cxt.gen.scopeValue('func', { ref: budget.spend });
    const ofSize = Math.ceil(JSON.stringify(target.schema).length / charactersOfCallPerStep);
    cxt.gen.code(_`${spending}(${stepsPerCall + ofSize} + (${errorCount} / ${problemsPerStep}))`);
    return callRef(cxt, cxt.gen.scopeValue('validate', { ref: call }), target);
  };
}

/** Compiles a pattern for a linear-time engine that spends the budget. */
export function createLinearRegExp({ spend }: Pick<StepBudget, 'spend'>) {
  return Object.assign(
    (pattern: string) => {
      const { weight, test } = compileLinearPattern(pattern);
      return {
        test: (text: string): boolean => {
          spend(Math.ceil(stepsPerPattern + (text.length * weight) / instructionsPerStep));
          return test(text);
        },
        // Ajv keeps compiled patterns by this name: without it all patterns of a schema would be one.
        toString: (): string => `/${pattern}/u`,
      };
    },
    { code: 'linearRegExp' },
  );
}

/**
 * Writes the code that spends the charge of a part on a value, and that ends the check before the part where there are
 * `settling` problems already (null: never).
 */
function writeCharge({ gen, data, schema, it }: KeywordCxt, budget: StepBudget, settling: number | null): void {
  const { steps, textReaders, keyReaders } = schema as Charge;
  const isAlternative = it.compositeRule === true;
  if (settling !== null && !isAlternative) {
    const settle = gen.scopeValue('func', { ref: budget.settle });
    gen.if(_`${errorCount} >= ${settling}`, () => gen.code(_`${settle}(${errorList})`));
  }
  const spending = gen.scopeValue('func', { ref: budget.spend });
  const fixed = steps + (isAlternative ? stepsPerAlternative : 0);
  if (textReaders === 0 && keyReaders === 0) {
    gen.code(_`${spending}(${fixed})`);
    return;
  }
  const measure = (value: unknown): number => {
    if (typeof value === 'string') return fixed + Math.ceil((textReaders * value.length) / charactersPerStep);
    if (keyReaders === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return fixed;
    return fixed + keyReaders * stepsPerKey * Object.keys(value).length;
  };
  gen.code(_`${spending}(${gen.scopeValue('func', { ref: measure })}(${data}))`);
}

function areDistinct(items: readonly Json[], budget: StepBudget): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const key = toCanonicalJson(item);
    budget.spend(stepsPerItem + Math.ceil(key.length / charactersPerStep));
    seen.add(key);
  }
  return seen.size === items.length;
}

/** Finds what a reference calls; null where Ajv writes the part in its place, or finds nothing there. */
function findTarget({ schema, it }: KeywordCxt): SchemaEnv | null {
  const { baseId, schemaEnv, self } = it;
  const { root } = schemaEnv;
  if ((schema === '#' || schema === '#/') && baseId === root.baseId) return root;
  const target: AnySchema | SchemaEnv | undefined = resolveRef.call(self, root, baseId, schema);
  return target instanceof SchemaEnv ? target : null;
}

type Call = {
  target: SchemaEnv;
  budget: StepBudget;
  /** What the target says depends on the value alone. */
  isStatic: boolean;
  isAlternative: boolean;
  maxProblems: number;
};

/** Creates the function that generated code calls for a reference, in the form of Ajv's own. */
function createCall({ target, budget, isStatic, isAlternative, maxProblems }: Call): ValidateFunction {
  const ask: (...args: Parameters<ValidateFunction>) => Outcome = (value, context) => {
    const { validate } = target;
    if (validate === undefined || '$async' in validate) throw new Error('The part of a reference is not compiled.');
    const isValid = validate(value, context);
    if (isValid) return { isValid, errors: null, evaluated: validate.evaluated && { ...validate.evaluated } };
    return { isValid, errors: validate.errors?.slice(0, maxProblems), evaluated: undefined };
  };
  const tryOut: typeof ask = (...args) => (isAlternative ? budget.tryOut(() => ask(...args)) : ask(...args));
  const remember: typeof ask = (value, context) => {
    if (!isStatic || typeof value !== 'object' || value === null) return tryOut(value, context);
    const known = budget.recall(target);
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
