/** Decision types with their versions, and the samples that they can be made from. */
import { z } from 'zod';
import {
  characters,
  confidenceThresholdsSchema,
  defaultThresholds,
  definitionSchema,
  escalationPolicySchema,
  jsonObject,
  nameText,
  optionsInputSchema,
  reasonCodesInputSchema,
  ruleSchema,
} from '../../engine/domain.ts';
import { limits } from '../../engine/limits.ts';
import { promiseStatusSchema } from '../../engine/measured.ts';
import { dateTime, decisionTypeParams, pageQuery, paginated, uuid } from './common.ts';
import { creates, destroys, operation, reads, replaces, updates } from './operation.ts';

const rules = z.array(ruleSchema).max(limits.maxRules);
const name = nameText(limits.maxTypeNameLength);
const description = characters(0, 10_000);
const piiFields = z.array(characters(1, 400)).max(500);
/** `rules` and `hard_rules` are one field. */
const oneOfTheTwo = { not: { required: ['rules', 'hard_rules'] } };
const retentionDays = z.int().min(1).max(3650).nullable();

export const decisionTypeCreateSchema = z
  .strictObject({
    name,
    options: optionsInputSchema,
    description: description.default(''),
    reason_codes: reasonCodesInputSchema.default([]),
    rules: rules.optional().describe('The same field as hard_rules; give one of the two.'),
    hard_rules: rules.optional(),
    input_schema: jsonObject.nullable().default(null),
    confidence_thresholds: confidenceThresholdsSchema.default(defaultThresholds),
    escalation_policy: escalationPolicySchema.prefault({}),
    fallback_option: z.string().nullable().default(null),
    pii_fields: piiFields.default([]),
    retention_days: retentionDays.default(90),
  })
  .meta({
    id: 'DecisionTypeCreate',
    ...oneOfTheTwo,
    examples: [
      {
        name: 'refund-requests',
        options: ['approve', 'reject'],
        reason_codes: ['small_amount'],
        rules: [
          { name: 'small', condition: 'ctx.amount < 10', then: 'approve', reason_code: 'small_amount', priority: 1 },
        ],
      },
    ],
  });
export type DecisionTypeCreate = z.output<typeof decisionTypeCreateSchema>;

export const decisionTypeUpdateSchema = z
  .strictObject({
    name: name.optional(),
    description: description.optional(),
    options: optionsInputSchema.optional(),
    reason_codes: reasonCodesInputSchema.optional(),
    rules: rules.optional(),
    hard_rules: rules.optional(),
    input_schema: jsonObject.nullable().optional(),
    confidence_thresholds: confidenceThresholdsSchema.optional(),
    escalation_policy: escalationPolicySchema.optional(),
    fallback_option: z.string().nullable().optional(),
    pii_fields: piiFields.optional(),
    retention_days: retentionDays.optional(),
  })
  .meta({
    id: 'DecisionTypeUpdate',
    ...oneOfTheTwo,
    examples: [
      { description: 'Refunds of the web shop', confidence_thresholds: { auto_decide: 0.9, escalation: 0.5 } },
    ],
  });
export type DecisionTypeUpdate = z.output<typeof decisionTypeUpdateSchema>;

export const versionSchema = z
  .object({
    id: uuid,
    version_number: z.int(),
    ...definitionSchema.shape,
    created_at: dateTime,
  })
  .meta({ id: 'Version' });
export type Version = z.infer<typeof versionSchema>;

export const decisionTypeSchema = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string(),
    active_version: versionSchema,
    pii_fields: z.array(z.string()),
    pii_residue: z
      .object({
        policies: z.array(uuid).describe('Policies trained before one of the fields was declared'),
        log_records: z.int().describe('Log records written before one of the fields was declared'),
        clearing: z.boolean().describe('Whether these records are being rewritten'),
      })
      .nullable()
      .describe('What may still hold values of the personal fields; null where nothing does'),
    retention_days: z.int().nullable(),
    fallback_option: z.string().nullable(),
    model_deployed: z.boolean(),
    availability: z
      .object({ state: z.enum(['available', 'unavailable']), reason: z.string().nullable() })
      .nullable()
      .describe('Whether the deployed policy can be used now, and why not; null without one'),
    needs_retraining: z.boolean(),
    promise: promiseStatusSchema
      .nullable()
      .describe('What was promised of the deployed policy, and how that stands; null without a promise'),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: 'DecisionType' });
