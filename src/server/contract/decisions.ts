/** Deciding one input or a batch. */
import { z } from 'zod';
import { decisionSchema, decisionTraceSchema, type JsonObject } from '../../engine/domain.ts';
import { limits } from '../../engine/limits.ts';
import { explanationSchema } from './explaining.ts';
import { creates, operation } from './operation.ts';

/** The three names of the field that names the decision type; a request has exactly one of them. */
export const typeNameFields = ['decision_type', 'type', 'decision_type_name'] as const;

/**
 * The body of a decide call. The document and the agent tools are made from this schema; a call itself is read by
 * hot-path/read-decide-request.ts, which accepts the same bodies (test/server/hot-path.test.ts compares the two on
 * arbitrary ones).
 */
export const decideRequestSchema = z
  .strictObject({
    decision_type: z.string().min(1).optional().describe('Name of the decision type; give it in one of three fields'),
    type: z.string().min(1).optional(),
    decision_type_name: z.string().min(1).optional(),
    input: z.record(z.string(), z.unknown()),
  })
  .refine((body) => typeNameFields.filter((field) => body[field] !== undefined).length === 1, {
    message: `exactly one of ${typeNameFields.join(', ')} is required`,
  })
  .meta({
    id: 'DecideRequest',
    oneOf: typeNameFields.map((field) => ({ required: [field] })),
    examples: [{ decision_type: 'refund-requests', input: { amount: 42, message: 'The cup arrived in pieces.' } }],
  });
/** A decide call as it is worked on, whichever field named the type. */
export type DecideRequest = { decision_type: string; input: JsonObject };

export const decideResponseSchema = decisionSchema
  .extend({
    latency_ms: z.number(),
    request_id: z.string(),
    trace: decisionTraceSchema.optional(),
    explain: explanationSchema.optional(),
    dry_run: z.literal(true).optional().describe('Nothing was recorded or charged'),
  })
  .meta({ id: 'Decision' });
export type DecideResponse = z.infer<typeof decideResponseSchema>;

export const batchErrorSchema = z
  .object({
    index: z.int(),
    decision_type: z.string(),
    code: z.string(),
    message: z.string(),
    status_code: z.int(),
    retryable: z.boolean(),
    request_id: z.string(),
  })
  .meta({ id: 'BatchError' });
export type BatchError = z.infer<typeof batchErrorSchema>;

const batchItems = z
  .array(z.union([decideRequestSchema, z.unknown().describe('Fails alone, with an entry in `errors`')]))
  .min(1)
  .max(limits.maxBatchSize);

export const decisionOperations = {
  /** The handler reads the body itself, see `rawBodyOperations`. */
  decide: operation({
    method: 'POST',
    path: '/api/v1/decide',
    query: z.strictObject({
      trace: z.boolean().default(false),
      explain: z.boolean().default(false).describe('Adds what would change the decision; takes longer'),
      dry_run: z
        .boolean()
        .default(false)
        .describe('Decides without a log record and a charge, and without asking a connected model'),
    }),
    body: decideRequestSchema,
    output: decideResponseSchema,
    status: 200,
    access: 'key',
    summary: 'Decide one input with the deployed policy',
    hints: { ...creates, openWorld: true },
    takesIdempotencyKey: true,
    tag: 'Decisions',
    errors: ['quota_exceeded', 'decision_type_not_found', 'model_not_deployed'],
  }),
  'decide.batch': operation({
    method: 'POST',
    path: '/api/v1/decide/batch',
    body: z.union([z.strictObject({ decisions: batchItems }), batchItems]),
    output: z.object({
      results: z.array(decideResponseSchema.nullable()),
      errors: z.array(batchErrorSchema),
      succeeded: z.int(),
      failed: z.int(),
    }),
    status: 200,
    access: 'key',
    summary: `Decide up to ${limits.maxBatchSize} inputs in their order`,
    hints: { ...creates, openWorld: true },
    takesIdempotencyKey: true,
    tag: 'Decisions',
  }),
};

/**
 * Operations whose bodies reach their handlers unread: `readDecideRequest` reads a decide call faster than its schema,
 * and the items of a batch fail one by one.
 */
export const rawBodyOperations: ReadonlySet<string> = new Set(['decide', 'decide.batch']);
