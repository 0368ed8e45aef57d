/** Answers the stream of events of one caller. */
import { toCallerId } from '../../auth/caller.ts';
import type { Deps, Handlers } from '../context.ts';

type Used = Pick<Deps, 'events'>;

export const eventHandlers = {
  'events.stream': ({ events }, { caller }) => ({
    download: true,
    contentType: 'text/event-stream',
    body: events.open(caller.organisationId, toCallerId(caller)),
  }),
} satisfies Handlers<Used>;
