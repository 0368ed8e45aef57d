import { readFileSync, rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FollowUp } from '../../../engine/training/request.ts';
import type { FinishedTraining } from '../../jobs/training-ports.ts';
import { sha256 } from '../../process/clock.ts';
import { renameDurably } from '../../process/durable-file.ts';
import { artifactPath } from '../../runtime/deployed-deciders.ts';
import { type AttemptKey, StaleAttemptError } from '../../store/policies/training-runs.ts';
import { type DeploymentDeps, prepareDeployedPolicy } from './deployment.ts';
import { readWithType } from './policies.ts';
import { compareWithDeployed, describeMissedGate } from './quality-gate.ts';
import { type KeepDeps, keepDeclaredPromise } from './type-promises.ts';

/** Rows that are removed between two turns of the event loop. */
const checksPerTurn = 1_000;

type CompletionDeps = DeploymentDeps & KeepDeps & { artifactsDir: string };

/**
 * Stores a finished training: the file gets its name first, then one transaction writes report, digest, status and
 * deployment. A training with a target is deployed only when it reaches that F1, on the rows that the deployed policy
 * has held out, too, one with a gate on weak parts only when it meets it, and where something is promised of the type
 * only when the policy keeps it. Rejects, nothing stored, when the bundle is damaged, fails its self-test or cannot be
 * written.
 */
export async function completeTraining(
  deps: CompletionDeps,
  finished: FinishedTraining,
  isWanted: () => boolean,
): Promise<'stored' | 'refused' | 'unwanted'> {
  const { policyId, partFile, result } = finished;
  const bundle = readFileSync(partFile);
  if (sha256(bundle) !== result.sha256) throw new Error('The bundle on the disk is not the one that was trained.');
  await deps.runtime.deployed.selfTest(bundle);
  // Another process that has the data file does not cost hours of work, however long it has it.
  while (!deps.store.writeLock.isFree() && isWanted()) await deps.store.writeLock.lookAgain();
  if (!isWanted()) return 'unwanted';
  const file = artifactPath(deps.artifactsDir, policyId);
  try {
    renameDurably(partFile, file);
    const isDeployed = recordCompletion(deps, finished);
    if (isDeployed) prepareInBackground(deps, policyId);
    return 'stored';
  } catch (error) {
    rmSync(file, { force: true });
    if (error instanceof StaleAttemptError) return 'refused';
    throw error;
  }
}

/** Writes the result and, where nothing holds the policy back, deploys it; returns whether it was deployed. */
function recordCompletion(deps: CompletionDeps, { policyId, attemptId, result, progress }: FinishedTraining): boolean {
  const { store } = deps;
  const policy = store.policies.byId(policyId);
  if (policy === null) throw new StaleAttemptError('The policy does not exist.');
  const trained = { typeId: policy.decisionTypeId, heldOut: result.heldOut };
  const metrics = { ...result.metrics, compared_with_deployed: compareWithDeployed({ store }, trained) };
  const missed = describeMissedGate(policy.trainingConfig, metrics);
  return store.transaction(() => {
    store.trainingRuns.heartbeat(attemptId, progress);
    store.trainingRuns.complete(
      { policyId, attemptId },
      {
        metrics,
        heldOut: result.heldOut,
        bundleSha256: result.sha256,
        bundleSizeBytes: result.sizeBytes,
        isQualityGateMet: missed === null,
      },
    );
    if (!policy.trainingConfig.auto_deploy || policy.isTypeDeleted) return false;
    // Asked of a policy that stays behind a gate, the promise would change the threshold of the one that decides.
    const reason = missed ?? keepPromiseOrSay(deps, policyId);
    if (reason === null) store.deployments.deploy(policyId, { by: null, reason: null, isAutomatic: true });
    else store.deployments.holdBack(policyId, reason);
    return reason === null;
  });
}

/** Keeps the promise of its type with a policy that is to be deployed, or says why it cannot. */
function keepPromiseOrSay(deps: CompletionDeps, policyId: string): string | null {
  const { policy, type } = readWithType(deps.store, policyId);
  const { state, sentence } = keepDeclaredPromise(deps, type, policy);
  return state === 'not_kept' ? sentence : null;
}

/**
 * Completes the report of a stored policy by what was computed after its training; from then on its label checks count,
 * which are there already, and those of older policies go.
 */
export function completeReport(
  deps: Pick<CompletionDeps, 'store' | 'log'>,
  attempt: AttemptKey,
  metrics: FollowUp['metrics'],
): void {
  const { policyId } = attempt;
  if (!deps.store.trainingRuns.completeReport(attempt, metrics)) return;
  removeOlderLabelChecks(deps, policyId).catch((error: unknown) =>
    deps.log.error({ err: error, policyId }, 'the label checks of older policies could not be removed'),
  );
}

/** A few at a time, so that calls are answered in between. */
async function removeOlderLabelChecks({ store }: Pick<CompletionDeps, 'store'>, policyId: string): Promise<void> {
  while (store.trainingRuns.labelChecks.removeOlder(policyId, checksPerTurn) > 0) await nextTurn();
}

function prepareInBackground(deps: CompletionDeps, policyId: string): void {
  prepareDeployedPolicy(deps, policyId).catch((error: unknown) =>
    deps.log.error({ err: error, policyId }, 'a deployed policy could not be prepared'),
  );
}
