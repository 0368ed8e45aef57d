import type { WorkerOrder } from '../../jobs/worker-messages.ts';
import { isoTime } from '../../process/clock.ts';
import type { Store } from '../../store/store.ts';
import { readPolicy, readVersion } from './policies.ts';

/** Reads the request from the policy and the version of the type that it is trained on. Throws when there is none. */
export function toTrainingRequest(store: Store, toolVersion: string, policyId: string): WorkerOrder['request'] {
  const policy = readPolicy(store, policyId);
  const { definition } = readVersion(store, policy);
  return {
    policyId,
    policyVersion: policy.version,
    decisionType: policy.typeName,
    versionNumber: policy.versionNumber,
    definition,
    fallbackOption: policy.fallbackOption,
    config: policy.trainingConfig,
    toolVersion,
    doubtedLabels: store.heldOut.listDoubted(policy.decisionTypeId, policy.version, definition.options),
    createdAt: isoTime(policy.createdAt),
    piiFields: store.decisionTypes.get(policy.decisionTypeId, policy.organisationId)?.piiFields ?? [],
  };
}
