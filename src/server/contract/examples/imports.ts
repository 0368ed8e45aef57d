/** Imports that are sent part by part and take effect at once. */
import { z } from 'zod';
import { nameText, readingsSchema } from '../../../engine/domain/definition.ts';
import { limits } from '../../../engine/limits.ts';
import { uuid } from '../common.ts';
import { operation, updates } from '../operation.ts';
import { decisionTypeSchema } from '../types/decision-types.ts';
import { exampleOperations } from './examples.ts';

const names = (max: number) => z.array(nameText(limits.maxNameLength)).max(max).default([]);
const importPlanSchema = z
  .strictObject({
    decision_type_id: uuid.optional().describe('The decision type that gains the examples'),
    name: nameText(limits.maxTypeNameLength).optional().describe('Of a decision type that the import makes'),
    options: names(limits.maxOptions).describe('Options that the type gains, or that the new one has'),
    reason_codes: names(limits.maxReasonCodes).describe('Reason codes, likewise'),
    readings: readingsSchema.default({}).describe('How texts of fields are read, as far as the type does not say it'),
  })
  .refine((plan) => (plan.decision_type_id === undefined) !== (plan.name === undefined), {
    message: 'give either decision_type_id or name',
  })
  .meta({ id: 'ImportPlan', examples: [{ name: 'refunds', options: ['approve', 'reject'] }] });
export type ImportPlan = z.output<typeof importPlanSchema>;

const maxParts = 10_000;
const common = { access: 'key', scope: 'label', tag: 'Examples' } as const;
const base = '/api/v1/imports';

export const importOperations = {
  'imports.begin': operation('POST', base, {
    ...common,
    body: importPlanSchema,
    output: z.object({ id: uuid }),
    status: 201,
    summary: 'Begin an import in parts',
    description:
      'Its parts count for nothing until it is committed. They are kept in memory: five minutes without a call, or a restart, end the import, and where the imports of a caller take more than 128 MiB, the one used longest ago gives way. A key needs the scope train to make a type and deploy to add options, reason codes or readings.',
    errors: ['decision_type_not_found', 'conflict', 'quota_exceeded'],
  }),
  'imports.put_part': operation('PUT', `${base}/:import_id/parts/:part`, {
    ...common,
    params: z.strictObject({
      import_id: uuid,
      part: z
        .string()
        .regex(/^(?:0|[1-9]\d{0,3})$/, { message: `must be 0 to ${maxParts - 1}` })
        .describe('Number of the part, from 0: its place in the file'),
    }),
    body: exampleOperations['examples.create'].body,
    output: z.object({ example_ids: z.array(uuid) }),
    summary: 'Send one part of an import; sent again, it replaces what was sent before',
    bodyLimitBytes: exampleOperations['examples.create'].bodyLimitBytes,
  }),
  'imports.commit': operation('POST', `${base}/:import_id/commit`, {
    ...common,
    body: z.strictObject({ parts: z.int().min(1).max(maxParts).describe('Number of all parts') }),
    output: z.object({ decision_type: decisionTypeSchema, examples: z.int().describe('Added examples') }),
    summary: 'Make the type, its new options and all examples of an import count, or nothing of it',
    hints: updates,
    takesIdempotencyKey: true,
    errors: ['decision_type_not_found', 'quota_exceeded'],
  }),
  'imports.cancel': operation('DELETE', `${base}/:import_id`, {
    ...common,
    output: null,
    summary: 'End an import without any effect, also while it is committed',
  }),
};
