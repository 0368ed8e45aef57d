/** Calls from other machines: where they come in, and that they are let in by an API key alone. */
import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer, type Server as Listener } from 'node:net';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Authenticated } from '../auth/auth.ts';

/** Listens at a further address for an HTTP server, whose bounds hold there as well. Rejects where it cannot. */
export function listenOutside(server: Server, host: string, port: number): Promise<Listener> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  // An error on a connection goes to the listener that accepted it.
  listener.on('clientError', (error, socket) => server.emit('clientError', error, socket));
  return new Promise((resolve, reject) => {
    listener.once('error', reject).listen(port, host, () => resolve(listener));
  });
}

/** Refuses a call from outside that a page could have caused, or that brings no credential. */
export function checkOutside({ origin, authorization, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
  if (origin !== undefined || site !== undefined) {
    throw new WorkbenchError('forbidden', 'Pages are used on the machine of the workbench alone.');
  }
  if (authorization === undefined) {
    throw new WorkbenchError('unauthorized', 'From other machines every call needs an API key.');
  }
}

/** Refuses callers from outside without a valid API key. */
export function requireKey(authenticated: Authenticated | null): void {
  if (authenticated === null) throw new WorkbenchError('unauthorized', 'The API key is not valid.');
  if (authenticated.caller.kind === 'key') return;
  throw new WorkbenchError('forbidden', 'Sessions are used on the machine of the workbench alone; send an API key.');
}
