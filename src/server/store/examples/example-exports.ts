/** Reading the examples of a type one after another to export them, each with what models said of it. */

import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import type { ExampleFilter } from '../../contract/examples/examples.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { type RawExample, selectExamples, toExample } from './example-fields.ts';
import { toWhere, type Value } from './examples.ts';

/** The answer of a model that had not seen an example, and whether the policy held it out. */
type ModelAnswer = { suggestion: string | null; suggestionProbability: number | null; isHeldOut: boolean };
/** Who gave the label, when (milliseconds since 1970), and the second reading as JSON; null where not known. */
type GivenLabel = { reader: string | null; labelledAt: number | null; secondReading: string | null };
export type ExportRow = ExampleRecord & ModelAnswer & GivenLabel;
type RawRow = RawExample & Omit<ModelAnswer, 'isHeldOut'> & { isHeldOut: number } & GivenLabel;

/** Which examples leave: those of a filter and, with a time, those that a training which began then was given. */
export type ExportSelection = { filter: ExampleFilter; trainedAt: number | null };

/** The label of an example at a time, by the first one that it was given since. */
const toLabelAt = (at: number) => `(SELECT iif(count(*) = 0, examples.decision, (SELECT before FROM label_history
    WHERE example_id = examples.id AND kind <> 'second_reading' AND given_at > ${at} ORDER BY seq LIMIT 1))
  FROM label_history WHERE example_id = examples.id AND kind <> 'second_reading' AND given_at > ${at})`;

function toSelectionWhere(typeId: string, { filter, trainedAt }: ExportSelection): { sql: string; values: Value[] } {
  const { sql, values } = toWhere(typeId, filter);
  if (trainedAt === null) return { sql, values };
  return {
    sql: `${sql} AND must = 0 AND created_at <= ? AND ${toLabelAt(trainedAt)} IS NOT NULL`,
    values: [...values, trainedAt],
  };
}

/** The policy whose held-out rows are meant, and the search of labels that counts; '' if there is none. */
type Models = { policyId: string; searchId: string };

/** The held-out answer of the policy, else what the check of all labels found likeliest while the label is the same. */
const withAnswers = `SELECT e.*, h.example_id IS NOT NULL AS isHeldOut,
    coalesce(h.predicted, iif(c.probability >= c.likelier_probability, c.label, c.likelier)) AS suggestion,
    coalesce((SELECT max(value) FROM json_each(h.probabilities)), max(c.probability, c.likelier_probability))
      AS suggestionProbability,
    l.reader, l.given_at AS labelledAt,
    iif(r.decision IS NULL, NULL, json_object('first_decision', r.first_decision, 'first_reader', r.first_reader,
      'first_at', r.first_at, 'decision', r.decision, 'reader', r.reader, 'note', r.note, 'read_at', r.read_at,
      'settled_at', r.settled_at)) AS secondReading
  FROM (${selectExamples} WHERE seq IN (SELECT value FROM json_each(@seqs))) e
  LEFT JOIN held_out_predictions h ON h.policy_id = @policyId AND h.example_id = e.id
  LEFT JOIN label_checks c ON c.search_id = @searchId AND c.example_id = e.id AND c.label = e.decision
  LEFT JOIN second_readings r ON r.example_id = e.id
  LEFT JOIN label_history l ON l.seq = (SELECT max(seq) FROM label_history WHERE example_id = e.id
    AND kind <> 'second_reading' AND decision = e.decision)
  ORDER BY e.seq`;

/** The labels at a time of the examples whose row numbers are given as a JSON list, each with its example's id. */
const prepareLabelsAt = (db: WorkbenchDatabase, at: number) =>
  db
    .prepare<[string], [id: string, label: string]>(
      `SELECT id, ${toLabelAt(at)} FROM examples WHERE seq IN (SELECT value FROM json_each(?))`,
    )
    .raw();

