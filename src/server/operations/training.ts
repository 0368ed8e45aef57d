/** Training and policies: start, watch, cancel, deploy. */
import { type Metrics, metricsSchema, type TrainingConfig, trainingConfigSchema } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import { limits } from '../../engine/limits.ts';
import type { Caller } from '../auth/caller.ts';
import type { PolicyDetail, PolicySummary, Readiness } from '../contract/training.ts';
import { describeProgress, executionName } from '../jobs/progress.ts';
import { isoTime, isoTimeOrNull } from '../process/clock.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { PolicyRow } from '../store/policies.ts';
import type { Deps, Handlers } from './context.ts';

/** Labelled examples of each option from which a training can generate the missing ones. */
const minToGenerateFrom = 2;

const policyType = 'compiled_classifier';

function typeOf(deps: Deps, caller: Caller, typeId: string): DecisionTypeRecord {
  const type = deps.store.decisionTypes.get(typeId, caller.organisationId);
  if (!type) throw new WorkbenchError('decision_type_not_found', 'There is no such decision type');
  return type;
}

function policyOf(deps: Deps, caller: Caller, params: { decision_type_id: string; policy_id: string }): PolicyRow {
  const type = typeOf(deps, caller, params.decision_type_id);
  const policy = deps.store.policies.get(type.id, params.policy_id);
  if (!policy) throw new WorkbenchError('not_found', 'There is no such policy');
  return policy;
}

const gate = (row: PolicyRow) => (row.quality_gate_met === null ? null : row.quality_gate_met === 1);

function summaryOf(row: PolicyRow): PolicySummary {
  const metrics = row.metrics === null ? null : (JSON.parse(row.metrics) as Metrics);
  return {
    id: row.id,
    decision_type_id: row.decision_type_id,
    version: row.version,
    policy_type: policyType,
    status: row.status,
    deployed: row.status === 'deployed',
    auto_deployed: row.auto_deployed === 1,
    accuracy: metrics?.accuracy ?? null,
    macro_f1: metrics?.macro_f1 ?? null,
    train_size: metrics?.train_size ?? null,
    quality_gate_met: gate(row),
    augmentation_status: metrics?.augmentation.status ?? null,
    created_at: isoTime(row.created_at),
  };
}

function detailOf(deps: Deps, row: PolicyRow): PolicyDetail {
  const attempt = deps.store.policies.attempts(row.id).find(({ id }) => id === row.current_attempt_id);
  const live = deps.runtime.jobs.live(row.id);
  const config = trainingConfigSchema.parse(JSON.parse(row.training_config));
  return {
    id: row.id,
    decision_type_id: row.decision_type_id,
    version: row.version,
    decision_type_version: row.version_number,
    policy_type: policyType,
    status: row.status,
    deployed: row.status === 'deployed',
    auto_deployed: row.auto_deployed === 1,
    quality_gate_met: gate(row),
    created_at: isoTime(row.created_at),
    training_config: config,
    // Policies of earlier versions lack the newer figures: the schema gives their defaults.
    metrics: row.metrics === null ? null : metricsSchema.parse(JSON.parse(row.metrics)),
    target_f1: config.target_f1,
    error: row.error,
    current_attempt_id: row.current_attempt_id,
    execution_name: attempt ? executionName(row, attempt) : null,
    last_heartbeat_at: isoTimeOrNull(live?.lastSignAt ?? attempt?.last_heartbeat_at ?? null),
    last_training_error: row.last_training_error,
  };
}

function reload(deps: Deps, policyId: string): PolicyRow {
  const row = deps.store.policies.byId(policyId);
  if (!row) throw new WorkbenchError('not_found', 'There is no such policy');
  return row;
}

function readinessOf(deps: Deps, type: DecisionTypeRecord): Readiness {
  const { options } = type.activeVersion.definition;
  const counts = deps.store.policies.exampleCounts(type.id);
  const issues: string[] = [];
  if (counts.labelled < limits.minExamples) {
    issues.push(`${counts.labelled} labelled examples; at least ${limits.minExamples} are needed.`);
  }
  for (const option of options) {
    const n = counts.perOption.get(option) ?? 0;
    if (n < limits.minExamplesPerOption)
      issues.push(`Option "${option}" has ${n} labelled examples; at least ${limits.minExamplesPerOption} are needed.`);
  }
  return {
    ready: issues.length === 0,
    total_examples: counts.total,
    labelled_examples: counts.labelled,
    per_option: Object.fromEntries(options.map((option) => [option, counts.perOption.get(option) ?? 0])),
    options,
    min_total: limits.minExamples,
    min_per_option: limits.minExamplesPerOption,
    issues,
  };
}

