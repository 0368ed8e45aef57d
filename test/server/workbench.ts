/**
 * A whole workbench on a temporary data folder with a real database, called without a socket. Programs that a test kills
 * use it, too.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { beforeAll, inject, onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/server/contract/client.ts';
import type { Deps } from '../../src/server/operations/context.ts';
import { type Clock, systemClock } from '../../src/server/process/clock.ts';
import type { ServerOptions } from '../../src/server/process/options.ts';
import { completeOptions, openWorkbench } from '../../src/server/start.ts';
import { deployedFolders } from '../deployed-folders.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many operations, asserted by each test
export type Answer = { status: number; headers: Record<string, unknown>; text: string; body: any };
export type Call = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS',
  url: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

export type Workbench = {
  app: FastifyInstance;
  deps: Deps;
  /** A session token of the local owner. */
  token: string;
  /** Calls as the owner a path below /api/v1. */
  call: Call;
  stop(): Promise<void>;
};

export const makeDataDir = () => mkdtempSync(path.join(tmpdir(), 'workbench-'));
export const removeDataDir = (dataDir: string) => rmSync(dataDir, { recursive: true, force: true });

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = makeDataDir();
  onTestFinished(() => removeDataDir(folder));
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

/** Starts a workbench on `dataDir`; call `stop` before starting the next one on it. */
export async function startWorkbench(
  dataDir: string,
  changes: Partial<ServerOptions> = {},
  log = pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
  clock: Clock = systemClock,
): Promise<Workbench> {
  const fixed = { port: 0, rendererDir: null, logLevel: 'silent' } as const;
  const { app, deps, close } = await openWorkbench(completeOptions({ ...fixed, ...changes, dataDir }), clock, log);
  const { token } = await deps.auth.issuer.issue();
  const call = callerOf(app, { authorization: `Bearer ${token}` });
  return {
    app,
    deps,
    token,
    call: (method, url, ...rest) => call(method, `/api/v1${url}`, ...rest),
    stop: close,
  };
}

/** What `open` gives, for all tests of a file or block: made before the first one, and closed after the last one. */
export function forAll<T extends object>(open: () => Promise<T>, close: (opened: T) => unknown): T {
  const opened = {} as T;
  beforeAll(async () => {
    Object.assign(opened, await open());
    return () => close(opened);
  });
  return opened;
}

/** Starts a workbench on a folder of its own for all tests of a file or block. */
export function openForAll(changes: Partial<ServerOptions> = {}): Workbench & { dataDir: string } {
  return forAll(
    async () => {
      const dataDir = makeDataDir();
      return { dataDir, ...(await startWorkbench(dataDir, changes)) };
    },
    async ({ dataDir, stop }) => {
      await stop();
      removeDataDir(dataDir);
    },
  );
}

/** Opens a workbench for one test; `call` acts as the local owner unless the headers say otherwise, on whole paths. */
export async function openForTest(
  changes: Partial<ServerOptions> = {},
  clock: Clock = systemClock,
): Promise<{ app: FastifyInstance; deps: Deps; dataDir: string; token: string; call: Call; close(): Promise<void> }> {
  const dataDir = changes.dataDir ?? temporaryFolder();
  const { app, deps, token, stop } = await startWorkbench(dataDir, changes, undefined, clock);
  onTestFinished(() => stop());
  return { app, deps, dataDir, token, call: callerOf(app, { authorization: `Bearer ${token}` }), close: stop };
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

/** The typed client of a workbench, as the commands have it. */
export const clientOf = (app: FastifyInstance, token: string): Client =>
  createClient({
    baseUrl: 'http://127.0.0.1',
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const payload = Buffer.from(await request.arrayBuffer());
      const method = request.method as 'GET' | 'POST';
      const headers = { ...Object.fromEntries(request.headers), host: '127.0.0.1' };
      const answer = await app.inject({ method, url, headers, ...(payload.length > 0 && { payload }) });
      const type = { 'content-type': String(answer.headers['content-type']) };
      return new Response(answer.statusCode === 204 ? null : answer.body, { status: answer.statusCode, headers: type });
    },
    token: () => token,
    newRequestId: () => crypto.randomUUID(),
    onUnauthorized: () => undefined,
  });

/** A form as HTTP clients write it. */
export async function sendForm(call: Call, url: string, file: File, fields: Readonly<Record<string, string>> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', file);
  const written = new Response(form);
  const headers = { 'content-type': written.headers.get('content-type') ?? '' };
  return call('POST', url, Buffer.from(await written.arrayBuffer()), headers);
}

export const minimalType = { name: 'triage', options: ['yes', 'no'] };

/** Makes a decision type and gives its id. */
export async function makeType(call: Call, fields: Record<string, unknown> = {}): Promise<string> {
  const made = await call('POST', '/api/v1/decision-types', { ...minimalType, ...fields });
  if (made.status !== 201) throw new Error(`the type was not made: ${made.text}`);
  return made.body.id;
}

/** Makes a type with its examples and gives its path below /api/v1. */
export async function createTrainable(
  { call }: Pick<Workbench, 'call'>,
  type: object,
  examples: object[],
): Promise<string> {
  const created = await call('POST', '/decision-types', type);
  const url = `/decision-types/${created.body.id}`;
  const added = await call('POST', `${url}/examples`, { examples });
  if (added.status !== 201) throw new Error(`examples were refused: ${added.text}`);
  return url;
}

