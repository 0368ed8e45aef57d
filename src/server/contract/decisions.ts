import { z } from 'zod';
import { decisionSchema, decisionTraceSchema, type JsonObject } from '../../engine/domain.ts';
import type { ErrorDetail, Result } from '../../engine/errors.ts';
import { creates, operation } from './operation.ts';

/** As it is documented; the hot path reads it with `readDecideRequest`, which accepts exactly the same. */
const nameFields = ['decision_type', 'type', 'decision_type_name'] as const;
const decideRequestSchema = z
  .strictObject({
    decision_type: z.string().min(1).optional().describe('Name of the decision type; give it in one of three fields'),
    type: z.string().min(1).optional(),
    decision_type_name: z.string().min(1).optional(),
    input: z.record(z.string(), z.unknown()),
  })
  .meta({
    id: 'DecideRequest',
    oneOf: nameFields.map((field) => ({ required: [field] })),
    examples: [{ decision_type: 'refund-requests', input: { amount: 42, message: 'The cup arrived in pieces.' } }],
  });
export type DecideRequest = { decision_type: string; input: JsonObject };

/**
 * Reads one decide request without a schema library, because this is the hot path. Every problem is reported with
 * its `loc` below `at`.
 */
export function readDecideRequest(
  body: unknown,
  at: readonly (string | number)[] = ['body'],
): Result<DecideRequest, ErrorDetail> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { ok: false, problems: [{ type: 'invalid_type', loc: [...at], msg: 'expected an object' }] };
  }
  const record = body as Record<string, unknown>;
  const problems: ErrorDetail[] = [];
  let name: string | undefined;
  for (const key of Object.keys(record)) {
    if (key === 'input') continue;
    if (key !== 'decision_type' && key !== 'type' && key !== 'decision_type_name') {
      problems.push({ type: 'unrecognized_keys', loc: [...at, key], msg: `unknown field: ${key}` });
      continue;
    }
    const value = record[key];
    if (typeof value !== 'string' || value === '') {
      problems.push({ type: 'invalid_type', loc: [...at, key], msg: 'expected the name of a decision type' });
    } else if (name !== undefined) {
      problems.push({ type: 'invalid_value', loc: [...at, key], msg: `give one of ${nameFields.join(', ')}` });
    } else name = value;
  }
  if (name === undefined && problems.length === 0) {
    problems.push({ type: 'missing', loc: [...at, 'decision_type'], msg: 'decision_type is required' });
  }
  const input = record['input'];
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const missing = input === undefined;
    problems.push({
      type: missing ? 'missing' : 'invalid_type',
      loc: [...at, 'input'],
      msg: missing ? 'input is required' : 'expected an object',
    });
  }
  if (problems.length > 0 || name === undefined) return { ok: false, problems };
  return { ok: true, value: { decision_type: name, input: input as JsonObject } };
}

export const decideResponseSchema = decisionSchema
  .extend({
    latency_ms: z.number(),
    request_id: z.string(),
    trace: decisionTraceSchema.optional(),
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

export const batchLimit = 50;
const batchItems = z
  .array(z.union([decideRequestSchema, z.unknown().describe('Fails alone, with an entry in `errors`')]))
  .min(1)
  .max(batchLimit);

export const decisionOperations = {
  /** The adapter passes the body unread (`unknown`): operations/decide.ts reads it with `readDecideRequest`. */
  decide: operation({
    method: 'POST',
    path: '/api/v1/decide',
    query: z.strictObject({ trace: z.boolean().default(false) }),
    body: decideRequestSchema,
    output: decideResponseSchema,
    status: 200,
    access: 'key',
    summary: 'Decide one input with the deployed policy',
    hints: creates,
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
    summary: `Decide up to ${batchLimit} inputs in their order`,
    hints: creates,
    tag: 'Decisions',
  }),
};

/** Operations whose bodies are read by their handlers, not by a schema. */
export const rawBodyOperations: ReadonlySet<string> = new Set(['decide', 'decide.batch']);
