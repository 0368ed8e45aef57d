/** Reads of examples for labelling, and the labels that a teacher gives. */

import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import { listIdentifyingFields, maxIdentifyingRows } from '../../../engine/features/identifying-fields.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { type RawExample, selectExamples, toExample } from './example-fields.ts';
import { toWhere, type Value } from './examples.ts';
import { isConflict, ownAgainMs } from './label-history.ts';

/** Longer inputs do not show which fields tell rows apart. */
const maxIdentifyingBytes = 8_192;

type PlacedExample = ExampleRecord & { seq: number };

/** Where an example stands, without its input. `isUnconfirmed`: a teacher's label was not reviewed. */
export type ExampleState = Pick<ExampleRecord, 'id' | 'decision' | 'mark'> & { seq: number; isUnconfirmed: boolean };
/** `inputJson` is the input as it is stored: the caller hands it on to another process unread. */
type ExampleInput = Omit<ExampleState, 'seq'> & { inputJson: string };
type Raw<State extends { isUnconfirmed: boolean }> = Omit<State, 'isUnconfirmed'> & { isUnconfirmed: number };

/**
 * The examples that wait for somebody: without a label, flagged, made or labelled by a teacher and not reviewed, drawn
 * by the audit and not judged (oldest first), made by corrections after `since` (milliseconds), with two labels that
 * differ, or to be read again, labelled by another one than `reader` (null: by anybody) or a week before `now`.
 */
export type ExampleQueue =
  | { kind: 'to_label' | 'flagged' | 'synthetic' | 'audit' }
  | { kind: 'corrections'; since: number }
  | { kind: 'conflicts' }
  | { kind: 'second_reading'; reader: string | null; now: number };

const openSql = 'decision_type_id = ? AND decision IS NULL AND mark IS NULL';

function toQueueWhere(decisionTypeId: string, queue: ExampleQueue): { sql: string; values: Value[] } {
  switch (queue.kind) {
    case 'flagged':
      return toWhere(decisionTypeId, { status: queue.kind });
    case 'to_label':
      return { sql: `${openSql} AND audited = 0`, values: [decisionTypeId] };
    case 'synthetic':
      return { sql: 'decision_type_id = ? AND by_teacher = 1 AND reviewed = 0', values: [decisionTypeId] };
    case 'audit':
      return { sql: `${openSql} AND audited = 1`, values: [decisionTypeId] };
    case 'conflicts':
      return {
        sql: `decision_type_id = ? AND id IN (SELECT e.id FROM second_readings r JOIN examples e ON e.id = r.example_id
          WHERE r.decision_type_id = ? AND ${isConflict})`,
        values: [decisionTypeId, decisionTypeId],
      };
    case 'second_reading':
      return {
        sql: `decision_type_id = ? AND decision IS NOT NULL AND id IN (SELECT example_id FROM second_readings
          WHERE decision_type_id = ? AND decision IS NULL AND (? IS NULL OR first_reader IS NOT ? OR first_at <= ?))`,
        values: [decisionTypeId, decisionTypeId, queue.reader, queue.reader, queue.now - ownAgainMs],
      };
    case 'corrections':
      return {
        sql: 'decision_type_id = ? AND log_id IS NOT NULL AND audited = 0 AND updated_at > ?',
        values: [decisionTypeId, queue.since],
      };
  }
}

