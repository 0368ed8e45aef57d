/** Training examples of the decision types. */
import type { JsonObject } from '../../engine/domain.ts';
import type { ExampleFilter, ExampleStatus } from '../contract/examples.ts';
import type { WorkbenchDatabase } from './database.ts';

/** Of an example that a person put aside, or that somebody else should look at. */
export type ExampleMark = 'skipped' | 'flagged';

export type ExampleRecord = {
  id: string;
  decisionTypeId: string;
  input: JsonObject;
  /** The label, or null while there is none. */
  decision: string | null;
  reasonCodes: string[];
  source: 'user' | 'synthetic';
  reviewed: boolean;
  /** What a person decided about it instead of giving a label, or null. */
  mark: ExampleMark | null;
  /** What a person noted beside it, or null. */
  note: string | null;
  /** Whether a teacher gave the label that it has now. */
  byTeacher: boolean;
  /** Id of the log record whose correction made the example, or null. */
  logId: string | null;
  createdAt: number;
  updatedAt: number;
};

/** An example with its place. */
export type PlacedExample = ExampleRecord & { seq: number };

/** Where an example stands, without its input. `isUnconfirmed` is 1 where a teacher's label was not reviewed. */
export type ExampleState = Pick<ExampleRecord, 'id' | 'decision' | 'mark'> & { seq: number; isUnconfirmed: number };

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
  mark: ExampleMark | null;
  note: string | null;
  by_teacher: number;
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
    mark: row.mark,
    note: row.note,
    byTeacher: row.by_teacher === 1,
    logId: row.log_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The SQL condition of each status. */
const statusConditions: Record<ExampleStatus, string> = {
  to_label: 'decision IS NULL AND mark IS NULL',
  done: 'decision IS NOT NULL AND mark IS NULL',
  skipped: "mark = 'skipped'",
  flagged: "mark = 'flagged'",
};

/** Where an example stands: its mark, else whether it has a label. */
export function toExampleStatus({ decision, mark }: Pick<ExampleRecord, 'decision' | 'mark'>): ExampleStatus {
  return mark ?? (decision === null ? 'to_label' : 'done');
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
  if (filter.labelled_by !== undefined) {
    parts.push(
      filter.labelled_by === 'teacher'
        ? 'decision IS NOT NULL AND by_teacher = 1'
        : 'decision IS NOT NULL AND by_teacher = 0',
    );
  }
  if (filter.status !== undefined) parts.push(statusConditions[filter.status]);
  if (filter.search !== undefined && filter.search !== '') {
    // The text is looked for as it stands in the stored JSON, where quotes, line breaks and backslashes are escaped.
    // LIKE would compare letter by letter, which takes seconds for a long repeated one.
    add('instr(lower(input), lower(?)) > 0', JSON.stringify(filter.search).slice(1, -1));
  }
  return { sql: parts.join(' AND '), values };
}

/**
 * The examples that wait for somebody: without a label, flagged, made or labelled by a teacher and not reviewed, or made by
 * corrections after `since` (milliseconds).
 */
export type ExampleQueue = { kind: 'to_label' | 'flagged' | 'synthetic' } | { kind: 'corrections'; since: number };

function toQueueWhere(decisionTypeId: string, queue: ExampleQueue): { sql: string; values: Value[] } {
  switch (queue.kind) {
    case 'to_label':
    case 'flagged':
      return toWhere(decisionTypeId, { status: queue.kind });
    case 'synthetic':
      return { sql: 'decision_type_id = ? AND by_teacher = 1 AND reviewed = 0', values: [decisionTypeId] };
    case 'corrections':
      return {
        sql: 'decision_type_id = ? AND log_id IS NOT NULL AND updated_at > ?',
        values: [decisionTypeId, queue.since],
      };
  }
}

