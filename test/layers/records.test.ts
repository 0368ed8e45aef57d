/** The columns of a record are listed once: in its table, as the database has them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase, readMigrations } from '../../src/server/store/database.ts';
import { temporaryFolder } from '../server/workbench.ts';
import { readSources } from './source-facts.ts';

const root = join(import.meta.dirname, '../..');
const sources = readSources(root, 'src/server/**/*.ts');
const migrations = readMigrations(join(root, 'src/server/store/migrations'));

/** Columns that change apart from their record: row numbers, what came of a type or of a decision later, its link. */
const apart = ['seq', 'deleted_at', 'removed_at', 'corrected_decision', 'link'];

type Table = { table: string; names: string[] };
const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && 'table' in value && 'names' in value;

async function readTables(): Promise<Map<string, string[]>> {
  const files = sources.filter(({ text }) => /^import \{[^}]*\bdefineRecord\b/m.test(text));
  const modules: object[] = await Promise.all(files.map(({ path }) => import(join(root, path))));
  const tables = modules.flatMap((each) => Object.values(each).filter(isTable));
  return new Map(tables.map(({ table, names }) => [table, names]));
}

/** SQL in these sources that inserts whole rows of a record, or selects most of its columns one by one. */
function findSecondLists(tables: ReadonlyMap<string, readonly string[]>, among: typeof sources): string[] {
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

it('each record has the columns of its table in the database, and no SQL beside lists them', async () => {
  const tables = await readTables();
  expect(tables.size).toBeGreaterThanOrEqual(8);
  const db = openDatabase(join(temporaryFolder(), 'workbench.db'), { synchronous: 'NORMAL', migrations });
  for (const [table, columns] of tables) {
    const stored = db.pragma(`table_info(${table})`) as { name: string }[];
    const expected = stored.map(({ name }) => name).filter((name) => !apart.includes(name));
    expect([table, columns.toSorted()]).toEqual([table, expected.toSorted()]);
  }
  db.close();
  expect(findSecondLists(tables, sources)).toEqual([]);
});

it('a second list is found', async () => {
  const tables = await readTables();
  const plant = (sql: string) => findSecondLists(tables, [{ path: 'x.ts', text: `const sql = \`${sql}\`;` }]);
  expect(plant('INSERT INTO release_aliases VALUES (?, ?, ?)')).toHaveLength(1);
  expect(
    plant(`SELECT number, policy_id, version_id, fallback_option, digest, made_at, deployment, automatic, made_by, reason
      FROM releases`),
  ).toHaveLength(1);
  expect(plant('SELECT id, version FROM policies WHERE status = ?')).toEqual([]);
});
