/** Queueing, beginning and cancelling a training; jobs/ runs it, training-completion.ts completes it. */

import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import type { TrainingConfig } from '../../../engine/domain/training.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { listLeaves } from '../../../engine/features/values.ts';
import { readField } from '../../../engine/units/hold-out.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import type { TrainingJobs } from '../../jobs/training-jobs.ts';
import type { WorkerOrder } from '../../jobs/worker-messages.ts';
import { isoTime } from '../../process/clock.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { AttemptKey } from '../../store/policies/training-runs.ts';
import type { Store } from '../../store/store.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { chargeCredits } from '../account/connections.ts';
import { noteAuthor } from '../authors.ts';
import { readPolicy, readVersion } from './policies.ts';
import { assessReadiness, canGenerateMissing } from './training-readiness.ts';

/** Examples that are looked at for a field, and the fields that are named where none has it. */
const maxSearched = 200;
const maxNamed = 12;
/** Held-out rows of an earlier policy that a training is given. */
const maxEarlierRows = 10_000;

type TrainingDeps = Foundation & { jobs: TrainingJobs };

/** The writes in the transactions that take the order of a training and that take it back. */
type TrainingNotes = { ordered(policy: PolicyRecord): void; takenBack(): void };

/**
 * Begins a training and waits until a worker has taken it, or has it wait for those before it. Throws
 * `validation_error`, what metering refuses, `conflict` (one waits already) or, refunded, `training_dispatch_failed`.
 */
export async function startTraining(
  deps: TrainingDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  config: TrainingConfig,
  notes: TrainingNotes,
): Promise<PolicyRecord> {
  const readiness = await assessReadiness(deps, type, config);
  const mayGenerate = config.auto_generate && config.rare_options !== 'fallback';
  if (!readiness.isReady && !(mayGenerate && canGenerateMissing(readiness))) {
    const details = readiness.issues.map((msg) => ({ type: 'not_ready', loc: ['examples'], msg }));
    throw new WorkbenchError('validation_error', 'The decision type is not ready for training.', details);
  }
  checkSplitField(deps, type, config);
  checkTextModel(deps, config.text_model);
  deps.metering.checkTraining(caller);
  const { policyId, begun } = orderTraining(deps, type, config, {
    ...notes,
    ordered(policy) {
      noteAuthor(deps, caller, type, `policy ${policy.id}`);
      notes.ordered(policy);
    },
  });
  if (begun !== null) await dispatchTraining(deps, begun, notes.takenBack);
  return readPolicy(deps.store, policyId);
}

/** Begins the training that waits longest for a free slot; nothing where none does, or nothing can be written now. */
export function beginWaitingTraining(deps: TrainingDeps): void {
  const { store, log } = deps;
  if (!store.writeLock.isFree()) return;
  const noteFailure = (err: unknown) => log.error({ err }, 'a training that waited could not be begun');
  try {
    const begun = store.transaction(() => beginNext(deps));
    if (begun !== null) dispatchTraining(deps, begun, () => {}).catch(noteFailure);
  } catch (error) {
    noteFailure(error);
  }
}

/** Throws `validation_error` for a field to hold out by that none of the newest labelled examples has. */
function checkSplitField({ store }: Foundation, type: DecisionTypeRecord, { split: { field } }: TrainingConfig): void {
  if (field === null) return;
  const { examples } = store.examples.page(type.id, { labelled: true }, 1, maxSearched);
  if (examples.some(({ input }) => readField(input, field) !== null)) return;
  const fields = new Set(examples.flatMap(({ input }) => listLeaves(input).map(({ path }) => path.join('.'))));
  const names = [...fields].slice(0, maxNamed).map((name) => JSON.stringify(name));
  const message = `none of the newest ${examples.length} labelled examples has it; they have ${names.join(', ')}`;
  throw toValidationError([toInvalidValue(['body', 'split', 'field'], message)]);
}

/** Throws `validation_error` where a training asks for a text model that is not there. */
function checkTextModel({ runtime }: Foundation, name: string): void {
  const names = ['auto', 'words', ...runtime.textModels.map(({ model }) => model.name)];
  if (names.includes(name)) return;
  throw toValidationError([toInvalidValue(['body', 'text_model'], `must be one of ${names.join(', ')}`)]);
}

/** Puts a training into the queue, which begins at once where the slot is free; `begun` is null while it waits. */
function orderTraining(
  deps: TrainingDeps,
  type: DecisionTypeRecord,
  config: TrainingConfig,
  notes: TrainingNotes,
): { policyId: string; begun: AttemptKey | null } {
  const { store, metering, toolVersion } = deps;
  return store.transaction(() => {
    const waiting = store.policies.findQueued(type.id);
    if (waiting !== null) throw toQueueConflict(waiting);
    const policyId = store.trainingRuns.queue(type, config, { node: process.version, tool: toolVersion });
    chargeTraining(deps, readPolicy(store, policyId), metering.prices.training);
    const isFirst = store.policies.findNextQueued()?.id === policyId;
    const begun = isFirst ? beginNext(deps) : null;
    notes.ordered(readPolicy(store, policyId));
    return { policyId, begun };
  });
}

