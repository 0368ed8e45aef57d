/** Where examples stand among those that a filter finds: what a list in another order than the newest first reads. */

import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import type { ExampleFilter } from '../../contract/examples/examples.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { type RawExample, selectExamples, toExample } from './example-fields.ts';
import { toWhere, type Value } from './examples.ts';

/** Stored columns that order examples; `input` is the JSON of the whole input. */
export type OrderColumn = 'seq' | 'created_at' | 'updated_at' | 'decision' | 'input';
/** An example by its row number, which grows with each one that is added, and its value of the column. */
type StoredKey = { seq: number; value: Value | null };

/** Reads the keys of examples, by which a list is ordered and paged. */
export function createExamplePlaces(db: WorkbenchDatabase) {
  return {
    /** Yields the matches among each `limit` examples, newest first; others may write between two slices. */
    *readKeys(
      decisionTypeId: string,
      filter: ExampleFilter,
      column: OrderColumn,
      limit: number,
    ): Generator<StoredKey[]> {
      const { sql, values } = toWhere(decisionTypeId, filter);
      const read = db.prepare<Value[], StoredKey>(
        `SELECT seq, ${column} AS value FROM examples WHERE ${sql} AND seq < ? AND seq >= ? ORDER BY seq DESC`,
      );
      const findFirst = db
        .prepare<Value[], number>(
          'SELECT seq FROM examples WHERE decision_type_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1 OFFSET ?',
        )
        .pluck();
      for (let before = Number.MAX_SAFE_INTEGER; before > 0; ) {
        const first = findFirst.get(decisionTypeId, before, limit - 1) ?? 0;
        yield read.all(...values, before, first);
        before = first;
      }
    },
    /** Returns the examples with these row numbers in the given order; those that are gone are left out. */
    readAt(decisionTypeId: string, seqs: readonly number[]): ExampleRecord[] {
      const rows = db
        .prepare<[string, string], RawExample>(
          `${selectExamples} WHERE seq IN (SELECT value FROM json_each(?)) AND decision_type_id = ?`,
        )
        .all(JSON.stringify(seqs), decisionTypeId);
      const found = new Map(rows.map((row) => [row.seq, toExample(row)]));
      return seqs.flatMap((seq) => found.get(seq) ?? []);
    },
    findSeq(decisionTypeId: string, id: string): number | null {
      const find = db
        .prepare<[string, string], number>('SELECT seq FROM examples WHERE id = ? AND decision_type_id = ?')
        .pluck();
      return find.get(id, decisionTypeId) ?? null;
    },
    /** Returns how many matches are newer than the one with a row number; null where that one is not a match. */
    countNewer(decisionTypeId: string, filter: ExampleFilter, seq: number): number | null {
      const { sql, values } = toWhere(decisionTypeId, filter);
      const count = db.prepare<Value[], { newer: number; isMatch: number }>(
        `SELECT count(*) FILTER (WHERE seq > ?) AS newer, count(*) FILTER (WHERE seq = ?) AS isMatch
       FROM examples WHERE ${sql}`,
      );
      const counted = count.get(seq, seq, ...values);
      return counted?.isMatch === 1 ? counted.newer : null;
    },
  };
}
