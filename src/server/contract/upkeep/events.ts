/** The server-sent events that a window hears while it is open. */
import { z } from 'zod';
import { uuid } from '../common.ts';
import { operation } from '../operation.ts';

/** One event as its `data` holds it; no event holds a value of an input. */
const eventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready').describe('The stream is open; it has no memory of what happened before') }),
  z.object({ event: z.literal('reset').describe('More happened than fits: what is shown is to be read again') }),
  z.object({
    event: z.literal('change').describe('Somebody has changed something'),
    operation: z.string().describe('The operation that did it'),
    decision_type_id: uuid.nullable(),
    example_id: uuid.nullable().describe('The example that was changed, where it was one'),
    request_id: z.string().describe('The X-Request-ID of the call, by which callers know their own'),
  }),
  z.object({
    event: z.literal('job').describe('Work in the background has moved on or ended'),
    job: z.enum(['training', 'findings', 'slices', 'drift', 'labels']),
    decision_type_id: uuid,
    policy_id: uuid.nullable().describe('The policy in training'),
    ended: z.boolean().describe('Whether it has ended, however it did'),
  }),
  z.object({
    event: z.literal('progress').describe('A change of many examples takes longer than half a second'),
    decision_type_id: uuid,
    share: z.number().nullable().describe('How much of it is done, from 0 to 1; null: it has ended'),
    cancellable: z.boolean().describe('Whether examples.cancel turns it back; an undo goes on to its end'),
  }),
  z.object({
    event: z.literal('promise').describe('A policy was asked for the promise of its type: it was trained or deployed'),
    decision_type_id: uuid,
    policy_id: uuid,
    state: z.enum(['kept', 'not_kept']),
    held_back: z.boolean().describe('Whether its training did not deploy it'),
  }),
  z.object({
    event: z.literal('release').describe('What decides was changed, or a policy was deployed'),
    decision_type_id: uuid,
    policy_id: uuid,
    release: z.int(),
    digest: z.string().describe('The digest of what decides from now on'),
  }),
  z.object({
    event: z.literal('logs').describe('Decisions were recorded'),
    decision_type_id: uuid,
    added: z.int().describe('Log records since the last such event'),
  }),
]);
export type WorkbenchEvent = z.infer<typeof eventSchema>;

export const eventOperations = {
  'events.stream': operation('GET', '/api/v1/events', {
    output: null,
    produces: 'text/event-stream',
    access: 'key',
    scope: 'read',
    summary:
      'What happens, as server-sent events: `ready`, `change`, `job`, `progress`, `promise`, `release`, `logs`, `reset`, at most four groups a second, a ' +
      'comment every 15 seconds; a stream ends after ten minutes, so that its credential is asked for again',
    tag: 'System',
  }),
};
