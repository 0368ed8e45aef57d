/** Training examples of the decision types. */
import type { JsonObject } from '../../engine/domain.ts';
import type { ExampleFilter } from '../contract/examples.ts';
import type { WorkbenchDatabase } from './database.ts';

export type ExampleRecord = {
  id: string;
  decisionTypeId: string;
  input: JsonObject;
  /** The label, or null while there is none. */
  decision: string | null;
  reasonCodes: string[];
  source: 'user' | 'synthetic';
  reviewed: boolean;
  /** Id of the log record whose correction made the example, or null. */
  logId: string | null;
  createdAt: number;
  updatedAt: number;
};

/** How many examples of a type there are, by what is known of them. */
export type ExampleTotals = {
  total: number;
  labelled: number;
  reviewed: number;
  synthetic: number;
  byOption: Map<string, number>;
};

type RawExample = {
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
type Value = string | number;

function toExample(row: RawExample): ExampleRecord {
  return {
    id: row.id,
    decisionTypeId: row.decision_type_id,
    input: JSON.parse(row.input),
    decision: row.decision,
    reasonCodes: JSON.parse(row.reason_codes),
    source: row.source,
    reviewed: row.reviewed === 1,
    logId: row.log_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns the SQL condition on rows of `examples` that match a filter, with its values. */
export function toWhere(decisionTypeId: string, filter: ExampleFilter): { sql: string; values: Value[] } {
  const parts = ['decision_type_id = ?'];
  const values: Value[] = [decisionTypeId];
  const add = (sql: string, value: Value | undefined) => {
    if (value === undefined) return;
    parts.push(sql);
    values.push(value);
  };
  add('source = ?', filter.source);
  add('reviewed = ?', filter.reviewed === undefined ? undefined : Number(filter.reviewed));
  add('decision = ?', filter.decision);
  if (filter.labelled !== undefined) parts.push(filter.labelled ? 'decision IS NOT NULL' : 'decision IS NULL');
  if (filter.search !== undefined && filter.search !== '') {
    // The text is looked for as it stands in the stored JSON, where quotes, line breaks and backslashes are escaped.
    // LIKE would compare letter by letter, which takes seconds for a long repeated one.
    add('instr(lower(input), lower(?)) > 0', JSON.stringify(filter.search).slice(1, -1));
  }
  return { sql: parts.join(' AND '), values };
}

function prepareStatements(db: WorkbenchDatabase) {
  return {
    insert: db.prepare(
      `INSERT INTO examples (id, decision_type_id, input, decision, reason_codes, source, reviewed, log_id, created_at,
         updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    update: db.prepare(
      'UPDATE examples SET input = ?, decision = ?, reason_codes = ?, reviewed = ?, updated_at = ? WHERE id = ?',
    ),
    rename: db.prepare('UPDATE examples SET decision = ?, updated_at = ? WHERE decision_type_id = ? AND decision = ?'),
    remove: db.prepare('DELETE FROM examples WHERE id = ? AND decision_type_id = ?'),
    get: db.prepare<[string, string], RawExample>('SELECT * FROM examples WHERE id = ? AND decision_type_id = ?'),
    getByLog: db.prepare<[string], RawExample>('SELECT * FROM examples WHERE log_id = ?'),
    readBefore: db.prepare<[string, number, number], RawExample>(
      'SELECT * FROM examples WHERE decision_type_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
    ),
    count: db.prepare<[string], number>('SELECT count(*) FROM examples WHERE decision_type_id = ?').pluck(),
    revision: db.prepare<[string], number>('SELECT revision FROM example_revisions WHERE decision_type_id = ?').pluck(),
    countByLabel: db.prepare<[string], { decision: string; n: number }>(
      `SELECT decision, count(*) AS n FROM examples WHERE decision_type_id = ? AND decision IS NOT NULL
       GROUP BY decision`,
    ),
    countByGroup: db.prepare<[string], { decision: string | null; source: string; reviewed: number; n: number }>(
      `SELECT decision, source, reviewed, count(*) AS n FROM examples WHERE decision_type_id = ?
       GROUP BY decision, source, reviewed`,
    ),
  };
}

/** Examples one by one, in pages and counted; changes of many at once are in `example-changes.ts`. */
export class ExampleStore {
  readonly #db: WorkbenchDatabase;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(db: WorkbenchDatabase) {
    this.#db = db;
    this.#statements = prepareStatements(db);
  }

  insert(example: ExampleRecord): void {
    this.#statements.insert.run(
      example.id,
      example.decisionTypeId,
      JSON.stringify(example.input),
      example.decision,
      JSON.stringify(example.reasonCodes),
      example.source,
      example.reviewed ? 1 : 0,
      example.logId,
      example.createdAt,
      example.updatedAt,
    );
  }

  /** Writes what of an example can change: input, labels, whether it was reviewed, and when it changed. */
  update(example: ExampleRecord): void {
    this.#statements.update.run(
      JSON.stringify(example.input),
      example.decision,
      JSON.stringify(example.reasonCodes),
      example.reviewed ? 1 : 0,
      example.updatedAt,
      example.id,
    );
  }

  /** Gives every example of a type that has one label another. */
  renameLabel(decisionTypeId: string, from: string, to: string, updatedAt: number): void {
    this.#statements.rename.run(to, updatedAt, decisionTypeId, from);
  }

  /** Returns false when the type has no such example. */
  remove(decisionTypeId: string, id: string): boolean {
    return this.#statements.remove.run(id, decisionTypeId).changes > 0;
  }

  get(decisionTypeId: string, id: string): ExampleRecord | null {
    const row = this.#statements.get.get(id, decisionTypeId);
    return row === undefined ? null : toExample(row);
  }

  /** Returns the example that the correction of a log record made, or null. */
  getByLog(logId: string): ExampleRecord | null {
    const row = this.#statements.getByLog.get(logId);
    return row === undefined ? null : toExample(row);
  }

  /** Returns one page, newest first, with the number of all matches. */
  page(
    decisionTypeId: string,
    filter: ExampleFilter,
    page: number,
    pageSize: number,
  ): { examples: ExampleRecord[]; total: number } {
    const { sql, values } = toWhere(decisionTypeId, filter);
    const count = this.#db.prepare<Value[], number>(`SELECT count(*) FROM examples WHERE ${sql}`).pluck();
    const rows = this.#db.prepare<Value[], RawExample>(
      `SELECT * FROM examples WHERE ${sql} ORDER BY seq DESC LIMIT ? OFFSET ?`,
    );
    return {
      examples: rows.all(...values, pageSize, (page - 1) * pageSize).map(toExample),
      total: count.get(...values) ?? 0,
    };
  }

  /** Yields the examples of a type, newest first, up to `limit` at a time. */
  *slices(decisionTypeId: string, limit: number): Generator<ExampleRecord[]> {
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = this.#statements.readBefore.all(decisionTypeId, before, limit);
      if (rows.length > 0) yield rows.map(toExample);
      const oldest = rows.at(-1);
      if (oldest === undefined || rows.length < limit) return;
      before = oldest.seq;
    }
  }

  count(decisionTypeId: string): number {
    return this.#statements.count.get(decisionTypeId) ?? 0;
  }

  /** Returns how often examples of the type were added, removed, or changed in input, label or review. */
  revision(decisionTypeId: string): number {
    return this.#statements.revision.get(decisionTypeId) ?? 0;
  }

  /** Returns how many examples have each label; labels without examples are left out. */
  countByLabel(decisionTypeId: string): Map<string, number> {
    return new Map(this.#statements.countByLabel.all(decisionTypeId).map(({ decision, n }) => [decision, n]));
  }

  computeTotals(decisionTypeId: string): ExampleTotals {
    const totals: ExampleTotals = { total: 0, labelled: 0, reviewed: 0, synthetic: 0, byOption: new Map() };
    for (const { decision, source, reviewed, n } of this.#statements.countByGroup.all(decisionTypeId)) {
      totals.total += n;
      if (reviewed === 1) totals.reviewed += n;
      if (source === 'synthetic') totals.synthetic += n;
      if (decision === null) continue;
      totals.labelled += n;
      totals.byOption.set(decision, (totals.byOption.get(decision) ?? 0) + n);
    }
    return totals;
  }
}
