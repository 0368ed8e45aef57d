/**
 * Kills the program with SIGKILL at random moments under load: whatever it acknowledged is there after the restart,
 * every decision in the log has its one credit in the ledger, and the data file is sound.
 * KILL_LOOP_ROUNDS sets how often; KILL_LOOP_SEED chooses the moments.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { deployForAll, loanExamples, loanType } from '../../server/workbench.ts';

const rounds = Number(process.env['KILL_LOOP_ROUNDS'] ?? 1);
const random = createRandom(Number(process.env['KILL_LOOP_SEED'] ?? 1));
/** The most answers between the start of the load and the kill. */
const maxAnswers = 300;
const program = resolve(import.meta.dirname, '../../../scripts/workbench.ts');
/** Makes the write-ahead log long enough to be moved into the data file now and then. */
const padding = 'x'.repeat(4_000);

type Server = { url: string; child: ChildProcess };
const examples = loanExamples(40);
const folder = deployForAll(loanType, examples);
let examplesPath = '';
let server: Server;

/** What the program said is done. */
const acknowledged = { decisions: new Map<string, string>(), examples: new Set<string>(), types: new Set<string>() };

async function startServer(): Promise<Server> {
  const child = spawn(process.execPath, [program, 'serve', '--data-dir', folder.dataDir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((ready, fail) => {
    createInterface({ input: child.stdout }).once('line', ready);
    child.once('exit', (code) => fail(new Error(`the program ended with ${code} before it was ready`)));
  });
  return { url: (JSON.parse(line) as { url: string }).url, child };
}

async function kill({ child }: Server): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  requestId = '',
): Promise<{ status: number; body: T }> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${folder.key}`,
      'content-type': 'application/json',
      ...(requestId === '' ? {} : { 'x-request-id': requestId }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

const loan = (index: number) => ({
  decision_type: 'loan',
  // every third by a rule, the others by the classifier
  input: { applicant: { score: 400 + (index % 400) }, amount: index % 3 === 0 ? 60_000 : 2_000, note: padding },
});

type Decided = { decision: string; request_id: string };
/** One call of each kind of client; it notes what was acknowledged once the whole answer has arrived. */
const clients: ((index: number) => Promise<number>)[] = [
  ...Array.from({ length: 8 }, (_, client) => async (index: number) => {
    const requestId = `${client}-${index}`;
    const { status, body } = await call<Decided>('POST', '/decide', loan(index + client), requestId);
    expect([status, body.request_id]).toEqual([200, requestId]);
    acknowledged.decisions.set(requestId, body.decision);
    return 1;
  }),
  async (index) => {
    const items = [loan(index), loan(index + 1), loan(index + 2)];
    const { body } = await call<{ results: Decided[] }>('POST', '/decide/batch', items, `batch-${index}`);
    for (const { request_id: id, decision } of body.results) acknowledged.decisions.set(id, decision);
    return body.results.length;
  },
  async (index) => {
    const examples = [0, 1, 2].map((step) => ({ input: { amount: index, step }, decision: 'approve' }));
    const { status, body } = await call<{ id: string }[]>('POST', examplesPath, { examples });
    expect(status).toBe(201);
    for (const { id } of body) acknowledged.examples.add(id);
    return 3;
  },
  async (index) => {
    const type = { name: `type ${index}`, options: ['yes', 'no'] };
    const { status, body } = await call<{ id: string }>('POST', '/decision-types', type);
    expect(status).toBe(201);
    acknowledged.types.add(body.id);
    return 1;
  },
];

let calls = 0;
/** Lets every client call without a pause, and kills the program when so many answers have come. */
async function loadAndKill(answers: number): Promise<void> {
  let left = answers;
  let killed: Promise<void> | null = null;
  await Promise.all(
    clients.map(async (client) => {
      while (killed === null) {
        try {
          left -= await client(calls++);
        } catch (error) {
          // a call that the kill cut off was not acknowledged: it may or may not have happened
          if (killed === null) throw error;
        }
        if (left <= 0) killed ??= kill(server);
      }
    }),
  );
  await killed;
}

/** What the data file says while the restarted program runs. */
async function expectNothingLost(): Promise<void> {
  const db = new Database(join(folder.dataDir, 'workbench.db'), { readonly: true });
  const count = (sql: string) => Number(db.prepare(sql).pluck().get());
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  const logged = new Map(
    db
      .prepare<[], { request_id: string; decision: string }>('SELECT request_id, decision FROM decision_logs')
      .all()
      .map((row) => [row.request_id, row.decision]),
  );
  const decisions = count('SELECT count(*) FROM decision_logs');
  expect(logged.size).toBe(decisions);
  const lost = [...acknowledged.decisions].filter(([id, decision]) => logged.get(id) !== decision);
  expect(lost).toEqual([]);
  for (const [table, ids] of [
    ['examples', acknowledged.examples],
    ['decision_types', acknowledged.types],
  ] as const) {
    const kept = new Set(db.prepare<[], string>(`SELECT id FROM ${table}`).pluck().all());
    expect([...ids].filter((id) => !kept.has(id))).toEqual([]);
  }
  // the ledger is the log: one credit for each record, and none besides
  expect(count(`SELECT count(*) FROM credit_entries WHERE operation = 'decision' AND credits = 1`)).toBe(decisions);
  expect(
    count(`SELECT count(DISTINCT l.id) FROM decision_logs l JOIN credit_entries c
      ON c.reference_id = l.id AND c.operation = 'decision'`),
  ).toBe(decisions);
  // examples are posted three at a time, all or none
  expect(count('SELECT count(*) FROM examples') % 3).toBe(examplesBefore % 3);
  db.close();

  const logs = await call<{ total: number }>('GET', `${examplesPath.replace('examples', 'logs')}?page_size=1`);
  const usage = await call<{ total: number }>('GET', '/credits/usage?operation=decision&page_size=1');
  expect([logs.body.total, usage.body.total]).toEqual([decisions, decisions]);
  const again = await call<Decided>('POST', '/decide', loan(1), `after-${calls}`);
  expect(again.status).toBe(200);
  acknowledged.decisions.set(again.body.request_id, again.body.decision);
}

let examplesBefore = 0;

beforeAll(async () => {
  examplesPath = `${folder.url.replace('/api/v1', '')}/examples`;
  examplesBefore = examples.length;
  server = await startServer();
});

afterAll(async () => {
  await kill(server);
});

describe('a program that is killed under load', () => {
  it(`P1, P2, P6: has lost nothing it acknowledged, ${rounds} times`, { timeout: rounds * 600_000 }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      await loadAndKill(1 + Math.floor(random() * maxAnswers));
      server = await startServer();
      await expectNothingLost();
    }
    expect(acknowledged.decisions.size).toBeGreaterThan(rounds);
  });
});
