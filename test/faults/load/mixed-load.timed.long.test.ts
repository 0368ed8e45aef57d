/**
 * Everything at once, for as long as LOAD_MINUTES says (a minute otherwise): decisions, batches, examples,
 * lists, exports, checks of rules, whole types out and in, the agreement of two readers, trainings that try a
 * text model, and 270 connections that are held for nothing. No answer is wrong, the log agrees with the ledger, no
 * decision waits half a second for what the program computes, and after the first quarter memory in use, open files
 * and the write-ahead log stay as they are.
 */
import { openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployForAll, loanExamples, loanType } from '../../server/workbench.ts';
import { measureMainThreadMs } from '../tools/beside-calls.ts';
import { heldKinds, holdConnections } from '../tools/held-connections.ts';
import { type ServerProcess, startServerProcess } from '../tools/server-process.ts';

const minutes = Number(process.env['LOAD_MINUTES'] ?? 1);
/** From here on the run is long enough to say whether memory grows. */
const isLong = minutes >= 5;
/**
 * By which memory in use may grow over a long run: caches that fill. Resident memory is bounded alone, as it also grows
 * with the pages of the data file that SQLite keeps (16 MB) and the most buffers that calls ever had at once.
 */
const maxGrowthMb = 10;
/** For how much computing of the main thread a call waits at most, however slow disk and machine are. */
const maxHeldMs = 500;

const folder = deployForAll(loanType, loanExamples(40));
const heldConnections = 270;
let server: ServerProcess;
/** Without a `timeout` of its own Node's agent does not heed the announced end of an idle connection. */
const agent = new Agent({ keepAlive: true, timeout: 600_000 });
beforeAll(async () => {
  const report = process.env['LOAD_REPORT'];
  server = await startServerProcess(folder.dataDir, {
    nodeFlags: ['--expose-gc', '--import', path.join(import.meta.dirname, '../tools/tell-heap.ts')],
    env: { HEAP_FILE: path.join(folder.dataDir, 'heap.txt') },
    ...(report ? { stderr: openSync(`${report}.log`, 'w') } : {}),
  });
});
afterAll(async () => {
  agent.destroy();
  await server.end();
});

// biome-ignore lint/suspicious/noExplicitAny: answers of many operations
type Answer = { status: number; body: any; bytes: Buffer; tookMs: number; heldMs: number };

const readMainThreadMs = () => measureMainThreadMs(server.child.pid ?? 0);

