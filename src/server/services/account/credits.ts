/** Charging: the one way an entry other than a decision's comes into the ledger. */
import type { Clock } from '../../process/clock.ts';
import type { CreditEntry } from '../../store/account/credits.ts';
import type { Store } from '../../store/store.ts';

/** What is charged; a refund has negative credits. */
type Charge = Omit<CreditEntry, 'id' | 'createdAt'> & { createdAt?: number };

/** Writes an entry, at the present time unless it names another. For a transaction of its caller. */
export function chargeCredits(
  deps: { store: Pick<Store, 'credits'>; clock: Clock; newId(): string },
  charge: Charge,
): void {
  deps.store.credits.insert({ createdAt: deps.clock.now(), ...charge, id: deps.newId() });
}
