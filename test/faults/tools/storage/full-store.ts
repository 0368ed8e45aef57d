/** A data folder with much in it: what calls are measured on whose work could grow with what is stored. */
import path from 'node:path';
import Database from 'better-sqlite3';

/** More decision types than anybody keeps. */
const maxTypes = 2_000;

type Filled = { typeId: string; policyId: string };

/**
 * Fills the folder of a trained type, which no program has open: `rows` examples, half of them read twice, a quarter
 * held out, each with a history, and versions, policies, releases and types in proportion.
 */
export function fillStore(dataDir: string, { typeId, policyId }: Filled, rows: number): void {
  const db = new Database(path.join(dataDir, 'workbench.db'));
  const ofType = `decision_type_id = '${typeId}'`;
  const toId = (kind: number) => `printf('%08x-0000-4000-8000-%012x', ${kind}, n)`;
  /** Copies one row many times; `changes` gives some columns other values, in SQL over the number `n`. */
  const copy = (table: string, where: string, count: number, changes: Record<string, string>) => {
    const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    const own = columns.filter((name) => name !== 'seq');
    db.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO ${table} (${own.join(', ')})
      SELECT ${own.map((name) => changes[name] ?? name).join(', ')}
      FROM numbers, (SELECT * FROM ${table} WHERE ${where} LIMIT 1)`);
  };
  db.transaction(() => {
    const labels = db.prepare<[], string>(`SELECT DISTINCT decision FROM examples WHERE ${ofType}`).pluck().all();
    for (const [kind, label] of labels.entries())
      copy('examples', `${ofType} AND decision = '${label}'`, rows / labels.length, {
        id: toId(kind),
        input: `json_set(input, '$.amount', 1000 + n % 977, '$.note', 'row ' || n)`,
        reviewed: 'n % 3 = 0',
        updated_at: 'updated_at + n',
      });
    db.exec(`
      INSERT INTO second_readings
        (example_id, decision_type_id, first_decision, first_reader, first_at, decision, reader, read_at)
      SELECT id, decision_type_id, decision, 'Anna', updated_at,
        iif(seq % 7 = 0, '${labels[0]}', decision), 'Berta', updated_at
      FROM examples WHERE ${ofType} LIMIT ${rows / 2};
      INSERT INTO label_history (example_id, kind, decision, reader, given_at)
      SELECT id, 'label', decision, 'Anna', updated_at FROM examples WHERE ${ofType};
      INSERT OR IGNORE INTO held_out_predictions
        (policy_id, example_id, expected, predicted, probabilities, unfamiliar)
      SELECT policy_id, e.id, e.decision, predicted, probabilities, 0
      FROM examples e, (SELECT * FROM held_out_predictions WHERE policy_id = '${policyId}' LIMIT 1)
      WHERE ${ofType} LIMIT ${rows / 4};`);
    copy('decision_type_versions', ofType, rows / 20, { id: toId(2), version_number: '1000 + n' });
    copy('policies', `id = '${policyId}'`, rows / 100, { id: toId(3), version: '10 + n', status: "'trained'" });
    copy('releases', ofType, rows / 10, { number: '10 + n', deployment: '0' });
    copy('decision_types', `id = '${typeId}'`, Math.min(rows / 10, maxTypes), { id: toId(4), name: "'type ' || n" });
  })();
  db.close();
}
