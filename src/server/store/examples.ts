import type { JsonObject, TrainingExample } from '../../engine/domain.ts';
import type { ExampleFilter } from '../contract/examples.ts';
import type { WorkbenchDatabase } from './database.ts';

export type ExampleRow = {
  id: string;
  decisionTypeId: string;
  input: JsonObject;
  decision: string | null;
  reasonCodes: string[];
  source: 'user' | 'synthetic';
  reviewed: boolean;
  /** Log record that it was made from by a correction. */
  logId: string | null;
  createdAt: number;
  updatedAt: number;
};

type Raw = {
  seq: number;
  id: string;
  decision_type_id: string;
  input: string;
  decision: string | null;
  reason_codes: string;
  source: 'user' | 'synthetic';
  reviewed: number;
  log_id: string | null;
  created_at: number;
  updated_at: number;
};

export type ExampleTotals = {
  total: number;
  labelled: number;
  reviewed: number;
  synthetic: number;
  byOption: Map<string, number>;
};

function toRow(raw: Raw): ExampleRow {
  return {
    id: raw.id,
    decisionTypeId: raw.decision_type_id,
    input: JSON.parse(raw.input) as JsonObject,
    decision: raw.decision,
    reasonCodes: JSON.parse(raw.reason_codes) as string[],
    source: raw.source,
    reviewed: raw.reviewed === 1,
    logId: raw.log_id,
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}

/** Which examples of a type a bulk change is about, and what becomes of them. */
export type BulkChoice = { ids: readonly string[] } | { filter: ExampleFilter };
export type BulkChange = { set: 'decision'; to: string | null } | { set: 'reviewed'; to: boolean } | 'delete';

/** What has to be kept of a row so that a change of labels, or a deletion, can be undone. */
const labelColumns = ['id', 'decision', 'reviewed', 'updated_at'];
const allColumns = [
  ...['seq', 'id', 'decision_type_id', 'input', 'decision', 'reason_codes'],
  ...['source', 'reviewed', 'log_id', 'created_at', 'updated_at'],
];
const asJsonObject = (columns: readonly string[]) =>
  `json_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})`;
/** The rows that an undo kept, as a table. */
const keptRows = `(SELECT ${allColumns.map((column) => `value ->> '${column}' AS ${column}`).join(', ')}
  FROM json_each((SELECT rows FROM example_undos WHERE token = @token)))`;

function where(decisionTypeId: string, filter: ExampleFilter): { sql: string; values: (string | number)[] } {
  const parts = ['decision_type_id = ?'];
  const values: (string | number)[] = [decisionTypeId];
  const add = (sql: string, value: string | number | undefined) => {
    if (value === undefined) return;
    parts.push(sql);
    values.push(value);
  };
  add('source = ?', filter.source);
  add('reviewed = ?', filter.reviewed === undefined ? undefined : Number(filter.reviewed));
  add('decision = ?', filter.decision);
  if (filter.labelled !== undefined) parts.push(filter.labelled ? 'decision IS NOT NULL' : 'decision IS NULL');
  if (filter.search !== undefined && filter.search !== '') {
    // as it stands in the stored JSON: quotes, line breaks and backslashes are escaped there; LIKE would compare letter
    // by letter, which takes seconds for a long repeated one
    add('instr(lower(input), lower(?)) > 0', JSON.stringify(filter.search).slice(1, -1));
  }
  return { sql: parts.join(' AND '), values };
}

/** Examples of the decision types. */
export function createExampleStore(db: WorkbenchDatabase) {
  const insert = db.prepare(
    `INSERT INTO examples (id, decision_type_id, input, decision, reason_codes, source, reviewed, log_id, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    'UPDATE examples SET input = ?, decision = ?, reason_codes = ?, reviewed = ?, updated_at = ? WHERE id = ?',
  );
  const get = db.prepare<[string, string], Raw>('SELECT * FROM examples WHERE id = ? AND decision_type_id = ?');
  const byLog = db.prepare<[string], Raw>('SELECT * FROM examples WHERE log_id = ?');
  const remove = db.prepare('DELETE FROM examples WHERE id = ? AND decision_type_id = ?');
  const count = db.prepare<[string], number>('SELECT count(*) FROM examples WHERE decision_type_id = ?').pluck();
  const labelled = db.prepare<[string], Raw>(
    'SELECT * FROM examples WHERE decision_type_id = ? AND decision IS NOT NULL ORDER BY seq',
  );
  const chunk = db.prepare<[string, number, number], Raw>(
    'SELECT * FROM examples WHERE decision_type_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
  );
  const counts = db.prepare<[string], { decision: string; n: number }>(
    'SELECT decision, count(*) AS n FROM examples WHERE decision_type_id = ? AND decision IS NOT NULL GROUP BY decision',
  );
  const groups = db.prepare<[string], { decision: string | null; source: string; reviewed: number; n: number }>(
    `SELECT decision, source, reviewed, count(*) AS n FROM examples WHERE decision_type_id = ?
     GROUP BY decision, source, reviewed`,
  );
  const trimUndos = db.prepare(
    `DELETE FROM example_undos WHERE decision_type_id = ? AND token NOT IN
       (SELECT token FROM example_undos WHERE decision_type_id = ? ORDER BY created_at DESC, rowid DESC LIMIT 10)`,
  );
  const renameLabel = db.prepare(
    'UPDATE examples SET decision = ?, updated_at = ? WHERE decision_type_id = ? AND decision = ?',
  );
  const dropUndos = db.prepare('DELETE FROM example_undos WHERE decision_type_id = ?');
  const findUndo = db
    .prepare<[string, string], number>('SELECT 1 FROM example_undos WHERE token = ? AND decision_type_id = ?')
    .pluck();
  const restoreLabels = db.prepare<[{ token: string }]>(
    `UPDATE examples SET decision = kept.decision, reviewed = kept.reviewed, updated_at = kept.updated_at
     FROM ${keptRows} AS kept WHERE examples.id = kept.id`,
  );
  const isPlaceTaken = db
    .prepare<[{ token: string }], number>(
      `SELECT EXISTS (SELECT 1 FROM ${keptRows} AS kept JOIN examples ON examples.seq = kept.seq)`,
    )
    .pluck();
  // a place or a log record that was taken meanwhile stays with the newer example
  const restoreDeleted = db.prepare<[{ token: string; asNew: number }]>(
    `INSERT INTO examples (${allColumns.join(', ')})
     SELECT iif(@asNew, NULL, seq), id, decision_type_id, input, decision, reason_codes, source, reviewed,
       iif(EXISTS (SELECT 1 FROM examples WHERE log_id = kept.log_id), NULL, log_id), created_at, updated_at
     FROM ${keptRows} AS kept
     WHERE input IS NOT NULL AND NOT EXISTS (SELECT 1 FROM examples WHERE id = kept.id) ORDER BY kept.seq`,
  );
  const dropUndo = db.prepare<[string]>('DELETE FROM example_undos WHERE token = ?');

  return {
    insert(row: ExampleRow): void {
      insert.run(
        row.id,
        row.decisionTypeId,
        JSON.stringify(row.input),
        row.decision,
        JSON.stringify(row.reasonCodes),
        row.source,
        row.reviewed ? 1 : 0,
        row.logId,
        row.createdAt,
        row.updatedAt,
      );
    },
    update(row: ExampleRow): void {
      update.run(
        JSON.stringify(row.input),
        row.decision,
        JSON.stringify(row.reasonCodes),
        row.reviewed ? 1 : 0,
        row.updatedAt,
        row.id,
      );
    },
    get(decisionTypeId: string, id: string): ExampleRow | null {
      const raw = get.get(id, decisionTypeId);
      return raw === undefined ? null : toRow(raw);
    },
    byLog(logId: string): ExampleRow | null {
      const raw = byLog.get(logId);
      return raw === undefined ? null : toRow(raw);
    },
    remove: (decisionTypeId: string, id: string): boolean => remove.run(id, decisionTypeId).changes > 0,
    count: (decisionTypeId: string): number => count.get(decisionTypeId) ?? 0,
    page(
      decisionTypeId: string,
      filter: ExampleFilter,
      page: number,
      pageSize: number,
    ): { rows: ExampleRow[]; total: number } {
      const { sql, values } = where(decisionTypeId, filter);
      const total = db.prepare<(string | number)[], number>(`SELECT count(*) FROM examples WHERE ${sql}`).pluck();
      const rows = db.prepare<(string | number)[], Raw>(
        `SELECT * FROM examples WHERE ${sql} ORDER BY seq DESC LIMIT ? OFFSET ?`,
      );
      return {
        rows: rows.all(...values, pageSize, (page - 1) * pageSize).map(toRow),
        total: total.get(...values) ?? 0,
      };
    },
    /** Up to `limit` examples older than `beforeSeq`, newest first, for reading all of them chunk by chunk. */
    chunk: (decisionTypeId: string, beforeSeq: number, limit: number): (ExampleRow & { seq: number })[] =>
      chunk.all(decisionTypeId, beforeSeq, limit).map((raw) => ({ seq: raw.seq, ...toRow(raw) })),
    /**
     * Changes or deletes many examples in a few statements and keeps what is needed to undo it under `token`; the last
     * ten changes of a type are kept. For a transaction. How many examples it were.
     */
    changeMany(decisionTypeId: string, choice: BulkChoice, change: BulkChange, token: string, at: number): number {
      const { sql, values } =
        'filter' in choice
          ? where(decisionTypeId, choice.filter)
          : {
              sql: 'decision_type_id = ? AND id IN (SELECT value FROM json_each(?))',
              values: [decisionTypeId, JSON.stringify(choice.ids)],
            };
      const kept = asJsonObject(change === 'delete' ? allColumns : labelColumns);
      db.prepare(
        `INSERT INTO example_undos (token, decision_type_id, rows, created_at)
         SELECT ?, ?, json_group_array(${kept}), ? FROM examples WHERE ${sql}`,
      ).run(token, decisionTypeId, at, ...values);
      trimUndos.run(decisionTypeId, decisionTypeId);
      if (change === 'delete') return db.prepare(`DELETE FROM examples WHERE ${sql}`).run(...values).changes;
      const to = typeof change.to === 'boolean' ? Number(change.to) : change.to;
      return db.prepare(`UPDATE examples SET ${change.set} = ?, updated_at = ? WHERE ${sql}`).run(to, at, ...values)
        .changes;
    },
    /**
     * Takes one bulk change back, once: labels become what they were, deleted examples come back. What was changed
     * or added since is left alone. For a transaction. How many examples it were, or null for an unknown token.
     */
    undo(token: string, decisionTypeId: string): number | null {
      if (findUndo.get(token, decisionTypeId) === undefined) return null;
      const labels = restoreLabels.run({ token }).changes;
      const deleted = restoreDeleted.run({ token, asNew: isPlaceTaken.get({ token }) ?? 0 }).changes;
      dropUndo.run(token);
      return labels + deleted;
    },
    /** Gives every example with one label another; what could be undone before cannot any more. */
    renameDecision(decisionTypeId: string, from: string, to: string, at: number): void {
      renameLabel.run(to, at, decisionTypeId, from);
      dropUndos.run(decisionTypeId);
    },
    /** Every labelled example in the order of their making. */
    labelled: (decisionTypeId: string): TrainingExample[] =>
      labelled.all(decisionTypeId).map((raw) => ({
        id: raw.id,
        input: JSON.parse(raw.input) as JsonObject,
        decision: raw.decision,
        reasonCodes: JSON.parse(raw.reason_codes) as string[],
        source: raw.source,
      })),
    labelCounts: (decisionTypeId: string): Record<string, number> =>
      Object.fromEntries(counts.all(decisionTypeId).map((row) => [row.decision, row.n])),
    totals(decisionTypeId: string): ExampleTotals {
      const sum: ExampleTotals = { total: 0, labelled: 0, reviewed: 0, synthetic: 0, byOption: new Map() };
      for (const { decision, source, reviewed, n } of groups.all(decisionTypeId)) {
        sum.total += n;
        if (reviewed === 1) sum.reviewed += n;
        if (source === 'synthetic') sum.synthetic += n;
        if (decision === null) continue;
        sum.labelled += n;
        sum.byOption.set(decision, (sum.byOption.get(decision) ?? 0) + n);
      }
      return sum;
    },
  };
}
