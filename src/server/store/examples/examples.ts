/** Training examples of the decision types. */
import { foldCase } from '../../../engine/code-points.ts';
import { byName } from '../../../engine/domain/records.ts';
import { type ExampleRecord, exampleFields, fieldNames, setFlags } from '../../../engine/examples/fields.ts';
import type { ExampleFilter, ExampleStatus } from '../../contract/examples/examples.ts';
import type { WorkbenchDatabase } from '../database.ts';
import {
  changedFields,
  insertOne,
  insertSlice,
  type RawExample,
  type Stored,
  selectExamples,
  setColumns,
  toExample,
  toInitial,
  toStored,
} from './example-fields.ts';
import { toFieldConditions } from './field-tests.ts';
import { setFirstOfOne } from './first-labels.ts';
import { type GivenLabels, insertGivenLabels, insertSecondReadings } from './given-labels.ts';

/** A row that rules are measured on: an input as its stored JSON, and its label or decision. */
export type JsonRow = { id: string; input: string; decision: string | null };

type ExampleTotals = {
  total: number;
  labelled: number;
  reviewed: number;
  synthetic: number;
  byOption: ReadonlyMap<string, number>;
};

type ExampleGroup = { label: string; source: string; reviewed: 0 | 1; n: number };

export type Value = string | number | null;

/**
 * New examples: each slice is the JSON of a list of them, each an object of the fields that are not as in any new
 * example. `hasLabels`: some say who gave their labels.
 */
export type ExampleRows = {
  decisionTypeId: string;
  createdAt: number;
  count: number;
  slices: string[];
  hasLabels?: boolean;
};
type UnfinishedPart = { first_seq: number; last_seq: number; decision_type_id: string };
type NewRow = Pick<ExampleRecord, 'id' | 'input' | 'decision'> & Partial<ExampleRecord>;

/** The fields that a slice names: its type stands beside it. */
const writtenFields = fieldNames.filter((name) => name !== 'decisionTypeId');
const initials = byName(fieldNames, toInitial);

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
  #hasLabels = false;

  constructor(decisionTypeId: string, createdAt: number) {
    this.#decisionTypeId = decisionTypeId;
    this.#createdAt = createdAt;
  }

  /** Adds an example with what is known of it and, of one that a file brings, who gave its labels. */
  add(example: NewRow, labels: GivenLabels | null = null): void {
    const row: Record<string, unknown> = {};
    const stored: Partial<Stored> = toStored(example);
    for (const name of writtenFields) {
      const value = stored[name];
      const isTime = name === 'createdAt' || name === 'updatedAt';
      if (value !== undefined && value !== (isTime ? this.#createdAt : initials[name])) row[name] = value;
    }
    if (labels !== null) {
      this.#hasLabels = true;
      row['labels'] = labels;
    }
    this.#put(JSON.stringify(row));
  }

  #put(row: string): void {
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
    return { decisionTypeId, createdAt, count: this.#count, slices: this.#slices, hasLabels: this.#hasLabels };
  }

  #endSlice(): void {
    this.#slices.push(`[${this.#open.join(',')}]`);
    this.#open = [];
    this.#openCharacters = 0;
  }
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
  for (const flag of setFlags) {
    const wanted = filter[flag];
    add(`${exampleFields[flag].column} = ?`, wanted === undefined ? undefined : Number(wanted));
  }
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
  for (const { label, source, reviewed, n } of groups) {
    const decision = JSON.parse(label) as string | null;
    totals.total += n;
    totals.reviewed += reviewed * n;
    if (source === 'synthetic') totals.synthetic += n;
    if (decision === null) continue;
    totals.labelled += n;
    byOption.set(decision, (byOption.get(decision) ?? 0) + n);
  }
  return { ...totals, byOption };
}

function prepareStatements(db: WorkbenchDatabase) {
  return {
    insert: db.prepare<[Stored]>(insertOne),
    insertSlice: db.prepare(insertSlice),
    insertLabels: db.prepare(insertGivenLabels),
    insertReadings: db.prepare(insertSecondReadings),
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
      .prepare<[Stored], string | null>(
        `UPDATE examples SET ${setFirstOfOne}, ${setColumns(changedFields, (name) => `@${name}`)}
         WHERE id = @id RETURNING first_decision`,
      )
      .pluck(),
    remove: db.prepare('DELETE FROM examples WHERE id = ? AND decision_type_id = ?'),
    get: db.prepare<[string, string], RawExample>(`${selectExamples} WHERE id = ? AND decision_type_id = ?`),
    getByLog: db.prepare<[string], RawExample>(`${selectExamples} WHERE log_id = ?`),
    readBefore: db.prepare<[string, number, number], RawExample>(
      `${selectExamples} WHERE decision_type_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    findPeriod: db.prepare<[{ typeId: string }], { first: number | null; last: number | null }>(
      `SELECT (SELECT created_at FROM examples WHERE decision_type_id = @typeId ORDER BY seq LIMIT 1) AS first,
         (SELECT created_at FROM examples WHERE decision_type_id = @typeId ORDER BY seq DESC LIMIT 1) AS last`,
    ),
    readCounts: db.prepare<[string], ExampleGroup>(
      'SELECT label, source, reviewed, n FROM example_counts WHERE decision_type_id = ? AND n > 0',
    ),
    // An index covers each of the two: without one, 100,000 examples are read for them.
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

  insert(example: ExampleRecord): void {
    this.noteChange(example.decisionTypeId);
    this.#statements.insert.run(toStored(example));
  }

  /** Adds the rows of one slice as a part of an addition, which is removed again unless `keepParts` ends it. */
  insertPart({ decisionTypeId, createdAt, slices, hasLabels = false }: ExampleRows, index: number): void {
    this.noteChange(decisionTypeId);
    const firstSeq = (this.#statements.lastSeq.get() ?? 0) + 1;
    const slice = slices[index] ?? '[]';
    this.#statements.insertSlice.run({ decisionTypeId, createdAt, slice });
    if (hasLabels) {
      this.#statements.insertLabels.run({ slice });
      this.#statements.insertReadings.run({ decisionTypeId, slice });
    }
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

  /** Writes all of an example but its type, source, origin and creation; returns it with its first label. */
  update(example: ExampleRecord): ExampleRecord {
    this.noteChange(example.decisionTypeId);
    const firstDecision = this.#statements.update.get(toStored(example));
    return { ...example, firstDecision: firstDecision ?? null };
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
    return this.computeTotals(decisionTypeId).total;
  }

  /** Finds when the first and the last example of a type were added, in milliseconds; null without any. */
  findPeriod(decisionTypeId: string): { first: number; last: number } | null {
    const { first = null, last = null } = this.#statements.findPeriod.get({ typeId: decisionTypeId }) ?? {};
    return first === null || last === null ? null : { first, last };
  }

  /** Returns how many examples have each label; labels without examples are left out. */
  countByLabel(decisionTypeId: string): ReadonlyMap<string, number> {
    return this.computeTotals(decisionTypeId).byOption;
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

  /** Counts the examples of a type, by the counts that each change keeps. */
  computeTotals(decisionTypeId: string): ExampleTotals {
    return addUp(this.#statements.readCounts.all(decisionTypeId));
  }
}
