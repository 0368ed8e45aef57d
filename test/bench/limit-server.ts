/**
 * The limit that the decide figures stand beside: the same Fastify route shape that only commits one row per call, in
 * the same groups (src/server/store/commit-queue.ts), `synchronous=FULL` (or the level given as argument). Prints its
 * port on stdout.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { openDatabase } from '../../src/server/store/database.ts';

const table = 'CREATE TABLE record (id INTEGER PRIMARY KEY, at TEXT NOT NULL, body TEXT NOT NULL)';
const database = openDatabase(join(mkdtempSync(join(tmpdir(), 'limit-')), 'limit.db'), {
  synchronous: process.argv[2] === 'NORMAL' ? 'NORMAL' : 'FULL',
  migrations: [{ version: 1, sql: table }],
});
const insert = database.prepare('INSERT INTO record (at, body) VALUES (?, ?)');

type Waiting = { body: string; done: () => void };
let waiting: Waiting[] = [];
const commit = database.transaction((batch: Waiting[]) => {
  const at = new Date().toISOString();
  for (const { body } of batch) insert.run(at, body);
});
function flush(seen: number): void {
  if (waiting.length > seen && waiting.length < 64) {
    setImmediate(flush, waiting.length);
    return;
  }
  const batch = waiting;
  waiting = [];
  commit(batch);
  for (const { done } of batch) done();
}

const app = fastify({ logger: false });
app.post('/api/v1/decide', (request) => {
  const body = JSON.stringify(request.body);
  return new Promise((answer) => {
    if (waiting.length === 0) setImmediate(flush, 0);
    waiting.push({ body, done: () => answer({ decision: 'approve', confidence: 1 }) });
  });
});
app.get('/health', () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