/** Makes a type whose rules alone decide, deployed, and gives its path below /api/v1. */
export async function deployRules({ call }: Pick<Workbench, 'call'>, type: object): Promise<string> {
  const made = await call('POST', '/decision-types', type);
  if (made.status !== 201) throw new Error(`the type was not made: ${made.text}`);
  const url = `/decision-types/${made.body.id}`;
  const policy = await call('POST', `${url}/policies`, { kind: 'rules_only' });
  const deployed = await call('POST', `${url}/policies/${policy.body.id}/deploy`, {});
  if (deployed.status !== 200) throw new Error(`the rules were not deployed: ${deployed.text}`);
  return url;
}

/** Polls as a client would, until `done` says so. */
export async function pollUntil<T>(poll: () => Promise<T>, done: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await poll();
    if (done(answer)) return answer;
    await wait(20);
  }
}

export const terminal = ({ body }: Pick<Answer, 'body'>): boolean =>
  ['trained', 'deployed', 'cancelled', 'failed'].includes(body.status);

/** Settings of a training whose search and choice of text model are not the story. */
export const quickly = { tune_hyperparams: false, tune_encoder: false, text_model: 'english' } as const;

/**
 * Trains the type at `url` until its report is complete and gives the policy's id; an end other than deployed or trained
 * is an error.
 */
export async function train(call: Call, url: string, config: object = quickly): Promise<string> {
  const { policy_id: policyId } = (await call('POST', `${url}/train`, config)).body;
  const { body } = await pollUntil(() => call('GET', `${url}/policies/${policyId}/progress`), terminal);
  if (!['trained', 'deployed'].includes(body.status)) throw new Error(`${body.status}: ${body.error}`);
  const { status, text } = await pollUntil(
    () => call('GET', `${url}/policies/${policyId}`),
    (answer) => answer.status !== 200 || answer.body.metrics.follow_up.state !== 'pending',
  );
  if (status !== 200) throw new Error(`the policy could not be read: ${text}`);
  return policyId;
}

/** Process id of the worker of a policy's current attempt. */
export function workerPid(bench: Workbench, policyId: string): number {
  const attempt = bench.deps.store.policies.attempts(policyId).findLast(({ status }) => status === 'running');
  if (!attempt?.pid) throw new Error('no worker runs');
  return attempt.pid;
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

type Deployed = { key: string; url: string; policyId: string };

/**
 * A data folder with a deployed policy, for `beforeAll`: `dataDir` is for the whole file, each `copy` for one test; call
 * `remove` in `afterAll`. It is trained once for all files, and again when the sources, the rows or the day have changed.
 */
export function makeDeployedFolder(
  type: Record<string, unknown> & { name: string },
  examples: object[],
  clock: Clock = systemClock,
  settings: object = {},
) {
  const content = [type, examples, settings];
  return keepDeployed(type.name, content, clock, (bench) => createTrainable(bench, type, examples), settings);
}

/** A data folder with a deployed policy for all tests of a file or block; as `makeDeployedFolder`. */
export const deployForAll = (...order: Parameters<typeof makeDeployedFolder>) =>
  forAll(
    () => makeDeployedFolder(...order),
    ({ remove }) => remove(),
  );

/** A data folder with the sample project, trained and deployed; as `makeDeployedFolder`. */
export function makeSampleFolder() {
  return keepDeployed('sample', [], systemClock, async ({ call }) => {
    const { id } = (await call('POST', '/samples/refund-requests')).body;
    return `/decision-types/${id}`;
  });
}

/** Copies the kept folder, which is trained first where there is none; `prepare` makes the type and gives its path. */
async function keepDeployed(
  name: string,
  content: object[],
  clock: Clock,
  prepare: (bench: Workbench) => Promise<string>,
  settings: object = {},
) {
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  const state = JSON.stringify([inject('sourcesDigest'), day, content]);
  const digest = createHash('sha256').update(state).digest('hex').slice(0, 16);
  const kept = path.join(deployedFolders, `${name}-${digest}`);
  const lock = `${kept}.lock`;
  while (!existsSync(kept)) {
    // Undefined where the folder is there already: another file trains it.
    if (mkdirSync(lock, { recursive: true }) === undefined) {
      await wait(100);
      continue;
    }
    try {
      // It was made between the two looks.
      if (existsSync(kept)) break;
      const fresh = mkdtempSync(`${kept}-`);
      const bench = await startWorkbench(path.join(fresh, 'data'), {}, undefined, clock);
      const { key } = (
        await bench.call('POST', '/api-keys', {
          name: 'shop',
          rate_limit_per_minute: 1_000_000,
          allow_destructive: true,
        })
      ).body;
      const url = await prepare(bench);
      const policyId = await train(bench.call, url, { ...quickly, ...settings });
      await bench.stop();
      writeFileSync(path.join(fresh, 'deployed.json'), JSON.stringify({ key, url: `/api/v1${url}`, policyId }));
      renameSync(fresh, kept);
    } finally {
      removeDataDir(lock);
    }
  }
  const copyTo = (folder: string): string => {
    cpSync(path.join(kept, 'data'), folder, { recursive: true });
    return folder;
  };
  const dataDir = copyTo(makeDataDir());
  return {
    ...(JSON.parse(readFileSync(path.join(kept, 'deployed.json'), 'utf8')) as Deployed),
    dataDir,
    copy: () => copyTo(temporaryFolder()),
    remove: () => removeDataDir(dataDir),
  };
}
