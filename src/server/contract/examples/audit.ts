/** The audit: the error of live decisions, from decisions that were drawn at random and judged blind. */
import { z } from 'zod';
import { auditFigureSchema } from '../../../engine/measured.ts';
import { operation } from '../operation.ts';
import { auditSettingSchema } from '../types/decision-types.ts';

const policyAuditSchema = z.object({
  policy_version: z.string().describe('As log records name it'),
  drawn: z.int(),
  error: auditFigureSchema.describe('The whole decision, whoever made it'),
  error_automatic: auditFigureSchema.describe('Those decided alone, by rule or classifier'),
  sentence: z.string(),
});
export type PolicyAuditAnswer = z.infer<typeof policyAuditSchema>;

export const auditOperations = {
  'audit.get': operation('GET', '/api/v1/decision-types/:decision_type_id/audit', {
    access: 'key',
    scope: 'read',
    tag: 'Labelling',
    output: z.object({
      audit: auditSettingSchema.nullable(),
      to_judge: z.int().describe('Drawn decisions in the queue "audit"'),
      deployed: policyAuditSchema.nullable().describe('The deployed policy; null without one, or before a draw'),
      policies: z.array(policyAuditSchema).describe('Every policy of which decisions were drawn, the newest first'),
    }),
    summary: 'The error of live decisions by an audit: drawn at random, judged blind, with bounds that always hold',
  }),
};
