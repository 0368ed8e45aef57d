/** Policies and training attempts as the rest of the server sees them, and how they are read from their rows. */
import { z } from 'zod';
import { type Metrics, metricsSchema } from '../../../engine/domain/metrics.ts';
import {
  inProgressStatuses,
  type PolicyStatus,
  slotStatuses,
  type TrainingConfig,
  type TrainingStage,
  trainingConfigSchema,
} from '../../../engine/domain/training.ts';
import { type KeptPromise, keptPromiseSchema } from '../../../engine/measured.ts';

/** Versions of the program and of Node; the worker adds that of the inference runtime. */
export const toolVersionsSchema = z.object({ tool: z.string(), node: z.string(), runtime: z.string().optional() });
export type ToolVersions = z.infer<typeof toolVersionsSchema>;

/** A policy with its origin and its results. Times are milliseconds since 1970. */
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
  /** Empty until the worker has read the snapshot, and for rules alone. */
  snapshotSha256: string;
  snapshotSize: number;
  toolVersions: ToolVersions;
  /** null before a training has succeeded, for rules alone and for an imported bundle. */
  metrics: Metrics | null;
  /** The promise about its automatic decisions, or null. */
  promise: KeptPromise | null;
  /** The policy that it was tuned from in the background, or null. */
  follows: string | null;
  /** Why its training did not deploy it although it was to, or null. */
  heldBack: string | null;
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
  test_size: true,
  augmentation: true,
});

/** The settings of a stored policy; those that only earlier programs knew are passed over. */
export const storedConfigSchema = z.object(trainingConfigSchema.shape);

/** A policy as lists show it: with a few of its figures. */
export type PolicySummaryRecord = Omit<PolicyRecord, 'metrics'> & {
  metrics: z.infer<typeof summaryMetricsSchema> | null;
};

type AttemptStatus = 'running' | 'stopping' | 'cancelling' | 'succeeded' | 'cancelled' | 'failed';

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
  /** The progress of the whole training, 0–1. */
  fraction: number;
  message: string;
  completedStages: CompletedStage[];
  error: string | null;
  startedAt: number;
  lastHeartbeatAt: number;
  completedAt: number | null;
};

export type RawPolicy = Omit<
  PolicyRecord,
  | 'isTypeDeleted'
  | 'isAutoDeployed'
  | 'isQualityGateMet'
  | 'isRulesOnly'
  | 'trainingConfig'
  | 'toolVersions'
  | 'metrics'
  | 'promise'
> & {
  typeDeletedAt: number | null;
  autoDeployed: number;
  qualityGateMet: number | null;
  trainingConfig: string;
  toolVersions: string;
  metrics: string | null;
  promise: string | null;
};

/** The beginning of every statement that reads policies. */
export const selectPolicy = `SELECT p.id, p.organisation_id AS organisationId, p.decision_type_id AS decisionTypeId,
  p.version_id AS versionId, p.version, v.version_number AS versionNumber, t.name AS typeName,
  t.deleted_at AS typeDeletedAt, p.status, p.auto_deployed AS autoDeployed, p.quality_gate_met AS qualityGateMet,
  p.training_config AS trainingConfig, p.fallback_option AS fallbackOption, p.seed,
  p.snapshot_sha256 AS snapshotSha256, p.snapshot_size AS snapshotSize, p.tool_versions AS toolVersions, p.metrics,
  p.promise, p.follows, p.held_back AS heldBack, p.bundle_sha256 AS bundleSha256, p.current_attempt_id AS currentAttemptId, p.error,
  p.last_training_error AS lastTrainingError, p.created_at AS createdAt, p.completed_at AS completedAt
  FROM policies p JOIN decision_type_versions v ON v.id = p.version_id
  JOIN decision_types t ON t.id = p.decision_type_id`;

const toSql = (statuses: readonly PolicyStatus[]) => `(${statuses.map((status) => `'${status}'`).join(', ')})`;
/** The statuses of a training that has not ended, and of one that holds the slot, for `status IN`. */
export const inProgressSql = toSql(inProgressStatuses);
export const slotSql = toSql(slotStatuses);

/** The metrics of a policy that was not trained here, of rules alone or imported: a finished policy has some. */
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
  const { typeDeletedAt, autoDeployed, qualityGateMet, metrics, ...row } = raw;
  return {
    ...row,
    isTypeDeleted: typeDeletedAt !== null,
    isAutoDeployed: autoDeployed === 1,
    isQualityGateMet: qualityGateMet === null ? null : qualityGateMet === 1,
    isRulesOnly: metrics === noMetrics && row.snapshotSha256 === '',
    trainingConfig: storedConfigSchema.parse(JSON.parse(row.trainingConfig)),
    toolVersions: toolVersionsSchema.parse(JSON.parse(row.toolVersions)),
    promise: row.promise === null ? null : keptPromiseSchema.parse(JSON.parse(row.promise)),
  };
}

export type RawAttempt = Omit<AttemptRecord, 'completedStages'> & { completedStages: string };

export const selectAttempts = `SELECT id, policy_id AS policyId, attempt_number AS attemptNumber, status, pid, stage,
  fraction, message, completed_stages AS completedStages, error, started_at AS startedAt,
  last_heartbeat_at AS lastHeartbeatAt, completed_at AS completedAt FROM training_attempts`;

/** A training attempt as the server has it, from its row. */
export const toAttempt = (row: RawAttempt): AttemptRecord => ({
  ...row,
  completedStages: completedStagesSchema.parse(JSON.parse(row.completedStages)),
});
