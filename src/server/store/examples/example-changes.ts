/** Changes of many examples, part by part, and the records to undo them, the newest longest. */
import { exampleFields, type setFlags } from '../../../engine/examples/fields.ts';
import type { ExampleFilter, ExampleStatus } from '../../contract/examples/examples.ts';
import type { WorkbenchDatabase } from '../database.ts';
import type { DecisionTypeRecord } from '../types/decision-types.ts';
import { toWhere, type Value } from './examples.ts';
import { toFirstOfMany } from './first-labels.ts';
import { type Chosen, createKeptRows } from './kept-rows.ts';
import type { LabelHistoryStore } from './label-history.ts';

export type ExampleSelection = { ids: readonly string[] } | { filter: ExampleFilter };
export type ExampleChange =
  | { set: 'decision'; to: string | null }
  | { set: (typeof setFlags)[number]; to: boolean }
  | { set: 'status'; to: ExampleStatus }
  | 'delete';

/** The effect of an option change on a type besides its examples; earlier programs stored neither costs nor groups. */
type TypeAround = Pick<DecisionTypeRecord, 'fallbackOption'> &
  Partial<Pick<DecisionTypeRecord, 'costs' | 'groups'>> & { versionId: string };

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

/** The effect of a change: on the examples selected, or to all that have the label of an option. */
type ChangePlan =
  | { selection: ExampleSelection; change: ExampleChange; reader: string | null }
  | { how: 'rename' | 'label' | 'delete' }
  | { draw: SecondReadingDraw };
/** The examples to be read again: these, or a share of the labelled ones; so many of both are behind it. */
type SecondReadingDraw = { ids: readonly string[] } | { share: number; labelled: number; drawn: number };
type Undoing = { reader: string | null };
export type NewChange = { token: string; typeId: string; at: number; plan: ChangePlan; option: OptionChange | null };
/** The effect of a change; `heldOut` of the examples are measured by another label than they have now. */
export type ChangeDone = { affected: number; heldOut: number };
type PartDone = ChangeDone & { isLast: boolean };

/** A change as its undo finds it, which `adds` so many examples. */
export type FoundChange = { optionChange: OptionChange | null; adds: number; parts: number; isCovered: boolean };

type ChangeRecord = { token: string; typeId: string; at: number; doneTo: number; stage: 'changing' | 'undoing' };
type RawRecord = ChangeRecord & { plan: string; option: string | null };
/** The part ends at `end`, and is the last one where that is null. */
type Slice = Chosen & { end: number | null };
type SliceDone = { affected: number; heldOut?: number; bytes?: number; adds?: number };

/** Examples that a part looks at: where they were deleted, their undo takes some 30 ms. */
export const rowsPerPart = 500;
const bytesPerPart = 4 * 1024 * 1024;
/** At least this many changes of each type can be undone, and older ones while all of them are no larger than this. */
const minKeptChanges = 10;
const maxKeptBytes = 64 * 1024 * 1024;

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

