/** Alerts: states of the service that a person should know of, and where they are sent. */
import { z } from 'zod';
import { characters } from '../../../engine/domain/definition.ts';
import { dateTime } from '../common.ts';
import { creates, operation } from '../operation.ts';

/** The message of an alert, as the body of a webhook and on the standard input of a command. */
export const alertSchema = z
  .object({
    id: z.string().describe('Another one for each message; a repeated try has the same'),
    kind: z
      .enum(['promise', 'drift', 'policy', 'disk', 'backup', 'test'])
      .describe('promise: not kept; drift: inputs have changed; policy: it cannot be used; test: nothing is wrong'),
    state: z.enum(['firing', 'resolved']),
    decision_type: z.string().nullable().describe('Name of the decision type; null for the service as a whole'),
    message: z.string(),
    since: dateTime,
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof alertSchema>;

const alertsSchema = z
  .object({
    receiver: z
      .object({
        kind: z.enum(['command', 'webhook']),
        to: z.string().describe('The file of the command, or the address of the webhook'),
        private_network: z.boolean(),
        set_at_start: z.boolean().describe('By a flag or the environment; it cannot be changed here'),
      })
      .nullable()
      .describe('null: alerts are sent to nobody'),
    firing: z.array(alertSchema.omit({ id: true, state: true })),
    last: z
      .object({
        alert: alertSchema,
        at: dateTime,
        tries: z.int(),
        error: z.string().nullable().describe('Why it did not arrive; null: it did'),
      })
      .nullable()
      .describe('The last alert that was sent, or was to be; null: none since the start'),
  })
  .meta({ id: 'Alerts' });

const path = '/api/v1/alerts';
const common = { access: 'owner', tag: 'System' } as const;

export const alertOperations = {
  'alerts.get': operation('GET', path, {
    ...common,
    output: alertsSchema,
    summary: 'What should be known now, where it is sent, and how the last message went',
  }),
  'alerts.set': operation('PUT', path, {
    ...common,
    body: z.strictObject({
      url: characters(1, 2_000).nullable().describe('Address of a webhook; null: alerts are sent to nobody'),
      private_network: z.boolean().default(false).describe('true: the address may lie in a private network'),
    }),
    output: alertsSchema.extend({
      secret: z.string().nullable().describe('Key of the signatures (Standard Webhooks), shown this once'),
    }),
    summary: 'Send alerts to a webhook, with a new secret, or to nobody; from then on they leave this program',
    errors: ['conflict'],
  }),
  'alerts.test': operation('POST', `${path}/test`, {
    ...common,
    output: z.object({ ok: z.boolean(), message: z.string() }),
    summary: 'Send one alert that nothing is wrong, in one try',
    hints: creates,
    errors: ['conflict'],
  }),
};
