/** Training and policies: start, watch, cancel, deploy, give away as a file. */

import { createTurns } from '../../../door/turns.ts';
import { endedFollowUp } from '../../../engine/domain/metrics.ts';
import type { TrainingConfig } from '../../../engine/domain/training.ts';
import { limits } from '../../../engine/limits.ts';
import type { WholeDecision } from '../../../engine/measured.ts';
import { describeFewToCome } from '../../../engine/training/data/rare-options.ts';
import { requireScope } from '../../auth/auth.ts';
import type { PolicyDetail, PolicySummary, Readiness } from '../../contract/policies/training.ts';
import { isoTime, isoTimeOrNull } from '../../process/clock.ts';
import { noteAuthor } from '../../services/authors.ts';
import { noteDataProblems } from '../../services/examples/data-findings.ts';
import { deployPolicy } from '../../services/policies/deployment.ts';
import { exportBundle, exportPage, findExportablePolicy, withPresentFigures } from '../../services/policies/export.ts';
import { tellPromise } from '../../services/policies/job-events.ts';
import { describeAttention } from '../../services/policies/policies.ts';
import { makeRulesPolicy } from '../../services/policies/rules-policies.ts';
import { cancelTraining, startTraining } from '../../services/policies/training.ts';
import { assessReadiness, type TrainingReadiness } from '../../services/policies/training-readiness.ts';
import { assessPolicy } from '../../services/policies/verdict.ts';
import type { PolicyRecord, PolicySummaryRecord } from '../../store/policies/policy-records.ts';
import { type Deps, type Handlers, toPage } from '../context.ts';
import { describeProgress, toExecutionName } from './training-progress.ts';

/** Policies of a list whose held-out rows are decided again, beside the deployed one. */
const maxMeasured = 20;

const toCommon = (policy: PolicySummaryRecord | PolicyRecord, attention: string | null) => ({
  id: policy.id,
  decision_type_id: policy.decisionTypeId,
  version: policy.version,
  policy_type: policy.isRulesOnly ? ('rules_only' as const) : ('compiled_classifier' as const),
  status: policy.status,
  deployed: policy.status === 'deployed',
  auto_deployed: policy.isAutoDeployed,
  quality_gate_met: policy.isQualityGateMet,
  follows: policy.follows,
  held_back: policy.heldBack,
  needs_attention: attention,
  created_at: isoTime(policy.createdAt),
});

function toSummary(
  policy: PolicySummaryRecord,
  whole: WholeDecision | null,
  attention: string | null = null,
): PolicySummary {
  const { metrics } = policy;
  return {
    ...toCommon(policy, attention),
    accuracy: metrics?.accuracy ?? null,
    macro_f1: metrics?.macro_f1 ?? null,
    train_size: metrics?.train_size ?? null,
    augmentation_status: metrics?.augmentation.status ?? null,
    whole,
  };
}

function toDetail(deps: Deps, policy: PolicyRecord): PolicyDetail {
  const { trainingConfig } = policy;
  const attempt = deps.store.policies.attempts(policy.id).find(({ id }) => id === policy.currentAttemptId);
  const live = deps.jobs.findProgress(policy.id);
  const type = deps.store.decisionTypes.get(policy.decisionTypeId, policy.organisationId);
  const metrics =
    policy.metrics && type
      ? withPresentFigures(policy.metrics, deps.heldOutDecisions.read(type, policy).whole)
      : policy.metrics;
  return {
    ...toCommon(policy, type === null ? null : describeAttention(deps, type, policy)),
    decision_type_version: policy.versionNumber,
    training_config: trainingConfig,
    metrics:
      metrics?.follow_up?.state === 'pending' && live === null ? { ...metrics, follow_up: endedFollowUp } : metrics,
    target_f1: trainingConfig.target_f1,
    error: policy.error,
    current_attempt_id: policy.currentAttemptId,
    execution_name: attempt ? toExecutionName(policy, attempt) : null,
    last_heartbeat_at: isoTimeOrNull(live?.lastHeartbeatAt ?? attempt?.lastHeartbeatAt ?? null),
    last_training_error: policy.lastTrainingError,
    promise: type === null ? null : deps.promiseChecks.read(type, policy),
    promise_standing: type === null ? null : deps.promiseChecks.readStanding(type, policy),
    tuning: live?.tuning ?? null,
    verdict: type === null ? [] : assessPolicy(deps, type, policy),
    snapshot_sha256: policy.snapshotSha256 === '' ? null : policy.snapshotSha256,
    seed: policy.snapshotSha256 === '' ? null : policy.seed,
    tool_versions: policy.toolVersions,
  };
}