/** The refusal of a second training that would wait: it names the first, so that the caller can watch or cancel it. */
function toQueueConflict({ id, version, status, typeName, decisionTypeId }: PolicyRecord): WorkbenchError {
  const message = `A training of ${JSON.stringify(typeName)} waits already: policy v${version}. It learns from what is there when it begins; cancel it to train with other settings.`;
  return new WorkbenchError('conflict', message, [{ decision_type_id: decisionTypeId, policy_id: id, status }]);
}

/** Begins, in the caller's transaction, the training that waits longest for a free slot. */
function beginNext({ store, clock }: TrainingDeps): AttemptKey | null {
  const policy = store.policies.findNextQueued();
  const type = policy && store.decisionTypes.get(policy.decisionTypeId, policy.organisationId);
  if (!type) return null;
  store.audits.takeCorrected(type.seq, clock.now());
  return store.trainingRuns.begin(policy.id, type);
}

/** Waits until a worker has taken a training; rejects with `training_dispatch_failed`, refunded, where none did. */
async function dispatchTraining(deps: TrainingDeps, key: AttemptKey, takenBack: () => void): Promise<void> {
  try {
    await deps.jobs.start(key);
  } catch (cause) {
    deps.pendingWrites.run(() => refundTraining(deps, key, takenBack));
    const details = [{ policy_id: key.policyId, status: 'failed' }];
    throw new WorkbenchError('training_dispatch_failed', 'The training could not be dispatched.', details, { cause });
  }
}

/** Ends a training that no worker took; what ended before is not refunded twice. */
function refundTraining(deps: TrainingDeps, { policyId, attemptId }: AttemptKey, takenBack: () => void): void {
  const { store, metering } = deps;
  store.transaction(() => {
    const error = 'The training could not be dispatched.';
    const hasEnded = store.trainingRuns.end(policyId, attemptId, 'failed', error);
    if (hasEnded) chargeTraining(deps, readPolicy(store, policyId), -metering.prices.training);
    takenBack();
  });
}

/** Ends a cancelled (`error` null) or interrupted training, refunded where nothing was computed yet. */
export function endUnfinishedTraining(
  deps: Foundation,
  { policyId, attemptId }: { policyId: string; attemptId: string | null },
  error: string | null,
): void {
  const { store, metering } = deps;
  store.transaction(() => {
    const policy = readPolicy(store, policyId);
    const hasBegun = policy.snapshotSha256 !== '';
    const charge = hasBegun
      ? 'It had begun to compute, so it stays charged.'
      : 'It had not begun to compute, so its credits were given back.';
    const hasEnded =
      error === null
        ? store.trainingRuns.end(policyId, attemptId, 'cancelled', null)
        : store.trainingRuns.end(policyId, attemptId, 'failed', `${error} ${charge}`);
    if (!hasEnded || hasBegun) return;
    chargeTraining(deps, policy, -metering.prices.training);
  });
}

function chargeTraining(
  deps: Foundation,
  { id: referenceId, organisationId, decisionTypeId }: PolicyRecord,
  credits: number,
): void {
  const { seq: organisationSeq } = deps.store.accounts.getOrganisation(organisationId);
  chargeCredits(deps, { organisationSeq, operation: 'training', credits, decisionTypeId, referenceId });
}

/** Cancels a training, or a trained policy's tuning; safe to repeat. Throws `conflict` when it ended otherwise. */
export function cancelTraining(deps: TrainingDeps, policy: PolicyRecord): PolicyRecord {
  const { id, status } = policy;
  if (deps.jobs.endTuning(id)) return policy;
  if (status === 'trained' || status === 'deployed' || status === 'failed') {
    throw new WorkbenchError('conflict', `A policy in status ${status} cannot be cancelled.`);
  }
  if (status !== 'cancelled') deps.jobs.cancel(id);
  return readPolicy(deps.store, id);
}

/** Reads the request from the policy and the version of the type that it is trained on. Throws if there is none. */
export function toTrainingRequest(store: Store, toolVersion: string, policyId: string): WorkerOrder['request'] {
  const policy = readPolicy(store, policyId);
  const { definition } = readVersion(store, policy);
  const { oneCase = null } = store.decisionTypes.get(policy.decisionTypeId, policy.organisationId) ?? {};
  const isRandom = policy.trainingConfig.split.by === 'random';
  return {
    policyId,
    policyVersion: policy.version,
    decisionType: policy.typeName,
    versionNumber: policy.versionNumber,
    definition,
    fallbackOption: policy.fallbackOption,
    config: oneCase !== null && isRandom ? { ...policy.trainingConfig, split: oneCase } : policy.trainingConfig,
    isAnswered: oneCase !== null,
    toolVersion,
    doubtedLabels: store.heldOut.listDoubted(policy.decisionTypeId, policy.version, definition.options),
    earlier: store.heldOut.listEarlier(policy.decisionTypeId, policy.version, definition.options, maxEarlierRows),
    identifying: store.labelling.listIdentifyingFields(policy.decisionTypeId),
    drawnDeletions: store.labelling.countDrawnDeletions(policy.decisionTypeId),
    ...store.ownAnswers.read(policy.decisionTypeId, policy.organisationId),
    createdAt: isoTime(policy.createdAt),
    isPromised: store.promises.findDeclared(policy.decisionTypeId) !== null,
    // A second attempt leaves out what the record of the policy says that it leaves out.
    piiFields: policy.piiFields ?? [],
  };
}
