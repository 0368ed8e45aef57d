/** What happens to data that an earlier version of the program wrote. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase, readMigrations } from '../../../src/server/store/database.ts';
import { DeploymentStore } from '../../../src/server/store/policies/deployments.ts';
import { createSnapshotStore } from '../../../src/server/store/policies/snapshots.ts';
import { stoppedClock, temporaryFolder } from '../workbench.ts';

const migrations = readMigrations(join(import.meta.dirname, '../../../src/server/store/migrations'));

/** A data file with one organisation as it was before a migration, which is given by its place or a piece of it. */
function openBefore(migration: number | string) {
  const file = join(temporaryFolder(), 'workbench.db');
  const version =
    typeof migration === 'number' ? migration : migrations.findIndex(({ sql }) => sql.includes(migration));
  const older = openDatabase(file, { synchronous: 'NORMAL', migrations: migrations.slice(0, version) });
  older.exec("INSERT INTO organisations (id, name, plan_since, created_at) VALUES ('o', 'Shop', 0, 0)");
  return { file, older };
}

const insertType = `INSERT INTO decision_types (id, organisation_id, name, description, pii_fields, active_version_id,
  created_at, updated_at) VALUES ('t', 'o', 'refunds', '', '[]', 'v', 0, 0)`;

it('suggested thresholds of earlier policies name their target error as those of new ones do', () => {
  const { file, older } = openBefore(12);
  older.exec(`${insertType};
    INSERT INTO decision_type_versions (id, decision_type_id, version_number, definition, created_at) VALUES ('v', 't', 1, '{}', 0);`);
  const insert = older.prepare(
    `INSERT INTO policies (id, organisation_id, decision_type_id, version_id, version, status, training_config, seed,
       snapshot_sha256, snapshot_size, tool_versions, metrics, bundle_sha256, created_at)
     VALUES (?, 'o', 't', 'v', ?, 'trained', '{}', 0, '', 0, '{}', ?, 'sha', 0)`,
  );
  const suggestion = { threshold: null, coverage: 0.5, error: 0, error_interval: { low: 0, high: 0.25 } };
  insert.run(
    'suggests',
    1,
    JSON.stringify({ suggested_thresholds: [{ wished_error: 0.02, ...suggestion }], ece: 0.1 }),
  );
  insert.run('older still', 2, JSON.stringify({ ece: 0.1 }));
  older.close();

  const newer = openDatabase(file, { synchronous: 'NORMAL', migrations });
  const metrics = newer.prepare<[], string>('SELECT metrics FROM policies ORDER BY version').pluck().all();
  newer.close();
  expect(metrics.map((text) => JSON.parse(text))).toEqual([
    { suggested_thresholds: [{ target_error: 0.02, ...suggestion }], ece: 0.1 },
    { ece: 0.1 },
  ]);
});

it('a policy that an earlier program withdrew because its file was away is deployed again', () => {
  const { file, older } = openBefore(14);
  const insert = older.prepare(
    `INSERT INTO policies (id, organisation_id, decision_type_id, version_id, version, status, error, training_config,
       seed, snapshot_sha256, snapshot_size, tool_versions, metrics,
       bundle_sha256, created_at)
     VALUES (@id, 'o', @type, @type || ' v', @version, @status, @error, '{}', 0, '', 0, '{}', '{}',
       'sha', 0)`,
  );
  const insertType = older.prepare(
    `INSERT INTO decision_types (id, organisation_id, name, description, pii_fields, active_version_id, created_at,
       updated_at) VALUES (@type, 'o', @type, '', '[]', @type || ' v', 0, 0)`,
  );
  const insertVersion = older.prepare(
    `INSERT INTO decision_type_versions (id, decision_type_id, version_number, definition, created_at)
     VALUES (@type || ' v', @type, 1, '{}', 0)`,
  );
  older.transaction(() => {
    for (const type of ['refunds', 'loans']) {
      older.pragma('defer_foreign_keys = ON');
      insertType.run({ type });
      insertVersion.run({ type });
    }
    const withdrawn = { status: 'trained', error: 'The file of the policy is missing or damaged.' };
    insert.run({ id: 'never deployed', type: 'refunds', version: 1, status: 'trained', error: null });
    insert.run({ id: 'withdrawn first', type: 'refunds', version: 2, ...withdrawn });
    insert.run({ id: 'withdrawn last', type: 'refunds', version: 3, ...withdrawn });
    insert.run({ id: 'replaced', type: 'loans', version: 1, ...withdrawn });
    insert.run({ id: 'deployed since', type: 'loans', version: 2, status: 'deployed', error: null });
  })();
  older.close();

  const newer = openDatabase(file, { synchronous: 'NORMAL', migrations });
  const deployed = newer.prepare<[], string>("SELECT id FROM policies WHERE status = 'deployed' ORDER BY seq").pluck();
  expect(deployed.all()).toEqual(['withdrawn last', 'deployed since']);
  newer.close();
});

