/** Users, organisations and API keys, their activity, model connections, credits and plans. */
import { z } from 'zod';
import { characters, nameText } from '../../../engine/domain/definition.ts';
import { orNull } from '../../../engine/json.ts';
import { dateTime, pageQuery, paginated, uuid } from '../common.ts';
import { operation, reads, scopes } from '../operation.ts';

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

const organisationSchema = z
  .object({ id: uuid, name: z.string(), plan: z.enum(planNames), created_at: dateTime })
  .meta({ id: 'Organisation' });

const meSchema = z
  .object({
    user: z.object({
      id: uuid,
      email: z.string().nullable(),
      name: z.string(),
      role: z.enum(['owner', 'member']),
      created_at: dateTime,
    }),
    organisation: organisationSchema,
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof meSchema>;

const keyFields = {
  id: uuid,
  name: z.string(),
  prefix: z.string().describe('The first 8 characters of the key'),
  rate_limit_per_minute: z.int(),
  scopes: z.array(z.enum(scopes)).nullable().describe('What the key may do; null: everything'),
  allow_destructive: z.boolean().describe('Whether agents may call destructive tools with a key without scopes'),
  holder: z.string().nullable().describe('Who uses it, where that is not the one who made it'),
  created_at: dateTime,
};
const apiKeySchema = z.object({ ...keyFields, last_used_at: dateTime.nullable() }).meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKeySchema>;

const account = { access: 'jwt', tag: 'Account' } as const;

const activitySchema = z
  .object({
    operation: z.string().describe('The operation, as this document names it'),
    summary: z.string().describe('What it does'),
    details: z.string().nullable().describe('Of which thing, or what came of it'),
    decision_type_id: uuid.nullable(),
    decision_type: z.string().nullable().describe('The name of the decision type then'),
    by: z.string().nullable().describe('Name of the person or key then; null where it is not known'),
    api_key_id: uuid.nullable(),
    created_at: dateTime,
  })
  .meta({ id: 'Activity' });

const connectionSchema = z.object({
  id: uuid,
  name: z.string(),
  url: z.string(),
  model: z.string(),
  has_api_key: z.boolean().describe('The key itself is never shown again'),
  key_missing: z.boolean().describe('It was given a key whose file is gone: remove it and make it again'),
  private_network: z.boolean(),
  generates: z.boolean(),
  created_at: dateTime,
});
export type Connection = z.infer<typeof connectionSchema>;

const owned = { access: 'owner', tag: 'Connections' } as const;
const credits = { access: 'key', scope: 'read', tag: 'Credits' } as const;

export const accountOperations = {
  'credits.balance': operation('GET', '/api/v1/credits', {
    ...credits,
    output: balanceSchema,
    summary: 'Credit balance of the organisation',
  }),
  'credits.usage': operation('GET', '/api/v1/credits/usage', {
    ...credits,
    query: z.strictObject({
      ...pageQuery,
      days: z.int().min(1).max(90).default(7),
      operation: z.enum(creditOperations).optional(),
    }),
    output: paginated(usageItemSchema).extend({
      summary: z.object({ total_credits: z.number(), by_operation: z.record(z.string(), z.number()) }),
    }),
    summary: 'Usage history with a summary',
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
  'session.create': operation('POST', '/api/v1/auth/session', {
    body: z.strictObject({ code: characters(1, 200) }),
    output: z.object({ token: z.string(), expires_at: dateTime }),
    status: 201,
    access: 'public',
    summary: 'Exchange a one-time login code for a session token',
    tag: 'Account',
    errors: ['unauthorized'],
  }),
  'account.me': operation('GET', '/api/v1/auth/me', {
    ...account,
    output: meSchema,
    summary: 'Current user and organisation',
  }),
  'account.update': operation('PUT', '/api/v1/auth/me', {
    ...account,
    body: z.strictObject({ name: nameText(200) }),
    output: meSchema,
    summary: "Change the user's name",
  }),
  'organisation.update': operation('PUT', '/api/v1/auth/org', {
    ...account,
    body: z.strictObject({ name: nameText(200) }),
    output: organisationSchema,
    access: 'owner',
    summary: "Change the organisation's name",
  }),
  'api_keys.list': operation('GET', '/api/v1/api-keys', {
    ...account,
    output: z.array(apiKeySchema),
    summary: 'API keys of the organisation',
  }),
  'api_keys.create': operation('POST', '/api/v1/api-keys', {
    ...account,
    body: z.strictObject({
      name: nameText(100),
      rate_limit_per_minute: z.int().min(1).max(1_000_000).default(600),
      scopes: orNull(
        z.array(z.enum(scopes)).min(1).max(scopes.length),
        'What the key may do, as each operation names its scope; null: everything',
      ),
      allow_destructive: z
        .boolean()
        .default(false)
        .describe('Whether agents may replace or remove something with it; where scopes are given, these say so'),
      holder: orNull(
        nameText(100),
        'Who uses it: of a type with four eyes a person, with every key of theirs, is one hand; null: yourself',
      ),
    }),
    output: z.object({ ...keyFields, key: z.string() }),
    status: 201,
    summary: 'Make an API key; the key itself is shown only now',
  }),
  'api_keys.delete': operation('DELETE', '/api/v1/api-keys/:key_id', {
    ...account,
    output: null,
    access: 'owner',
    summary: 'Revoke an API key',
  }),
  'activity.list': operation('GET', '/api/v1/activity', {
    access: 'key',
    scope: 'read',
    tag: 'Account',
    query: z.strictObject({ ...pageQuery, decision_type_id: uuid.optional().describe('Of this decision type alone') }),
    output: paginated(activitySchema),
    summary: 'Who deleted, imported, switched, exported or made keys, newest first',
    description: 'Kept as long as the longest log of a decision type is.',
  }),
  'connections.list': operation('GET', '/api/v1/connections', {
    ...owned,
    access: 'jwt',
    output: z.array(connectionSchema),
    summary: 'Model connections, oldest first',
  }),
  'connections.create': operation('POST', '/api/v1/connections', {
    ...owned,
    body: z.strictObject({
      name: nameText(100),
      url: characters(1, 2_000).describe('OpenAI-compatible base address, e.g. http://127.0.0.1:11434/v1'),
      model: nameText(200),
      api_key: z
        .string()
        .regex(/^[\x21-\x7e]+$/, 'printable characters without spaces')
        .max(1_000)
        .optional(),
      private_network: z.boolean().default(false).describe('true: the address may lie in a private network'),
      generates: z.boolean().default(true).describe('true: examples are generated with it, and with no other'),
    }),
    output: connectionSchema,
    status: 201,
    summary: 'Add a model connection; what its model is asked from then on leaves this program',
    takesIdempotencyKey: true,
    errors: ['conflict'],
  }),
  'connections.delete': operation('DELETE', '/api/v1/connections/:connection_id', {
    ...owned,
    output: null,
    summary: 'Remove a model connection and its key',
  }),
  'connections.test': operation('POST', '/api/v1/connections/:connection_id/test', {
    ...owned,
    output: z.object({ ok: z.boolean(), message: z.string(), latency_ms: z.number() }),
    summary: 'Ask the connected model one small question',
    hints: { ...reads, idempotent: false },
  }),
};