function prepareStatements(db: WorkbenchDatabase) {
  return {
    labelByTeacher: db.prepare(
      `UPDATE examples SET decision = ?, by_teacher = 1, reviewed = 0, updated_at = ?
       WHERE id = ? AND decision_type_id = ? AND decision IS NULL AND mark IS NULL AND audited = 0`,
    ),
    readToLabel: db.prepare<[string, number, number], RawExample>(
      `${selectExamples} WHERE decision_type_id = ? AND seq < ? AND decision IS NULL AND mark IS NULL AND audited = 0
       ORDER BY seq DESC LIMIT ?`,
    ),
    readLabelled: db.prepare<[string, number, number], RawExample>(
      `${selectExamples} WHERE decision_type_id = ? AND seq < ? AND decision IS NOT NULL
         AND (by_teacher = 0 OR reviewed = 1) AND source = 'user' ORDER BY seq DESC LIMIT ?`,
    ),
    readStates: db.prepare<[string, number, number], Raw<ExampleState>>(
      `SELECT seq, id, decision, mark, by_teacher AND NOT reviewed AS isUnconfirmed FROM examples WHERE decision_type_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
    ),
    readInputs: db.prepare<[string, string], Raw<ExampleInput>>(
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
  };
}

/** `noteChange` hears of every type whose examples are labelled. */
export function createLabellingStore(db: WorkbenchDatabase, noteChange: (decisionTypeId: string) => void) {
  const statements = prepareStatements(db);
  const readNewestInputs = (decisionTypeId: string, limit: number, maxBytes: number): JsonObject[] =>
    statements.readNewestInputs.all(decisionTypeId, maxBytes, limit).map((json) => JSON.parse(json) as JsonObject);

  return {
    /** Gives an example the label of a teacher; false where somebody labelled it or put it aside meanwhile. */
    labelByTeacher(decisionTypeId: string, id: string, decision: string, updatedAt: number): boolean {
      noteChange(decisionTypeId);
      return statements.labelByTeacher.run(decision, updatedAt, id, decisionTypeId).changes > 0;
    },
    /** Up to `limit` examples before a place that are to label (or have a person's label), newest first. */
    readForTeacher(
      decisionTypeId: string,
      kind: 'to_label' | 'labelled',
      before: number,
      limit: number,
    ): PlacedExample[] {
      const rows = statements[kind === 'to_label' ? 'readToLabel' : 'readLabelled'];
      return rows.all(decisionTypeId, before, limit).map((row) => ({ ...toExample(row), seq: row.seq }));
    },
    /** Up to `limit` examples before a place (`Number.MAX_SAFE_INTEGER`: from the newest on), without their inputs. */
    readStates: (decisionTypeId: string, before: number, limit: number): ExampleState[] =>
      statements.readStates
        .all(decisionTypeId, before, limit)
        .map((row) => ({ ...row, isUnconfirmed: row.isUnconfirmed === 1 })),
    /** The inputs of examples as the JSON that is stored; those that do not exist are left out. */
    readInputs: (decisionTypeId: string, ids: readonly string[]): ExampleInput[] =>
      statements.readInputs
        .all(JSON.stringify(ids), decisionTypeId)
        .map((row) => ({ ...row, isUnconfirmed: row.isUnconfirmed === 1 })),
    /** The fields that only tell rows apart, by the newest 1,000 examples: one list for queue, training and figures. */
    listIdentifyingFields: (decisionTypeId: string): string[][] =>
      listIdentifyingFields(readNewestInputs(decisionTypeId, maxIdentifyingRows, maxIdentifyingBytes)),
    /** The inputs of some of the newest 2,000 examples whose JSON is not longer than `maxBytes`. */
    readNewestInputs,
    /**
     * Up to `limit` examples of a queue without those of the ids `except`: newest first, the oldest of the audit, and
     * of those to label evenly from all, as a file may be sorted by its answers.
     */
    readQueue(decisionTypeId: string, queue: ExampleQueue, limit: number, except: readonly string[]): ExampleRecord[] {
      const { sql, values } = toQueueWhere(decisionTypeId, queue);
      if (queue.kind === 'to_label') {
        const evenly = db.prepare<Value[], RawExample>(
          `${selectExamples} WHERE id IN (SELECT id FROM (
             SELECT id, row_number() OVER (ORDER BY seq) AS place, count(*) OVER () AS total
             FROM examples WHERE ${sql} AND id NOT IN (SELECT value FROM json_each(?)))
           WHERE place * CAST(? AS INTEGER) / total > (place - 1) * CAST(? AS INTEGER) / total) ORDER BY seq`,
        );
        return evenly.all(...values, JSON.stringify(except), limit, limit).map(toExample);
      }
      const direction = queue.kind === 'audit' ? 'ASC' : 'DESC';
      const rows = db.prepare<Value[], RawExample>(
        `${selectExamples} WHERE ${sql} AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY seq ${direction} LIMIT ?`,
      );
      return rows.all(...values, JSON.stringify(except), limit).map(toExample);
    },
    countQueue(decisionTypeId: string, queue: ExampleQueue): number {
      const { sql, values } = toQueueWhere(decisionTypeId, queue);
      return (
        db
          .prepare<Value[], number>(`SELECT count(*) FROM examples WHERE ${sql}`)
          .pluck()
          .get(...values) ?? 0
      );
    },
  };
}

export type LabellingStore = ReturnType<typeof createLabellingStore>;