function prepareStatements(db: WorkbenchDatabase) {
  return {
    begin: db.prepare(
      `INSERT INTO example_undos (token, decision_type_id, created_at, option_change, stage, plan)
       VALUES (@token, @typeId, @at, @option, 'changing', @plan)`,
    ),
    unfinished: db.prepare<[{ typeId: string | null }], RawRecord>(
      `SELECT token, decision_type_id AS typeId, created_at AS at, done_to AS doneTo, stage, plan, option_change AS option
       FROM example_undos WHERE stage IS NOT NULL AND decision_type_id = ifnull(@typeId, decision_type_id) LIMIT 1`,
    ),
    note: db.prepare(
      `UPDATE example_undos SET done_to = ifnull(@end, 0), stage = iif(@end IS NULL, NULL, stage),
         bytes = bytes + @bytes, adds = adds + @adds WHERE token = @token`,
    ),
    turnBack: db.prepare("UPDATE example_undos SET stage = 'undoing', plan = @plan, done_to = 0 WHERE token = @token"),
    giveUp: db.prepare(
      `UPDATE example_undos SET stage = 'undoing', plan = '{"reader":null}', done_to = 0
       WHERE decision_type_id = ? AND stage = 'changing' AND option_change IS NULL`,
    ),
    replan: db.prepare('UPDATE example_undos SET plan = @plan WHERE token = @token'),
    nextRows: db.prepare<[string, number], { seq: number; bytes: number }>(
      `SELECT seq, octet_length(input) AS bytes FROM examples WHERE decision_type_id = ? AND seq > ? ORDER BY seq
       LIMIT ${rowsPerPart}`,
    ),
    trim: db.prepare(
      `DELETE FROM example_undos WHERE rowid IN (SELECT id FROM
         (SELECT rowid AS id, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
          FROM example_undos WHERE decision_type_id = ? WINDOW newest AS (ORDER BY rowid DESC))
         WHERE place > ${minKeptChanges} AND bytes > ${maxKeptBytes})`,
    ),
    find: db.prepare<[string, string], { option: string | null; adds: number; parts: number; isCovered: number }>(
      `SELECT option_change AS option, adds,
         (SELECT count(*) FROM example_undo_parts p WHERE p.token = kept.token) AS parts, EXISTS (SELECT 1 FROM example_undos AS newer WHERE
         newer.decision_type_id = kept.decision_type_id AND newer.rowid > kept.rowid
         AND newer.option_change IS NOT NULL) AS isCovered
       FROM example_undos AS kept WHERE token = ? AND decision_type_id = ?`,
    ),
    forget: db.prepare<[string]>('DELETE FROM example_undos WHERE token = ?'),
    forgetSince: db.prepare<[{ token: string; typeId: string }]>(
      `DELETE FROM example_undos WHERE decision_type_id = @typeId
         AND rowid >= (SELECT rowid FROM example_undos WHERE token = @token)`,
    ),
  };
}

/**
 * Changes of many examples and their undoing: a part is a transaction of the caller and says how far the change has
 * come, so that it goes on after a kill. `noteChange` hears of the types.
 */
export class ExampleChangeStore {
  readonly #db: WorkbenchDatabase;
  readonly #labelHistory: Pick<LabelHistoryStore, 'by' | 'renameOption' | 'listForDraw' | 'draw'>;
  readonly #noteChange: (decisionTypeId: string) => void;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #keptRows: ReturnType<typeof createKeptRows>;

  constructor(
    db: WorkbenchDatabase,
    labelHistory: Pick<LabelHistoryStore, 'by' | 'renameOption' | 'listForDraw' | 'draw'>,
    noteChange: (decisionTypeId: string) => void,
  ) {
    this.#db = db;
    this.#labelHistory = labelHistory;
    this.#noteChange = noteChange;
    this.#statements = prepareStatements(db);
    this.#keptRows = createKeptRows(db);
  }

