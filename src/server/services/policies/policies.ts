/** Looks up policies, with notes on them for people. */

import { WorkbenchError } from '../../../engine/errors.ts';
import type { Foundation } from '../../foundation.ts';
import type { TrainedFrom } from '../../runtime/current-settings.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { Store } from '../../store/store.ts';
import type { DecisionTypeRecord, VersionRecord } from '../../store/types/decision-types.ts';

/** A policy of a type; throws `not_found` for one of another type as for a missing one. */
export function findPolicy(store: Store, type: DecisionTypeRecord, policyId: string): PolicyRecord {
  const policy = store.policies.get(type.id, policyId);
  if (policy === null) throw new WorkbenchError('not_found', 'The policy does not exist.');
  return policy;
}

/** A policy that is known to exist: no policy is ever deleted. Throws a fault when it does not. */
export function readPolicy(store: Store, policyId: string): PolicyRecord {
  const policy = store.policies.byId(policyId);
  if (policy === null) throw new Error(`The policy ${policyId} does not exist.`);
  return policy;
}

/** Says that a policy was trained on rows that rules of other conditions left than the current ones, or null. */
export function describeAttention(
  { store }: Foundation,
  type: DecisionTypeRecord,
  { trainingConfig, versionId, versionNumber }: Pick<PolicyRecord, 'trainingConfig' | 'versionId' | 'versionNumber'>,
): string | null {
  if (trainingConfig.train_on === 'all' || versionId === type.activeVersion.id) return null;
  const list = (version: VersionRecord | null) =>
    JSON.stringify([
      [...new Set(version?.definition.hard_rules.map(({ condition }) => condition))].sort(),
      version?.definition.lists,
    ]);
  if (list(store.decisionTypes.getVersion(type.id, versionId)) === list(type.activeVersion)) return null;
  return `It was trained on what the rules of version ${versionNumber} leave, and the conditions of the rules have changed since. Train the type again, so that it learns what they leave now.`;
}

/** The version of its type that a policy was trained on: none that a policy names is ever deleted. */
export function readVersion(
  store: Store,
  policy: Pick<PolicyRecord, 'id' | 'decisionTypeId' | 'versionId'>,
): VersionRecord {
  const version = store.decisionTypes.getVersion(policy.decisionTypeId, policy.versionId);
  if (version === null) throw new Error(`The policy ${policy.id} names a version that does not exist.`);
  return version;
}

/** As `readPolicy`, with its type; throws `decision_type_not_found` where that was deleted. */
export function readWithType(store: Store, policyId: string): { policy: PolicyRecord; type: DecisionTypeRecord } {
  const policy = readPolicy(store, policyId);
  const type = store.decisionTypes.get(policy.decisionTypeId, policy.organisationId);
  if (type === null) throw new WorkbenchError('decision_type_not_found', 'The decision type does not exist.');
  return { policy, type };
}

/** Reads the parts of a policy's origin that matter when it decides. */
export function readTrainedFrom({ store }: Foundation, policy: Omit<PolicyRecord, 'metrics'>): TrainedFrom {
  const { fallbackOption, trainingConfig } = policy;
  return { version: readVersion(store, policy), fallbackOption, ownEscalation: trainingConfig.escalation_threshold };
}

/** Whether a policy was fitted again on all examples after it was measured; earlier ones were, unless that was off. */
export function isRefitted({ metrics, trainingConfig }: Pick<PolicyRecord, 'metrics' | 'trainingConfig'>): boolean {
  return metrics?.split?.refitted ?? trainingConfig.refit;
}
