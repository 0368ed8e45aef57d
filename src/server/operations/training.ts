/** Training and policies: start, watch, cancel, deploy. */

import { limits } from '../../engine/limits.ts';
import type { Caller } from '../auth/caller.ts';
import type { PolicyDetail, PolicySummary, Readiness } from '../contract/training.ts';
import { isoTime, isoTimeOrNull } from '../process/clock.ts';
import { noteDataProblems } from '../services/data-findings.ts';
import { findDecisionType } from '../services/decision-types.ts';
import { deployPolicy } from '../services/deployment.ts';
import { findPolicy } from '../services/policies.ts';
import { makeRulesPolicy } from '../services/rules-policies.ts';
import { cancelTraining, startTraining } from '../services/training.ts';
import { assessReadiness, type TrainingReadiness } from '../services/training-readiness.ts';
import type { PolicyRecord, PolicySummaryRecord } from '../store/policy-records.ts';
import type { Deps, Handlers } from './context.ts';
import { describeProgress, toExecutionName } from './training-progress.ts';

const toPolicyType = ({ isRulesOnly }: Pick<PolicyRecord, 'isRulesOnly'>) =>
  isRulesOnly ? 'rules_only' : 'compiled_classifier';

type PolicyParams = { decision_type_id: string; policy_id: string };

/** The caller's policy of the type that the path names. */
function findCallersPolicy(deps: Deps, caller: Caller, params: PolicyParams): PolicyRecord {
  return findPolicy(deps.store, findDecisionType(deps, caller, params.decision_type_id), params.policy_id);
}

function toSummary(policy: PolicySummaryRecord): PolicySummary {
  const { metrics, status } = policy;
  return {
    id: policy.id,
    decision_type_id: policy.decisionTypeId,
    version: policy.version,
    policy_type: toPolicyType(policy),
    status,
    deployed: status === 'deployed',
    auto_deployed: policy.isAutoDeployed,
    accuracy: metrics?.accuracy ?? null,
    macro_f1: metrics?.macro_f1 ?? null,
    train_size: metrics?.train_size ?? null,
    quality_gate_met: policy.isQualityGateMet,
    augmentation_status: metrics?.augmentation.status ?? null,
    created_at: isoTime(policy.createdAt),
  };
}

function toDetail(deps: Deps, policy: PolicyRecord): PolicyDetail {
  const { status, trainingConfig } = policy;
  const attempt = deps.store.policies.attempts(policy.id).find(({ id }) => id === policy.currentAttemptId);
  const live = deps.jobs.findProgress(policy.id);
  const type = deps.store.decisionTypes.get(policy.decisionTypeId, policy.organisationId);
  return {
    id: policy.id,
    decision_type_id: policy.decisionTypeId,
    version: policy.version,
    decision_type_version: policy.versionNumber,
    policy_type: toPolicyType(policy),
    status,
    deployed: status === 'deployed',
    auto_deployed: policy.isAutoDeployed,
    quality_gate_met: policy.isQualityGateMet,
    created_at: isoTime(policy.createdAt),
    training_config: trainingConfig,
    metrics: policy.metrics,
    target_f1: trainingConfig.target_f1,
    error: policy.error,
    current_attempt_id: policy.currentAttemptId,
    execution_name: attempt ? toExecutionName(policy, attempt) : null,
    last_heartbeat_at: isoTimeOrNull(live?.lastHeartbeatAt ?? attempt?.lastHeartbeatAt ?? null),
    last_training_error: policy.lastTrainingError,
    promise: type === null ? null : deps.promiseChecks.read(type, policy),
    snapshot_sha256: policy.snapshotSha256 === '' ? null : policy.snapshotSha256,
    seed: policy.snapshotSha256 === '' ? null : policy.seed,
    tool_versions: policy.toolVersions,
  };
}

function toReadiness(readiness: TrainingReadiness, notes: string[]): Readiness {
  return {
    ready: readiness.isReady,
    total_examples: readiness.totalExamples,
    labelled_examples: readiness.labelledExamples,
    per_option: readiness.perOption,
    options: Object.keys(readiness.perOption),
    min_total: limits.minExamples,
    min_per_option: limits.minExamplesPerOption,
    issues: readiness.issues,
    notes,
  };
}

export const trainingHandlers = {
  async 'training.start'(deps, { params, body, caller, receipt }) {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const toAnswer = (policy: PolicyRecord) => ({ ...toSummary(policy), policy_id: policy.id });
    const policy = await startTraining(deps, caller, type, body, {
      begun: (begun) => receipt?.keep(toAnswer(begun)),
      takenBack: () => receipt?.withdraw(),
    });
    return toAnswer(policy);
  },

  'training.readiness'(deps, { params, caller }) {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    return toReadiness(assessReadiness(deps.store, type), noteDataProblems(deps, type));
  },

  async 'policies.create'(deps, { params, caller, receipt }) {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    return toDetail(deps, await makeRulesPolicy(deps, type, (made) => receipt?.keep(toDetail(deps, made))));
  },

  'policies.list': (deps, { params, caller }) =>
    deps.store.policies.list(findDecisionType(deps, caller, params.decision_type_id).id).map(toSummary),

  'policies.get'(deps, { params, caller }) {
    deps.jobs.checkHeartbeats();
    return toDetail(deps, findCallersPolicy(deps, caller, params));
  },

  async 'policies.deploy'(deps, { params, caller, receipt }) {
    const policy = findCallersPolicy(deps, caller, params);
    return toDetail(deps, await deployPolicy(deps, policy, (deployed) => receipt?.keep(toDetail(deps, deployed))));
  },

  'policies.cancel': (deps, { params, caller }) =>
    toDetail(deps, cancelTraining(deps, findCallersPolicy(deps, caller, params))),

  'policies.progress'(deps, { params, caller }) {
    deps.jobs.checkHeartbeats();
    const policy = findCallersPolicy(deps, caller, params);
    return describeProgress({
      policy,
      attempts: deps.store.policies.attempts(policy.id),
      live: deps.jobs.findProgress(policy.id),
      pastRun: deps.store.policies.findPastRun(policy),
      nowMs: deps.clock.now(),
    });
  },
} satisfies Handlers<
  | 'training.start'
  | 'training.readiness'
  | 'policies.create'
  | 'policies.list'
  | 'policies.get'
  | 'policies.deploy'
  | 'policies.cancel'
  | 'policies.progress'
>;
