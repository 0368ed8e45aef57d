/** Credits for deployed policies. */
import type { Foundation } from '../../foundation.ts';
import { chargeCredits } from './credits.ts';

const hourMs = 3600 * 1000;

/** Charges each started hour of each deployed policy, while the service runs; returns how many were. */
export function chargeHosting(deps: Foundation): number {
  const { store, clock, metering } = deps;
  return store.transaction(() => {
    const now = clock.now();
    let charged = 0;
    for (const { id, typeId, organisationId } of store.deployments.listHosted()) {
      // An hour charged while the clock was ahead does not stand for those that are still to come.
      const last = store.credits.getLastHosting(id, now + hourMs);
      if (last !== null && now < last + hourMs) continue;
      chargeCredits(deps, {
        organisationSeq: store.accounts.getOrganisation(organisationId).seq,
        operation: 'hosting',
        credits: metering.prices.hostingPerHour,
        decisionTypeId: typeId,
        referenceId: id,
        createdAt: last !== null && now < last + 2 * hourMs ? last + hourMs : now,
      });
      charged += 1;
    }
    return charged;
  });
}
