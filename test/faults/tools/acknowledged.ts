/** Callers that remember what they were told is done, and the check that it is so. */
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { errorTable } from '../../../src/engine/errors.ts';
import { callAlone, type RawAnswer } from './server-process.ts';

/** What was acknowledged, each with the moment from which on it must be there. */
export type Acknowledged = {
  decisions: Map<string, number>;
  examples: Map<string, number>;
  types: Map<string, number>;
  versions: Map<string, number>;
  /** Imports by what stands in each of their rows. */
  imports: Map<string, number>;
};

/** Rows of one import. */
const rowsOfImport = 50;

export const nothingAcknowledged = (): Acknowledged => ({
  decisions: new Map(),
  examples: new Map(),
  types: new Map(),
  versions: new Map(),
  imports: new Map(),
});

type Caller = {
  port: number;
  key: string;
  /** Path of the decision type that is deployed. */
  url: string;
  acknowledged: Acknowledged;
  /** Now, in whatever the test counts moments. */
  now(): number;
};

/** Expects an answer that is a success or an error of the table; returns whether it is a success. */
function isDone({ status, body }: RawAnswer): boolean {
  if (status < 300) return true;
  expect(body).toEqual({ error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }) });
  expect(Object.keys(errorTable)).toContain(body.error.code);
  expect([500, 503]).toContain(status);
  return false;
}

/** Calls everything that stores something once, and notes what was acknowledged. */
export async function storeEverything({ port, key, url, acknowledged, now }: Caller, round: number): Promise<void> {
  const call = (method: string, at: string, body?: unknown) => callAlone(port, method, at, `Bearer ${key}`, body);
  const loan = (n: number) => ({ decision_type: 'loan', input: { applicant: { score: 500 + n }, amount: 2_000 + n } });
  const note = (kind: keyof Acknowledged, ids: string[]) => {
    for (const id of ids) acknowledged[kind].set(id, now());
  };
  for (const n of [0, 1]) {
    const decided = await call('POST', '/api/v1/decide', loan(round + n));
    if (isDone(decided)) note('decisions', [decided.body.request_id]);
  }
  const batch = await call('POST', '/api/v1/decide/batch', [loan(round), loan(round + 1)]);
  if (isDone(batch)) {
    const results: ({ request_id: string } | null)[] = batch.body.results;
    note(
      'decisions',
      results.flatMap((result) => (result === null ? [] : [result.request_id])),
    );
  }
  const examples = [0, 1].map((n) => ({ input: { amount: round, note: `round ${round}, ${n}` }, decision: 'approve' }));
  const added = await call('POST', `${url}/examples`, { examples });
  if (isDone(added)) {
    const ids: string[] = added.body.map(({ id }: { id: string }) => id);
    note('examples', ids.slice(1));
    isDone(await call('DELETE', `${url}/examples/${ids[0]}`));
  }
  const rows = Array.from({ length: rowsOfImport }, (_, row) => `import ${round},${row},approve`);
  const content = ['note,row,decision', ...rows].join('\n');
  const imported = await call('POST', `${url}/examples/import`, { format: 'csv', content, commit: true });
  if (isDone(imported)) note('imports', [`import ${round}`]);
  const made = await call('POST', '/api/v1/decision-types', { name: `type ${round}`, options: ['yes', 'no'] });
  if (isDone(made)) {
    note('types', [made.body.id]);
    const changed = await call('PUT', `/api/v1/decision-types/${made.body.id}`, { options: ['yes', 'no', 'later'] });
    if (isDone(changed)) note('versions', [changed.body.active_version.id]);
  }
}

/**
 * Expects that the data file is sound and holds what was acknowledged up to `moment`, every import whole or not at all, and
 * as many charges as decisions.
 */
export function expectAcknowledged(
  dataDir: string,
  acknowledged: Acknowledged,
  moment = Number.POSITIVE_INFINITY,
): void {
  const db = new Database(path.join(dataDir, 'workbench.db'));
  try {
    const list = (sql: string) => new Set(db.prepare<[], string>(sql).pluck().all());
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    for (const [kind, sql] of [
      ['decisions', 'SELECT request_id FROM decision_logs'],
      ['examples', 'SELECT id FROM examples'],
      ['types', 'SELECT id FROM decision_types'],
      ['versions', 'SELECT id FROM decision_type_versions'],
    ] as const) {
      const kept = list(sql);
      const due = [...acknowledged[kind]].filter(([, at]) => at <= moment).map(([id]) => id);
      expect(due.filter((id) => !kept.has(id))).toEqual([]);
    }
    const rows = db
      .prepare<[], { note: string; rows: number }>(
        `SELECT json_extract(input, '$.note') AS note, count(*) AS rows FROM examples
         WHERE json_extract(input, '$.note') LIKE 'import %' GROUP BY 1`,
      )
      .all();
    expect(rows.filter(({ rows: count }) => count !== rowsOfImport)).toEqual([]);
    const imports = new Set(rows.map(({ note }) => note));
    expect([...acknowledged.imports].filter(([note, at]) => at <= moment && !imports.has(note))).toEqual([]);
    const count = (sql: string) => Number(db.prepare(sql).pluck().get());
    expect(count(`SELECT count(*) FROM credit_entries WHERE operation = 'decision'`)).toBe(
      count('SELECT count(*) FROM decision_logs'),
    );
    expect(count('SELECT count(DISTINCT request_id) FROM decision_logs')).toBe(
      count('SELECT count(*) FROM decision_logs'),
    );
  } finally {
    db.close();
  }
}
