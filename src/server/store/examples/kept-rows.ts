/** The rows of examples as they were before a change of many, kept in parts for its undo. */
import { exampleFields, type FieldName, fieldNames, mergedFields } from '../../../engine/examples/fields.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { orInitial, setColumns } from './example-fields.ts';
import type { Value } from './examples.ts';

/** Some examples, as a condition. */
export type Chosen = { sql: string; values: readonly Value[] };
export type Part = { token: string; part: number };
type OfOption = { from: string; into: string | null };

/** The fields that changes of many examples set, which their undo keeps. */
const labelFields = [
  ...mergedFields.filter((name) => name === 'decision' || name === 'mark' || exampleFields[name].kind === 'flag'),
  'firstDecision',
  'updatedAt',
] as const;
const toColumns = (names: readonly FieldName[]) => names.map((name) => exampleFields[name].column);
const labelColumns = toColumns(['id', ...labelFields]);
const allColumns = ['seq', ...toColumns(fieldNames)];
/** A field of a kept row; one that an earlier program kept may lack it. */
const toKept = (name: FieldName) => orInitial(name, `kept.${exampleFields[name].column}`);
const toJsonObject = (columns: readonly string[]) =>
  `json_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})`;
/** The rows that a part kept, as a table. */
const keptRows = `(SELECT ${allColumns.map((column) => `value ->> '${column}' AS ${column}`).join(', ')}
  FROM json_each((SELECT rows FROM example_undo_parts WHERE token = @token AND part = @part)))`;

const toDeleted = (name: FieldName) =>
  name === 'logId'
    ? 'iif(EXISTS (SELECT 1 FROM examples WHERE log_id = kept.log_id), NULL, kept.log_id)'
    : toKept(name);

function prepareStatements(db: WorkbenchDatabase) {
  return {
    first: db.prepare<[string], number | null>('SELECT min(part) FROM example_undo_parts WHERE token = ?').pluck(),
    forget: db.prepare<[Part]>('DELETE FROM example_undo_parts WHERE token = @token AND part = @part'),
    // A label that was changed since stays with its example; of one that was edited otherwise the time stays.
    restoreOption: db.prepare<[Part & OfOption]>(
      `UPDATE examples SET decision = kept.decision, first_decision = kept.first_decision, by_teacher = ifnull(kept.by_teacher, 0),
         updated_at = iif(examples.updated_at = (SELECT created_at FROM example_undos WHERE token = @token),
           kept.updated_at, examples.updated_at)
       FROM ${keptRows} AS kept
       WHERE examples.id = kept.id AND examples.decision IS @into AND kept.decision = @from`,
    ),
    restoreFirst: db.prepare<[Part & OfOption]>(
      `UPDATE examples SET first_decision = nullif(kept.first_decision, examples.decision)
       FROM ${keptRows} AS kept
       WHERE examples.id = kept.id AND kept.first_decision = @from AND ifnull(examples.first_decision, @into) IS @into`,
    ),
    restoreLabels: db.prepare<[Part]>(
      `UPDATE examples SET ${setColumns(labelFields, toKept)}
       FROM ${keptRows} AS kept WHERE examples.id = kept.id`,
    ),
    countMeasuredAsBefore: db
      .prepare<[Part & { typeId: string }], number>(
        `SELECT count(*) FROM ${keptRows} AS kept JOIN examples e ON e.id = kept.id
         WHERE e.first_decision IS NOT NULL AND (e.test = 1 OR e.audited = 1 OR EXISTS (
           SELECT 1 FROM held_out_predictions h WHERE h.example_id = e.id AND h.policy_id = (
             SELECT id FROM policies p WHERE decision_type_id = @typeId
               AND EXISTS (SELECT 1 FROM held_out_predictions WHERE policy_id = p.id)
             ORDER BY version DESC LIMIT 1)))`,
      )
      .pluck(),
    isPlaceTaken: db
      .prepare<[Part], number>(
        `SELECT EXISTS (SELECT 1 FROM ${keptRows} AS kept JOIN examples ON examples.seq = kept.seq)`,
      )
      .pluck(),
    keepDrawn: db.prepare<[Part & { ids: string }], number>(
      `INSERT INTO example_undo_parts (token, part, rows)
       SELECT @token, @part, json_group_array(json_object('drawn', value)) FROM json_each(@ids)`,
    ),
    removeDrawn: db.prepare<[Part]>(
      `DELETE FROM second_readings WHERE decision IS NULL AND example_id IN (SELECT value ->> 'drawn'
         FROM json_each((SELECT rows FROM example_undo_parts WHERE token = @token AND part = @part)))`,
    ),
    // A place or a log record that was taken meanwhile stays with the newer example.
    restoreDeleted: db.prepare<[Part & { asNew: number }]>(
      `INSERT INTO examples (${allColumns.join(', ')})
       SELECT iif(@asNew, NULL, seq), ${fieldNames.map(toDeleted).join(', ')}
       FROM ${keptRows} AS kept
       WHERE input IS NOT NULL AND NOT EXISTS (SELECT 1 FROM examples WHERE id = kept.id) ORDER BY kept.seq`,
    ),
  };
}

/** Keeps rows and gives them back, a part at a time, in transactions of the caller. */
export function createKeptRows(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);
  function restoreDeleted(part: Part): number {
    return statements.restoreDeleted.run({ ...part, asNew: statements.isPlaceTaken.get(part) ?? 0 }).changes;
  }
  function findFirst(token: string): Part | null {
    const part = statements.first.get(token) ?? null;
    return part === null ? null : { token, part };
  }

  return {
    /** Keeps the labels of some examples, or with `isDeletion` all of them; returns the bytes that this takes. */
    keep({ token, part }: Part, { sql, values }: Chosen, isDeletion: boolean): number {
      const row = toJsonObject(isDeletion ? allColumns : labelColumns);
      const insert = db.prepare<Value[], number>(
        `INSERT INTO example_undo_parts (token, part, rows) SELECT ?, ?, json_group_array(${row}) FROM examples
         WHERE ${sql} HAVING count(*) > 0 RETURNING octet_length(rows)`,
      );
      return insert.pluck().get(token, part, ...values) ?? 0;
    },
    /** Keeps which examples were drawn to be read again: the undo takes back those that are not read yet. */
    keepDrawn(part: Part, ids: readonly string[]): void {
      if (ids.length > 0) statements.keepDrawn.run({ ...part, ids: JSON.stringify(ids) });
    },
    /** Counts the examples of a part that are held out, and are measured by another label than they have now. */
    countMeasuredAsBefore: (part: Part, typeId: string): number =>
      statements.countMeasuredAsBefore.get({ ...part, typeId }) ?? 0,
    /** Gives the rows of a part back and forgets it; returns their number, null where no part is left. */
    restore(token: string): number | null {
      const part = findFirst(token);
      if (part === null) return null;
      const restored =
        statements.restoreLabels.run(part).changes + restoreDeleted(part) + statements.removeDrawn.run(part).changes;
      statements.forget.run(part);
      return restored;
    },
    /** As `restore`, of rows that had the label of an option, as far as they were not labelled since. */
    restoreOption(token: string, option: OfOption): number | null {
      const part = findFirst(token);
      if (part === null) return null;
      const restored = statements.restoreOption.run({ ...part, ...option }).changes + restoreDeleted(part);
      statements.restoreFirst.run({ ...part, ...option });
      statements.forget.run(part);
      return restored;
    },
  };
}
