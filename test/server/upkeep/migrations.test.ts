/** What happens to data that an earlier version of the program wrote. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase, readMigrations } from '../../../src/server/store/database.ts';
import { LogStore } from '../../../src/server/store/deciding/logs.ts';
import { createReleaseStore } from '../../../src/server/store/policies/releases.ts';
import { stoppedClock, temporaryFolder } from '../workbench.ts';

const migrations = readMigrations(join(import.meta.dirname, '../../../src/server/store/migrations'));

it('data of every earlier version are brought up to date after a copy, and are left alone when that fails [DAT-5]', () => {
  const newest = migrations.at(-1)?.version ?? 0;
  const failing = { version: newest + 1, sql: 'CREATE TABLE organisations (x)' };
  const versionOf = (file: string) => {
    const db = new Database(file, { readonly: true });
    const version = db.pragma('user_version', { simple: true });
    const sound = db.pragma('integrity_check', { simple: true });
    db.close();
    return [version, sound];
  };
  for (const [index, { version }] of migrations.slice(0, -1).entries()) {
    const folder = temporaryFolder();
    const file = join(folder, 'workbench.db');
    const settings = { synchronous: 'NORMAL', backupsDir: join(folder, 'backups') } as const;
    openDatabase(file, { ...settings, migrations: migrations.slice(0, index + 1) }).close();
    expect(() => openDatabase(file, { ...settings, migrations: [...migrations, failing] })).toThrow(
      /Nothing was changed/,
    );
    expect(versionOf(file)).toEqual([version, 'ok']);
    openDatabase(file, { ...settings, migrations }).close();
    expect(versionOf(file)).toEqual([newest, 'ok']);
    expect(versionOf(join(folder, 'backups', `schema-${version}.db`))).toEqual([version, 'ok']);
  }
});

it('summaries of the log from before releases keep their figures, and name none', () => {
  const file = join(temporaryFolder(), 'workbench.db');
  const version = migrations.findIndex(({ sql }) => sql.includes('log_blocks_by_release'));
  const older = openDatabase(file, { synchronous: 'NORMAL', migrations: migrations.slice(0, version) });
  const row = [1, 3, 'pay', 0, 2_048, 1_900.5, 12, 0.5, 1, 10, 20, 1, 2_047];
  older.prepare(`INSERT INTO log_blocks VALUES (${row.map(() => '?').join()}, x'00')`).run(...row);
  older.close();

  const newer = openDatabase(file, { synchronous: 'NORMAL', migrations });
  const [kept] = newer.prepare('SELECT * FROM log_blocks').raw().all() as unknown[][];
  const log = new LogStore(newer);
  const figures = [log.computeMetrics(1, 0).total, log.countByRelease(1)(1).decisions];
  newer.close();
  expect([kept?.toSpliced(4, 1).slice(0, -1), kept?.[4]]).toEqual([row, 0]);
  expect(figures).toEqual([2_048, 0]);
});

it('the last deployment of each policy begins the history of its type [DPL-1]', () => {
  const file = join(temporaryFolder(), 'workbench.db');
  const version = migrations.findIndex(({ sql }) => sql.includes('CREATE TABLE deployments'));
  const older = openDatabase(file, { synchronous: 'NORMAL', migrations: migrations.slice(0, version) });
  older.exec(`
    INSERT INTO organisations (id, name, plan_since, created_at) VALUES ('o', 'Shop', 0, 0);
    INSERT INTO decision_types (id, organisation_id, name, description, pii_fields, active_version_id, created_at, updated_at)
      VALUES ('t', 'o', 'refunds', '', '[]', 'v', 0, 0);
    INSERT INTO decision_type_versions (id, decision_type_id, version_number, definition, created_at) VALUES ('v', 't', 1, '{}', 0);`);
  const insert = older.prepare(
    `INSERT INTO policies (id, organisation_id, decision_type_id, version_id, version, status, training_config, seed,
       snapshot_sha256, snapshot_size, tool_versions, metrics, bundle_sha256, created_at, deployed_at, auto_deployed)
     VALUES (?, 'o', 't', 'v', ?, ?, '{}', 0, '', 0, '{}', '{}', 'sha', 0, ?, ?)`,
  );
  insert.run('first', 1, 'deployed', 30, 1);
  insert.run('second', 2, 'trained', 20, 0);
  insert.run('third', 3, 'trained', null, 0);
  older.close();

  const newer = openDatabase(file, { synchronous: 'NORMAL', migrations });
  const { deployments } = createReleaseStore(newer, stoppedClock(0)).listDeployments('t', 1, 10);
  newer.close();
  const unknown = { number: null, versionId: null, fallbackOption: null, digest: null, by: null, reason: null };
  expect(deployments).toMatchObject([
    { ...unknown, policyId: 'first', policyVersion: 1, madeAt: 30, isAutomatic: true, isDeployment: true },
    { ...unknown, policyId: 'second', policyVersion: 2, madeAt: 20, isAutomatic: false, isDeployment: true },
  ]);
});
