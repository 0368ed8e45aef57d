/** The whole decision of a policy, and promises about it. */
import type { Caller } from '../auth/caller.ts';
import { findDecisionType } from '../services/decision-types.ts';
import { findPolicy } from '../services/policies.ts';
import { findPolicyPromise, keepPromise, measurePolicy } from '../services/promises.ts';
import type { Deps, Handlers } from './context.ts';

function findBoth(deps: Deps, caller: Caller, params: { decision_type_id: string; policy_id: string }) {
  const type = findDecisionType(deps, caller, params.decision_type_id);
  return { type, policy: findPolicy(deps.store, type, params.policy_id) };
}

export const promiseHandlers = {
  'policies.whole': (deps, { params, caller }) => {
    const { type, policy } = findBoth(deps, caller, params);
    return measurePolicy(deps, type, policy);
  },

  'policies.promise': (deps, { params, query, caller }) => {
    const { type, policy } = findBoth(deps, caller, params);
    return findPolicyPromise(deps, type, policy, query);
  },

  'policies.keep_promise': async (deps, { params, body, caller }) => {
    const { type, policy } = findBoth(deps, caller, params);
    const kept = await keepPromise(deps, caller, type, policy, body);
    const status = deps.promiseChecks.read(kept.type, kept.policy);
    if (status === null) throw new Error(`The policy ${policy.id} lost its promise at once.`);
    return status;
  },

  'policies.withdraw_promise': (deps, { params, caller }) => {
    deps.store.promises.set(findBoth(deps, caller, params).policy.id, null);
  },
} satisfies Handlers<'policies.whole' | 'policies.promise' | 'policies.keep_promise' | 'policies.withdraw_promise'>;
