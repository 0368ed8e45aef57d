/** Training policies, deploying them and exporting them. */
import { z } from 'zod';
import { metricsSchema } from '../../../engine/domain/metrics.ts';
import { policyStatuses, trainingConfigSchema } from '../../../engine/domain/training.ts';
import {
  promiseStandingSchema,
  promiseStatusSchema,
  verdictSchema,
  wholeDecisionSchema,
} from '../../../engine/measured.ts';
import { dateTime, pageQuery, paginated, releaseReason, uuid } from '../common.ts';
import { operation, replaces } from '../operation.ts';

const policyTypeSchema = z.enum(['compiled_classifier', 'rules_only']);

/** The fields of a policy in lists and in an answer of its own. */
const policyFields = {
  id: uuid,
  decision_type_id: uuid,
  version: z.int().describe('Number within its decision type'),
  policy_type: policyTypeSchema,
  status: z.enum(policyStatuses),
  deployed: z.boolean(),
  auto_deployed: z.boolean().describe('Whether its training deployed it'),
  quality_gate_met: z
    .boolean()
    .nullable()
    .describe('Whether it meets the gates of its training, also where there are none; null before it was measured'),
  follows: uuid
    .nullable()
    .describe('The policy that it was tuned from in the background, on the same examples; null of every other'),
  held_back: z
    .string()
    .nullable()
    .describe('Why its training did not deploy it although it was to, in a sentence; null where nothing held it back'),
  needs_attention: z
    .string()
    .nullable()
    .describe('Why it should be trained again, in a sentence: it learned what other rules left; null where nothing is'),
  created_at: dateTime,
};

const policySummarySchema = z
  .object({
    ...policyFields,
    accuracy: z.number().nullable().describe('Of the classifier alone; quote `whole`'),
    macro_f1: z.number().nullable().describe('Of the classifier alone'),
    train_size: z.int().nullable().describe('Rows learned from'),
    augmentation_status: z.string().nullable(),
    whole: wholeDecisionSchema
      .nullable()
      .describe(
        'The figure to quote: the current rules, classifier and thresholds together on the held-out examples. Null without any, and for policies that are neither deployed nor among the newest 20; `whole-decision` has it of each',
      ),
  })
  .meta({ id: 'PolicySummary' });
export type PolicySummary = z.infer<typeof policySummarySchema>;

const policyDetailSchema = z
  .object({
    ...policyFields,
    decision_type_version: z.int().describe("Number of the decision type's version that it was trained on"),
    training_config: trainingConfigSchema,
    metrics: metricsSchema.nullable(),
    target_f1: z.number().nullable(),
    error: z.string().nullable().describe('Why its training failed'),
    current_attempt_id: z.string().nullable().describe('The attempt that may write to it'),
    execution_name: z.string().nullable().describe('Name of the attempt in logs'),
    last_heartbeat_at: dateTime.nullable(),
    last_training_error: z.string().nullable().describe('Why an earlier attempt failed'),
    promise: promiseStatusSchema
      .nullable()
      .describe('What was promised of its automatic decisions, and how that stands; null without a promise'),
    promise_standing: promiseStandingSchema
      .nullable()
      .describe('How the promise of its type stands with it; null before it was measured'),
    tuning: z
      .string()
      .nullable()
      .describe('What a tuning of its text model in the background does now; null while there is none'),
    verdict: verdictSchema.describe(
      'Whether it may decide, each with a sentence: gate, promise, pinned cases, what decides now, weak parts, comparison, availability, need of retraining. Empty before it was made',
    ),
    snapshot_sha256: z.string().nullable().describe('Digest of the examples that it was trained from'),
    seed: z.int().nullable(),
    tool_versions: z
      .object({ tool: z.string(), node: z.string(), runtime: z.string().optional() })
      .describe('Versions of what trained it'),
  })
  .meta({ id: 'Policy' });
export type PolicyDetail = z.infer<typeof policyDetailSchema>;

