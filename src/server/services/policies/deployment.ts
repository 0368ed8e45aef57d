/** Putting a policy in charge, and going back to an earlier release. */
import { isDeepStrictEqual } from 'node:util';
import { keepCostOptions } from '../../../engine/costs.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { chargeHosting } from '../account/connections.ts';
import { nameCaller, noteRelease } from '../releases.ts';
import {
  findDecisionType,
  findVersion,
  refuseChangedMeanwhile,
  refuseOtherState,
  toNextVersion,
} from '../types/decision-types.ts';
import { readPolicy, readWithType } from './policies.ts';
import { type KeepDeps, keepDeclaredPromise } from './type-promises.ts';
import { assessPolicy, passVerdict, type VerdictDeps } from './verdict.ts';

/**
 * Deploys a trained policy after its self-test and returns it; it gets its type's promise where it can keep it.
 * `alongside` writes into the transaction. Throws `conflict` (status, self-test, verdict) or `unavailable` (file).
 */
export async function deployPolicy(
  deps: KeepDeps & VerdictDeps,
  caller: Caller,
  policy: PolicyRecord,
  reason: string | null,
  alongside?: (deployed: PolicyRecord) => void,
): Promise<PolicyRecord> {
  const { id, status, bundleSha256 } = policy;
  if ((status !== 'trained' && status !== 'deployed') || bundleSha256 === null) {
    throw new WorkbenchError('conflict', `A policy in status ${status} cannot be deployed.`);
  }
  const { type } = readWithType(deps.store, id);
  const work = `policy ${policy.follows ?? id}` as const;
  await deps.runtime.deployed.selfTestFile(id, bundleSha256);
  await deps.pinnedCases.tryToDecide(type, policy);
  await deps.store.writeLock.whenFree();
  deps.store.transaction(() => {
    const trained = readWithType(deps.store, id);
    // A deployed policy may be deployed again, as the interface says: nothing changes.
    if (trained.policy.status === 'deployed') return void alongside?.(trained.policy);
    const verdict = assessPolicy(deps, trained.type, trained.policy);
    const over = passVerdict(deps, caller, trained.type, { verdict, work, reason });
    deps.store.deployments.deploy(id, false);
    const deployed = readWithType(deps.store, id);
    keepDeclaredPromise(deps, deployed.type, deployed.policy);
    const by = nameCaller(deps.store, caller);
    const why = reason ?? policy.metrics?.better_than?.sentence ?? null;
    const authors = deps.store.authors.list(type.id, work);
    noteRelease(deps, type.id, { by, reason: why, over, isAutomatic: false, isDeployment: true, authors });
    alongside?.(readPolicy(deps.store, id));
  });
  await prepareDeployedPolicy(deps, id);
  return readPolicy(deps.store, id);
}

/** Compiles a deployed policy, charges its hosting and starts the encoder; an unusable one stays deployed. */
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

/** A release of a type; throws `not_found`. */
export function findRelease({ store }: Foundation, typeId: string, number: number): ReleaseRecord {
  const release = store.releases.find(typeId, number);
  if (release === null) throw new WorkbenchError('not_found', `There is no release ${number} of this decision type.`);
  return release;
}

/**
 * Makes a release that decides as release `number` did, after its policy's self-test. Throws `not_found`, `conflict`
 * (decides already, self-test, verdict, changed meanwhile), `precondition_failed` or `unavailable` (file).
 */
export async function restoreRelease(
  deps: VerdictDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  { number, reason, ifMatch }: { number: number; reason: string | null; ifMatch: string | null },
  alongside: (release: ReleaseRecord) => void,
): Promise<ReleaseRecord> {
  const { store, runtime } = deps;
  refuseOtherState(deps, type, ifMatch);
  const wanted = findRelease(deps, type.id, number);
  const { policyId } = wanted;
  const work = `release ${number}` as const;
  const policy = readPolicy(store, policyId);
  if (policy.bundleSha256 !== null) await runtime.deployed.selfTestFile(policyId, policy.bundleSha256);
  const { definition } = findVersion(deps, caller, type.id, wanted.versionId);
  const restored = withSettings(deps, type, definition, wanted.fallbackOption);
  await deps.pinnedCases.tryToDecide(restored, policy);
  await store.writeLock.whenFree();
  const made = store.transaction(() => {
    const now = findDecisionType(deps, caller, type.id);
    refuseChangedMeanwhile(deps, now, type);
    const before = store.releases.findNewest(type.id);
    if (before?.digest === wanted.digest && before.policyId === policyId) {
      throw new WorkbenchError('conflict', `Release ${before.number} decides as release ${number} did.`);
    }
    const verdict = assessPolicy(deps, restored, { ...policy, status: 'deployed' });
    const over = passVerdict(deps, caller, now, { verdict, work, reason });
    writeSettings(deps, now, restored);
    if (before?.policyId !== policyId) store.deployments.deploy(policyId, false);
    noteRelease(deps, type.id, {
      by: nameCaller(store, caller),
      reason: reason ?? `Back to release ${number}.`,
      over,
      isAutomatic: false,
      isDeployment: before?.policyId !== policyId,
      authors: store.authors.list(type.id, work),
    });
    const newest = store.releases.findNewest(type.id);
    if (newest === null) throw new Error('The release was not noted.');
    alongside(newest);
    return newest;
  });
  await prepareDeployedPolicy(deps, policyId);
  return made;
}

/** A type with other settings, under a version of its own where they are others. */
export function withSettings(
  deps: Foundation,
  type: DecisionTypeRecord,
  definition: Definition,
  fallbackOption: string | null,
): DecisionTypeRecord {
  const isNewVersion = !isDeepStrictEqual(definition, type.activeVersion.definition);
  const updatedAt = deps.clock.now();
  return {
    ...type,
    fallbackOption,
    costs: type.costs && keepCostOptions(type.costs, definition.options),
    activeVersion: isNewVersion ? toNextVersion(deps, type, definition, updatedAt) : type.activeVersion,
    updatedAt,
  };
}

/** Gives a type the settings that `withSettings` made of it, in the caller's transaction. */
export function writeSettings({ store }: Foundation, type: DecisionTypeRecord, next: DecisionTypeRecord): void {
  store.decisionTypes.update(next, next.activeVersion.id !== type.activeVersion.id);
}
