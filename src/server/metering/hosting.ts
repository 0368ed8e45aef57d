import type { BaseDeps } from '../operations/context.ts';

const hourMs = 3600 * 1000;

/**
 * Charges each started hour of each deployed policy that is not charged yet; returns how many were. The hours of a
 * policy follow one another from its deployment on, while the service runs: time in which it was closed is free.
 */
export function chargeHosting(deps: Pick<BaseDeps, 'store' | 'clock' | 'metering' | 'newId'>): number {
  const { store, clock, metering } = deps;
  return store.transaction(() => {
    const now = clock.now();
    let charged = 0;
    for (const type of store.decisionTypes.listAll()) {
      const policy = store.policies.deployedOf(type.id);
      if (policy === null) continue;
      const last = store.credits.getLastHosting(policy.id);
      if (last !== null && now < last + hourMs) continue;
      store.credits.insert({
        id: deps.newId(),
        organisationSeq: store.accounts.getOrganisation(type.organisationId).seq,
        operation: 'hosting',
        credits: metering.prices.hostingPerHour,
        decisionTypeId: type.id,
        referenceId: policy.id,
        createdAt: last !== null && now < last + 2 * hourMs ? last + hourMs : now,
      });
      charged += 1;
    }
    return charged;
  });
}
