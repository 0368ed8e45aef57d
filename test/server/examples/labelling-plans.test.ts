/** What a label costs does not grow with the examples of its type: how the statements of the loop find their rows. */
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { labellingQueues } from '../../../src/server/contract/examples/examples.ts';
import type { WorkbenchDatabase } from '../../../src/server/store/database.ts';
import { openForTest } from '../workbench.ts';

/** Hears each statement that the process runs until the test ends. */
function recordStatements(): Set<string> {
  const heard = new Set<string>();
  const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
  for (const name of ['run', 'get', 'all', 'iterate'] as const) {
    const own = prototype[name];
    prototype[name] = function run(this: Database.Statement, ...values: unknown[]) {
      heard.add(this.source);
      return own.apply(this, values);
    };
    onTestFinished(() => {
      prototype[name] = own;
    });
  }
  return heard;
}

/** The table of counts, and indices that hold only rows that wait for somebody. */
const queueIndices = /example_counts|_open|_by_teacher|_by_mark|_corrected|_waiting|_conflicts/;
const ofWholeType = /\((?:decision_type_id|decision_type_seq)=\?\)$/;
/** The steps of a statement that read a table, or all rows of a type that a limit does not end. */
function findWholeReads(db: WorkbenchDatabase, sql: string): string[] {
  const names = [...sql.matchAll(/[@:]([a-z]\w*)/gi)].map(([, name]) => [name, null]);
  const places = Array.from({ length: sql.split('?').length - 1 }, () => null);
  const plan = db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...(names.length > 0 ? [Object.fromEntries(names)] : places))
    .map(({ detail }) => detail);
  const isLimited = / LIMIT /.test(sql) && !plan.some((detail) => detail.includes('TEMP B-TREE'));
  return plan.filter((detail) => {
    if (queueIndices.test(detail) || isLimited) return false;
    return (
      ofWholeType.test(detail) || /^SCAN (?:examples|second_readings|label_history|decision_logs|[a-z]\b)/.test(detail)
    );
  });
}

it('no call of somebody who labels reads all examples of the type [LBL-1]', async () => {
  const { deps, call } = await openForTest();
  const type = (await call('POST', '/api/v1/decision-types', { name: 'refunds', options: ['yes', 'no'] })).body;
  const url = `/api/v1/decision-types/${type.id}/examples`;
  const examples = Array.from({ length: 60 }, (_, n) => ({
    input_payload: { n },
    expected_decision: n % 3 === 0 ? null : 'yes',
  }));
  const added = (await call('POST', url, { examples })).body;
  await call('POST', `${url}/second-readings`, { share: 0.5 });
  const heard = recordStatements();
  for (const queue of labellingQueues) {
    const { status } = await call('GET', `${url}/next?queue=${queue}&count=5`);
    expect([queue, status]).toEqual([queue, 200]);
  }
  const label = { expected_decision: 'no', replaces: null };
  expect((await call('PATCH', `${url}/${added[0].id}`, label)).status).toBe(200);
  expect((await call('PATCH', `${url}/${added[0].id}`, { expected_decision: null })).status).toBe(200);
  expect((await call('GET', `${url}/stats`)).body).toMatchObject({
    total: 60,
    labelled: 40,
    by_option: { yes: 40, no: 0 },
  });
  const found = [...heard].flatMap((sql) => findWholeReads(deps.db, sql).map((detail) => [detail, sql]));
  expect(found).toEqual([]);
  expect(heard.size).toBeGreaterThan(20);
});