function toRow({ suggestion, suggestionProbability, isHeldOut, reader, labelledAt, ...row }: RawRow): ExportRow {
  const { secondReading, ...example } = row;
  const answer = { suggestion, suggestionProbability, isHeldOut: isHeldOut === 1 };
  return { ...toExample(example), ...answer, reader, labelledAt, secondReading };
}

/** A row with the label of an earlier time: as old as that, so that no import takes its label for a newer one. */
function toRowAt(row: ExportRow, decision: string | null, at: number | null): ExportRow {
  const given = decision === row.decision ? {} : { reader: null, labelledAt: null };
  return { ...row, decision, ...given, updatedAt: Math.min(row.updatedAt, at ?? row.updatedAt) };
}

/** Reads what is exported, a slice of examples at a time; others may write between two slices. */
export function createExampleExportStore(db: WorkbenchDatabase) {
  const rows = db.prepare<[Models & { seqs: string }], RawRow>(withAnswers);
  const lastSeq = db
    .prepare<[string], number | null>('SELECT max(seq) FROM examples WHERE decision_type_id = ?')
    .pluck();
  const findLast = db
    .prepare<[string, number, number], number>(
      'SELECT seq FROM examples WHERE decision_type_id = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ?',
    )
    .pluck();

  return {
    /** Row number of a type's newest example, 0 if there is none: later ones are no part of an export. */
    findEnd: (typeId: string): number => lastSeq.get(typeId) ?? 0,
    /** Counts what is left of the examples that a training which began at a time was given, and what changed since. */
    countTrained(typeId: string, trainedAt: number): { left: number; changed: number } {
      const { sql, values } = toSelectionWhere(typeId, { filter: {}, trainedAt });
      const count = db.prepare<Value[], { left: number; changed: number }>(
        `SELECT count(*) AS left, count(*) FILTER (WHERE updated_at > ?) AS changed FROM examples WHERE ${sql}`,
      );
      return count.get(trainedAt, ...values) ?? { left: 0, changed: 0 };
    },
    /** Yields the inputs of the matches among each `limit` examples up to `end`, oldest first, as they are stored. */
    *readInputs(typeId: string, selection: ExportSelection, end: number, limit: number): Generator<string[]> {
      const { sql, values } = toSelectionWhere(typeId, selection);
      const read = db
        .prepare<Value[], string>(`SELECT input FROM examples WHERE ${sql} AND seq > ? AND seq <= ? ORDER BY seq`)
        .pluck();
      for (const [after, last] of readRanges(typeId, end, limit)) yield read.all(...values, after, last);
    },
    /** Yields the matches among each `limit` examples up to `end`, oldest first. */
    *readRows(
      typeId: string,
      selection: ExportSelection,
      models: Models,
      end: number,
      limit: number,
    ): Generator<ExportRow[]> {
      const { sql, values } = toSelectionWhere(typeId, selection);
      const find = db
        .prepare<Value[], number>(`SELECT seq FROM examples WHERE ${sql} AND seq > ? AND seq <= ?`)
        .pluck();
      const findLabels = selection.trainedAt === null ? null : prepareLabelsAt(db, selection.trainedAt);
      for (const [after, last] of readRanges(typeId, end, limit)) {
        const seqs = JSON.stringify(find.all(...values, after, last));
        const labels = findLabels === null ? null : new Map(findLabels.all(seqs));
        const read = rows.all({ ...models, seqs }).map(toRow);
        yield labels === null ? read : read.map((row) => toRowAt(row, labels.get(row.id) ?? null, selection.trainedAt));
      }
    },
  };

  /** Yields ranges of row numbers, each with up to `limit` examples of the type: `after` is outside, `last` inside. */
  function* readRanges(typeId: string, end: number, limit: number): Generator<[after: number, last: number]> {
    for (let after = -1; after < end; ) {
      const last = Math.min(end, findLast.get(typeId, after, limit - 1) ?? end);
      yield [after, last];
      after = last;
    }
  }
}
