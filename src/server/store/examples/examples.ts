/** Training examples of the decision types. */
import { foldCase } from '../../../engine/code-points.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { ExampleFilter, ExampleStatus } from '../../contract/examples/examples.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { toFieldConditions } from './field-tests.ts';
import { firstOfNew, setFirstOfOne } from './first-labels.ts';
import { type GivenLabels, toGivenLabels, toSecondReadings } from './given-labels.ts';

/** The mark of an example that a person put aside, or that somebody else should look at. */
export type ExampleMark = 'skipped' | 'flagged';

export type ExampleRecord = {
  id: string;
  decisionTypeId: string;
  input: JsonObject;
  /** The label, or null while there is none. */
  decision: string | null;
  /** The label that it is measured by where that is another one (`first-labels.ts`), else null. */
  firstDecision: string | null;
  reasonCodes: string[];
  source: 'user' | 'synthetic';
  reviewed: boolean;
  /** Whether it is a test row: policies are measured on it and never learn from it. */
  test: boolean;
  /** Whether its decision must hold: every policy is tried on it, and none learns from it or is measured on it. */
  must: boolean;
  /** A person's decision about it instead of a label, or null. */
  mark: ExampleMark | null;
  note: string | null;
  /** Whether a teacher gave the label that it has now. */
  byTeacher: boolean;
  /** Id of the log record whose correction made the example, or null. */
  logId: string | null;
  /** Whether it is a live decision that was drawn to be judged blind. */
  audited: boolean;
  createdAt: number;
  updatedAt: number;
};

/** A row that rules are measured on: an input as its stored JSON, and its label or decision. */
export type JsonRow = { id: string; input: string; decision: string | null };

type ExampleTotals = {
  total: number;
  labelled: number;
  reviewed: number;
  synthetic: number;
  byOption: ReadonlyMap<string, number>;
  byStatus: Readonly<Record<ExampleStatus, number>>;
};

/** How many examples are alike in the counted properties. */
type ExampleGroup = Pick<ExampleRecord, 'decision' | 'mark'> & { source: string; reviewed: number; n: number };

type Flag = 'reviewed' | 'test' | 'must' | 'byTeacher' | 'audited';
/** A row that {@link selectExamples} reads. */
export type RawExample = Omit<ExampleRecord, 'input' | 'reasonCodes' | Flag> &
  Record<Flag, number> & { seq: number; input: string; reasonCodes: string };

/** The beginning of every statement that reads whole examples. */
export const selectExamples = `SELECT seq, id, decision_type_id AS decisionTypeId, input, decision,
  first_decision AS firstDecision, reason_codes AS reasonCodes, source, reviewed, test, must, mark, note, by_teacher AS byTeacher, log_id AS logId,
  audited, created_at AS createdAt, updated_at AS updatedAt FROM examples`;
export type Value = string | number | null;

/**
 * New examples: each slice is the JSON of a list of id, input, label, reason codes and whether it is a test row. Those
 * of the user's own are not reviewed; where they are `whole`, all that an export keeps of them follows.
 */
export type ExampleRows = {
  decisionTypeId: string;
  createdAt: number;
  count: number;
  slices: string[];
  whole?: boolean;
};
type UnfinishedPart = { first_seq: number; last_seq: number; decision_type_id: string };
type RenamedLabel = { typeId: string; from: string; to: string | null; updatedAt: number | null };
type UpdatedRow = Pick<ExampleRecord, 'id' | 'decision' | 'mark' | 'note' | 'updatedAt'> &
  Record<'reviewed' | 'test' | 'must' | 'byTeacher', number> & { input: string; reasonCodes: string };
type NewRow = Pick<ExampleRecord, 'id' | 'input' | 'decision' | 'reasonCodes' | 'test' | 'must'>;
type InsertedRow = Omit<ExampleRecord, 'firstDecision' | 'input' | 'reasonCodes' | Flag> &
  Record<Flag, number> & { input: string; reasonCodes: string };

/** Most bytes in a slice, unless a single row is longer: it is inserted in some ten milliseconds. */
const sliceLimits = { rows: 500, characters: 1_000_000 } as const;

