/** The columns of a record are listed once: in its table, as the database has them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keyTable, organisationTable, userTable } from '../../src/server/store/account/accounts.ts';
import { activityTable } from '../../src/server/store/account/activity.ts';
import { connectionTable } from '../../src/server/store/account/connections.ts';
import { openDatabase, readMigrations } from '../../src/server/store/database.ts';
import { questionTable } from '../../src/server/store/deciding/questions.ts';
import { heldOutTable } from '../../src/server/store/examples/held-out.ts';
import { loggedTable } from '../../src/server/store/log-record.ts';
import { attemptTable, policyTable } from '../../src/server/store/policies/policy-records.ts';
import { aliasTable, releaseTable } from '../../src/server/store/policies/releases.ts';
import { typeTable, versionTable } from '../../src/server/store/types/decision-types.ts';
import { temporaryFolder } from '../server/workbench.ts';
import { readSources } from './source-facts.ts';

const root = join(import.meta.dirname, '../..');
const sources = readSources(root, 'src/server/**/*.ts');
const migrations = readMigrations(join(root, 'src/server/store/migrations'));

/** Columns apart from their record: row numbers, what came of a type, a decision or a key later, a link. */
const apart = ['seq', 'snapshot_last_seq', 'deleted_at', 'removed_at', 'revoked_at', 'corrected_decision', 'link'];

const known = [
  ...[organisationTable, userTable, keyTable, activityTable, connectionTable, typeTable, versionTable, policyTable],
  ...[attemptTable, heldOutTable, releaseTable, aliasTable, questionTable, loggedTable],
];
const tables = new Map(known.map(({ table, names }) => [table, names]));

/** SQL in these sources that inserts whole rows of a record, or selects most of its columns one by one. */
function findSecondLists(among: typeof sources): string[] {
  return among.flatMap(({ path, text }) =>
    [...text.matchAll(/`[^`]*`|'[^'\n]*'/g)].flatMap(([sql]) => {
      const [selected = ''] = /\bSELECT\b.*?\bFROM\b/s.exec(sql) ?? [];
      const isListed = ([table, columns]: [string, readonly string[]]) =>
        new RegExp(`INTO ${table}\\b(?! \\(\\$)`).test(sql) ||
        (new RegExp(`FROM ${table}\\b`).test(sql) &&
          columns.filter((column) => new RegExp(`\\b${column}\\b`).test(selected)).length >
            Math.max(4, (columns.length * 3) / 4));
      return [...tables].filter(isListed).map(([table]) => `${path} lists columns of ${table}`);
    }),
  );
}

it('each record has the columns of its table in the database, and no SQL beside lists them', () => {
  const defined = sources.flatMap(({ text }) =>
    [...text.matchAll(/\bdefineRecord\('(\w+)'/g)].map(([, table]) => table),
  );
  expect([...new Set(defined)].toSorted()).toEqual([...tables.keys()].toSorted());
  const db = openDatabase(join(temporaryFolder(), 'workbench.db'), { synchronous: 'NORMAL', migrations });
  for (const [table, columns] of tables) {
    const stored = db.pragma(`table_info(${table})`) as { name: string }[];
    const expected = stored.map(({ name }) => name).filter((name) => !apart.includes(name));
    expect([table, columns.filter((name) => !apart.includes(name)).toSorted()]).toEqual([table, expected.toSorted()]);
  }
  db.close();
  expect(findSecondLists(sources)).toEqual([]);
});

it('a second list is found', () => {
  const plant = (sql: string) => findSecondLists([{ path: 'x.ts', text: `const sql = \`${sql}\`;` }]);
  expect(plant('INSERT INTO release_aliases VALUES (?, ?, ?)')).toHaveLength(1);
  expect(
    plant(`SELECT number, policy_id, version_id, fallback_option, digest, made_at, deployment, automatic, made_by, reason
      FROM releases`),
  ).toHaveLength(1);
  expect(plant('SELECT id, version FROM policies WHERE status = ?')).toEqual([]);
});
