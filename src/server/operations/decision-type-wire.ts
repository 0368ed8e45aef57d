/** Decision types and versions as the wire has them. */
import type { DecisionType, Version } from '../contract/decision-types.ts';
import { isoTime } from '../process/clock.ts';
import type { DeployedDeciders } from '../runtime/deployed-deciders.ts';
import { findResidue, type PersonalResidue } from '../services/personal-data.ts';
import type { PromiseChecks } from '../services/promises.ts';
import type { DecisionTypeRecord, VersionRecord } from '../store/decision-types.ts';
import type { Store } from '../store/store.ts';

export function toVersion(version: VersionRecord): Version {
  return {
    id: version.id,
    version_number: version.versionNumber,
    ...version.definition,
    created_at: isoTime(version.createdAt),
  };
}

type Deps = {
  store: Pick<Store, 'deployments' | 'personalResidues' | 'policies' | 'promises'>;
  promiseChecks: PromiseChecks;
  runtime: { deployed: Pick<DeployedDeciders, 'findUnavailability'> };
};

/**
 * Needs the store to say whether a policy is deployed, and whether it knows the options that the type has now, and the
 * deciders to say whether it can be used.
 */
export function toDecisionType(deps: Deps, type: DecisionTypeRecord): DecisionType {
  const deployed = deps.store.deployments.find(type.id);
  const isPromised = deployed !== null && deps.store.promises.has(deployed.id);
  const policy = isPromised ? deps.store.policies.byId(deployed.id) : null;
  const reason = deployed === null ? null : deps.runtime.deployed.findUnavailability(deployed.id);
  return {
    id: type.id,
    name: type.name,
    description: type.description,
    active_version: toVersion(type.activeVersion),
    pii_fields: type.piiFields,
    pii_residue: toResidue(findResidue(deps, type)),
    retention_days: type.retentionDays,
    fallback_option: type.fallbackOption,
    model_deployed: deployed !== null,
    availability: deployed === null ? null : { state: reason === null ? 'available' : 'unavailable', reason },
    needs_retraining: deployed !== null && !isSameSet(deployed.options, type.activeVersion.definition.options),
    promise: policy === null ? null : deps.promiseChecks.read(type, policy),
    created_at: isoTime(type.createdAt),
    updated_at: isoTime(type.updatedAt),
  };
}

function toResidue(residue: PersonalResidue | null): DecisionType['pii_residue'] {
  return residue && { policies: residue.policies, log_records: residue.logRecords, clearing: residue.isClearing };
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((option) => b.includes(option));
}