/** Writes new examples out, one after another; `insertPart` adds them in half the time of single inserts. */
export class ExampleRowWriter {
  readonly #decisionTypeId: string;
  readonly #createdAt: number;
  readonly #slices: string[] = [];
  #open: string[] = [];
  #openCharacters = 0;
  #count = 0;
  #characters = 0;
  #isWhole = false;

  constructor(decisionTypeId: string, createdAt: number) {
    this.#decisionTypeId = decisionTypeId;
    this.#createdAt = createdAt;
  }

  add({ id, input, decision, reasonCodes, test, must }: NewRow): void {
    this.#put([id, JSON.stringify(input), decision, JSON.stringify(reasonCodes), Number(test), Number(must)]);
  }

  /** Adds an example with all that an export keeps of it, and who gave its labels; then all of them are added so. */
  addWhole(example: ExampleRecord, given: GivenLabels | null = null): void {
    const { id, input, decision, reasonCodes, test, must, source, reviewed, mark, note, byTeacher } = example;
    this.#isWhole = true;
    this.#put([
      ...[id, JSON.stringify(input), decision, JSON.stringify(reasonCodes), Number(test), example.firstDecision],
      ...[source, Number(reviewed), mark, note, Number(byTeacher), example.createdAt, example.updatedAt, Number(must)],
      ...[example.logId, Number(example.audited)],
      ...(given === null ? [] : [given.reader, given.labelledAtMs, JSON.stringify(given.secondReading)]),
    ]);
  }

  #put(values: (string | number | null)[]): void {
    const row = JSON.stringify(values);
    this.#open.push(row);
    this.#openCharacters += row.length;
    this.#count += 1;
    this.#characters += row.length;
    if (this.#open.length === sliceLimits.rows || this.#openCharacters >= sliceLimits.characters) this.#endSlice();
  }

  get characters(): number {
    return this.#characters;
  }

  finish(): ExampleRows {
    if (this.#open.length > 0) this.#endSlice();
    const [decisionTypeId, createdAt] = [this.#decisionTypeId, this.#createdAt];
    const whole = this.#isWhole ? { whole: true } : {};
    return { decisionTypeId, createdAt, count: this.#count, slices: this.#slices, ...whole };
  }

  #endSlice(): void {
    this.#slices.push(`[${this.#open.join(',')}]`);
    this.#open = [];
    this.#openCharacters = 0;
  }
}

/** An example as the server has it, from its row. */
export function toExample({ seq: _, ...row }: RawExample): ExampleRecord {
  return {
    ...row,
    input: JSON.parse(row.input),
    reasonCodes: JSON.parse(row.reasonCodes),
    reviewed: row.reviewed === 1,
    test: row.test === 1,
    must: row.must === 1,
    byTeacher: row.byTeacher === 1,
    audited: row.audited === 1,
  };
}

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
  add('test = ?', filter.test === undefined ? undefined : Number(filter.test));
  add('must = ?', filter.must === undefined ? undefined : Number(filter.must));
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
    add('instr(fold_case(input), ?) > 0', foldCase(JSON.stringify(filter.search).slice(1, -1)));
  }
  for (const condition of filter.fields?.flatMap(toFieldConditions) ?? []) {
    parts.push(condition.sql);
    values.push(...condition.values);
  }
  return { sql: parts.join(' AND '), values };
}

function addUp(groups: readonly ExampleGroup[]): ExampleTotals {
  const totals = { total: 0, labelled: 0, reviewed: 0, synthetic: 0 };
  const byOption = new Map<string, number>();
  const byStatus = { to_label: 0, done: 0, skipped: 0, flagged: 0 };
  for (const { decision, mark, source, reviewed, n } of groups) {
    totals.total += n;
    byStatus[toExampleStatus({ decision, mark })] += n;
    if (reviewed === 1) totals.reviewed += n;
    if (source === 'synthetic') totals.synthetic += n;
    if (decision === null) continue;
    totals.labelled += n;
    byOption.set(decision, (byOption.get(decision) ?? 0) + n);
  }
  return { ...totals, byOption, byStatus };
}

