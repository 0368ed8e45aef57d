/** Answers the stream of events of one caller. */
import { toCallerId } from '../../auth/caller.ts';
import type { Handlers } from '../context.ts';

export const eventHandlers = {
  'events.stream': ({ events }, { caller }) => ({
    download: true,
    contentType: 'text/event-stream',
    body: events.open(caller.organisationId, toCallerId(caller)),
  }),
} satisfies Handlers;
