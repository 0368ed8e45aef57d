/** Reads of examples for labelling, and the labels that a teacher gives. */

import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import { listIdentifyingFields, maxIdentifyingRows } from '../../../engine/features/identifying-fields.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { type RawExample, selectExamples, toExample } from './example-fields.ts';
import type { Value } from './examples.ts';
import { isConflict, isWaiting, ownAgainMs } from './label-history.ts';

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

/** Where a queue stands, newest first but for the audit's: an index has just its rows, in their order. */
type QueuePlace = { sql: string; values: Value[]; order: string };

const openSql = 'decision IS NULL AND mark IS NULL';

function toQueuePlace(typeId: string, queue: ExampleQueue): QueuePlace {
  const ofExamples = 'SELECT id FROM examples WHERE decision_type_id = ?';
  const ofReadings = (index: string) =>
    `SELECT example_id AS id FROM second_readings INDEXED BY ${index} WHERE decision_type_id = ?`;
  switch (queue.kind) {
    case 'flagged':
      return { sql: `${ofExamples} AND mark = 'flagged'`, values: [typeId], order: 'seq DESC' };
    case 'synthetic':
      return { sql: `${ofExamples} AND by_teacher = 1 AND reviewed = 0`, values: [typeId], order: 'seq DESC' };
    case 'to_label':
      return { sql: `${ofExamples} AND audited = 0 AND ${openSql}`, values: [typeId], order: 'seq' };
    case 'audit':
      return { sql: `${ofExamples} AND audited = 1 AND ${openSql}`, values: [typeId], order: 'seq' };
    case 'conflicts':
      return {
        sql: `${ofReadings('second_readings_conflicts')} AND ${isConflict}`,
        values: [typeId],
        order: 'read_at DESC',
      };
    case 'second_reading':
      return {
        sql: `${ofReadings('second_readings_waiting')} AND ${isWaiting} AND (? IS NULL OR first_reader IS NOT ? OR first_at <= ?)`,
        values: [typeId, queue.reader, queue.reader, queue.now - ownAgainMs],
        order: 'first_at DESC',
      };
    case 'corrections':
      return {
        sql: `${ofExamples} AND log_id IS NOT NULL AND audited = 0 AND updated_at > ?`,
        values: [typeId, queue.since],
        order: 'updated_at DESC',
      };
  }
}

/** Of these queues each change keeps the count. */
const keptCounts: { [Kind in ExampleQueue['kind']]?: string } = {
  to_label: "label = 'null' AND mark = '' AND audited = 0",
  audit: "label = 'null' AND mark = '' AND audited = 1",
  flagged: "mark = 'flagged'",
  synthetic: 'by_teacher = 1 AND reviewed = 0',
};

function toCount(typeId: string, queue: ExampleQueue): Omit<QueuePlace, 'order'> {
  const kept = keptCounts[queue.kind];
  if (kept !== undefined) {
    return {
      sql: `SELECT ifnull(sum(n), 0) FROM example_counts WHERE decision_type_id = ? AND ${kept}`,
      values: [typeId],
    };
  }
  const { sql, values } = toQueuePlace(typeId, queue);
  return { sql: `SELECT count(*) FROM (${sql})`, values };
}

