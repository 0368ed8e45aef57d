import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { exampleBound, limits } from '../../engine/limits.ts';
import type { Foundation } from '../foundation.ts';
import type { DecisionTypeRecord } from '../store/types/decision-types.ts';

/** Throws `validation_error` at `loc` where a type would hold too many examples with those `requested`. */
export function refuseTooMany(
  deps: Foundation,
  type: DecisionTypeRecord,
  requested: number,
  loc: ErrorDetail['loc'],
): void {
  const current = deps.store.examples.count(type.id);
  const maximum = limits.maxExamples;
  if (current + requested <= maximum) return;
  const remaining = Math.max(0, maximum - current);
  throw new WorkbenchError('validation_error', exampleBound, [
    { type: 'too_many', loc, msg: 'too many examples', current, requested, maximum, remaining },
  ]);
}
