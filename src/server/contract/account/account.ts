/** Users, organisations and API keys. */
import { z } from 'zod';
import { characters, nameText } from '../../../engine/domain/definition.ts';
import { orNull } from '../../../engine/json.ts';
import { dateTime, uuid } from '../common.ts';
import { operation, scopes } from '../operation.ts';
import { planNames } from './credits.ts';

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

export const accountOperations = {
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
};