/** Policy, snapshot, first attempt and charge in one transaction. */
function begin(deps: Deps, caller: Caller, type: DecisionTypeRecord, config: TrainingConfig) {
  const { store, metering, clock } = deps;
  return store.transaction(() => {
    if (store.policies.slotHolder(caller.organisationId) !== undefined) {
      throw new WorkbenchError(
        'conflict',
        'Another training of the organisation is in progress; wait for it or cancel it',
      );
    }
    const begun = store.policies.runs.begin(type, config, { node: process.version, tool: deps.toolVersion });
    charge(deps, caller, type.id, begun.policyId, metering.prices.training, clock.now());
    return begun;
  });
}

function charge(
  deps: Deps,
  caller: Caller,
  typeId: string,
  policyId: string,
  credits: number,
  createdAt: number,
): void {
  deps.store.credits.insert({
    id: deps.newId(),
    organisationSeq: caller.organisationSeq,
    operation: 'training',
    credits,
    decisionTypeId: typeId,
    referenceId: policyId,
    createdAt,
  });
}

export const trainingHandlers = {
  async 'training.start'(deps, { params, body, caller }) {
    const { store, runtime, metering, clock } = deps;
    const type = typeOf(deps, caller, params.decision_type_id);
    const readiness = readinessOf(deps, type);
    const canGenerate =
      body.auto_generate && Object.values(readiness.per_option).every((labelled) => labelled >= minToGenerateFrom);
    if (!readiness.ready && !canGenerate) {
      const details = readiness.issues.map((msg) => ({ type: 'not_ready', loc: ['examples'], msg }));
      throw new WorkbenchError('validation_error', 'The decision type is not ready for training', details);
    }
    metering.checkTraining(caller);
    const { policyId, attemptId } = begin(deps, caller, type, body);
    try {
      await runtime.jobs.start(policyId, attemptId);
    } catch (cause) {
      runtime.jobs.settle(() =>
        store.transaction(() => {
          const ended = store.policies.runs.end(policyId, attemptId, 'failed', 'The training could not be dispatched.');
          if (ended) charge(deps, caller, type.id, policyId, -metering.prices.training, clock.now());
        }),
      );
      const details = [{ policy_id: policyId, status: 'failed' }];
      throw new WorkbenchError('training_dispatch_failed', 'The training could not be dispatched', details, { cause });
    }
    return { ...summaryOf(reload(deps, policyId)), policy_id: policyId };
  },

  'training.readiness': (deps, { params, caller }) => readinessOf(deps, typeOf(deps, caller, params.decision_type_id)),

  'policies.list': (deps, { params, caller }) =>
    deps.store.policies.list(typeOf(deps, caller, params.decision_type_id).id).map(summaryOf),

  'policies.get'(deps, { params, caller }) {
    deps.runtime.jobs.judge();
    return detailOf(deps, policyOf(deps, caller, params));
  },

  async 'policies.deploy'(deps, { params, caller }) {
    const row = policyOf(deps, caller, params);
    if ((row.status !== 'trained' && row.status !== 'deployed') || row.bundle_sha256 === null) {
      throw new WorkbenchError('conflict', `A policy in status ${row.status} cannot be deployed`);
    }
    await deps.runtime.deployed.selfTestFile(row.id, row.bundle_sha256);
    deps.store.policies.runs.deploy(row.id);
    await deps.runtime.warm(row.id);
    return detailOf(deps, reload(deps, row.id));
  },

  'policies.cancel'(deps, { params, caller }) {
    const row = policyOf(deps, caller, params);
    if (row.status === 'trained' || row.status === 'deployed' || row.status === 'failed') {
      throw new WorkbenchError('conflict', `A policy in status ${row.status} cannot be cancelled`);
    }
    if (row.status !== 'cancelled') deps.runtime.jobs.cancel(row.id);
    return detailOf(deps, reload(deps, row.id));
  },

  'policies.progress'(deps, { params, caller }) {
    deps.runtime.jobs.judge();
    const row = policyOf(deps, caller, params);
    const attempts = deps.store.policies.attempts(row.id);
    const past = deps.store.policies.pastRun(row);
    return describeProgress(row, attempts, deps.runtime.jobs.live(row.id), past, deps.clock.now());
  },
} satisfies Handlers<
  | 'training.start'
  | 'training.readiness'
  | 'policies.list'
  | 'policies.get'
  | 'policies.deploy'
  | 'policies.cancel'
  | 'policies.progress'
>;
