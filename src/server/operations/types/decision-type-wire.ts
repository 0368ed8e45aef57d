/** Decision types and versions as the wire has them. */
import type { OutputOf } from '../../contract/operations.ts';
import type { DecisionType, Version } from '../../contract/types/decision-types.ts';
import type { Draft } from '../../contract/types/drafts.ts';
import { isoTime } from '../../process/clock.ts';
import { hasSameOptions } from '../../runtime/current-settings.ts';
import { readTypePromise } from '../../services/policies/type-promises.ts';
import { toTypeTag } from '../../services/types/decision-types.ts';
import { type DraftedType, describeDraft, listConflicts, readChanges } from '../../services/types/drafts.ts';
import { findResidue, type PersonalResidue } from '../../services/types/personal-data.ts';
import { describeOldName } from '../../services/types/type-names.ts';
import type { DecisionTypeRecord, VersionRecord } from '../../store/types/decision-types.ts';
import type { Deps } from '../context.ts';

/** A version of a decision type in the contract's form. */
export function toVersion(version: VersionRecord): Version {
  return {
    id: version.id,
    version_number: version.versionNumber,
    ...version.definition,
    created_at: isoTime(version.createdAt),
  };
}

/** A decision type as the wire has it, with how its promise and its deployed policy stand. */
export function toDecisionType(deps: Deps, type: DecisionTypeRecord): DecisionType {
  const deployed = deps.store.deployments.find(type.id);
  const promised = readTypePromise(deps, type);
  const isPromised = promised.state === 'kept' || promised.state === 'not_kept';
  const policy = isPromised && deployed !== null ? deps.store.policies.byId(deployed.id) : null;
  const reason = deployed === null ? null : deps.runtime.deployed.findUnavailability(deployed.id);
  return {
    id: type.id,
    name: type.name,
    name_notice: describeOldName(deps, type),
    description: type.description,
    active_version: toVersion(type.activeVersion),
    pii_fields: type.piiFields,
    pii_residue: toResidue(findResidue(deps, type)),
    retention_days: type.retentionDays,
    audit: type.audit,
    fallback_option: type.fallbackOption,
    costs: type.costs,
    one_case: type.oneCase,
    groups: type.groups,
    publish_by_hand: type.publishing !== 'at_once',
    publish_by_another: type.publishing === 'by_another',
    draft: type.draft && toDraft({ ...type, draft: type.draft }),
    model_deployed: deployed !== null,
    availability: deployed === null ? null : { state: reason === null ? 'available' : 'unavailable', reason },
    needs_retraining:
      deployed !== null &&
      (!hasSameOptions(deployed.options, type.activeVersion.definition.options) ||
        deps.runtime.deployed.needsRetraining(deployed.id)),
    promise: policy === null ? null : deps.promiseChecks.read(type, policy),
    declared_promise: promised.state === 'nothing_promised' ? null : promised,
    better_policy: deps.store.policies.findBetter(type.id),
    etag: toTypeTag(deps, type),
    created_at: isoTime(type.createdAt),
    updated_at: isoTime(type.updatedAt),
  };
}

/** The draft of a type as the wire has it. */
export function toDraft(type: DraftedType): Draft {
  const { by, updatedAt } = type.draft;
  return {
    settings: readChanges(type),
    changes: describeDraft(type),
    conflicts: listConflicts(type),
    by,
    updated_at: isoTime(updatedAt),
  };
}

/** Lists what the deployed policy of a type reads; null without one, or while it cannot be loaded. */
export function listFields(
  { store, runtime }: Deps,
  type: DecisionTypeRecord,
): OutputOf<'decision_types.get'>['fields'] {
  const policy = store.deployments.find(type.id);
  const fields = policy === null ? null : runtime.deployed.listFields(type, policy);
  if (fields === null) return null;
  return fields.map((field) => ({ ...field, path: field.path.join('.'), range: field.range?.map(String) ?? null }));
}

function toResidue(residue: PersonalResidue | null): DecisionType['pii_residue'] {
  return residue && { policies: residue.policies, log_records: residue.logRecords, clearing: residue.isClearing };
}