it('data of every earlier version are brought up to date after a copy, and are left alone when that fails [DAT-5]', () => {
  const failing = { version: migrations.length + 1, sql: 'CREATE TABLE organisations (x)' };
  const versionOf = (file: string) => {
    const db = new Database(file, { readonly: true });
    const version = db.pragma('user_version', { simple: true });
    const sound = db.pragma('integrity_check', { simple: true });
    db.close();
    return [version, sound];
  };
  for (let version = 1; version < migrations.length; version += 1) {
    const folder = temporaryFolder();
    const file = join(folder, 'workbench.db');
    const settings = { synchronous: 'NORMAL', backupsDir: join(folder, 'backups') } as const;
    openDatabase(file, { ...settings, migrations: migrations.slice(0, version) }).close();
    expect(() => openDatabase(file, { ...settings, migrations: [...migrations, failing] })).toThrow(
      /Nothing was changed/,
    );
    expect(versionOf(file)).toEqual([version, 'ok']);
    openDatabase(file, { ...settings, migrations }).close();
    expect(versionOf(file)).toEqual([migrations.length, 'ok']);
    expect(versionOf(join(folder, 'backups', `schema-${version}.db`))).toEqual([version, 'ok']);
  }
});

it('synthetic examples that nobody reviewed are labelled by a teacher, all others by a person', () => {
  const { file, older } = openBefore('ADD COLUMN by_teacher');
  older.exec(insertType);
  const insert = older.prepare(
    `INSERT INTO examples (id, decision_type_id, input, decision, reason_codes, source, reviewed, created_at, updated_at)
     VALUES (?, 't', '{}', 'yes', '[]', ?, ?, 0, 0)`,
  );
  insert.run('made', 'synthetic', 0);
  insert.run('confirmed', 'synthetic', 1);
  insert.run('own', 'user', 0);
  older.close();

  const newer = openDatabase(file, { synchronous: 'NORMAL', migrations });
  const rows = newer.prepare('SELECT id, by_teacher, mark, note FROM examples ORDER BY seq').all();
  newer.close();
  expect(rows).toEqual([
    { id: 'made', by_teacher: 1, mark: null, note: null },
    { id: 'confirmed', by_teacher: 0, mark: null, note: null },
    { id: 'own', by_teacher: 0, mark: null, note: null },
  ]);
});

it('what was trained and recorded after the personal fields were declared is not said to hold them', () => {
  const { file, older } = openBefore('CREATE TABLE personal_residues');
  older.pragma('foreign_keys = OFF');
  for (const [seq, type, updatedAt] of [
    [1, 'declared first', 10],
    [2, 'changed since', 30],
  ]) {
    older
      .prepare(
        `INSERT INTO decision_types (seq, id, organisation_id, name, description, pii_fields, active_version_id,
           created_at, updated_at) VALUES (?, ?, 'o', ?, '', '["email"]', ? || ' v', 0, ?)`,
      )
      .run(seq, type, type, type, updatedAt);
    older
      .prepare(
        `INSERT INTO decision_type_versions (id, decision_type_id, version_number, definition, created_at)
         VALUES (? || ' v', ?, 1, '{}', 0)`,
      )
      .run(type, type);
    older
      .prepare(
        `INSERT INTO policies (id, organisation_id, decision_type_id, version_id, version, status, training_config,
           seed, snapshot_sha256, snapshot_size, tool_versions, metrics, bundle_sha256, created_at)
         VALUES (? || ' p', 'o', ?, ? || ' v', 1, 'trained', '{}', 0, '', 0, '{}', '{}', 'sha', 20)`,
      )
      .run(type, type, type);
    older
      .prepare(
        `INSERT INTO decision_logs (decision_type_seq, request_id, input, decision, confidence, stage, reason_codes,
           class_probabilities, rules_triggered, escalated, fallback_used, policy_version, latency_ms, created_at)
         VALUES (?, 'r', '{}', 'yes', 1, 'rules', '[]', '{}', '[]', 0, 0, 'v1', 1, 20)`,
      )
      .run(seq);
  }
  older.close();

  const newer = openDatabase(file, { synchronous: 'NORMAL', migrations });
  const policies = newer.prepare('SELECT decision_type_id AS type, pii_fields FROM policies ORDER BY seq').all();
  const logs = newer.prepare('SELECT decision_type_seq FROM personal_residues').pluck().all();
  newer.close();
  expect(policies).toEqual([
    { type: 'declared first', pii_fields: '["email"]' },
    { type: 'changed since', pii_fields: null },
  ]);
  expect(logs).toEqual([2]);
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
  const { deployments } = new DeploymentStore(newer, stoppedClock(0)).list('t', 1, 10);
  newer.close();
  expect(deployments).toEqual([
    { policyId: 'first', version: 1, deployedAt: 30, isAutomatic: true, by: null, reason: null },
    { policyId: 'second', version: 2, deployedAt: 20, isAutomatic: false, by: null, reason: null },
  ]);
});

it('corrections that an earlier program made teach the next training and measure nothing [AUD-1]', () => {
  const { file, older } = openBefore('CREATE TABLE audit_draws');
  older.exec(insertType);
  const insert = older.prepare(
    `INSERT INTO examples (id, decision_type_id, input, decision, reason_codes, source, reviewed, log_id, created_at,
       updated_at) VALUES (?, 't', '{}', 'yes', '[]', ?, 1, ?, 0, 0)`,
  );
  insert.run('imported', 'user', null);
  insert.run('corrected', 'user', '00000000-0000-8000-8000-000000000001');
  older.close();

  const newer = openDatabase(file, { synchronous: 'NORMAL', migrations });
  newer.pragma('foreign_keys = OFF');
  const snapshots = createSnapshotStore(newer);
  expect(snapshots.copyExamples('policy', 't', ['yes'])).toBe(2);
  expect(snapshots.readAfter('policy', -1, 10).map(({ exampleId, source }) => [exampleId, source])).toEqual([
    ['imported', 'user'],
    ['corrected', 'correction'],
  ]);
  newer.close();
});
