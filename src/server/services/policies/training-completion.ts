/** A finished training stored, and whether it is deployed by itself. */
import { readFileSync, rmSync } from 'node:fs';
import { nextTurn } from '../../../door/turns.ts';
import type { Metrics } from '../../../engine/domain/metrics.ts';
import { compareOnCommonRows } from '../../../engine/measure/common-rows.ts';
import type { FollowUp, HeldOutRow } from '../../../engine/training/request.ts';
import type { Foundation } from '../../foundation.ts';
import type { FinishedTraining, FinishedTuning } from '../../jobs/training-ports.ts';
import { sha256 } from '../../process/clock.ts';
import { renameDurably } from '../../process/durable-file.ts';
import { artifactPath } from '../../runtime/deployed-deciders.ts';
import { type AttemptKey, StaleAttemptError } from '../../store/policies/training-runs.ts';
import { noteRelease } from '../releases.ts';
import { prepareDeployedPolicy } from './deployment.ts';
import { readPolicy, readWithType } from './policies.ts';
import { findEasierTest } from './promises.ts';
import { type KeepDeps, keepDeclaredPromise } from './type-promises.ts';
import { assessPolicy, findBlocking, judgeGate, type VerdictDeps } from './verdict.ts';

const checksPerTurn = 1_000;

type CompletionDeps = KeepDeps & VerdictDeps & { artifactsDir: string };

/**
 * Stores a finished training: file first, then one transaction of report, digest, status and deployment, which its
 * verdict may hold back. Rejects, nothing stored, for a bundle that is not sound.
 */
export async function completeTraining(
  deps: CompletionDeps,
  finished: FinishedTraining,
  isWanted: () => boolean,
): Promise<'stored' | 'refused' | 'unwanted'> {
  return storeBundle(deps, finished, finished.policyId, isWanted, () => recordCompletion(deps, finished));
}

/**
 * Stores the result of a tuning in the background as a policy of its own, unless another one was made since. It is
 * deployed only where the policy that it follows decides, or was held back, and it keeps the promise.
 */
export async function completeTuning(
  deps: CompletionDeps,
  finished: FinishedTuning,
  isWanted: () => boolean,
): ReturnType<typeof completeTraining> {
  const { next, partFile, result } = finished;
  const stored = { policyId: next.policyId, partFile, result };
  return storeBundle(deps, stored, finished.policyId, isWanted, () => recordTuning(deps, finished));
}

/**
 * Gives the file its name, and writes by `record`, which says whether the policy was deployed. `trainedId` is the
 * policy whose settings it was trained with.
 */
async function storeBundle(
  deps: CompletionDeps,
  { policyId, partFile, result }: Pick<FinishedTraining, 'policyId' | 'partFile' | 'result'>,
  trainedId: string,
  isWanted: () => boolean,
  record: () => boolean,
): ReturnType<typeof completeTraining> {
  const bundle = readFileSync(partFile);
  if (sha256(bundle) !== result.sha256) throw new Error('The bundle on the disk is not the one that was trained.');
  await deps.runtime.deployed.selfTest(bundle);
  const decidePinned = () => decidePinnedCases(deps, trainedId, { id: policyId, bundleSha256: result.sha256 }, bundle);
  await decidePinned();
  // Another process that has the data file does not cost hours of work, however long it has it.
  while (!deps.store.writeLock.isFree() && isWanted()) await deps.store.writeLock.lookAgain();
  await decidePinned();
  if (!isWanted()) return 'unwanted';
  const file = artifactPath(deps.artifactsDir, policyId);
  try {
    renameDurably(partFile, file);
    if (record()) prepareInBackground(deps, policyId);
    return 'stored';
  } catch (error) {
    rmSync(file, { force: true });
    if (error instanceof StaleAttemptError) return 'refused';
    throw error;
  }
}

/** Decides the pinned cases of its type with a policy that is not stored yet; at once where they are known. */
async function decidePinnedCases(
  { store, runtime, pinnedCases }: CompletionDeps,
  trainedId: string,
  policy: { id: string; bundleSha256: string },
  bundle: Uint8Array,
): Promise<void> {
  const trained = store.policies.byId(trainedId);
  const type = trained && store.decisionTypes.get(trained.decisionTypeId, trained.organisationId);
  if (!type) return;
  const { escalation_threshold: ownEscalation } = trained.trainingConfig;
  await pinnedCases.decide(type, policy, () => runtime.deployed.compilePresent(type, bundle, ownEscalation));
}

