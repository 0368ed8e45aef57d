/** Policies and training attempts as the rest of the server sees them, and how they are read from their rows. */
import { z } from 'zod';
import { metricsSchema } from '../../../engine/domain/metrics.ts';
import {
  inProgressStatuses,
  type PolicyStatus,
  slotStatuses,
  trainingConfigSchema,
  trainingStages,
} from '../../../engine/domain/training.ts';
import { keptPromiseSchema } from '../../../engine/measured.ts';
import {
  defineRecord,
  flag,
  json,
  numbered,
  orNull,
  plain,
  type RecordOf,
  trustedJson,
  unarchived,
  values,
} from '../record.ts';

/** Versions of the program and of Node; the worker adds that of the inference runtime. */
const toolVersionsSchema = z.object({ tool: z.string(), node: z.string(), runtime: z.string().optional() });
export type ToolVersions = z.infer<typeof toolVersionsSchema>;

const summaryMetricsSchema = metricsSchema.pick({
  accuracy: true,
  macro_f1: true,
  train_size: true,
  test_size: true,
  augmentation: true,
});

/** The settings of a stored policy; those that only earlier programs knew are passed over. */
const storedConfigSchema = z.object(trainingConfigSchema.shape);

const { id, text, count, number, time } = values;
/** An archive has policies whose training has succeeded, with their files. */
const finishedStatus: z.ZodType<PolicyStatus> = z.literal(['trained', 'deployed']);
const digestOfFile: z.ZodType<string | null> = values.sha256;

const policyColumns = {
  id: plain('id', id),
  /** 1, 2, … within its type. */
  version: plain('version', number),
  /** The version of the type that it was trained on. */
  versionId: numbered('version_id', 'type_version', 'version'),
  /** The policy that it was tuned from in the background, or null. */
  follows: orNull(plain('follows', id)),
  status: plain('status', finishedStatus),
  isAutoDeployed: flag('auto_deployed'),
  /** Whether it reached the F1 that its training asked for; null before the training has succeeded. */
  isQualityGateMet: orNull(flag('quality_gate_met')),
  trainingConfig: json('training_config', storedConfigSchema),
  fallbackOption: orNull(plain('fallback_option', text)),
  seed: plain('seed', z.int()),
  /** Empty until the worker has read the snapshot, and for rules alone. */
  snapshotSha256: plain('snapshot_sha256', text),
  snapshotSize: plain('snapshot_size', count),
  toolVersions: json('tool_versions', toolVersionsSchema),
  /** null before a training has succeeded; JSON's null for rules alone and for an imported bundle. */
  metrics: json('metrics', metricsSchema.nullable()),
  /** The promise about its automatic decisions, or null. */
  promise: orNull(json('promise', keptPromiseSchema)),
  /** The personal fields that were declared when it was trained; null: not known. */
  piiFields: orNull(trustedJson('pii_fields', z.array(text).max(10_000))),
  /** Why its training did not deploy it although it was to, or null. */
  heldBack: orNull(plain('held_back', text)),
  bundleSha256: plain('bundle_sha256', digestOfFile),
  bundleSizeBytes: orNull(plain('bundle_size_bytes', count)),
  createdAt: plain('created_at', time),
  completedAt: orNull(plain('completed_at', time)),
  deployedAt: orNull(plain('deployed_at', time)),
  organisationId: unarchived(
    plain('organisation_id', text),
    '(SELECT organisation_id FROM decision_types WHERE id = @typeId)',
  ),
  decisionTypeId: unarchived(plain('decision_type_id', text), '@typeId'),
  currentAttemptId: unarchived(orNull(plain('current_attempt_id', text))),
  error: unarchived(orNull(plain('error', text))),
  lastTrainingError: unarchived(orNull(plain('last_training_error', text))),
};
export const policyTable = defineRecord('policies', policyColumns);
/** Policies with a few of their figures: those that no list shows are not checked. */
const summaryTable = defineRecord('policies', {
  ...policyColumns,
  metrics: json('metrics', summaryMetricsSchema.nullable()),
});

const completedStagesSchema = z.array(z.object({ stage: z.string(), name: z.string(), completed_at: z.string() }));
/** A stage that an attempt has left behind, as the wire shows it; `completed_at` is ISO 8601. */
export type CompletedStage = z.infer<typeof completedStagesSchema>[number];

const attemptColumns = {
  id: plain('id', id),
  policyId: plain('policy_id', id),
  attemptNumber: plain('attempt_number', count),
  status: plain('status', z.literal(['running', 'stopping', 'cancelling', 'succeeded', 'cancelled', 'failed'])),
  pid: orNull(plain('pid', count)),
  stage: plain('stage', z.literal(trainingStages.map(({ stage }) => stage))),
  /** The progress of the whole training, 0–1. */
  fraction: plain('fraction', z.number()),
  message: plain('message', text),
  completedStages: json('completed_stages', completedStagesSchema),
  error: orNull(plain('error', text)),
  startedAt: plain('started_at', time),
  lastHeartbeatAt: plain('last_heartbeat_at', time),
  completedAt: orNull(plain('completed_at', time)),
};
/** The executions of a training. */
export const attemptTable = defineRecord('training_attempts', attemptColumns);
export type AttemptRecord = RecordOf<typeof attemptColumns>;

/** The metrics of a policy that was not trained here, of rules alone or imported: a finished policy has some. */
export const noMetrics = 'null';

/** Values that are read beside the columns of a policy. */
type Joined = { versionNumber: number; typeName: string; isTypeDeleted: number; isRulesOnly: number };
export type RawPolicy = Record<keyof typeof policyColumns, unknown> & Joined;

/** The beginning of every statement that reads policies; those of rules alone were made without a training. */
export const selectPolicy = `SELECT ${policyTable.select('p')}, v.version_number AS versionNumber, t.name AS typeName,
  t.deleted_at IS NOT NULL AS isTypeDeleted, p.metrics = '${noMetrics}' AND p.snapshot_sha256 = '' AS isRulesOnly
  FROM policies p JOIN decision_type_versions v ON v.id = p.version_id JOIN decision_types t ON t.id = p.decision_type_id`;

const toSql = (statuses: readonly PolicyStatus[]) => `(${statuses.map((status) => `'${status}'`).join(', ')})`;
/** The statuses of a training that has not ended, and of one that holds the slot, for `status IN`. */
export const inProgressSql = toSql(inProgressStatuses);
export const slotSql = toSql(slotStatuses);

const toFlags = ({ isTypeDeleted, isRulesOnly }: Joined) => ({
  isTypeDeleted: isTypeDeleted === 1,
  isRulesOnly: isRulesOnly === 1,
});

/** Reads a row. Policies of earlier versions lack the newer figures: the schema gives their defaults. */
export const toPolicy = (raw: RawPolicy) => ({ ...policyTable.read(raw), ...toFlags(raw) });
/** Reads a row for a list. */
export const toPolicySummary = (raw: RawPolicy) => ({ ...summaryTable.read(raw), ...toFlags(raw) });

/** A policy with its origin and its results. Times are milliseconds since 1970. */
export type PolicyRecord = ReturnType<typeof toPolicy>;
export type PolicySummaryRecord = ReturnType<typeof toPolicySummary>;
