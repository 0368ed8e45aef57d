/** Changes of many examples at once, each in a few statements, and the records to undo them, the newest longest. */
import type { Costs } from '../../../engine/costs.ts';
import {
  exampleFields,
  type FieldName,
  fieldNames,
  mergedFields,
  type setFlags,
} from '../../../engine/examples/fields.ts';
import type { ExampleFilter, ExampleStatus } from '../../contract/examples/examples.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { orInitial, setColumns } from './example-fields.ts';
import { toWhere } from './examples.ts';
import { toFirstOfMany } from './first-labels.ts';

export type ExampleSelection = { ids: readonly string[] } | { filter: ExampleFilter };
export type ExampleChange =
  | { set: 'decision'; to: string | null }
  | { set: (typeof setFlags)[number]; to: boolean }
  | { set: 'status'; to: ExampleStatus }
  | 'delete';

/** The effect of an option change on a type besides its examples; earlier programs stored no `costs`. */
type TypeAround = { versionId: string; fallbackOption: string | null; costs?: Costs | null };

/** A change of a type's options, as far as its undo has to know it. */
export type OptionChange = {
  from: string;
  /** The new label of its examples; null where they have lost their label or were deleted. */
  into: string | null;
  /** Whether the option has only another name, so that every example with the new one is meant. */
  isRename: boolean;
  before: TypeAround;
  after: TypeAround;
};

/** At least this many changes of each type can be undone, and older ones while all of them are no larger than this. */
const minKeptChanges = 10;
const maxKeptBytes = 64 * 1024 * 1024;

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
/** The rows that a change kept, as a table. */
const keptRows = `(SELECT ${allColumns.map((column) => `value ->> '${column}' AS ${column}`).join(', ')}
  FROM json_each((SELECT rows FROM example_undos WHERE token = @token)))`;

const toDeleted = (name: FieldName) =>
  name === 'logId'
    ? 'iif(EXISTS (SELECT 1 FROM examples WHERE log_id = kept.log_id), NULL, kept.log_id)'
    : toKept(name);

/** Writes a change as SQL assignments; a label settles the mark. */
function toAssignments(change: Exclude<ExampleChange, 'delete'>): string {
  if (change.set === 'status') return 'mark = @value';
  if (change.set !== 'decision') return `${exampleFields[change.set].column} = @value`;
  const label = `decision = @decision, by_teacher = 0, ${toFirstOfMany('@decision')}`;
  return change.to === null ? label : `${label}, mark = NULL`;
}

/** Leaves out the examples that cannot have the status, and generated ones as test rows. */
function toCondition(change: ExampleChange): string {
  if (change === 'delete' || change.set === 'decision') return '';
  if (change.set !== 'status')
    return change.to && 'notGenerated' in exampleFields[change.set] ? " AND source = 'user'" : '';
  if (change.to === 'done') return ' AND decision IS NOT NULL';
  return change.to === 'to_label' ? ' AND decision IS NULL' : '';
}

function toColumnValue(change: Exclude<ExampleChange, 'delete' | { set: 'decision' }>): string | number | null {
  if (change.set !== 'status') return Number(change.to);
  return change.to === 'skipped' || change.to === 'flagged' ? change.to : null;
}

type RestoredOption = { token: string } & Pick<OptionChange, 'from' | 'into'>;
/** The label is null where no example is kept. */
type KeptOption = {
  token: string;
  typeId: string;
  at: number;
  change: string;
  label: string | null;
  isDeletion: number;
};

