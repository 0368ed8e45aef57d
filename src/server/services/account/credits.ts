/** Plans, and charging: the one way an entry other than a decision's comes into the ledger. */
import type { Caller } from '../../auth/caller.ts';
import type { PlanName } from '../../contract/account/credits.ts';
import type { Foundation } from '../../foundation.ts';
import type { CreditEntry } from '../../store/account/credits.ts';

/** A charge; a refund has negative credits. */
type Charge = Omit<CreditEntry, 'id' | 'createdAt'> & { createdAt?: number };

/** Writes an entry, at the present time unless it names another. For a transaction of its caller. */
export function chargeCredits(deps: Foundation, charge: Charge): void {
  deps.store.credits.insert({ createdAt: deps.clock.now(), ...charge, id: deps.newId() });
}

/** Puts the caller's organisation on a plan; the present plan again changes nothing. */
export function choosePlan(deps: Foundation, caller: Caller, plan: PlanName): void {
  const { accounts } = deps.store;
  if (accounts.getOrganisation(caller.organisationId).plan === plan) return;
  accounts.setPlan(caller.organisationId, plan, deps.clock.now());
}
