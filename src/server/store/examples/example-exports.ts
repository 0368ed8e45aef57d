/** Reading the examples of a type one after another to export them, each with what models said of it. */
import type { ExampleFilter } from '../../contract/examples/examples.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { type ExampleRecord, type RawExample, selectExamples, toExample, toWhere, type Value } from './examples.ts';

/** The answer of a model that had not seen an example, and whether the policy held it out. */
type ModelAnswer = { suggestion: string | null; suggestionProbability: number | null; isHeldOut: boolean };
/** An example to export. */
export type ExportRow = ExampleRecord & ModelAnswer;
type RawRow = RawExample & Omit<ModelAnswer, 'isHeldOut'> & { isHeldOut: number };

/** The policy whose held-out rows are meant, and the search of labels that counts; '' where there is none. */
type Models = { policyId: string; searchId: string };

/** The held-out answer of the policy, else what the check of all labels found likeliest while the label is the same. */
const withAnswers = `SELECT e.*, h.example_id IS NOT NULL AS isHeldOut,
    coalesce(h.predicted, iif(c.probability >= c.likelier_probability, c.label, c.likelier)) AS suggestion,
    coalesce((SELECT max(value) FROM json_each(h.probabilities)), max(c.probability, c.likelier_probability))
      AS suggestionProbability
  FROM (${selectExamples} WHERE seq IN (SELECT value FROM json_each(@seqs))) e
  LEFT JOIN held_out_predictions h ON h.policy_id = @policyId AND h.example_id = e.id
  LEFT JOIN label_checks c ON c.search_id = @searchId AND c.example_id = e.id AND c.label = e.decision
  ORDER BY e.seq`;

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
    /** Row number of a type's newest example, 0 where there is none: later ones are no part of an export. */
    findEnd: (typeId: string): number => lastSeq.get(typeId) ?? 0,
    /** Yields the inputs of the matches among each `limit` examples up to `end`, oldest first, as they are stored. */
    *readInputs(typeId: string, filter: ExampleFilter, end: number, limit: number): Generator<string[]> {
      const { sql, values } = toWhere(typeId, filter);
      const read = db
        .prepare<Value[], string>(`SELECT input FROM examples WHERE ${sql} AND seq > ? AND seq <= ? ORDER BY seq`)
        .pluck();
      for (const [after, last] of readRanges(typeId, end, limit)) yield read.all(...values, after, last);
    },
    /** Yields the matches among each `limit` examples up to `end`, oldest first. */
    *readRows(
      typeId: string,
      filter: ExampleFilter,
      models: Models,
      end: number,
      limit: number,
    ): Generator<ExportRow[]> {
      const { sql, values } = toWhere(typeId, filter);
      const find = db
        .prepare<Value[], number>(`SELECT seq FROM examples WHERE ${sql} AND seq > ? AND seq <= ?`)
        .pluck();
      for (const [after, last] of readRanges(typeId, end, limit)) {
        const seqs = JSON.stringify(find.all(...values, after, last));
        yield rows.all({ ...models, seqs }).map(({ suggestion, suggestionProbability, isHeldOut, ...row }) => ({
          ...toExample(row),
          suggestion,
          suggestionProbability,
          isHeldOut: isHeldOut === 1,
        }));
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
