import type { Caller } from '../../auth/caller.ts';
import type { PlanName } from '../../contract/account/credits.ts';
import type { Foundation } from '../../foundation.ts';

/** Puts the caller's organisation on a plan; the present plan again changes nothing. */
export function choosePlan(deps: Foundation, caller: Caller, plan: PlanName): void {
  const { accounts } = deps.store;
  if (accounts.getOrganisation(caller.organisationId).plan === plan) return;
  accounts.setPlan(caller.organisationId, plan, deps.clock.now());
}
