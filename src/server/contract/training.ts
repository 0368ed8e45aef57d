/** Training policies, deploying them and exporting them. */
import { z } from 'zod';
import { metricsSchema, policyStatuses, trainingConfigSchema } from '../../engine/domain.ts';
import { promiseStatusSchema } from '../../engine/measured.ts';
import { dateTime, decisionTypeParams, uuid } from './common.ts';
import { creates, operation, reads, replaces } from './operation.ts';

/** What decides: a trained classifier behind the rules, or rules alone. */
const policyTypeSchema = z.enum(['compiled_classifier', 'rules_only']);

export const policySummarySchema = z
  .object({
    id: uuid,
    decision_type_id: uuid,
    version: z.int(),
    policy_type: policyTypeSchema,
    status: z.enum(policyStatuses),
    deployed: z.boolean(),
    auto_deployed: z.boolean(),
    accuracy: z.number().nullable(),
    macro_f1: z.number().nullable(),
    train_size: z.int().nullable(),
    quality_gate_met: z.boolean().nullable(),
    augmentation_status: z.string().nullable(),
    created_at: dateTime,
  })
  .meta({ id: 'PolicySummary' });
export type PolicySummary = z.infer<typeof policySummarySchema>;

export const policyDetailSchema = z
  .object({
    id: uuid,
    decision_type_id: uuid,
    version: z.int(),
    /** Number of the decision type's version that it was trained on. */
    decision_type_version: z.int(),
    policy_type: policyTypeSchema,
    status: z.enum(policyStatuses),
    deployed: z.boolean(),
    auto_deployed: z.boolean(),
    quality_gate_met: z.boolean().nullable(),
    created_at: dateTime,
    training_config: trainingConfigSchema,
    metrics: metricsSchema.nullable(),
    target_f1: z.number().nullable(),
    error: z.string().nullable(),
    current_attempt_id: z.string().nullable(),
    execution_name: z.string().nullable(),
    last_heartbeat_at: dateTime.nullable(),
    last_training_error: z.string().nullable(),
    promise: promiseStatusSchema
      .nullable()
      .describe('What was promised of its automatic decisions, and how that stands; null without a promise'),
    snapshot_sha256: z.string().nullable().describe('Digest of the examples that it was trained from'),
    seed: z.int().nullable(),
    tool_versions: z
      .object({ tool: z.string(), node: z.string(), runtime: z.string().optional() })
      .describe('Versions of what trained it'),
  })
  .meta({ id: 'Policy' });
export type PolicyDetail = z.infer<typeof policyDetailSchema>;

export const progressSchema = z
  .object({
    policy_id: uuid,
    status: z.enum(policyStatuses),
    stage: z.string().nullable(),
    stage_name: z.string().nullable(),
    stage_number: z.int(),
    total_stages: z.int(),
    progress_percent: z.number(),
    message: z.string().nullable(),
    error: z.string().nullable(),
    duration_hint: z.string().nullable(),
    execution_name: z.string().nullable(),
    task_index: z.int(),
    task_attempt: z.int(),
    attempt_number: z.int(),
    retry_count: z.int(),
    elapsed_seconds: z.number(),
    started_at: dateTime.nullable(),
    attempt_started_at: dateTime.nullable(),
    last_heartbeat_at: dateTime.nullable(),
    estimated_completion_at: dateTime.nullable(),
    attempt_id: z.string().nullable(),
    completed_stages: z.array(z.object({ stage: z.string(), name: z.string(), completed_at: dateTime })),
    attempts: z.array(
      z.object({
        attempt_id: z.string(),
        attempt_number: z.int(),
        status: z.string(),
        execution_name: z.string().nullable(),
        task_index: z.int(),
        task_attempt: z.int(),
        started_at: dateTime.nullable(),
        last_heartbeat_at: dateTime.nullable(),
        completed_at: dateTime.nullable(),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Progress' });
export type Progress = z.infer<typeof progressSchema>;

export const readinessSchema = z
  .object({
    ready: z.boolean(),
    total_examples: z.int(),
    labelled_examples: z.int(),
    per_option: z.record(z.string(), z.int()),
    options: z.array(z.string()),
    min_total: z.int(),
    min_per_option: z.int(),
    issues: z.array(z.string()),
    /** Sentences on what would spoil the training, where the examples were searched since they changed. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof readinessSchema>;

const common = { access: 'key', tag: 'Training' } as const;
const base = '/api/v1/decision-types/:decision_type_id';
const params = decisionTypeParams;
const one = decisionTypeParams.extend({ policy_id: uuid });

export const trainingOperations = {
  'training.start': operation({
    ...common,
    method: 'POST',
    path: `${base}/train`,
    params,
    body: trainingConfigSchema,
    bodyOptional: true,
    output: policySummarySchema.extend({ policy_id: uuid }),
    status: 202,
    summary: 'Train a policy from the labelled examples',
    hints: { ...replaces, idempotent: false, openWorld: true },
    takesIdempotencyKey: true,
    errors: ['quota_exceeded', 'insufficient_credits', 'conflict', 'training_dispatch_failed'],
  }),
  'training.readiness': operation({
    ...common,
    method: 'GET',
    path: `${base}/training-readiness`,
    params,
    output: readinessSchema,
    status: 200,
    summary: 'Whether there are enough labelled examples',
    hints: reads,
  }),
  'policies.create': operation({
    ...common,
    method: 'POST',
    path: `${base}/policies`,
    params,
    body: z.strictObject({ kind: z.literal('rules_only') }),
    output: policyDetailSchema,
    status: 201,
    summary: 'Make a policy of rules alone: what no rule decides goes to the fallback option',
    hints: creates,
    takesIdempotencyKey: true,
    errors: ['conflict'],
  }),
  'policies.list': operation({
    ...common,
    method: 'GET',
    path: `${base}/policies`,
    params,
    output: z.array(policySummarySchema),
    status: 200,
    summary: 'Policies, newest first',
    hints: reads,
  }),
  'policies.get': operation({
    ...common,
    method: 'GET',
    path: `${base}/policies/:policy_id`,
    params: one,
    output: policyDetailSchema,
    status: 200,
    summary: 'One policy with its metrics',
    hints: reads,
  }),
  'policies.deploy': operation({
    ...common,
    method: 'POST',
    path: `${base}/policies/:policy_id/deploy`,
    params: one,
    output: policyDetailSchema,
    status: 200,
    summary: 'Deploy a trained policy; the others of the type are deactivated',
    hints: replaces,
    takesIdempotencyKey: true,
    errors: ['conflict'],
  }),
  'policies.cancel': operation({
    ...common,
    method: 'POST',
    path: `${base}/policies/:policy_id/cancel`,
    params: one,
    output: policyDetailSchema,
    status: 200,
    summary: 'Cancel a running training',
    hints: replaces,
    errors: ['conflict'],
  }),
  'policies.progress': operation({
    ...common,
    method: 'GET',
    path: `${base}/policies/:policy_id/progress`,
    params: one,
    output: progressSchema,
    status: 200,
    summary: 'How far the training is; poll every 3 to 5 seconds',
    hints: reads,
  }),
  'bundle.export': operation({
    ...common,
    method: 'GET',
    path: `${base}/export`,
    params,
    query: z.strictObject({ slim: z.boolean().default(false) }),
    output: null,
    produces: 'application/zip',
    status: 200,
    summary: 'The deployed policy as a ZIP bundle for offline use',
    hints: reads,
    errors: ['model_not_deployed', 'conflict'],
  }),
};
