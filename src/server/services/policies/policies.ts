/** Finding a policy. */
import { WorkbenchError } from '../../../engine/errors.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { Store } from '../../store/store.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

/** A policy of a type; throws `not_found` for one of another type as for a missing one. */
export function findPolicy(store: Store, type: DecisionTypeRecord, policyId: string): PolicyRecord {
  const policy = store.policies.get(type.id, policyId);
  if (policy === null) throw new WorkbenchError('not_found', 'The policy does not exist.');
  return policy;
}

/** A policy that is known to exist: no policy is ever deleted. Throws a fault when it does not. */
export function readPolicy(store: Pick<Store, 'policies'>, policyId: string): PolicyRecord {
  const policy = store.policies.byId(policyId);
  if (policy === null) throw new Error(`The policy ${policyId} does not exist.`);
  return policy;
}

/** As `readPolicy`, with its type; throws `decision_type_not_found` where that was deleted. */
export function readWithType(
  store: Pick<Store, 'policies' | 'decisionTypes'>,
  policyId: string,
): { policy: PolicyRecord; type: DecisionTypeRecord } {
  const policy = readPolicy(store, policyId);
  const type = store.decisionTypes.get(policy.decisionTypeId, policy.organisationId);
  if (type === null) throw new WorkbenchError('decision_type_not_found', 'The decision type does not exist.');
  return { policy, type };
}
