/** Handlers for promises of a policy and of its type, and for the cost of its decisions. */
import { weighPolicyCosts } from '../../services/policies/held-out-figures.ts';
import { findPolicyPromise } from '../../services/policies/promises.ts';
import {
  declarePromise,
  keepPromise,
  readTypePromise,
  withdrawPromise,
} from '../../services/policies/type-promises.ts';
import type { Handlers } from '../context.ts';

export const promiseHandlers = {
  'policies.costs': (deps, { type, policy, query }) => weighPolicyCosts(deps, type, policy, query),

  'policies.promise': (deps, { type, policy, query }) => findPolicyPromise(deps, type, policy, query),

  'policies.keep_promise': async (deps, { caller, type, policy, body }) => {
    const kept = await keepPromise(deps, caller, type, policy, body);
    const status = deps.promiseChecks.read(kept.type, kept.policy);
    if (status === null) throw new Error(`The policy ${policy.id} lost its promise at once.`);
    return status;
  },

  'policies.withdraw_promise': (deps, { caller, type, policy }) =>
    policy.status === 'deployed' ? withdrawPromise(deps, caller, type) : deps.store.promises.set(policy.id, null),

  'promises.get': (deps, { type }) => readTypePromise(deps, type),

  'promises.declare': (deps, { caller, type, body }) => declarePromise(deps, caller, type, body),

  'promises.withdraw': (deps, { caller, type }) => withdrawPromise(deps, caller, type),
} satisfies Handlers;