/** Writes the result and, where nothing holds the policy back, deploys it; returns whether it was deployed. */
function recordCompletion(deps: CompletionDeps, { policyId, attemptId, result, progress }: FinishedTraining): boolean {
  const { store } = deps;
  const { policy, trained } = toStored(deps, policyId, result);
  return store.transaction(() => {
    store.trainingRuns.heartbeat(attemptId, progress);
    store.trainingRuns.complete({ policyId, attemptId }, trained);
    if (!policy.trainingConfig.auto_deploy || policy.isTypeDeleted) return false;
    return deployOrHoldBack(deps, policyId);
  });
}

function recordTuning(deps: CompletionDeps, { policyId, attemptId, next, result }: FinishedTuning): boolean {
  const { store } = deps;
  const { policy: followed, trained } = toStored(deps, policyId, result);
  const { decisionTypeId, isTypeDeleted, trainingConfig, heldBack } = followed;
  if (isTypeDeleted) throw new StaleAttemptError('The decision type is deleted.');
  return store.transaction(() => {
    store.trainingRuns.insertFollowing(
      { policyId, attemptId },
      { id: next.policyId, version: next.policyVersion },
      trained,
    );
    const mayFollow = heldBack !== null || store.deployments.find(decisionTypeId)?.id === policyId;
    const isPromised = store.promises.findDeclared(decisionTypeId) !== null;
    if (!trainingConfig.auto_deploy || !mayFollow || !isPromised) return false;
    return deployOrHoldBack(deps, next.policyId);
  });
}

function toStored(deps: CompletionDeps, policyId: string, result: FinishedTraining['result']) {
  const policy = deps.store.policies.byId(policyId);
  if (policy === null) throw new StaleAttemptError('The policy does not exist.');
  const { heldOut, sha256: bundleSha256, sizeBytes: bundleSizeBytes } = result;
  const compared = compareWithDeployed(deps, { typeId: policy.decisionTypeId, heldOut });
  const metrics = { ...result.metrics, compared_with_deployed: compared };
  const isQualityGateMet = judgeGate({ ...policy, metrics })?.state !== 'blocking';
  return { policy, trained: { metrics, heldOut, bundleSha256, bundleSizeBytes, isQualityGateMet } };
}

/** Deploys a stored policy, which then keeps its type's promise, unless its verdict holds it back. */
function deployOrHoldBack(deps: CompletionDeps, policyId: string): boolean {
  const { policy, type } = readWithType(deps.store, policyId);
  const byHand = type.publishing !== 'at_once' ? 'Changes to this type are published manually.' : null;
  const reason = byHand ?? findBlocking(assessPolicy(deps, type, policy));
  if (reason !== null) {
    deps.store.deployments.holdBack(policyId, reason);
    return false;
  }
  keepDeclaredPromise(deps, type, policy);
  deps.store.deployments.deploy(policyId, true);
  const authors = deps.store.authors.list(type.id, `policy ${policy.follows ?? policyId}`);
  noteRelease(deps, type.id, { by: null, reason: null, isAutomatic: true, isDeployment: true, authors });
  return true;
}

/**
 * Completes a stored policy's report; its label checks count from then on, those of older policies go. A promise that
 * was declared during the training is taken from it where the report names a stricter test; returns whether it was.
 */
export function completeReport(
  deps: Pick<CompletionDeps, 'store' | 'log'>,
  attempt: AttemptKey,
  metrics: FollowUp['metrics'],
): boolean {
  const { policyId } = attempt;
  const { store, log } = deps;
  const completed = store.transaction(() => {
    if (!store.trainingRuns.completeReport(attempt, metrics)) return null;
    const policy = readPolicy(store, policyId);
    const isTaken = policy.promise !== null && findEasierTest(policy) !== null;
    if (isTaken) store.promises.set(policyId, null);
    return { isTaken };
  });
  if (completed === null) return false;
  removeOlderLabelChecks(deps, policyId).catch((error: unknown) =>
    log.error({ err: error, policyId }, 'the label checks of older policies could not be removed'),
  );
  return completed.isTaken;
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

type Trained = { typeId: string; heldOut: readonly HeldOutRow[] };

/** Compares a trained policy with the deployed one on the rows that both have held out; null where there is nothing. */
function compareWithDeployed({ store }: Foundation, { typeId, heldOut }: Trained): Metrics['compared_with_deployed'] {
  const deployed = store.deployments.find(typeId);
  const version = deployed === null ? null : store.policies.byId(deployed.id)?.version;
  if (deployed === null || version === undefined) return null;
  const own = heldOut.flatMap(({ example_id: exampleId, expected, predicted, ruled }) =>
    ruled ? [] : [{ exampleId, expected, predicted }],
  );
  const { rows, first, second } = compareOnCommonRows(own, store.heldOut.listAnswers(deployed.id));
  if (rows === 0) return null;
  return {
    policy_version: `v${version}`,
    rows,
    right: first.right,
    right_deployed: second.right,
    macro_f1: first.macroF1,
    macro_f1_deployed: second.macroF1,
  };
}
