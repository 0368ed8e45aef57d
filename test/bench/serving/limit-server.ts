/**
 * The limits that the decide figures stand beside: a route that only commits one row per call, in the same groups as
 * decisions (src/server/store/deciding/commit-queue.ts) and with the same settings of the database. Bare, it stands in an empty
 * Fastify application; given a data folder, it stands as `/decide` would in the program's own application, behind its
 * door and its reading of bodies, so that what is left of the difference is the deciding. Prints its port on stdout.
 *
 *     limit-server.ts FULL|NORMAL [DATA_DIR]
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify } from 'fastify';
import pino from 'pino';
import { systemClock } from '../../../src/server/process/clock.ts';
import { completeOptions, openWorkbench } from '../../../src/server/start.ts';
import { openDatabase, type WorkbenchDatabase } from '../../../src/server/store/database.ts';

const table = 'CREATE TABLE record (id INTEGER PRIMARY KEY, at TEXT NOT NULL, body TEXT NOT NULL)';
const synchronous = process.argv[2] === 'NORMAL' ? 'NORMAL' : 'FULL';
const [dataDir] = process.argv.slice(3);

type Waiting = { body: string; done: () => void };

/** Commits one row per call; the promise resolves when it is durable. */
function createCommit(
  database: WorkbenchDatabase,
): (body: string) => Promise<{ decision: string; confidence: number }> {
  const insert = database.prepare('INSERT INTO record (at, body) VALUES (?, ?)');
  const write = database.transaction((batch: Waiting[]) => {
    const at = new Date().toISOString();
    for (const { body } of batch) insert.run(at, body);
  });
  let waiting: Waiting[] = [];
  function flush(seen: number): void {
    if (waiting.length > seen && waiting.length < 64) {
      setImmediate(flush, waiting.length);
      return;
    }
    const batch = waiting;
    waiting = [];
    write(batch);
    for (const { done } of batch) done();
  }
  return (body) =>
    new Promise((answer) => {
      if (waiting.length === 0) setImmediate(flush, 0);
      waiting.push({ body, done: () => answer({ decision: 'approve', confidence: 1 }) });
    });
}

async function openBare() {
  const migrations = [{ version: 1, sql: table }];
  const database = openDatabase(join(mkdtempSync(join(tmpdir(), 'limit-')), 'limit.db'), { synchronous, migrations });
  const commit = createCommit(database);
  const app = fastify({ logger: false });
  app.post('/api/v1/decide', (request) => commit(JSON.stringify(request.body)));
  return app;
}

async function openBehindTheDoor(folder: string) {
  const options = completeOptions({ dataDir: folder, port: 0, rendererDir: null, synchronous });
  const { app, deps } = await openWorkbench(options, systemClock, pino({ level: 'silent' }));
  deps.db.exec(table);
  const commit = createCommit(deps.db);
  app.post('/limit', { config: { access: 'key' } }, (request) => commit(JSON.stringify(request.body)));
  return app;
}

const app = dataDir === undefined ? await openBare() : await openBehindTheDoor(dataDir);
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
