/** Model connections: the configured endpoints of chat models. */
import { z } from 'zod';
import { characters, nameText } from '../../../engine/domain/definition.ts';
import { dateTime, uuid } from '../common.ts';
import { operation, reads } from '../operation.ts';

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

const common = { access: 'owner', tag: 'Connections' } as const;

export const connectionOperations = {
  'connections.list': operation('GET', '/api/v1/connections', {
    ...common,
    access: 'jwt',
    output: z.array(connectionSchema),
    summary: 'Model connections, oldest first',
  }),
  'connections.create': operation('POST', '/api/v1/connections', {
    ...common,
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
    ...common,
    output: null,
    summary: 'Remove a model connection and its key',
  }),
  'connections.test': operation('POST', '/api/v1/connections/:connection_id/test', {
    ...common,
    output: z.object({ ok: z.boolean(), message: z.string(), latency_ms: z.number() }),
    summary: 'Ask the connected model one small question',
    hints: { ...reads, idempotent: false },
  }),
};