function prepareStatements(db: WorkbenchDatabase) {
  return {
    insert: db.prepare<[InsertedRow]>(
      `INSERT INTO examples (id, decision_type_id, input, decision, first_decision, reason_codes, source, reviewed, test,
         must, mark, note, by_teacher, log_id, audited, created_at, updated_at)
       VALUES (@id, @decisionTypeId, @input, @decision,
         ${firstOfNew({ typeId: '@decisionTypeId', input: '@input', decision: '@decision' })}, @reasonCodes, @source,
         @reviewed, @test, @must, @mark, @note, @byTeacher, @logId, @audited, @createdAt, @updatedAt)`,
    ),
    // In the order of the list, which is that of `seq`.
    insertSlice: db.prepare(
      `INSERT INTO examples (id, decision_type_id, input, decision, first_decision, reason_codes, source, reviewed, test,
         must, created_at, updated_at)
       SELECT value ->> 0, :decisionTypeId, value ->> 1, value ->> 2,
         ${firstOfNew({ typeId: ':decisionTypeId', input: 'value ->> 1', decision: 'value ->> 2' })}, value ->> 3,
         'user', 0, value ->> 4, value ->> 5, :createdAt, :createdAt
       FROM json_each(:slice)`,
    ),
    insertWholeSlice: db.prepare(
      `INSERT INTO examples (id, decision_type_id, input, decision, first_decision, reason_codes, source, reviewed, test,
         mark, note, by_teacher, created_at, updated_at, must, log_id, audited)
       SELECT value ->> 0, :decisionTypeId, value ->> 1, value ->> 2, ifnull(
         ${firstOfNew({ typeId: ':decisionTypeId', input: 'value ->> 1', decision: 'value ->> 2' })}, value ->> 5),
         value ->> 3, value ->> 6, value ->> 7, value ->> 4, value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12,
         value ->> 13, value ->> 14, value ->> 15
       FROM json_each(:slice)`,
    ),
    insertLabels: db.prepare(toGivenLabels(16)),
    insertReadings: db.prepare(toSecondReadings(18)),
    lastSeq: db.prepare<[], number | null>('SELECT max(seq) FROM examples').pluck(),
    notePart: db.prepare('INSERT INTO unfinished_example_parts VALUES (?, ?, ?)'),
    // Of no rows, in a place that rows never have: the type counts as unfinished all the same.
    noteEmptyPart: db.prepare(
      'INSERT OR IGNORE INTO unfinished_example_parts SELECT -seq, -seq, id FROM decision_types WHERE id = ?',
    ),
    keepParts: db.prepare('DELETE FROM unfinished_example_parts WHERE decision_type_id = ?'),
    findPart: db.prepare<{ decisionTypeId: string | null }, UnfinishedPart>(
      `SELECT * FROM unfinished_example_parts WHERE decision_type_id = ifnull(:decisionTypeId, decision_type_id)
       ORDER BY first_seq DESC LIMIT 1`,
    ),
    removePart: db.prepare<[UnfinishedPart]>(
      `DELETE FROM examples
       WHERE seq BETWEEN :first_seq AND :last_seq AND decision_type_id = :decision_type_id`,
    ),
    forgetPart: db.prepare<[UnfinishedPart]>('DELETE FROM unfinished_example_parts WHERE first_seq = :first_seq'),
    update: db
      .prepare<[UpdatedRow], string | null>(
        `UPDATE examples SET input = @input, decision = @decision, ${setFirstOfOne}, reason_codes = @reasonCodes,
           reviewed = @reviewed, test = @test, must = @must, mark = @mark, note = @note, by_teacher = @byTeacher,
           updated_at = @updatedAt
         WHERE id = @id RETURNING first_decision`,
      )
      .pluck(),
    rename: db.prepare<[RenamedLabel]>(
      `UPDATE examples SET decision = @to, first_decision = nullif(first_decision, @to),
         updated_at = ifnull(@updatedAt, updated_at)
       WHERE decision_type_id = @typeId AND decision = @from`,
    ),
    renameFirst: db.prepare<[Omit<RenamedLabel, 'updatedAt'>]>(
      `UPDATE examples SET first_decision = nullif(@to, decision)
       WHERE decision_type_id = @typeId AND first_decision = @from`,
    ),
    removeLabelled: db.prepare('DELETE FROM examples WHERE decision_type_id = ? AND decision = ?'),
    remove: db.prepare('DELETE FROM examples WHERE id = ? AND decision_type_id = ?'),
    get: db.prepare<[string, string], RawExample>(`${selectExamples} WHERE id = ? AND decision_type_id = ?`),
    getByLog: db.prepare<[string], RawExample>(`${selectExamples} WHERE log_id = ?`),
    readBefore: db.prepare<[string, number, number], RawExample>(
      `${selectExamples} WHERE decision_type_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    count: db.prepare<[string], number>('SELECT count(*) FROM examples WHERE decision_type_id = ?').pluck(),
    countByLabel: db.prepare<[string], { decision: string; n: number }>(
      `SELECT decision, count(*) AS n FROM examples WHERE decision_type_id = ? AND decision IS NOT NULL
       GROUP BY decision`,
    ),
    // An index covers each of the two: without one, 100,000 examples are read for them.
    countByGroup: db.prepare<[string], ExampleGroup>(
      `SELECT decision, source, reviewed, mark, count(*) AS n FROM examples WHERE decision_type_id = ?
       GROUP BY decision, source, reviewed, mark`,
    ),
    countTestRows: db.prepare<[{ typeId: string }], { decision: string; n: number }>(
      `SELECT decision, count(*) AS n FROM
         (SELECT decision FROM examples WHERE decision_type_id = @typeId AND test = 1 AND must = 0 UNION ALL
          SELECT decision FROM examples WHERE decision_type_id = @typeId AND must = 1) WHERE decision IS NOT NULL GROUP BY 1`,
    ),
  };
}

/** Examples one by one, in pages and counted; `example-changes.ts` has bulk changes. */
export class ExampleStore {
  readonly #db: WorkbenchDatabase;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #listMust;
  readonly #revisions = new Map<string, number>();
  readonly #totals = new Map<string, { revision: number; totals: ExampleTotals }>();

  constructor(db: WorkbenchDatabase) {
    this.#db = db;
    this.#statements = prepareStatements(db);
    this.#listMust = db.prepare<[string, number], RawExample>(
      `${selectExamples} WHERE decision_type_id = ? AND must = 1 AND decision IS NOT NULL ORDER BY seq DESC LIMIT ?`,
    );
  }

  /** Grows with every write of a type's examples while the program runs; a trigger would run for each row. */
  readRevision(decisionTypeId: string): number {
    return this.#revisions.get(decisionTypeId) ?? 0;
  }

  noteChange(decisionTypeId: string): void {
    this.#revisions.set(decisionTypeId, this.readRevision(decisionTypeId) + 1);
  }

  insert({ firstDecision: _, ...example }: ExampleRecord): void {
    this.noteChange(example.decisionTypeId);
    this.#statements.insert.run({
      ...example,
      input: JSON.stringify(example.input),
      reasonCodes: JSON.stringify(example.reasonCodes),
      reviewed: Number(example.reviewed),
      test: Number(example.test),
      must: Number(example.must),
      byTeacher: Number(example.byTeacher),
      audited: Number(example.audited),
    });
  }

  /** Adds the rows of one slice as a part of an addition, which is removed again unless `keepParts` ends it. */
  insertPart({ decisionTypeId, createdAt, slices, whole = false }: ExampleRows, index: number): void {
    this.noteChange(decisionTypeId);
    const firstSeq = (this.#statements.lastSeq.get() ?? 0) + 1;
    const slice = slices[index] ?? '[]';
    if (whole) {
      this.#statements.insertWholeSlice.run({ decisionTypeId, slice });
      this.#statements.insertLabels.run({ slice });
      this.#statements.insertReadings.run({ decisionTypeId, slice });
    } else this.#statements.insertSlice.run({ decisionTypeId, createdAt, slice });
    const lastSeq = this.#statements.lastSeq.get() ?? 0;
    if (lastSeq >= firstSeq) this.#statements.notePart.run(firstSeq, lastSeq, decisionTypeId);
    else this.#statements.noteEmptyPart.run(decisionTypeId);
  }

  /** Makes the parts of a type's addition count from now on. */
  keepParts(decisionTypeId: string): void {
    this.#statements.keepParts.run(decisionTypeId);
  }

  /** Removes one part that was not kept, of a type or, with null, of any; returns whether there was one. */
  removePart(decisionTypeId: string | null): boolean {
    const part = this.#statements.findPart.get({ decisionTypeId });
    if (part === undefined) return false;
    this.noteChange(part.decision_type_id);
    this.#statements.removePart.run(part);
    this.#statements.forgetPart.run(part);
    return true;
  }

  /**
   * Writes all of an example but its type, source, origin and the time it was made. Returns it with
   * its first label.
   */
  update(example: ExampleRecord): ExampleRecord {
    this.noteChange(example.decisionTypeId);
    const { id, decision, mark, note, updatedAt } = example;
    const firstDecision = this.#statements.update.get({
      ...{ id, decision, mark, note, updatedAt },
      input: JSON.stringify(example.input),
      reasonCodes: JSON.stringify(example.reasonCodes),
      reviewed: Number(example.reviewed),
      test: Number(example.test),
      must: Number(example.must),
      byTeacher: Number(example.byTeacher),
    });
    return { ...example, firstDecision: firstDecision ?? null };
  }

  /** Gives examples of a label another, or none; `updatedAt` is null for a mere new name. Returns their number. */
  renameLabel(typeId: string, from: string, to: string | null, updatedAt: number | null): number {
    this.noteChange(typeId);
    const { changes } = this.#statements.rename.run({ typeId, from, to, updatedAt });
    this.#statements.renameFirst.run({ typeId, from, to });
    return changes;
  }

  /** Deletes every example of a type that has one label. */
  removeLabelled(decisionTypeId: string, label: string): void {
    this.noteChange(decisionTypeId);
    this.#statements.removeLabelled.run(decisionTypeId, label);
    this.#statements.renameFirst.run({ typeId: decisionTypeId, from: label, to: null });
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
      `${selectExamples} WHERE ${sql} ORDER BY seq DESC LIMIT ? OFFSET ?`,
    );
    return {
      examples: rows.all(...values, pageSize, (page - 1) * pageSize).map(toExample),
      total: count.get(...values) ?? 0,
    };
  }

  *#readSlices(decisionTypeId: string, limit: number): Generator<RawExample[]> {
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = this.#statements.readBefore.all(decisionTypeId, before, limit);
      if (rows.length > 0) yield rows;
      const oldest = rows.at(-1);
      if (oldest === undefined || rows.length < limit) return;
      before = oldest.seq;
    }
  }

  /** Yields as `slices`, with each input as the JSON that is stored. */
  *slicesWithJsonInput(decisionTypeId: string, limit: number): Generator<JsonRow[]> {
    for (const rows of this.#readSlices(decisionTypeId, limit)) {
      yield rows.map(({ id, input, decision }) => ({ id, input, decision }));
    }
  }

  /** Yields the examples of a type, newest first, up to `limit` at a time. */
  *slices(decisionTypeId: string, limit: number): Generator<ExampleRecord[]> {
    for (const rows of this.#readSlices(decisionTypeId, limit)) yield rows.map(toExample);
  }

  count(decisionTypeId: string): number {
    return this.#statements.count.get(decisionTypeId) ?? 0;
  }

  /** Returns how many examples have each label; labels without examples are left out. */
  countByLabel(decisionTypeId: string): Map<string, number> {
    return new Map(this.#statements.countByLabel.all(decisionTypeId).map(({ decision, n }) => [decision, n]));
  }

  /** Lists the newest labelled cases of a type that must hold. */
  listMust(decisionTypeId: string, limit: number): ExampleRecord[] {
    return this.#listMust.all(decisionTypeId, limit).map(toExample);
  }

  /** Returns how many test rows and pinned cases have each label; labels without any are left out. */
  countTestRows(decisionTypeId: string): Map<string, number> {
    return new Map(
      this.#statements.countTestRows.all({ typeId: decisionTypeId }).map(({ decision, n }) => [decision, n]),
    );
  }

  /** Counts the examples of a type; they are counted again only after one of them has changed. */
  computeTotals(decisionTypeId: string): ExampleTotals {
    const revision = this.readRevision(decisionTypeId);
    const known = this.#totals.get(decisionTypeId);
    if (known?.revision === revision) return known.totals;
    const totals = addUp(this.#statements.countByGroup.all(decisionTypeId));
    // The writes of a transaction may still be rolled back, under the same revision.
    if (!this.#db.inTransaction) this.#totals.set(decisionTypeId, { revision, totals });
    return totals;
  }
}