function prepareStatements(db: WorkbenchDatabase) {
  return {
    insert: db.prepare(
      `INSERT INTO examples (id, decision_type_id, input, decision, reason_codes, source, reviewed, mark, note, by_teacher,
         log_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    update: db.prepare(
      `UPDATE examples SET input = ?, decision = ?, reason_codes = ?, reviewed = ?, mark = ?, note = ?, by_teacher = ?,
         updated_at = ? WHERE id = ?`,
    ),
    rename: db.prepare('UPDATE examples SET decision = ?, updated_at = ? WHERE decision_type_id = ? AND decision = ?'),
    labelByTeacher: db.prepare(
      `UPDATE examples SET decision = ?, by_teacher = 1, reviewed = 0, updated_at = ?
       WHERE id = ? AND decision_type_id = ? AND decision IS NULL AND mark IS NULL`,
    ),
    readToLabel: db.prepare<[string, number, number], RawExample>(
      `SELECT * FROM examples WHERE decision_type_id = ? AND seq < ? AND decision IS NULL AND mark IS NULL
       ORDER BY seq DESC LIMIT ?`,
    ),
    readLabelled: db.prepare<[string, number, number], RawExample>(
      `SELECT * FROM examples WHERE decision_type_id = ? AND seq < ? AND decision IS NOT NULL
         AND (by_teacher = 0 OR reviewed = 1) AND source = 'user' ORDER BY seq DESC LIMIT ?`,
    ),
    removeLabelled: db.prepare('DELETE FROM examples WHERE decision_type_id = ? AND decision = ?'),
    remove: db.prepare('DELETE FROM examples WHERE id = ? AND decision_type_id = ?'),
    get: db.prepare<[string, string], RawExample>('SELECT * FROM examples WHERE id = ? AND decision_type_id = ?'),
    getByLog: db.prepare<[string], RawExample>('SELECT * FROM examples WHERE log_id = ?'),
    readBefore: db.prepare<[string, number, number], RawExample>(
      'SELECT * FROM examples WHERE decision_type_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
    ),
    readStates: db.prepare<[string, number, number], ExampleState>(
      `SELECT seq, id, decision, mark, by_teacher AND NOT reviewed AS isUnconfirmed FROM examples WHERE decision_type_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    readInputs: db.prepare<[string, string], Omit<ExampleState, 'seq'> & { inputJson: string }>(
      `SELECT id, decision, mark, by_teacher AND NOT reviewed AS isUnconfirmed, input AS inputJson FROM examples
       WHERE id IN (SELECT value FROM json_each(?)) AND decision_type_id = ?`,
    ),
    readNewestInputs: db
      .prepare<[string, number, number], string>(
        // The length in bytes is known without reading the text.
        `SELECT input FROM (SELECT input FROM examples WHERE decision_type_id = ? ORDER BY seq DESC LIMIT 2000)
         WHERE octet_length(input) <= ? LIMIT ?`,
      )
      .pluck(),
    count: db.prepare<[string], number>('SELECT count(*) FROM examples WHERE decision_type_id = ?').pluck(),
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
  readonly #revisions = new Map<string, number>();

  constructor(db: WorkbenchDatabase) {
    this.#db = db;
    this.#statements = prepareStatements(db);
  }

  /** Grows with every change of a type's examples while the program runs; 0 before the first one. */
  readRevision(decisionTypeId: string): number {
    return this.#revisions.get(decisionTypeId) ?? 0;
  }

  /** Notes that examples of a type changed. */
  noteChange(decisionTypeId: string): void {
    this.#revisions.set(decisionTypeId, this.readRevision(decisionTypeId) + 1);
  }

  insert(example: ExampleRecord): void {
    this.noteChange(example.decisionTypeId);
    this.#statements.insert.run(
      example.id,
      example.decisionTypeId,
      JSON.stringify(example.input),
      example.decision,
      JSON.stringify(example.reasonCodes),
      example.source,
      example.reviewed ? 1 : 0,
      example.mark,
      example.note,
      Number(example.byTeacher),
      example.logId,
      example.createdAt,
      example.updatedAt,
    );
  }

  /** Writes what of an example can change: input, labels, whether it was reviewed, mark, note, who labelled it, and when it changed. */
  update(example: ExampleRecord): void {
    this.noteChange(example.decisionTypeId);
    this.#statements.update.run(
      JSON.stringify(example.input),
      example.decision,
      JSON.stringify(example.reasonCodes),
      example.reviewed ? 1 : 0,
      example.mark,
      example.note,
      Number(example.byTeacher),
      example.updatedAt,
      example.id,
    );
  }

  /** Gives every example of a type that has one label another, or takes it away. */
  renameLabel(decisionTypeId: string, from: string, to: string | null, updatedAt: number): void {
    this.noteChange(decisionTypeId);
    this.#statements.rename.run(to, updatedAt, decisionTypeId, from);
  }

  /** Gives an example the label of a teacher; false where somebody labelled it or put it aside meanwhile. */
  labelByTeacher(decisionTypeId: string, id: string, decision: string, updatedAt: number): boolean {
    this.noteChange(decisionTypeId);
    return this.#statements.labelByTeacher.run(decision, updatedAt, id, decisionTypeId).changes > 0;
  }

  /** Up to `limit` examples before a place that are to label (or have a person's label), newest first. */
  readForTeacher(
    decisionTypeId: string,
    kind: 'to_label' | 'labelled',
    before: number,
    limit: number,
  ): PlacedExample[] {
    const rows = this.#statements[kind === 'to_label' ? 'readToLabel' : 'readLabelled'];
    return rows.all(decisionTypeId, before, limit).map((row) => ({ ...toExample(row), seq: row.seq }));
  }

  /** Deletes every example of a type that has one label. */
  removeLabelled(decisionTypeId: string, label: string): void {
    this.noteChange(decisionTypeId);
    this.#statements.removeLabelled.run(decisionTypeId, label);
  }

  /** Returns false when the type has no such example. */
  remove(decisionTypeId: string, id: string): boolean {
    this.noteChange(decisionTypeId);
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

  /** Up to `limit` examples before a place (`Number.MAX_SAFE_INTEGER`: from the newest on), without their inputs. */
  readStates(decisionTypeId: string, before: number, limit: number): ExampleState[] {
    return this.#statements.readStates.all(decisionTypeId, before, limit);
  }

  /** The inputs of examples as the JSON that is stored; those that do not exist are left out. */
  readInputs(decisionTypeId: string, ids: readonly string[]): (Omit<ExampleState, 'seq'> & { inputJson: string })[] {
    return this.#statements.readInputs.all(JSON.stringify(ids), decisionTypeId);
  }

  /** The inputs of some of the newest 2,000 examples, `limit` at most, whose stored JSON is not longer than `maxBytes`. */
  readNewestInputs(decisionTypeId: string, limit: number, maxBytes: number): JsonObject[] {
    return this.#statements.readNewestInputs
      .all(decisionTypeId, maxBytes, limit)
      .map((json) => JSON.parse(json) as JsonObject);
  }

  /** Up to `limit` examples of a queue, newest first, without those of the ids `except`. */
  readQueue(decisionTypeId: string, queue: ExampleQueue, limit: number, except: readonly string[]): ExampleRecord[] {
    const { sql, values } = toQueueWhere(decisionTypeId, queue);
    const rows = this.#db.prepare<Value[], RawExample>(
      `SELECT * FROM examples WHERE ${sql} AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY seq DESC LIMIT ?`,
    );
    return rows.all(...values, JSON.stringify(except), limit).map(toExample);
  }

  countQueue(decisionTypeId: string, queue: ExampleQueue): number {
    const { sql, values } = toQueueWhere(decisionTypeId, queue);
    return (
      this.#db
        .prepare<Value[], number>(`SELECT count(*) FROM examples WHERE ${sql}`)
        .pluck()
        .get(...values) ?? 0
    );
  }

  count(decisionTypeId: string): number {
    return this.#statements.count.get(decisionTypeId) ?? 0;
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
