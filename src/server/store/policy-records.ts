/** Policies and training attempts as the rest of the server sees them, and how they are read from their rows. */
import { z } from 'zod';
import {
  inProgressStatuses,
  type Metrics,
  metricsSchema,
  type PolicyStatus,
  type TrainingConfig,
  type TrainingStage,
  trainingConfigSchema,
} from '../../engine/domain.ts';
import { type KeptPromise, keptPromiseSchema } from '../../engine/measured.ts';

/** Versions of the program and of Node; the worker adds that of the inference runtime. */
const toolVersionsSchema = z.object({ tool: z.string(), node: z.string(), runtime: z.string().optional() });
export type ToolVersions = z.infer<typeof toolVersionsSchema>;

/** A policy with what it was trained from and what came of it. Times are milliseconds since 1970. */
export type PolicyRecord = {
  id: string;
  organisationId: string;
  decisionTypeId: string;
  versionId: string;
  version: number;
  /** Number of the decision type's version that it was trained on. */
  versionNumber: number;
  typeName: string;
  isTypeDeleted: boolean;
  status: PolicyStatus;
  isAutoDeployed: boolean;
  /** Whether it reached the F1 that its training asked for; null before the training has succeeded. */
  isQualityGateMet: boolean | null;
  /** Whether it was made of rules alone, without a training. */
  isRulesOnly: boolean;
  trainingConfig: TrainingConfig;
  fallbackOption: string | null;
  seed: number;
  /** Empty until the worker has read the snapshot. */
  snapshotSha256: string;
  snapshotSize: number;
  toolVersions: ToolVersions;
  /** null before a training has succeeded, and for rules alone. */
  metrics: Metrics | null;
  /** What was promised of its automatic decisions, or null. */
  promise: KeptPromise | null;
  bundleSha256: string | null;
  currentAttemptId: string | null;
  error: string | null;
  lastTrainingError: string | null;
  createdAt: number;
  completedAt: number | null;
};

const summaryMetricsSchema = metricsSchema.pick({
  accuracy: true,
  macro_f1: true,
  train_size: true,
  augmentation: true,
});

/** A policy as lists show it: with a few of its figures. */
export type PolicySummaryRecord = Omit<PolicyRecord, 'metrics'> & {
  metrics: z.infer<typeof summaryMetricsSchema> | null;
};

export type AttemptStatus = 'running' | 'stopping' | 'cancelling' | 'succeeded' | 'cancelled' | 'failed';

const completedStagesSchema = z.array(z.object({ stage: z.string(), name: z.string(), completed_at: z.string() }));
/** A stage that an attempt has left behind, as the wire shows it; `completed_at` is ISO 8601. */
export type CompletedStage = z.infer<typeof completedStagesSchema>[number];

/** One execution of a training. Times are milliseconds since 1970. */
export type AttemptRecord = {
  id: string;
  policyId: string;
  attemptNumber: number;
  status: AttemptStatus;
  pid: number | null;
  stage: TrainingStage;
  /** Of the whole training, 0–1. */
  fraction: number;
  message: string;
  completedStages: CompletedStage[];
  error: string | null;
  startedAt: number;
  lastHeartbeatAt: number;
  completedAt: number | null;
};

/** A row of the table `policies` with the columns that `selectPolicy` joins to it. */
export type RawPolicy = {
  id: string;
  organisation_id: string;
  decision_type_id: string;
  version_id: string;
  version: number;
  version_number: number;
  type_name: string;
  type_deleted_at: number | null;
  status: PolicyStatus;
  auto_deployed: number;
  quality_gate_met: number | null;
  training_config: string;
  fallback_option: string | null;
  seed: number;
  snapshot_sha256: string;
  snapshot_size: number;
  tool_versions: string;
  metrics: string | null;
  promise: string | null;
  bundle_sha256: string | null;
  current_attempt_id: string | null;
  error: string | null;
  last_training_error: string | null;
  created_at: number;
  completed_at: number | null;
};

/** The beginning of every statement that reads policies. */
export const selectPolicy = `SELECT p.*, v.version_number, t.name AS type_name, t.deleted_at AS type_deleted_at
  FROM policies p JOIN decision_type_versions v ON v.id = p.version_id
  JOIN decision_types t ON t.id = p.decision_type_id`;

/** The list of the statuses of a training in progress, for `status IN`. */
export const inProgressSql = `(${inProgressStatuses.map((status) => `'${status}'`).join(', ')})`;

/** What stands in the place of figures where rules alone decide: a finished policy always has something there. */
export const noMetrics = 'null';

/** Reads a row. Policies of earlier versions lack the newer figures: the schema gives their defaults. */
export function toPolicy(raw: RawPolicy): PolicyRecord {
  return {
    ...toCommon(raw),
    metrics: raw.metrics === null ? null : metricsSchema.nullable().parse(JSON.parse(raw.metrics)),
  };
}

/** Reads a row for a list, without checking the figures that no list shows. */
export function toPolicySummary(raw: RawPolicy): PolicySummaryRecord {
  return {
    ...toCommon(raw),
    metrics: raw.metrics === null ? null : summaryMetricsSchema.nullable().parse(JSON.parse(raw.metrics)),
  };
}

function toCommon(raw: RawPolicy): Omit<PolicyRecord, 'metrics'> {
  return {
    id: raw.id,
    organisationId: raw.organisation_id,
    decisionTypeId: raw.decision_type_id,
    versionId: raw.version_id,
    version: raw.version,
    versionNumber: raw.version_number,
    typeName: raw.type_name,
    isTypeDeleted: raw.type_deleted_at !== null,
    status: raw.status,
    isAutoDeployed: raw.auto_deployed === 1,
    isQualityGateMet: raw.quality_gate_met === null ? null : raw.quality_gate_met === 1,
    isRulesOnly: raw.metrics === noMetrics,
    trainingConfig: trainingConfigSchema.parse(JSON.parse(raw.training_config)),
    fallbackOption: raw.fallback_option,
    seed: raw.seed,
    snapshotSha256: raw.snapshot_sha256,
    snapshotSize: raw.snapshot_size,
    toolVersions: toolVersionsSchema.parse(JSON.parse(raw.tool_versions)),
    promise: raw.promise === null ? null : keptPromiseSchema.parse(JSON.parse(raw.promise)),
    bundleSha256: raw.bundle_sha256,
    currentAttemptId: raw.current_attempt_id,
    error: raw.error,
    lastTrainingError: raw.last_training_error,
    createdAt: raw.created_at,
    completedAt: raw.completed_at,
  };
}

/** A row of the table `training_attempts`. */
export type RawAttempt = {
  id: string;
  policy_id: string;
  attempt_number: number;
  status: AttemptStatus;
  pid: number | null;
  stage: TrainingStage;
  fraction: number;
  message: string;
  completed_stages: string;
  error: string | null;
  started_at: number;
  last_heartbeat_at: number;
  completed_at: number | null;
};

/** Reads a row. */
export function toAttempt(raw: RawAttempt): AttemptRecord {
  return {
    id: raw.id,
    policyId: raw.policy_id,
    attemptNumber: raw.attempt_number,
    status: raw.status,
    pid: raw.pid,
    stage: raw.stage,
    fraction: raw.fraction,
    message: raw.message,
    completedStages: completedStagesSchema.parse(JSON.parse(raw.completed_stages)),
    error: raw.error,
    startedAt: raw.started_at,
    lastHeartbeatAt: raw.last_heartbeat_at,
    completedAt: raw.completed_at,
  };
}
