/**
 * A whole server on a data folder of its own, without a port: what the training stories are told with. Free of the test
 * runner, so that a program that is to be killed can use it too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Deps } from '../../src/server/operations/context.ts';
import { type Clock, systemClock } from '../../src/server/process/clock.ts';
import type { ServerOptions } from '../../src/server/process/options.ts';
import { completeOptions, openWorkbench } from '../../src/server/start.ts';

// biome-ignore lint/suspicious/noExplicitAny: the answers of many operations, asserted by each test
export type Answer = { status: number; headers: Record<string, unknown>; body: any };
export type Workbench = {
  deps: Deps;
  app: FastifyInstance;
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
};

export const makeDataDir = () => mkdtempSync(join(tmpdir(), 'workbench-'));
export const removeDataDir = (dataDir: string) => rmSync(dataDir, { recursive: true, force: true });

/** Starts a server on `dataDir`; call `stop` before starting the next one on it. */
export async function startWorkbench(
  dataDir: string,
  changes: Partial<ServerOptions> = {},
  log = pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
  clock: Clock = systemClock,
): Promise<Workbench> {
  const options = completeOptions({
    port: 0,
    rendererDir: null,
    synchronous: 'NORMAL',
    logLevel: 'silent',
    ...changes,
    dataDir,
  });
  const { app, deps, close } = await openWorkbench(options, clock, log);
  const { token } = await deps.auth.issuer.issue();
  return {
    deps,
    app,
    async call(method, path, body) {
      const answer = await app.inject({
        method,
        url: `/api/v1${path}`,
        headers: { authorization: `Bearer ${token}`, host: '127.0.0.1' },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? null : answer.json() };
    },
    stop: close,
  };
}

/** Loan requests in which a low score is declined and a high one approved; `rows` per option. */
export function loanExamples(rows: number): object[] {
  return Array.from({ length: rows * 2 }, (_, i) => {
    const approve = i % 2 === 0;
    const step = Math.floor(i / 2);
    return {
      input: {
        applicant: {
          score: approve ? 660 + ((step * 37) % 140) : 420 + ((step * 41) % 190),
          email: `a${i}@example.org`,
        },
        amount: 1_000 + ((i * 733) % 9_000),
        purpose: ['car', 'home', 'study'][i % 3],
        employed: approve || i % 5 === 0,
      },
      decision: approve ? 'approve' : 'decline',
      reason_codes: [approve ? 'GOOD_SCORE' : 'LOW_SCORE'],
    };
  });
}

export const loanType = {
  name: 'loan',
  options: ['approve', 'decline'],
  reason_codes: ['GOOD_SCORE', 'LOW_SCORE', 'TOO_MUCH'],
  rules: [{ name: 'too much', condition: 'ctx.amount > 50000', then: 'decline', reason_code: 'TOO_MUCH', priority: 1 }],
};

/** Polls the progress as a client would, until `done` says so. */
export async function pollUntil(poll: () => Promise<Answer>, done: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await poll();
    if (done(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const terminal = ({ body }: Answer): boolean =>
  ['trained', 'deployed', 'cancelled', 'failed'].includes(body.status);

const words =
  'charge card bank fee letter closed wrong account payment late loan rate called twice refund number'.split(' ');

/** Complaints with long texts: their training takes seconds, enough to be interrupted. `rows` per option. */
export function complaintExamples(rows: number): object[] {
  return Array.from({ length: rows * 2 }, (_, i) => {
    const card = i % 2 === 0;
    const text = Array.from({ length: 60 }, (_unused, j) => words[(i * 7 + j * j * 3 + i * j) % words.length]).join(
      ' ',
    );
    return {
      input: {
        complaint: `${card ? 'My credit card was charged' : 'My mortgage payment was lost'}: ${text} (case ${i})`,
      },
      decision: card ? 'cards' : 'mortgages',
    };
  });
}

export const complaintType = { name: 'complaint', options: ['cards', 'mortgages'] };

/** Makes a type with its examples and gives its path. */
export async function createTrainable(bench: Workbench, type: object, examples: object[]): Promise<string> {
  const created = await bench.call('POST', '/decision-types', type);
  const path = `/decision-types/${created.body.id}`;
  const added = await bench.call('POST', `${path}/examples`, { examples });
  if (added.status !== 201) throw new Error(`examples were refused: ${JSON.stringify(added.body)}`);
  return path;
}

/** Process id of the worker of a policy's current attempt. */
export function workerPid(bench: Workbench, policyId: string): number {
  const attempt = bench.deps.store.policies.attempts(policyId).findLast(({ status }) => status === 'running');
  if (!attempt?.pid) throw new Error('no worker runs');
  return attempt.pid;
}
