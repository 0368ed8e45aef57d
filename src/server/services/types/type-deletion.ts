/** Deleting a decision type, and bringing it back. */
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import type { TrainingJobs } from '../../jobs/training-jobs.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { doByTwo } from '../authors.ts';
import { findDecisionType, refuseOtherState } from './decision-types.ts';
import { refuseTypeName } from './type-names.ts';

/** How long a deleted type can be restored; then it is removed. */
export const restorableMs = 2 * 24 * 3600 * 1000;

/**
 * Deletes a decision type for its callers and cancels its training; it can be restored for two days. Of a type with
 * four eyes two have to: another type could take its name. Throws `precondition_failed` or `conflict`.
 */
export async function deleteDecisionType(
  deps: Foundation & { jobs: TrainingJobs },
  caller: Caller,
  id: string,
  ifMatch: string | null = null,
): Promise<void> {
  const type = findDecisionType(deps, caller, id);
  refuseOtherState(deps, type, ifMatch);
  await doByTwo(deps, caller, type, { delete: true }, () => {
    deps.jobs.cancelOfType(type.id);
    deps.store.decisionTypes.remove(type.id, deps.clock.now());
  });
}

/**
 * Brings a deleted type back, deployed as it was; one not deleted stays. Throws `decision_type_not_found` (past two
 * days), `conflict` (name taken) or `quota_exceeded`.
 */
export function restoreDecisionType(deps: Foundation, caller: Caller, id: string): DecisionTypeRecord {
  const { store, metering, clock } = deps;
  return store.transaction(() => {
    const { organisationId } = caller;
    const name = store.decisionTypes.findDeletedName(id, organisationId, clock.now() - restorableMs);
    if (name === null) return findDecisionType(deps, caller, id);
    refuseTypeName(deps, caller, name, { id, name });
    metering.checkDecisionTypeCount(caller);
    store.decisionTypes.restore(id);
    return findDecisionType(deps, caller, id);
  });
}