function call(method: string, url: string, body?: unknown): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const started = performance.now();
  const computedMs = readMainThreadMs();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${folder.key}`, ...(text ? { 'content-type': 'application/json' } : {}) };
    const sent = request(
      { port: server.port, host: '127.0.0.1', agent, method, path: url, headers },
      async (answer) => {
        const content = Buffer.concat(await answer.toArray());
        const isJson = String(answer.headers['content-type']).startsWith('application/json');
        resolve({
          status: answer.statusCode ?? 0,
          body: isJson && content.length > 0 ? JSON.parse(content.toString()) : null,
          bytes: content,
          tookMs: performance.now() - started,
          heldMs: readMainThreadMs() - computedMs,
        });
        if (sent.socket) lastUses.set(sent.socket, { url, endedMs: performance.now() });
      },
    );
    sent.once('error', (cause) => reject(new Error(describeBreak(sent, started), { cause })));
    sent.end(text);
  });
}

/** What was last answered whole on each connection, and when. */
const lastUses = new WeakMap<Socket, { url: string; endedMs: number }>();

/** What is known of the connection on which a call broke. */
function describeBreak(sent: ClientRequest, startedMs: number): string {
  const { bytesRead = 0, bytesWritten = 0 } = sent.socket ?? {};
  const last = sent.socket ? lastUses.get(sent.socket) : undefined;
  const state = last ? `idle for ${Math.round(startedMs - last.endedMs)} ms since ${last.url}` : 'new';
  const tookMs = Math.round(performance.now() - startedMs);
  return `It broke after ${tookMs} ms on a connection that was ${state}, with ${bytesRead} bytes read and ${bytesWritten} written.`;
}

const loan = (n: number) => ({
  decision_type: 'loan',
  input: { applicant: { score: 400 + (n % 400) }, amount: n % 3 === 0 ? 60_000 : 2_000, note: `case ${n}` },
});

const trainings = new Set<string>();
/** What callers do, each with the pause after it and the status of its answer. */
const callers: { name: string; everyMs: number; status: number; act: (n: number) => Promise<Answer> }[] = [
  ...Array.from({ length: 4 }, (_, caller) => ({
    name: `decisions ${caller}`,
    everyMs: 50,
    status: 200,
    act: (n: number) => call('POST', '/api/v1/decide', loan(n + caller)),
  })),
  {
    name: 'batches',
    everyMs: 500,
    status: 200,
    act: (n) => call('POST', '/api/v1/decide/batch', [loan(n), loan(n + 1)]),
  },
  {
    name: 'examples',
    everyMs: 1_000,
    status: 204,
    act: async (n) => {
      const examples = [{ input: { applicant: { score: 500 }, amount: n, note: `added ${n}` }, decision: 'approve' }];
      const added = await call('POST', `${folder.url}/examples`, { examples });
      return added.status === 201 ? call('DELETE', `${folder.url}/examples/${added.body[0].id}`) : added;
    },
  },
  ...[
    'logs',
    'metrics',
    'examples',
    'policies',
    'versions',
    'training-readiness',
    'logs/export?format=csv',
    'export',
  ].map((list) => ({ name: list, everyMs: 1_500, status: 200, act: () => call('GET', `${folder.url}/${list}`) })),
  { name: 'agreement', everyMs: 1_000, status: 200, act: () => call('GET', `${folder.url}/agreement`) },
  {
    name: 'archives',
    everyMs: 5_000,
    status: 204,
    act: async (n) => {
      const { bytes } = await call('GET', `${folder.url}/archive`);
      const body = { file: bytes.toString('base64'), name: `copy ${n}` };
      const made = await call('POST', '/api/v1/decision-types/import', body);
      return made.status === 201 ? call('DELETE', `/api/v1/decision-types/${made.body.decision_type.id}`) : made;
    },
  },
  { name: 'ready', everyMs: 1_000, status: 200, act: () => call('GET', '/ready') },
  { name: 'usage', everyMs: 1_000, status: 200, act: () => call('GET', '/api/v1/credits/usage') },
  {
    name: 'rules',
    everyMs: 1_000,
    status: 200,
    act: () =>
      call('POST', '/api/v1/rules/check', { rules: loanType.rules, options: loanType.options, reason_codes: [] }),
  },
  {
    name: 'trainings',
    everyMs: 10_000,
    status: 202,
    act: async () => {
      const started = await call('POST', `${folder.url}/train`, { tune_hyperparams: false, text_model: 'english' });
      if (started.status === 202) trainings.add(started.body.policy_id);
      // There is one training at a time, and its place is free when its process is gone.
      return started.status === 409 ? { ...started, status: 202 } : started;
    },
  },
];

type Sample = { residentMb: number; files: number; walMb: number; healthMs: number };

async function sample(): Promise<Sample> {
  const pid = server.child.pid ?? 0;
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const { tookMs } = await call('GET', '/health');
  return {
    residentMb: Number(resident) / 1024,
    files: readdirSync(`/proc/${pid}/fd`).length,
    walMb: statSync(path.join(folder.dataDir, 'workbench.db-wal')).size / 1e6,
    healthMs: tookMs,
  };
}

/** How much each value is above the one before it, by least squares. */
function computeSlope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) / spread;
}

/** The median, the slowest of a hundred and the slowest of all. */
function toQuantiles(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.99, 1].map((part) => Number(sorted[Math.ceil(part * sorted.length) - 1]?.toFixed(1)));
}

/** From here on a call is told of in the report, with what was under way as it was answered. */
const slowMs = 500;
/** How often what is in use is measured over the run. */
const heapParts = 12;

const describeSlow = (name: string, { tookMs, heldMs }: Answer, underWay: readonly string[]) =>
  `${name}: ${Math.round(tookMs)} ms, ${Math.round(heldMs)} of them computed, beside ${underWay.join(', ')}`;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

it.skipIf(process.platform !== 'linux')(
  `P9: a mixed load of ${minutes.toFixed(1)} minutes is served without a wrong answer and without growing`,
  async () => {
    const drawn = await call('POST', `${folder.url}/examples/second-readings`, { share: 1 });
    expect(drawn.status).toBe(200);
    const { items } = (await call('GET', `${folder.url}/examples?page_size=100`)).body;
    for (const { id } of items) {
      const read = await call('PUT', `${folder.url}/examples/${id}/second-reading`, {
        expected_decision: 'approve',
        reader: 'Berta',
      });
      expect([read.status, read.body]).toMatchObject([200, {}]);
    }
    await holdConnections(server.port, heldConnections, heldKinds['an idle connection']?.(server.port) ?? '');
    const endsAt = performance.now() + minutes * 60_000;
    const wrong: string[] = [];
    const decideMs: number[] = [];
    const heldMs: number[] = [];
    const slow: string[] = [];
    const underWay: string[] = [];
    let decisions = 0;
    const run = async ({ name, everyMs, status, act }: (typeof callers)[number]) => {
      for (let n = 0; performance.now() < endsAt; n += 1) {
        underWay.push(name);
        const answer = await act(n).catch((cause: unknown) => {
          const { exitCode, signalCode } = server.child;
          throw new Error(`A call of ${name} broke; the program has ended with ${exitCode ?? signalCode}.`, { cause });
        });
        underWay.splice(underWay.indexOf(name), 1);
        if (answer.tookMs > slowMs) slow.push(describeSlow(name, answer, underWay));
        if (answer.status !== status) wrong.push(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
        if (name.startsWith('decisions')) decideMs.push(answer.tookMs);
        if (name.startsWith('decisions')) heldMs.push(answer.heldMs);
        if (name.startsWith('decisions')) decisions += 1;
        if (name === 'batches') decisions += 2;
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    };
    const samples: Sample[] = [];
    const watch = async () => {
      for (; performance.now() < endsAt; await new Promise((resolve) => setTimeout(resolve, 1_000)))
        samples.push(await sample());
    };
    const watchHeap = async () => {
      for (let part = 0; part < heapParts; part += 1) {
        await new Promise((resolve) => setTimeout(resolve, (minutes * 60_000) / heapParts));
        server.child.kill('SIGUSR2');
      }
    };
    await Promise.all([...callers.map(run), watch(), watchHeap()]);
    const readHeap = () =>
      readFileSync(path.join(folder.dataDir, 'heap.txt'), 'utf8').split('\n').filter(Boolean).map(Number);
    await expect.poll(() => readHeap().length).toBe(heapParts);
    const db = new Database(path.join(folder.dataDir, 'workbench.db'), { readonly: true });
    const count = (sql: string) => Number(db.prepare(sql).pluck().get());
    const logged = count('SELECT count(*) FROM decision_logs');
    const charged = count(`SELECT count(*) FROM credit_entries WHERE operation = 'decision'`);
    const integrity = db.pragma('integrity_check', { simple: true });
    db.close();

    const quarter = Math.floor(samples.length / 4);
    const afterWarmUp = samples.slice(quarter).map(({ residentMb }) => residentMb);
    const early = samples.slice(quarter, 2 * quarter);
    const late = samples.slice(-quarter);
    const heapMb = readHeap().slice(heapParts / 4);
    const figures = {
      minutes,
      decisions,
      trainings: trainings.size,
      wrong: wrong.slice(0, 5),
      residentMb: [early, late].map((part) => Math.round(median(part.map(({ residentMb }) => residentMb)))),
      growthMb: Math.round(computeSlope(afterWarmUp) * afterWarmUp.length),
      heapMb: heapMb.map(Math.round),
      heapGrowthMb: Math.round(computeSlope(heapMb) * heapMb.length),
      maxResidentMb: Math.round(Math.max(...samples.map(({ residentMb }) => residentMb))),
      files: [early, late].map((part) => median(part.map(({ files }) => files))),
      maxWalMb: Math.max(...samples.map(({ walMb }) => walMb)),
      decideMs: toQuantiles(decideMs),
      decideHeldMs: toQuantiles(heldMs),
      maxHealthMs: Math.round(Math.max(...samples.map(({ healthMs }) => healthMs))),
    };
    const report = process.env['LOAD_REPORT'];
    if (report) writeFileSync(report, `${JSON.stringify({ ...figures, slow, samples })}\n`);
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect([logged, charged, integrity]).toEqual([decisions, decisions, 'ok']);
    expect(figures.maxResidentMb).toBeLessThan(500);
    expect(figures.maxWalMb).toBeLessThan(64);
    expect(figures.files[1]).toBeLessThan((figures.files[0] ?? 0) + 20);
    expect(Math.max(...heldMs)).toBeLessThan(maxHeldMs);
    if (isLong) expect(figures.heapGrowthMb).toBeLessThan(maxGrowthMb);
  },
  minutes * 60_000 + 120_000,
);