const progressSchema = z
  .object({
    policy_id: uuid,
    status: z.enum(policyStatuses),
    stage: z.string().nullable().describe('The step under way'),
    stage_name: z.string().nullable().describe('The same in words'),
    stage_number: z.int(),
    total_stages: z.int(),
    progress_percent: z.number(),
    queue_place: z
      .int()
      .nullable()
      .describe('Place among the trainings that wait, from 1; null where it does not wait'),
    message: z.string().nullable().describe('What is done now'),
    error: z.string().nullable().describe('Why it failed'),
    duration_hint: z.string().nullable().describe('How long it may take, in words'),
    execution_name: z.string().nullable().describe('Name of the attempt in logs'),
    task_index: z.int().describe('Always 0: one process trains'),
    task_attempt: z.int().describe('Attempts before this one'),
    attempt_number: z.int(),
    retry_count: z.int().describe('Attempts after the first'),
    elapsed_seconds: z.number(),
    started_at: dateTime.nullable(),
    attempt_started_at: dateTime.nullable(),
    last_heartbeat_at: dateTime.nullable(),
    estimated_completion_at: dateTime.nullable(),
    attempt_id: z.string().nullable().describe('The attempt under way'),
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

const deploymentSchema = z
  .object({
    policy_id: uuid,
    version: z.int().describe('Number of the policy'),
    deployed_at: dateTime,
    by: z.string().nullable().describe('Name of the person or key then; null where it is not known'),
    automatic: z.boolean().describe('Whether its training deployed it'),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Deployment' });

const readinessSchema = z
  .object({
    ready: z.boolean().describe('Whether a training with these settings would start'),
    total_examples: z.int(),
    labelled_examples: z.int(),
    missing_labels: z
      .int()
      .describe('The fewest further labels with which a training could start; 0 where only single options miss some'),
    per_option: z
      .record(z.string(), z.int())
      .describe('Labelled examples of each option, without those that are left to rules'),
    hinted: z
      .int()
      .describe('Of the newest 5,000 rows without a label those on which hints agree: trainings learn from them'),
    left_to_rules: z.int().describe('Labelled examples that a training with these settings leaves to rules'),
    options: z.array(z.string()),
    min_total: z.int().describe('Labelled examples that a training needs'),
    min_per_option: z.int().describe('Labelled examples from which an option is decided alone'),
    set_aside: z
      .object({ options: z.array(z.string()), examples: z.int() })
      .describe('The rare options that a training with these settings leaves to a person, and their labelled examples'),
    never_alone: z
      .object({ options: z.array(z.string()), examples: z.int(), sentence: z.string() })
      .describe(
        'The options with fewer that a training with these settings learns; its policy never decides them alone, or under `measure` those of them that it does not show to be right',
      ),
    issues: z.array(z.string()).describe('What is missing, in sentences'),
    notes: z
      .array(z.string())
      .describe('Sentences on what would spoil the training, where the examples were searched since they changed'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof readinessSchema>;

const common = { access: 'key', scope: 'read', tag: 'Training' } as const;
const base = '/api/v1/decision-types/:decision_type_id';

export const trainingOperations = {
  'training.start': operation('POST', `${base}/train`, {
    ...common,
    scope: 'train',
    body: trainingConfigSchema,
    bodyOptional: true,
    output: policySummarySchema.extend({ policy_id: uuid }),
    status: 202,
    summary: 'Train a policy from the labelled examples',
    description:
      'One training runs at a time: a further one has the status `queued`, begins by itself, with the examples and the version of then, and can be cancelled. One of each decision type waits at most.',
    hints: { ...replaces, idempotent: false, openWorld: true },
    takesIdempotencyKey: true,
    errors: ['quota_exceeded', 'insufficient_credits', 'conflict', 'training_dispatch_failed'],
  }),
  'training.readiness': operation('GET', `${base}/training-readiness`, {
    ...common,
    query: trainingConfigSchema.pick({ min_per_option: true, rare_options: true, train_on: true }),
    output: readinessSchema,
    summary: 'Whether there are enough labelled examples for a training with these settings',
  }),
  'policies.create': operation('POST', `${base}/policies`, {
    ...common,
    scope: 'train',
    body: z.strictObject({ kind: z.literal('rules_only') }),
    output: policyDetailSchema,
    status: 201,
    summary: 'Make a policy of rules alone: what no rule decides goes to the fallback option',
    takesIdempotencyKey: true,
    errors: ['conflict'],
  }),
  'policies.list': operation('GET', `${base}/policies`, {
    ...common,
    output: z.array(policySummarySchema),
    summary: 'Policies, newest first',
    ignoresExamples: true,
  }),
  'policies.get': operation('GET', `${base}/policies/:policy_id`, {
    ...common,
    output: policyDetailSchema,
    summary: 'One policy with its metrics',
  }),
  'policies.deploy': operation('POST', `${base}/policies/:policy_id/deploy`, {
    ...common,
    scope: 'deploy',
    output: policyDetailSchema,
    body: z.strictObject({
      reason: releaseReason,
    }),
    bodyOptional: true,
    summary: 'Deploy a trained policy; the others of the type are deactivated',
    description:
      'Where a pinned case, the promise, or being worse in a type that is looked after speaks against it (`verdict`), 409 until a reason is given, which stays in the history.',
    hints: replaces,
    takesIdempotencyKey: true,
    errors: ['conflict'],
  }),
  'deployments.list': operation('GET', `${base}/deployments`, {
    ...common,
    query: z.strictObject(pageQuery),
    output: paginated(deploymentSchema),
    summary: 'Which policies were deployed, when, by whom and why, newest first',
    ignoresExamples: true,
  }),
  'policies.cancel': operation('POST', `${base}/policies/:policy_id/cancel`, {
    ...common,
    scope: 'train',
    output: policyDetailSchema,
    summary: 'Cancel a training that runs or waits',
    hints: replaces,
    errors: ['conflict'],
  }),
  'policies.progress': operation('GET', `${base}/policies/:policy_id/progress`, {
    ...common,
    output: progressSchema,
    summary: 'How far the training is; poll every 3 to 5 seconds',
    ignoresExamples: true,
  }),
  'bundle.export': operation('GET', `${base}/export`, {
    ...common,
    scope: 'export',
    query: z.strictObject({
      slim: z.boolean().default(false).describe('Leaves out tokenizer and encoder, which one folder gives to many'),
      policy_id: uuid.optional().describe('Another policy than the deployed one'),
    }),
    output: null,
    produces: 'application/zip',
    sendsETag: true,
    summary: 'A policy, by default the deployed one, as a ZIP bundle for offline use',
    errors: ['not_found', 'model_not_deployed', 'conflict'],
  }),
  'bundle.export_page': operation('GET', `${base}/export/page`, {
    ...common,
    scope: 'export',
    query: z.strictObject({ policy_id: uuid.optional().describe('Another policy than the deployed one') }),
    output: null,
    produces: 'text/html',
    summary: 'A policy as one HTML file that decides by itself, offline: one input by a form, or a table',
    description: 'Refused with `conflict` where texts are read by a text model, which is too large for a page.',
    errors: ['not_found', 'model_not_deployed', 'conflict'],
  }),
};