function prepareStatements(db: WorkbenchDatabase) {
  return {
    trim: db.prepare(
      `DELETE FROM example_undos WHERE rowid IN (SELECT id FROM
         (SELECT rowid AS id, row_number() OVER newest AS place, sum(octet_length(rows)) OVER newest AS bytes
          FROM example_undos WHERE decision_type_id = ? WINDOW newest AS (ORDER BY rowid DESC))
         WHERE place > ${minKeptChanges} AND bytes > ${maxKeptBytes})`,
    ),
    find: db.prepare<[string, string], { optionChange: string | null; isCovered: number }>(
      `SELECT option_change AS optionChange, EXISTS (SELECT 1 FROM example_undos AS newer WHERE
         newer.decision_type_id = kept.decision_type_id AND newer.rowid > kept.rowid
         AND newer.option_change IS NOT NULL) AS isCovered
       FROM example_undos AS kept WHERE token = ? AND decision_type_id = ?`,
    ),
    keepOption: db.prepare<[KeptOption]>(
      `INSERT INTO example_undos (token, decision_type_id, rows, created_at, option_change)
       SELECT @token, @typeId, json_group_array(json(iif(@isDeletion, ${toJsonObject(allColumns)},
         ${toJsonObject(labelColumns)}))), @at, @change
       FROM examples WHERE decision_type_id = @typeId AND (decision = @label OR first_decision = @label)`,
    ),
    forget: db.prepare<[string]>('DELETE FROM example_undos WHERE token = ?'),
    forgetSince: db.prepare<[{ token: string; typeId: string }]>(
      `DELETE FROM example_undos WHERE decision_type_id = @typeId
         AND rowid >= (SELECT rowid FROM example_undos WHERE token = @token)`,
    ),
    // A label that was changed since stays with its example; of one that was edited otherwise the time stays.
    restoreOption: db.prepare<[RestoredOption]>(
      `UPDATE examples SET decision = kept.decision, first_decision = kept.first_decision, by_teacher = ifnull(kept.by_teacher, 0),
         updated_at = iif(examples.updated_at = (SELECT created_at FROM example_undos WHERE token = @token),
           kept.updated_at, examples.updated_at)
       FROM ${keptRows} AS kept
       WHERE examples.id = kept.id AND examples.decision IS @into AND kept.decision = @from`,
    ),
    restoreFirst: db.prepare<[RestoredOption]>(
      `UPDATE examples SET first_decision = nullif(kept.first_decision, examples.decision)
       FROM ${keptRows} AS kept
       WHERE examples.id = kept.id AND kept.first_decision = @from AND ifnull(examples.first_decision, @into) IS @into`,
    ),
    restoreLabels: db.prepare<[{ token: string }]>(
      `UPDATE examples SET ${setColumns(labelFields, toKept)}
       FROM ${keptRows} AS kept WHERE examples.id = kept.id`,
    ),
    countMeasuredAsBefore: db
      .prepare<[{ token: string; decisionTypeId: string }], number>(
        `SELECT count(*) FROM ${keptRows} AS kept JOIN examples e ON e.id = kept.id
         WHERE e.first_decision IS NOT NULL AND (e.test = 1 OR e.audited = 1 OR EXISTS (
           SELECT 1 FROM held_out_predictions h WHERE h.example_id = e.id AND h.policy_id = (
             SELECT id FROM policies p WHERE decision_type_id = @decisionTypeId
               AND EXISTS (SELECT 1 FROM held_out_predictions WHERE policy_id = p.id)
             ORDER BY version DESC LIMIT 1)))`,
      )
      .pluck(),
    isPlaceTaken: db
      .prepare<[{ token: string }], number>(
        `SELECT EXISTS (SELECT 1 FROM ${keptRows} AS kept JOIN examples ON examples.seq = kept.seq)`,
      )
      .pluck(),
    // A place or a log record that was taken meanwhile stays with the newer example.
    restoreDeleted: db.prepare<[{ token: string; asNew: number }]>(
      `INSERT INTO examples (${allColumns.join(', ')})
       SELECT iif(@asNew, NULL, seq), ${fieldNames.map(toDeleted).join(', ')}
       FROM ${keptRows} AS kept
       WHERE input IS NOT NULL AND NOT EXISTS (SELECT 1 FROM examples WHERE id = kept.id) ORDER BY kept.seq`,
    ),
  };
}

