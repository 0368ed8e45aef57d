/** Finding a policy. */
import { WorkbenchError } from '../../engine/errors.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { PolicyRecord } from '../store/policy-records.ts';
import type { Store } from '../store/store.ts';

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
