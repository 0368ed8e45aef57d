/**
 * A server process that is killed after the effect of a call and before its answer: it kills itself when the answer to a
 * request with the header `x-die` is about to leave.
 */
import { pino } from 'pino';
import { systemClock } from '../../../src/server/process/clock.ts';
import { completeOptions, openWorkbench } from '../../../src/server/start.ts';

/** Server to test. */
export type DyingReport = { port: number; authorization: string };

const [dataDir] = process.argv.slice(2);
if (!dataDir) throw new Error('the data folder is missing');
const options = completeOptions({ port: 0, rendererDir: null, logLevel: 'silent', dataDir });
const { app, deps } = await openWorkbench(options, systemClock, pino({ level: 'silent' }));
app.server.prependListener('request', (request, response) => {
  if (request.headers['x-die'] === undefined) return;
  response.writeHead = () => {
    process.kill(process.pid, 'SIGKILL');
    throw new Error('The process is at its end.');
  };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
const { token } = await deps.auth.issuer.issue();
process.send?.({ port: Number(new URL(url).port), authorization: `Bearer ${token}` } satisfies DyingReport);