  #run(sql: string, values: readonly Value[], named: object = {}): number {
    return this.#db.prepare(sql).run(named, ...values).changes;
  }

  #takeSlice({ typeId, doneTo }: ChangeRecord): Slice {
    const rows = this.#statements.nextRows.all(typeId, doneTo);
    let bytes = 0;
    const full = rows.find((row) => {
      bytes += row.bytes;
      return bytes > bytesPerPart;
    });
    const end = full?.seq ?? (rows.length < rowsPerPart ? null : (rows.at(-1)?.seq ?? null));
    const values = [typeId, doneTo, end ?? Number.MAX_SAFE_INTEGER];
    return { sql: 'decision_type_id = ? AND seq > ? AND seq <= ?', values, end };
  }

  #takeNamed({ typeId, doneTo }: ChangeRecord, ids: readonly string[]): Slice {
    const end = doneTo + rowsPerPart;
    const sql = 'id IN (SELECT value FROM json_each(?)) AND +decision_type_id = ?';
    const values = [JSON.stringify(ids.slice(doneTo, end)), typeId];
    return { sql, values, end: end < ids.length ? end : null };
  }

  /** Takes the next of the examples that are named, or of those that the filter is looked at for. */
  #takeSelected(record: ChangeRecord, selection: ExampleSelection, change: ExampleChange): Slice {
    if ('ids' in selection) {
      const named = this.#takeNamed(record, selection.ids);
      return { ...named, sql: `${named.sql}${toCondition(change)}` };
    }
    const { sql, values, end } = this.#takeSlice(record);
    const where = toWhere(record.typeId, selection.filter);
    return { sql: `${sql} AND ${where.sql}${toCondition(change)}`, values: [...values, ...where.values], end };
  }

  #changeSelected(record: ChangeRecord, slice: Slice, change: ExampleChange, reader: string | null): SliceDone {
    const { sql, values } = slice;
    const part = { token: record.token, part: record.doneTo };
    const bytes = this.#keptRows.keep(part, slice, change === 'delete');
    if (change === 'delete') {
      const affected = this.#run(`DELETE FROM examples WHERE ${sql}`, values);
      return { bytes, affected, adds: affected };
    }
    const named = change.set === 'decision' ? { decision: change.to } : { value: toColumnValue(change) };
    const update = `UPDATE examples SET ${toAssignments(change)}, updated_at = @at WHERE ${sql}`;
    const affected = this.#labelHistory.by({ reader }, 'label', () =>
      this.#run(update, values, { ...named, at: record.at }),
    );
    const heldOut = change.set === 'decision' ? this.#keptRows.countMeasuredAsBefore(part, record.typeId) : 0;
    return { bytes, affected, heldOut };
  }

  #relabelOption(record: ChangeRecord, slice: Slice, { from, into }: OptionChange, how: 'label' | 'delete'): SliceDone {
    const { sql, values } = slice;
    const having = { sql: `${sql} AND ? IN (decision, first_decision)`, values: [...values, from] };
    const bytes = this.#keptRows.keep({ token: record.token, part: record.doneTo }, having, how === 'delete');
    if (how === 'delete') {
      const affected = this.#run(`DELETE FROM examples WHERE ${sql} AND decision = @from`, values, { from });
      this.#relabelFirst(slice, from, null);
      return { bytes, affected, adds: affected };
    }
    return { bytes, affected: this.#relabel(slice, from, into, record.at) };
  }

  /** Gives examples of a label another, or none; `updatedAt` is null for a mere new name. */
  #relabel(slice: Slice, from: string, to: string | null, updatedAt: number | null): number {
    const sql = `UPDATE examples SET decision = @to, first_decision = nullif(first_decision, @to),
      updated_at = ifnull(@updatedAt, updated_at) WHERE ${slice.sql} AND decision = @from`;
    const affected = this.#run(sql, slice.values, { from, to, updatedAt });
    this.#relabelFirst(slice, from, to);
    return affected;
  }

  #relabelFirst({ sql, values }: Slice, from: string, to: string | null): void {
    const first = `UPDATE examples SET first_decision = nullif(@to, decision) WHERE ${sql} AND first_decision = @from`;
    this.#run(first, values, { from, to });
  }

  #rename(slice: Slice, from: string, to: string): SliceDone {
    return { affected: this.#labelHistory.renameOption(slice, from, to, () => this.#relabel(slice, from, to, null)) };
  }

  /** Chooses examples to be read again, so that the share is reached in all up to each part. */
  #draw(record: ChangeRecord, draw: SecondReadingDraw): PartDone {
    const { token, doneTo } = record;
    const slice = 'ids' in draw ? this.#takeNamed(record, draw.ids) : this.#takeSlice(record);
    const found = this.#labelHistory.listForDraw(slice);
    let ids = found.flatMap(({ id, isDrawable }) => (isDrawable === 1 ? [id] : []));
    if (!('ids' in draw)) {
      const labelled = draw.labelled + found.length;
      const before = draw.drawn + found.filter(({ isDrawn }) => isDrawn === 1).length;
      ids = ids.slice(0, Math.max(0, Math.ceil(draw.share * labelled) - before));
      const plan = { draw: { share: draw.share, labelled, drawn: before + ids.length } };
      this.#statements.replan.run({ token, plan: JSON.stringify(plan) });
    }
    this.#labelHistory.draw(ids);
    this.#keptRows.keepDrawn({ token, part: doneTo }, ids);
    return this.#note(record, slice, { affected: ids.length });
  }

  #change(record: ChangeRecord, plan: ChangePlan, option: OptionChange | null): PartDone {
    if ('draw' in plan) return this.#draw(record, plan.draw);
    const slice = 'change' in plan ? this.#takeSelected(record, plan.selection, plan.change) : this.#takeSlice(record);
    const done =
      'change' in plan
        ? this.#changeSelected(record, slice, plan.change, plan.reader)
        : this.#changeOption(record, slice, plan.how, option);
    return this.#note(record, slice, done);
  }

  #note({ token, typeId }: ChangeRecord, { end }: Slice, done: SliceDone): PartDone {
    const { affected, heldOut = 0, bytes = 0, adds = 0 } = done;
    this.#statements.note.run({ token, bytes, adds, end });
    const isLast = end === null;
    if (isLast) this.#statements.trim.run(typeId);
    return { affected, heldOut, isLast };
  }

  #changeOption(record: ChangeRecord, slice: Slice, how: 'rename' | 'label' | 'delete', option: OptionChange | null) {
    if (option === null) throw new Error('A change of an option is kept without its option.');
    if (how !== 'rename') return this.#relabelOption(record, slice, option, how);
    return this.#rename(slice, option.from, option.into ?? '');
  }

  #undo(record: ChangeRecord, { reader }: Undoing, option: OptionChange | null): PartDone {
    const { token, typeId } = record;
    const restored =
      option === null
        ? this.#labelHistory.by({ reader }, 'label', () => this.#keptRows.restore(token))
        : this.#keptRows.restoreOption(token, option);
    if (restored !== null) return { affected: restored, heldOut: 0, isLast: false };
    if (option?.isRename) {
      const slice = this.#takeSlice(record);
      const { affected } = this.#rename(slice, option.into ?? '', option.from);
      const isLast = slice.end === null;
      if (isLast) this.#statements.forgetSince.run({ token, typeId });
      else this.#statements.note.run({ token, bytes: 0, adds: 0, end: slice.end });
      return { affected, heldOut: 0, isLast };
    }
    if (option === null) this.#statements.forget.run(token);
    else this.#statements.forgetSince.run({ token, typeId });
    return { affected: 0, heldOut: 0, isLast: true };
  }

  /** About how many parts a change of so many examples has, or the undo of one. */
  countParts(typeId: string, examples: number, undoToken: string | null = null): number {
    const kept = undoToken === null ? 0 : (this.find(undoToken, typeId)?.parts ?? 0);
    return Math.max(1, kept, Math.ceil(examples / rowsPerPart));
  }

  /** Begins a change, which goes on until its last part is done, whatever happens; its undo is found by its token. */
  begin({ token, typeId, at, plan, option }: NewChange): void {
    const kept = { plan: JSON.stringify(plan), option: option && JSON.stringify(option) };
    this.#statements.begin.run({ token, typeId, at, ...kept });
  }

  /** Turns a change back, as `reader`; that goes on as a change does. */
  turnBack(token: string, reader: string | null): void {
    this.#statements.turnBack.run({ token, plan: JSON.stringify({ reader }) });
  }

  /** Turns back what was begun of a type's change of examples; an option's goes on, as its new version stands. */
  giveUp(typeId: string): void {
    this.#statements.giveUp.run(typeId);
  }

  /** Does the next part of a change that was begun or turned back, of a type or with null of any; null without one. */
  goOn(decisionTypeId: string | null): PartDone | null {
    const found = this.#statements.unfinished.get({ typeId: decisionTypeId });
    if (found === undefined) return null;
    this.#noteChange(found.typeId);
    const option = found.option === null ? null : (JSON.parse(found.option) as OptionChange);
    return found.stage === 'undoing'
      ? this.#undo(found, JSON.parse(found.plan) as Undoing, option)
      : this.#change(found, JSON.parse(found.plan) as ChangePlan, option);
  }

  /** Finds the change that a token undoes, or null; `isCovered` where an option was changed after it. */
  find(token: string, decisionTypeId: string): FoundChange | null {
    const found = this.#statements.find.get(token, decisionTypeId);
    if (found === undefined) return null;
    const optionChange = found.option === null ? null : (JSON.parse(found.option) as OptionChange);
    const { adds, parts, isCovered } = found;
    return { optionChange, adds, parts, isCovered: isCovered === 1 };
  }
}
