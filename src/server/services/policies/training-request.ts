/** What a worker needs to know of the policy that it trains, apart from the examples. */
import type { WorkerOrder } from '../../jobs/worker-messages.ts';
import { isoTime } from '../../process/clock.ts';
import type { Store } from '../../store/store.ts';
import { readPolicy } from './policies.ts';

/** Reads the request from the policy and the version of the type that it is trained on. Throws when there is none. */
export function toTrainingRequest(store: Store, toolVersion: string, policyId: string): WorkerOrder['request'] {
  const policy = readPolicy(store, policyId);
  const version = store.decisionTypes.getVersion(policy.decisionTypeId, policy.versionId);
  if (version === null) throw new Error(`The policy ${policyId} names a version that does not exist.`);
  return {
    policyId,
    policyVersion: policy.version,
    decisionType: policy.typeName,
    versionNumber: policy.versionNumber,
    definition: version.definition,
    fallbackOption: policy.fallbackOption,
    config: policy.trainingConfig,
    toolVersion,
    createdAt: isoTime(policy.createdAt),
    piiFields: store.decisionTypes.get(policy.decisionTypeId, policy.organisationId)?.piiFields ?? [],
  };
}
