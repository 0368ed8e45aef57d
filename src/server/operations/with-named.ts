/** Looks up what the path of a request names, for the handlers. */
import type { Caller } from '../auth/caller.ts';
import { findPolicy } from '../services/policies/policies.ts';
import { findDecisionType } from '../services/types/decision-types.ts';
import type { PolicyRecord } from '../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../store/types/decision-types.ts';
import type { Deps } from './context.ts';

/** Adds the type and the policy of the path; finding them throws as `findDecisionType` and `findPolicy` do. */
export function withNamed<Request extends { params: unknown; caller: Caller | null }>(
  deps: Deps,
  request: Request,
): Request & { readonly type: DecisionTypeRecord; readonly policy: PolicyRecord } {
  const ids = request.params as { decision_type_id: string; policy_id: string };
  let type: DecisionTypeRecord | null = null;
  const findType = (): DecisionTypeRecord => {
    if (request.caller === null) throw new Error('An authorised request has no caller.');
    type ??= findDecisionType(deps, request.caller, ids.decision_type_id);
    return type;
  };
  return {
    ...request,
    get type() {
      return findType();
    },
    get policy() {
      return findPolicy(deps.store, findType(), ids.policy_id);
    },
  };
}
