/**
 * Beginning and cancelling a training. What happens in between is in jobs/, how it is completed in
 * training-completion.ts.
 */
import type { TrainingConfig } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Caller } from '../auth/caller.ts';
import type { PendingWrites } from '../jobs/pending-writes.ts';
import type { TrainingJobs } from '../jobs/training-jobs.ts';
import type { Metering } from '../metering/metering.ts';
import type { Clock } from '../process/clock.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { PolicyRecord } from '../store/policy-records.ts';
import type { Store } from '../store/store.ts';
import type { AttemptKey } from '../store/training-runs.ts';
import { chargeCredits } from './credits.ts';
import { readPolicy } from './policies.ts';
import { assessReadiness, canGenerateMissing } from './training-readiness.ts';

export type TrainingDeps = {
  store: Store;
  clock: Clock;
  newId(): string;
  metering: Metering;
  jobs: TrainingJobs;
  pendingWrites: PendingWrites;
  toolVersion: string;
};

/** What is written in the transactions of a training's beginning and of its being taken back. */
export type TrainingNotes = { begun(policy: PolicyRecord): void; takenBack(): void };

/**
 * Begins a training and waits until a worker has taken it; returns the policy that it trains. Throws `validation_error`
 * (too few examples), what metering refuses, `conflict` (another training is in progress) or
 * `training_dispatch_failed`: the policy is failed then and what it cost is given back.
 */
export async function startTraining(
  deps: TrainingDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  config: TrainingConfig,
  notes: TrainingNotes,
): Promise<PolicyRecord> {
  const readiness = assessReadiness(deps.store, type);
  if (!readiness.isReady && !(config.auto_generate && canGenerateMissing(readiness))) {
    const details = readiness.issues.map((msg) => ({ type: 'not_ready', loc: ['examples'], msg }));
    throw new WorkbenchError('validation_error', 'The decision type is not ready for training.', details);
  }
  deps.metering.checkTraining(caller);
  const key = beginTraining(deps, caller, type, config, notes);
  try {
    await deps.jobs.start(key);
  } catch (cause) {
    deps.pendingWrites.run(() => refundTraining(deps, caller, type, key, notes));
    const details = [{ policy_id: key.policyId, status: 'failed' }];
    throw new WorkbenchError('training_dispatch_failed', 'The training could not be dispatched.', details, { cause });
  }
  return readPolicy(deps.store, key.policyId);
}

/** Writes policy, snapshot, first attempt and charge in one transaction. */
function beginTraining(
  deps: TrainingDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  config: TrainingConfig,
  notes: TrainingNotes,
): AttemptKey {
  const { store, metering, toolVersion } = deps;
  return store.transaction(() => {
    if (store.policies.isSlotTaken(caller.organisationId)) {
      throw new WorkbenchError(
        'conflict',
        'Another training of the organisation is in progress. Wait for it or cancel it.',
      );
    }
    const key = store.trainingRuns.begin(type, config, { node: process.version, tool: toolVersion });
    chargeTraining(deps, caller, type, key, metering.prices.training);
    notes.begun(readPolicy(store, key.policyId));
    return key;
  });
}

/** Ends a training that no worker took; what ended before is not refunded twice. */
function refundTraining(
  deps: TrainingDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  key: AttemptKey,
  notes: TrainingNotes,
): void {
  const { store, metering } = deps;
  store.transaction(() => {
    const error = 'The training could not be dispatched.';
    const hasEnded = store.trainingRuns.end(key.policyId, key.attemptId, 'failed', error);
    if (hasEnded) chargeTraining(deps, caller, type, key, -metering.prices.training);
    notes.takenBack();
  });
}

function chargeTraining(
  deps: TrainingDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  { policyId }: AttemptKey,
  credits: number,
): void {
  chargeCredits(deps, {
    organisationSeq: caller.organisationSeq,
    operation: 'training',
    credits,
    decisionTypeId: type.id,
    referenceId: policyId,
  });
}

/**
 * Cancels a training; returns the policy, `cancelling` until its process is gone. Safe to repeat. Throws `conflict`
 * when the training has ended otherwise.
 */
export function cancelTraining(deps: Pick<TrainingDeps, 'store' | 'jobs'>, policy: PolicyRecord): PolicyRecord {
  const { id, status } = policy;
  if (status === 'trained' || status === 'deployed' || status === 'failed') {
    throw new WorkbenchError('conflict', `A policy in status ${status} cannot be cancelled.`);
  }
  if (status !== 'cancelled') deps.jobs.cancel(id);
  return readPolicy(deps.store, id);
}

/** Cancels what is in progress for a decision type that goes: nobody could address the training afterwards. */
export function cancelTrainings(
  deps: { store: Pick<Store, 'policies'>; jobs: Pick<TrainingJobs, 'cancel'> },
  typeId: string,
): void {
  for (const { id, decisionTypeId } of deps.store.policies.listInProgress()) {
    if (decisionTypeId === typeId) deps.jobs.cancel(id);
  }
}
