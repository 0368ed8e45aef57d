/** Charging: the one way an entry other than a decision's comes into the ledger. */
import type { Foundation } from '../../foundation.ts';
import type { CreditEntry } from '../../store/account/credits.ts';

/** A charge; a refund has negative credits. */
type Charge = Omit<CreditEntry, 'id' | 'createdAt'> & { createdAt?: number };

/** Writes an entry, at the present time unless it names another. For a transaction of its caller. */
export function chargeCredits(deps: Foundation, charge: Charge): void {
  deps.store.credits.insert({ createdAt: deps.clock.now(), ...charge, id: deps.newId() });
}