export type DecisionType = z.infer<typeof decisionTypeSchema>;

const common = { access: 'key', tag: 'Decision types' } as const;
const base = '/api/v1/decision-types';

export const decisionTypeOperations = {
  'decision_types.create': operation({
    ...common,
    method: 'POST',
    path: base,
    body: decisionTypeCreateSchema,
    output: decisionTypeSchema,
    status: 201,
    summary: 'Create a decision type',
    hints: creates,
    errors: ['quota_exceeded', 'conflict'],
  }),
  'decision_types.list': operation({
    ...common,
    method: 'GET',
    path: base,
    query: z.strictObject(pageQuery),
    output: paginated(decisionTypeSchema),
    status: 200,
    summary: 'List decision types',
    hints: reads,
  }),
  'decision_types.get': operation({
    ...common,
    method: 'GET',
    path: `${base}/:decision_type_id`,
    params: decisionTypeParams,
    output: decisionTypeSchema,
    status: 200,
    summary: 'One decision type with its active version',
    hints: reads,
  }),
  'decision_types.update': operation({
    ...common,
    method: 'PUT',
    path: `${base}/:decision_type_id`,
    params: decisionTypeParams,
    body: decisionTypeUpdateSchema,
    output: decisionTypeSchema,
    status: 200,
    summary: 'Change a decision type; a change of logic makes a new version',
    hints: replaces,
    errors: ['conflict'],
  }),
  'decision_types.delete': operation({
    ...common,
    method: 'DELETE',
    path: `${base}/:decision_type_id`,
    params: decisionTypeParams,
    output: null,
    status: 204,
    summary: 'Delete a decision type softly; it can be restored for two days',
    hints: destroys,
  }),
  'decision_types.restore': operation({
    ...common,
    method: 'POST',
    path: `${base}/:decision_type_id/restore`,
    params: decisionTypeParams,
    output: decisionTypeSchema,
    status: 200,
    summary: 'Bring back a decision type that was deleted in the last two days, with everything in it',
    hints: updates,
    errors: ['conflict', 'quota_exceeded'],
  }),
  'pii_residue.clear': operation({
    ...common,
    method: 'POST',
    path: `${base}/:decision_type_id/pii-residue/clear`,
    params: decisionTypeParams,
    output: z.object({ decision_type: decisionTypeSchema, next: z.string() }),
    status: 202,
    summary: 'Rewrite the log records that hold values of personal fields declared late, in the background',
    hints: destroys,
  }),
  'versions.list': operation({
    ...common,
    method: 'GET',
    path: `${base}/:decision_type_id/versions`,
    params: decisionTypeParams,
    output: z.array(versionSchema),
    status: 200,
    summary: 'Every version, newest first',
    hints: reads,
  }),
  'versions.get': operation({
    ...common,
    method: 'GET',
    path: `${base}/:decision_type_id/versions/:version_id`,
    params: decisionTypeParams.extend({ version_id: uuid }),
    output: versionSchema,
    status: 200,
    summary: 'One version',
    hints: reads,
  }),
  'samples.list': operation({
    method: 'GET',
    path: '/api/v1/samples',
    output: z.array(z.object({ name: z.string(), title: z.string(), description: z.string(), examples: z.int() })),
    status: 200,
    access: 'key',
    summary: 'Sample projects that ship with the program',
    hints: reads,
    tag: 'Samples',
  }),
  'samples.create': operation({
    method: 'POST',
    path: '/api/v1/samples/:name',
    params: z.strictObject({ name: z.string().regex(/^[a-z0-9-]{1,60}$/) }),
    output: decisionTypeSchema,
    status: 201,
    access: 'key',
    summary: 'Make a decision type with rules and examples from a sample',
    hints: creates,
    tag: 'Samples',
    errors: ['quota_exceeded', 'conflict'],
  }),
};