/** Calls that begin at multiples of this share of the whole fall evenly, however many they are. */
const evenStep = (Math.sqrt(5) - 1) / 2;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    noteDrawnDeletion: db.prepare('INSERT OR IGNORE INTO drawn_deletions (example_id, decision_type_id) VALUES (?, ?)'),
    countDrawnDeletions: db
      .prepare<[string], number>(
        `SELECT count(*) FROM drawn_deletions d WHERE d.decision_type_id = ?
         AND NOT EXISTS (SELECT 1 FROM examples e WHERE e.id = d.example_id)`,
      )
      .pluck(),
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
       WHERE id IN (SELECT value FROM json_each(?)) AND +decision_type_id = ?`,
    ),
    readOpenFrom: db.prepare<[string, number], { seq: number; id: string }>(
      `SELECT seq, id FROM examples WHERE decision_type_id = ? AND audited = 0 AND ${openSql} AND seq >= ? ORDER BY seq`,
    ),
    findNewestOpen: db
      .prepare<[string], number>(
        `SELECT seq FROM examples WHERE decision_type_id = ? AND audited = 0 AND ${openSql} ORDER BY seq DESC LIMIT 1`,
      )
      .pluck(),
    readThese: db.prepare<[string], RawExample>(`${selectExamples} WHERE id IN (SELECT value FROM json_each(?))`),
    readNewestInputs: db
      .prepare<[string, number, number], string>(
        // The length in bytes is known without reading the text.
        `SELECT input FROM (SELECT input FROM examples WHERE decision_type_id = ? ORDER BY seq DESC LIMIT 2000)
         WHERE octet_length(input) <= ? LIMIT ?`,
      )
      .pluck(),
  };
}

/** Up to `limit` of the examples to label, evenly from all: the next one at or behind each of some places. */
function listEvenly(
  statements: ReturnType<typeof prepareStatements>,
  typeId: string,
  limit: number,
  except: readonly string[],
): string[] {
  const last = statements.findNewestOpen.get(typeId);
  const first = last === undefined ? undefined : statements.readOpenFrom.get(typeId, 0)?.seq;
  if (first === undefined || last === undefined) return [];
  const passed = new Set(except);
  const findFrom = (seq: number): string | null => {
    for (const { id } of statements.readOpenFrom.iterate(typeId, seq)) if (!passed.has(id)) return id;
    return null;
  };
  const chosen: string[] = [];
  const places = last - first + 1;
  const begin = Math.floor(((except.length * evenStep) % 1) * places);
  while (chosen.length < limit) {
    const step = Math.floor(((chosen.length + 1) * places) / limit) - 1;
    const id = findFrom(first + ((step + begin) % places)) ?? findFrom(first);
    if (id === null) break;
    passed.add(id);
    chosen.push(id);
  }
  return chosen;
}

/** `noteChange` hears of every type whose examples are labelled. */
export function createLabellingStore(db: WorkbenchDatabase, noteChange: (decisionTypeId: string) => void) {
  const statements = prepareStatements(db);
  function listQueue(typeId: string, queue: ExampleQueue, limit: number, except: readonly string[]): string[] {
    if (queue.kind === 'to_label') return listEvenly(statements, typeId, limit, except);
    const { sql, values, order } = toQueuePlace(typeId, queue);
    return db
      .prepare<Value[], string>(
        `SELECT id FROM (${sql} ORDER BY ${order}) WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT ?`,
      )
      .pluck()
      .all(...values, JSON.stringify(except), limit);
  }

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
    /** Notes that examples which measured rows stand for are deleted without a label; an undo takes that back by itself. */
    noteDrawnDeletions(decisionTypeId: string, ids: readonly string[]): void {
      for (const id of ids) statements.noteDrawnDeletion.run(id, decisionTypeId);
    },
    countDrawnDeletions: (decisionTypeId: string): number => statements.countDrawnDeletions.get(decisionTypeId) ?? 0,
    /** The inputs of some of the newest 2,000 examples whose JSON is not longer than `maxBytes`. */
    readNewestInputs,
    /**
     * Up to `limit` examples of a queue without those of the ids `except`: newest first, the oldest of the audit, and
     * of those to label evenly from all, as a file may be sorted by its answers.
     */
    readQueue(typeId: string, queue: ExampleQueue, limit: number, except: readonly string[]): ExampleRecord[] {
      const ids = listQueue(typeId, queue, limit, except);
      const rows = new Map(statements.readThese.all(JSON.stringify(ids)).map((row) => [row.id, row]));
      return ids.flatMap((id) => rows.get(id) ?? []).map(toExample);
    },
    countQueue(typeId: string, queue: ExampleQueue): number {
      const { sql, values } = toCount(typeId, queue);
      const count = db.prepare<Value[], number>(sql).pluck();
      return count.get(...values) ?? 0;
    },
  };
}

export type LabellingStore = ReturnType<typeof createLabellingStore>;
