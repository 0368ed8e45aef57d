/** Promises of a policy and of its type, and what its decisions cost. */
import type { Caller } from '../../auth/caller.ts';
import { weighPolicyCosts } from '../../services/policies/costs.ts';
import { findPolicy } from '../../services/policies/policies.ts';
import { findPolicyPromise } from '../../services/policies/promises.ts';
import {
  declarePromise,
  keepPromise,
  readTypePromise,
  withdrawPromise,
} from '../../services/policies/type-promises.ts';
import { findDecisionType } from '../../services/types/decision-types.ts';
import type { Deps, Handlers } from '../context.ts';

type Used = Pick<
  Deps,
  'store' | 'metering' | 'clock' | 'newId' | 'runtime' | 'preparation' | 'promiseChecks' | 'heldOutDecisions'
>;

function findBoth(deps: Used, caller: Caller, params: { decision_type_id: string; policy_id: string }) {
  const type = findDecisionType(deps, caller, params.decision_type_id);
  return { type, policy: findPolicy(deps.store, type, params.policy_id) };
}

export const promiseHandlers = {
  'policies.costs': (deps, { params, caller }) => {
    const { type, policy } = findBoth(deps, caller, params);
    return weighPolicyCosts(deps, type, policy);
  },

  'policies.promise': (deps, { params, query, caller }) => {
    const { type, policy } = findBoth(deps, caller, params);
    return findPolicyPromise(deps, type, policy, query);
  },

  'policies.keep_promise': (deps, { params, body, caller }) => {
    const { type, policy } = findBoth(deps, caller, params);
    const kept = keepPromise(deps, type, policy, body);
    const status = deps.promiseChecks.read(kept.type, kept.policy);
    if (status === null) throw new Error(`The policy ${policy.id} lost its promise at once.`);
    return status;
  },

  'policies.withdraw_promise': (deps, { params, caller }) => {
    const { type, policy } = findBoth(deps, caller, params);
    withdrawPromise(deps, type, policy);
  },

  'promises.get': (deps, { params, caller }) =>
    readTypePromise(deps, findDecisionType(deps, caller, params.decision_type_id)),

  'promises.declare': (deps, { params, body, caller }) =>
    declarePromise(deps, findDecisionType(deps, caller, params.decision_type_id), body),

  'promises.withdraw': (deps, { params, caller }) => {
    deps.store.promises.withdraw(findDecisionType(deps, caller, params.decision_type_id).id);
  },
} satisfies Handlers<Used>;
