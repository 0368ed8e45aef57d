import type { Handlers } from './context.ts';

export const eventHandlers = {
  'events.stream': ({ events }, { caller }) => ({
    download: true,
    contentType: 'text/event-stream',
    body: events.open(caller.organisationId),
  }),
} satisfies Handlers<'events.stream'>;
