import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import { chargeHosting } from '../account/hosting.ts';
import { nameCaller, noteRelease } from '../releases.ts';
import { readPolicy, readWithType } from './policies.ts';
import { type KeepDeps, keepDeclaredPromise } from './type-promises.ts';

/**
 * Deploys a trained policy after its self-test and returns it; it gets its type's promise where it can keep it.
 * `alongside` writes into the transaction. Throws `conflict` (status, self-test) or `unavailable` (file).
 */
export async function deployPolicy(
  deps: KeepDeps,
  caller: Caller,
  policy: PolicyRecord,
  reason: string | null,
  alongside?: (deployed: PolicyRecord) => void,
): Promise<PolicyRecord> {
  const { id, status, bundleSha256 } = policy;
  if ((status !== 'trained' && status !== 'deployed') || bundleSha256 === null) {
    throw new WorkbenchError('conflict', `A policy in status ${status} cannot be deployed.`);
  }
  await deps.runtime.deployed.selfTestFile(id, bundleSha256);
  await deps.store.writeLock.whenFree();
  deps.store.transaction(() => {
    deps.store.deployments.deploy(id, false);
    const deployed = readWithType(deps.store, id);
    keepDeclaredPromise(deps, deployed.type, deployed.policy);
    const by = nameCaller(deps.store, caller);
    noteRelease(deps, deployed.type.id, { by, reason, isAutomatic: false, isDeployment: true });
    alongside?.(readPolicy(deps.store, id));
  });
  await prepareDeployedPolicy(deps, id);
  return readPolicy(deps.store, id);
}

/**
 * Compiles a deployed policy, charges its hosting and starts the encoder, so that no decide call waits. One that cannot
 * be used stays deployed.
 */
export async function prepareDeployedPolicy(deps: Foundation, policyId: string): Promise<void> {
  const { store, log, runtime } = deps;
  const row = store.policies.byId(policyId);
  const type = row && store.decisionTypes.get(row.decisionTypeId, row.organisationId);
  const policy = type && store.deployments.find(type.id);
  if (!type || policy?.id !== policyId) return runtime.deployed.forget(policyId);
  if (!(await runtime.deployed.prepare(type, policy))) return;
  chargeHosting(deps);
  try {
    await runtime.deployed.startEncoder(policyId);
  } catch (error) {
    // Decisions by rule go on; the host starts the encoder again by itself.
    log.warn({ err: error, policyId }, 'the text encoder is not ready');
  }
}

/** Tries the deployed policies again that could not be used and whose wait is over. */
export async function retryUnavailablePolicies(deps: Foundation): Promise<void> {
  for (const policyId of deps.runtime.deployed.listDue()) await prepareDeployedPolicy(deps, policyId);
}

/** Prepares every deployed policy, one after the other. */
export async function prepareDeployedPolicies(deps: Foundation): Promise<void> {
  for (const policyId of deps.store.deployments.listIds()) await prepareDeployedPolicy(deps, policyId);
}
