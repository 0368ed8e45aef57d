/**
 * What the check of one input may cost, counted in steps while the code runs that Ajv has written: no clock, no chance,
 * so that the same schema and input give the same answer on every machine.
 */
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

/** What a part said of a value: whether it fits, and which of its properties and items it has looked at. */
export type Outcome = {
  isValid: boolean;
  errors: ValidateFunction['errors'];
  evaluated: ValidateFunction['evaluated'];
};

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
  /** Runs a part for an alternative, whose problems may not count. */
  tryOut(ask: () => Outcome): Outcome;
  /** Runs a check with this many steps. Returns its problems, or null where the steps are not enough. */
  run(steps: number, check: () => ErrorObject[]): ErrorObject[] | null;
  /** Steps that the last check took. */
  readonly taken: number;
  /** What a part, by its number, has said of values in this check, for the part's own use. */
  recall(part: number): Map<object, Outcome>;
};

/** Creates a budget; one belongs to one compiled schema, whose checks never overlap. */
export function createStepBudget(): StepBudget {
  let left = Number.POSITIVE_INFINITY;
  let taken = 0;
  let alternatives = 0;
  let outcomes = new Map<number, Map<object, Outcome>>();
  return {
    spend(steps) {
      left -= steps;
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
        taken = steps - Math.max(left, 0);
        left = Number.POSITIVE_INFINITY;
        if (outcomes.size > 0) outcomes = new Map();
      }
    },
    get taken() {
      return taken;
    },
    recall(part) {
      const known = outcomes.get(part) ?? new Map<object, Outcome>();
      outcomes.set(part, known);
      return known;
    },
  };
}

// A step stands for about 40 ns on the machine on which these were measured.
/** Steps of a problem where it is made, and where a reference passes it on. */
export const stepsPerProblem = 10;
