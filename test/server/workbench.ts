/** A whole workbench on a temporary data folder with a real database, called without a socket. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Deps } from '../../src/server/operations/context.ts';
import type { Clock } from '../../src/server/process/clock.ts';
import type { ServerOptions } from '../../src/server/process/options.ts';
import { completeOptions, openWorkbench } from '../../src/server/start.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many operations, asserted by each test
export type Answer = { status: number; headers: Record<string, unknown>; text: string; body: any };
export type Call = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS',
  url: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'workbench-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A clock that stands still until it is moved. */
export function stoppedClock(startMs = Date.UTC(2026, 5, 15, 12)): Clock & { move(ms: number): void } {
  let elapsed = 0;
  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    move(ms) {
      elapsed += ms;
    },
  };
}

/** Opens a workbench for one test; `call` acts as the local owner unless the headers say otherwise. */
export async function openForTest(
  changes: Partial<ServerOptions> = {},
  clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() },
): Promise<{ app: FastifyInstance; deps: Deps; dataDir: string; token: string; call: Call; close(): Promise<void> }> {
  const dataDir = changes.dataDir ?? temporaryFolder();
  const options = completeOptions({ port: 0, rendererDir: null, logLevel: 'silent', ...changes, dataDir });
  const opened = await openWorkbench(options, clock, pino({ level: 'silent' }));
  onTestFinished(() => opened.close());
  const { token } = await opened.deps.auth.issuer.issue();
  const call = callerOf(opened.app, { authorization: `Bearer ${token}` });
  return { app: opened.app, deps: opened.deps, dataDir, token, call, close: () => opened.close() };
}

/**
 * A data folder with a deployed policy, trained once for a whole file of tests; each works on a `copy`. For `beforeAll`;
 * call `remove` in `afterAll`.
 */
export async function makeDeployedFolder(type: object, examples: object[], clock: Clock) {
  const folder = mkdtempSync(path.join(tmpdir(), 'workbench-'));
  const options = completeOptions({ port: 0, rendererDir: null, logLevel: 'silent', dataDir: folder });
  const { app, deps, close } = await openWorkbench(options, clock, pino({ level: 'silent' }));
  const { token } = await deps.auth.issuer.issue();
  const call = callerOf(app, { authorization: `Bearer ${token}` });
  const key: string = (await call('POST', '/api/v1/api-keys', { name: 'shop', rate_limit_per_minute: 1_000_000 })).body
    .key;
  const url = `/api/v1/decision-types/${(await call('POST', '/api/v1/decision-types', type)).body.id}`;
  await call('POST', `${url}/examples`, { examples });
  const policyId: string = (await call('POST', `${url}/train`, { tune_hyperparams: false })).body.policy_id;
  for (;;) {
    const { status, error } = (await call('GET', `${url}/policies/${policyId}/progress`)).body;
    if (status === 'deployed') break;
    if (status !== 'training') throw new Error(`the training ended as ${status}: ${error}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await close();
  return {
    dataDir: folder,
    key,
    url,
    policyId,
    copy(): string {
      const copy = temporaryFolder();
      cpSync(folder, copy, { recursive: true });
      return copy;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Makes the calls of one client: the headers go with each of them. A text body is sent as it is. */
export function callerOf(app: FastifyInstance, always: Record<string, string>): Call {
  return async (method, url, body, headers = {}) => {
    const raw = typeof body === 'string' || Buffer.isBuffer(body);
    const answer = await app.inject({
      method,
      url,
      headers: {
        host: '127.0.0.1',
        ...always,
        ...(raw ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body as object | string | Buffer }),
    });
    const type = String(answer.headers['content-type'] ?? '');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: type.startsWith('application/json') && answer.body !== '' ? JSON.parse(answer.body) : null,
    };
  };
}

export const minimalType = { name: 'triage', options: ['yes', 'no'] };

/** Makes a decision type and gives its id. */
export async function makeType(call: Call, fields: Record<string, unknown> = {}): Promise<string> {
  const made = await call('POST', '/api/v1/decision-types', { ...minimalType, ...fields });
  if (made.status !== 201) throw new Error(`the type was not made: ${made.text}`);
  return made.body.id;
}
