/** Credits, their usage, and the plans that grant them. */
import { z } from 'zod';
import { dateTime, pageQuery, paginated, uuid } from '../common.ts';
import { operation } from '../operation.ts';

export const planNames = ['local', 'trial', 'developer', 'starter', 'growth', 'scale'] as const;
export type PlanName = (typeof planNames)[number];

const creditOperations = ['decision', 'training', 'generation', 'hosting'] as const;
export type CreditOperation = (typeof creditOperations)[number];

const balanceSchema = z
  .object({
    plan: z.enum(planNames),
    allocation: z.number().nullable().describe('Credits of the period; null: no limit'),
    used: z.number(),
    remaining: z.number().nullable().describe('null: no limit'),
    percent_used: z.number().nullable().describe('null: no limit'),
    period_start: dateTime,
    resets_at: dateTime.nullable().describe('When the next period begins; null: never'),
  })
  .meta({ id: 'Balance' });
export type Balance = z.infer<typeof balanceSchema>;

const usageItemSchema = z.object({
  id: uuid,
  operation: z.enum(creditOperations),
  credits: z.number(),
  decision_type_id: z.string().nullable(),
  reference_id: z.string().nullable(),
  created_at: dateTime,
});

const planSchema = z.object({
  name: z.enum(planNames),
  title: z.string(),
  price_per_month: z.number(),
  credits: z.number().nullable(),
  renews: z.boolean(),
  decision_types: z.int().nullable(),
  decisions: z.int().nullable(),
  bundle_export: z.boolean(),
});
export type Plan = z.infer<typeof planSchema>;

export const billingOperations = {
  'credits.balance': operation('GET', '/api/v1/credits', {
    output: balanceSchema,
    access: 'key',
    scope: 'read',
    summary: 'Credit balance of the organisation',
    tag: 'Credits',
  }),
  'credits.usage': operation('GET', '/api/v1/credits/usage', {
    query: z.strictObject({
      ...pageQuery,
      days: z.int().min(1).max(90).default(7),
      operation: z.enum(creditOperations).optional(),
    }),
    output: paginated(usageItemSchema).extend({
      summary: z.object({ total_credits: z.number(), by_operation: z.record(z.string(), z.number()) }),
    }),
    access: 'key',
    scope: 'read',
    summary: 'Usage history with a summary',
    tag: 'Credits',
  }),
  'billing.plans': operation('GET', '/api/v1/billing/plans', {
    output: z.object({ current: z.enum(planNames), plans: z.array(planSchema) }),
    access: 'jwt',
    summary: 'The plans and the current one',
    tag: 'Billing',
  }),
  'billing.set_plan': operation('PUT', '/api/v1/billing/plan', {
    body: z.strictObject({ plan: z.enum(planNames) }),
    output: balanceSchema,
    access: 'owner',
    summary: 'Choose the plan to work under',
    tag: 'Billing',
  }),
};