/** Bulk changes and their undoing, in transactions of the caller; `noteChange` hears of the types. */
export function createExampleChangeStore(db: WorkbenchDatabase, noteChange: (decisionTypeId: string) => void) {
  const statements = prepareStatements(db);
  function restoreDeleted(token: string): number {
    const asNew = statements.isPlaceTaken.get({ token }) ?? 0;
    return statements.restoreDeleted.run({ token, asNew }).changes;
  }

  return {
    /** Changes or deletes the selected examples and stores their undo under `token`; returns their number. */
    apply(
      decisionTypeId: string,
      selection: ExampleSelection,
      change: ExampleChange,
      token: string,
      changedAt: number,
    ): number {
      noteChange(decisionTypeId);
      const selected =
        'filter' in selection
          ? toWhere(decisionTypeId, selection.filter)
          : {
              sql: 'decision_type_id = ? AND id IN (SELECT value FROM json_each(?))',
              values: [decisionTypeId, JSON.stringify(selection.ids)],
            };
      const { values } = selected;
      const sql = `${selected.sql}${toCondition(change)}`;
      const kept = toJsonObject(change === 'delete' ? allColumns : labelColumns);
      db.prepare(
        `INSERT INTO example_undos (token, decision_type_id, rows, created_at)
         SELECT ?, ?, json_group_array(${kept}), ? FROM examples WHERE ${sql}`,
      ).run(token, decisionTypeId, changedAt, ...values);
      statements.trim.run(decisionTypeId);
      if (change === 'delete') return db.prepare(`DELETE FROM examples WHERE ${sql}`).run(...values).changes;
      const named = change.set === 'decision' ? { decision: change.to } : { value: toColumnValue(change) };
      const update = db.prepare(`UPDATE examples SET ${toAssignments(change)}, updated_at = @changedAt WHERE ${sql}`);
      return update.run({ ...named, changedAt }, ...values).changes;
    },
    /** Counts the examples of a change that are held out, and are measured by another label than they have now. */
    countMeasuredAsBefore(token: string, decisionTypeId: string): number {
      return statements.countMeasuredAsBefore.get({ token, decisionTypeId }) ?? 0;
    },
    /** Stores the undo of a change of an option: labels, or deleted examples; nothing for a rename. */
    keepOption(typeId: string, change: OptionChange, isDeletion: boolean, token: string, at: number): void {
      const label = change.isRename ? null : change.from;
      const kept = { token, typeId, at, change: JSON.stringify(change), label, isDeletion: Number(isDeletion) };
      statements.keepOption.run(kept);
      statements.trim.run(typeId);
    },
    /** Finds the change that a token undoes, or null; `isCovered` where an option was changed after it. */
    find(token: string, decisionTypeId: string): { optionChange: OptionChange | null; isCovered: boolean } | null {
      const found = statements.find.get(token, decisionTypeId);
      if (found === undefined) return null;
      const optionChange = found.optionChange === null ? null : (JSON.parse(found.optionChange) as OptionChange);
      return { optionChange, isCovered: found.isCovered === 1 };
    },
    /** Undoes one change, but not later ones; returns the number of examples. */
    undo(token: string, decisionTypeId: string): number {
      noteChange(decisionTypeId);
      const labels = statements.restoreLabels.run({ token }).changes;
      const deleted = restoreDeleted(token);
      statements.forget.run(token);
      return labels + deleted;
    },
    /** Gives an option its examples back, and drops the undo of later changes; returns their number. */
    undoOption(token: string, typeId: string, { from, into }: OptionChange): number {
      noteChange(typeId);
      const affected = statements.restoreOption.run({ token, from, into }).changes + restoreDeleted(token);
      statements.restoreFirst.run({ token, from, into });
      statements.forgetSince.run({ token, typeId });
      return affected;
    },
  };
}
