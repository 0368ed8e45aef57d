/** Data of 0.2.0, the oldest release that is read: they open, and decide as they did then. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { packBundle, unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { toGoldenOutput } from '../../../src/engine/bundle/manifest.ts';
import { digestRelease } from '../../../src/engine/bundle/release-digest.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openDatabase, readMigrations } from '../../../src/server/store/database.ts';
import { nearly } from '../../tolerances.ts';
import { openForTest, stoppedClock, temporaryFolder } from '../workbench.ts';

const fixture = (name: string) => readFileSync(path.join(import.meta.dirname, '../../fixtures/release-0.2.0', name));
const decisions: { input: object; output: { class_probabilities: Record<string, number>; confidence: number } }[] =
  JSON.parse(fixture('decisions.json').toString());
const migrations = readMigrations(path.join(import.meta.dirname, '../../../src/server/store/migrations'));

/** The data folder as 0.2.0 left it. */
function unpackFolder(): string {
  const dataDir = temporaryFolder();
  for (const [name, bytes] of Object.entries(unzipSync(fixture('data-folder.zip')))) {
    const file = path.join(dataDir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return dataDir;
}

const normalise = (sql: string) =>
  sql
    .replace(/--[^\n]*/g, '')
    .replace(/"/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1');
const listObjects = (db: Database.Database) =>
  db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
    .map(({ name, sql }) => [name, normalise(sql)]);

it('the first migration makes the schema of 0.2.0, table by table', () => {
  const old = new Database(path.join(unpackFolder(), 'workbench.db'));
  const fresh = openDatabase(path.join(temporaryFolder(), 'new.db'), {
    synchronous: 'NORMAL',
    migrations: migrations.slice(0, 1),
  });
  expect(fresh.pragma('user_version', { simple: true })).toBe(old.pragma('user_version', { simple: true }));
  expect(listObjects(fresh)).toEqual(listObjects(old));
  old.close();
  fresh.close();
});

it('a data folder of 0.2.0 opens, decides the same, and keeps its figures, promise and log, under release 1 [DAT-5] [BUN-5] [REL-6]', async () => {
  const clock = stoppedClock(Date.UTC(2026, 10, 27));
  const { call } = await openForTest({ dataDir: unpackFolder() }, clock);
  const answers = [];
  for (const { input } of decisions) {
    const { body } = await call('POST', '/api/v1/decide', { decision_type: 'refund-requests', input });
    answers.push({ input, output: toGoldenOutput(body) });
  }
  expect(answers).toEqual(decisions.map(({ input, output }) => ({ input, output: nearly(output) })));

  const [type] = (await call('GET', '/api/v1/decision-types')).body.items;
  const base = `/api/v1/decision-types/${type.id}`;
  const [policy] = (await call('GET', `${base}/policies`)).body;
  expect(policy).toMatchObject({ status: 'deployed', version: 1 });
  const { body } = await call('GET', `${base}/policies/${policy.id}`);
  expect(body.metrics).toMatchObject({ whole: { rows: 118, masked: 0 }, better_than: null, follow_up: null });
  expect((await call('GET', `${base}/promise`)).body).toMatchObject({ target_error: 0.1, certainty: 0.9 });
  const logs = (await call('GET', `${base}/logs?page_size=100`)).body;
  expect(logs.total).toBe(2 * decisions.length);
  const [release] = (await call('GET', `${base}/releases`)).body.items;
  expect(release).toMatchObject({ release: 1, current: true, policy_version: 'v1' });
  expect([logs.items[0], logs.items.at(-1)]).toEqual([
    expect.objectContaining({ release: 1, digest: release.digest }),
    expect.objectContaining({ release: null, digest: null }),
  ]);
  expect((await call('GET', `${base}/deployments`)).body.items).toHaveLength(1);
  expect((await call('GET', `${base}/export?slim=true`)).status).toBe(200);
});

it('data from before 0.2.0 are refused with the way through it, and nothing is changed [DAT-1]', async () => {
  const dataDir = unpackFolder();
  const file = path.join(dataDir, 'workbench.db');
  const db = new Database(file);
  db.pragma('user_version = 31');
  db.close();
  const before = readFileSync(file);
  await expect(openForTest({ dataDir })).rejects.toMatchObject({
    kind: 'data',
    message: expect.stringMatching(/before 0\.2\.0 .*Start version 0\.2\.0 on them once/),
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('a bundle of 0.2.0 opens; packed again, it names the first version that reads it', () => {
  const bundle = unpackBundle(fixture('refund-requests-slim.zip'), sha256);
  expect(bundle.manifest).toMatchObject({ tool_version: '0.2.0', format_version: 2 });
  expect(bundle.manifest.min_reader).toBeUndefined();
  const { files, format_version: _format, revision: _revision, ...manifest } = bundle.manifest;
  const again = unpackBundle(packBundle({ ...bundle, manifest }, sha256), sha256).manifest;
  expect(again).toMatchObject({ min_reader: '0.3.0', revision: digestRelease(manifest, files, sha256) });
});