function toReadiness(
  readiness: TrainingReadiness,
  settings: Pick<TrainingConfig, 'min_per_option' | 'rare_options'>,
  notes: string[],
): Readiness {
  const { neverAlone, perOption } = readiness;
  const counts = neverAlone.options.map((option) => perOption[option] ?? 0);
  return {
    ready: readiness.isReady,
    total_examples: readiness.totalExamples,
    labelled_examples: readiness.labelledExamples,
    missing_labels: readiness.missingLabels,
    per_option: readiness.perOption,
    hinted: readiness.hinted,
    left_to_rules: readiness.leftToRules,
    options: Object.keys(readiness.perOption),
    min_total: limits.minExamples,
    min_per_option: readiness.minPerOption,
    set_aside: readiness.setAside,
    never_alone: {
      ...neverAlone,
      sentence: describeFewToCome(counts, settings),
    },
    issues: readiness.issues,
    notes,
  };
}

export const trainingHandlers = {
  async 'training.start'(deps, request) {
    const { body, caller, receipt } = request;
    if (body.auto_deploy) requireScope(caller, 'deploy');
    const toAnswer = (policy: PolicyRecord) => ({ ...toSummary(policy, null), policy_id: policy.id });
    const policy = await startTraining(deps, caller, request.type, body, {
      ordered: (ordered) => receipt?.keep(toAnswer(ordered)),
      takenBack: () => receipt?.withdraw(),
    });
    return toAnswer(policy);
  },

  async 'training.readiness'(deps, { type, query }) {
    return toReadiness(await assessReadiness(deps, type, query), query, noteDataProblems(deps, type));
  },

  async 'policies.create'(deps, { caller, type, receipt }) {
    const made = await makeRulesPolicy(deps, type, (policy) => {
      noteAuthor(deps, caller, type, `policy ${policy.id}`);
      receipt?.keep(toDetail(deps, policy));
    });
    return toDetail(deps, made);
  },

  async 'policies.list'(deps, { type }) {
    const takeTurns = createTurns(deps.clock);
    const summaries: PolicySummary[] = [];
    for (const [place, policy] of deps.store.policies.list(type.id).entries()) {
      await takeTurns();
      const { metrics, status } = policy;
      const isShown = place < maxMeasured || status === 'deployed';
      const { isDrawn } = deps.store.heldOut.readBasis(policy.id);
      const isMeasured = isShown && metrics !== null && (metrics.test_size > 0 || isDrawn);
      const whole = isMeasured ? deps.heldOutDecisions.read(type, policy).whole : null;
      summaries.push(toSummary(policy, whole, describeAttention(deps, type, policy)));
    }
    return summaries;
  },

  async 'policies.get'(deps, { type, policy }) {
    deps.jobs.checkHeartbeats();
    await deps.pinnedCases.tryToDecide(type, policy);
    return toDetail(deps, policy);
  },

  async 'policies.deploy'(deps, { type, policy, caller, body, receipt }) {
    const keep = (made: PolicyRecord) => receipt?.keep(toDetail(deps, made));
    const deployed = await deployPolicy(deps, caller, policy, body.reason, keep);
    tellPromise(deps, policy.id);
    await deps.pinnedCases.tryToDecide(type, deployed);
    return toDetail(deps, deployed);
  },

  'deployments.list'(deps, { type, query }) {
    const { deployments, total } = deps.store.releases.listDeployments(type.id, query.page, query.page_size);
    const items = deployments.map(({ policyId, policyVersion, madeAt, by, isAutomatic, reason }) => ({
      policy_id: policyId,
      version: policyVersion,
      deployed_at: isoTime(madeAt),
      by,
      automatic: isAutomatic,
      reason,
    }));
    return toPage(items, total, query);
  },

  'policies.cancel': (deps, { policy }) => toDetail(deps, cancelTraining(deps, policy)),

  'policies.progress'(deps, request) {
    // Check heartbeats first, so that a dead training shows as ended.
    deps.jobs.checkHeartbeats();
    const { type, policy } = request;
    return describeProgress({
      policy,
      optionCount: type.activeVersion.definition.options.length,
      attempts: deps.store.policies.attempts(policy.id),
      live: deps.jobs.findProgress(policy.id),
      pastRun: deps.store.policies.findPastRun(policy),
      queuePlace: deps.store.policies.readQueuePlace(policy.id),
      nowMs: deps.clock.now(),
    });
  },

  'bundle.export': async (deps, { type, caller, query }) => {
    const exportable = findExportablePolicy(deps, caller, type, query.policy_id);
    const { bytes, fileName, identity } = await exportBundle(deps.runtime, type, exportable, query.slim);
    return { download: true, contentType: 'application/zip', fileName, body: bytes, etag: identity.digest };
  },
  'bundle.export_page': async (deps, { type, caller, query }) => {
    const exportable = findExportablePolicy(deps, caller, type, query.policy_id);
    const { html, fileName } = await exportPage(deps, type, exportable);
    return { download: true, contentType: 'text/html; charset=utf-8', fileName, body: Buffer.from(html) };
  },
} satisfies Handlers;
