/** Decisions, and why they are made. */
import { z } from 'zod';
import { decisionSchema, decisionTraceSchema } from '../../../engine/domain/decision.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { errorKinds } from '../../../engine/rules/evaluation/values.ts';
import { aliasOf, uuid } from '../common.ts';
import { creates, operation, reads } from '../operation.ts';

const changeSchema = z.object({
  field: z.string(),
  from: z.unknown().describe('The value of the input; null where it has none'),
  to: z.unknown().describe('A value seen in the examples; of a text what is left of it'),
  removed: z
    .array(z.object({ start: z.int(), end: z.int() }))
    .optional()
    .describe('The words that are left out of a text (UTF-16 indices)'),
});

const explanationSchema = z
  .object({
    decision: z.string(),
    confidence: z.number(),
    escalate: z.boolean(),
    flips: z
      .array(
        z.object({
          changes: z.array(changeSchema),
          decision: z.string(),
          confidence: z.number(),
          escalate: z.boolean(),
        }),
      )
      .describe('The smallest changes that lead to another decision; 3 at most'),
    nearest: z
      .array(z.object({ example_id: uuid, decision: z.string(), similarity: z.number() }))
      .describe('The labelled examples most like the input'),
    words: z
      .array(
        z.object({
          field: z.string(),
          start: z.int(),
          end: z.int(),
          weight: z.number(),
          estimated: z
            .boolean()
            .describe('False where the input was decided without the words; true where their weight is an estimate'),
        }),
      )
      .describe(
        'How much less likely the decision is without these words of fields that are read as texts (UTF-16 indices), heaviest first',
      ),
    release: z
      .int()
      .nullable()
      .describe('The release that decided the logged input; null where the deployed policy is asked instead'),
    policy_version: z.string().describe('The policy that decided it'),
    usual: z
      .record(z.string(), z.number())
      .describe('The middle value of each number, and of the days between two dates, that the policy learned from'),
    trace: decisionTraceSchema.nullable().describe('How that decision came about'),
    note: z.string().nullable().describe('What to know of it, as which fields were too many to be tried'),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof explanationSchema>;

const deciding = {
  access: 'key',
  scope: 'decide',
  tag: 'Decisions',
  hints: { ...creates, openWorld: true },
  takesIdempotencyKey: true,
  decides: true,
} as const;
const common = {
  access: 'key',
  scope: 'read',
  tag: 'Decisions',
  output: explanationSchema,
  hints: reads,
  errors: ['model_not_deployed', 'unavailable'],
} as const;
const base = '/api/v1/decision-types/:decision_type_id';

/** The three names of the field that names the decision type; a request has exactly one of them. */
export const typeNameFields = ['decision_type', 'type', 'decision_type_name'] as const;

/**
 * The body of a decide call, for document and agent tools; door/deciding/decide-calls.ts reads calls and accepts
 * the same bodies, as hot-path.test.ts shows.
 */
export const decideRequestSchema = z
  .strictObject({
    decision_type: z
      .string()
      .min(1)
      .optional()
      .describe('Name of the decision type, or of one of its releases: `refunds@3`, `refunds@production`'),
    type: aliasOf('decision_type', z.string().min(1)),
    decision_type_name: aliasOf('decision_type', z.string().min(1)),
    input: z.record(z.string(), z.unknown()).describe('The JSON object that is decided'),
  })
  .refine((body) => typeNameFields.filter((field) => body[field] !== undefined).length === 1, {
    message: `exactly one of ${typeNameFields.join(', ')} is required`,
  })
  .meta({
    id: 'DecideRequest',
    required: ['decision_type', 'input'],
    examples: [{ decision_type: 'refund-requests', input: { amount: 42, message: 'The cup arrived in pieces.' } }],
  });
export type DecideRequest = { decision_type: string; input: JsonObject };

const decideResponseSchema = decisionSchema
  .extend({
    release: z.int().describe('The number of the release that decided: of a policy with the settings beside it'),
    digest: z.string().describe('SHA-256 of all that decides; equal where that is equal, whatever the type is called'),
    rule_errors: z
      .array(z.object({ name: z.string(), error: z.enum(errorKinds) }))
      .describe('The rules that failed on the input, and so did not match; trace=true shows where'),
    latency_ms: z.number().describe('From reading the request to the decision'),
    request_id: z.string().describe('The X-Request-ID of the call'),
    trace: decisionTraceSchema.optional(),
    explain: explanationSchema.optional(),
    dry_run: z.boolean().optional().describe('true: nothing was recorded or charged'),
    unread: z
      .array(z.string())
      .optional()
      .describe(
        'Of a dry run or an explanation: a sentence for each field that the policy does not have, or whose value is of another kind and so missing. Of every call: texts that no reading takes, and whole numbers beyond 2^53 that lose digits',
      ),
  })
  .meta({ id: 'Decision' });
export type DecideResponse = z.infer<typeof decideResponseSchema>;

const batchErrorSchema = z
  .object({
    index: z.int().describe('Place of the item in the request'),
    decision_type: z.string(),
    code: z.string().describe('As in the answer of a single call'),
    message: z.string(),
    status_code: z.int().describe('HTTP status of a single call'),
    retryable: z.boolean().describe('Whether the same item may succeed later'),
    request_id: z.string(),
  })
  .meta({ id: 'BatchError' });
export type BatchError = z.infer<typeof batchErrorSchema>;

const dryRun = z.boolean().default(false).describe('Decides without a log record, a charge or a connected model');

export const decisionOperations = {
  'logs.explain': operation('POST', `${base}/logs/:log_id/explain`, {
    ...common,
    summary: 'What would change the decision on a logged input, by the release that decided it',
  }),
  'examples.explain': operation('POST', `${base}/examples/:example_id/explain`, {
    ...common,
    summary: 'What would change the decision on an example, as the deployed policy decides it now',
  }),
  decide: operation('POST', '/api/v1/decide', {
    query: z.strictObject({
      trace: z.boolean().default(false).describe('Adds how the decision came about'),
      explain: z.boolean().default(false).describe('Adds what would change the decision; takes longer'),
      dry_run: dryRun,
    }),
    body: decideRequestSchema,
    output: decideResponseSchema,
    ...deciding,
    summary: 'Decide one input with the deployed policy',
    description: '`type` and `decision_type_name` are accepted in the place of `decision_type`.',
    errors: ['quota_exceeded', 'decision_type_not_found', 'not_found', 'model_not_deployed'],
  }),
  'decide.batch': operation('POST', '/api/v1/decide/batch', {
    query: z.strictObject({ dry_run: dryRun }),
    body: z
      .strictObject({ decisions: z.array(decideRequestSchema).min(1).max(limits.maxBatchSize) })
      .meta({ id: 'DecideBatchRequest' }),
    output: z
      .object({
        results: z.array(decideResponseSchema.nullable()).describe('In the order of the request; null where it failed'),
        errors: z.array(batchErrorSchema),
        succeeded: z.int(),
        failed: z.int(),
      })
      .meta({ id: 'DecideBatchAnswer' }),
    ...deciding,
    description:
      'An item that does not fit fails alone, with an entry in `errors` at its index. A bare list is accepted as the body.',
    summary: `Decide up to ${limits.maxBatchSize} inputs in their order`,
  }),
};
