/** Examples of a decision type: made, added under the type's limit, changed one by one or many at once. */

import { toInvalidValue, toUnknownOption, toValidationError } from '../../../door/errors/validation-error.ts';
import { mapMaybePromise } from '../../../door/maybe-promise.ts';
import { byName } from '../../../engine/domain/records.ts';
import { isDrawn, toRowContent, toRowNumber } from '../../../engine/drawn-rows.ts';
import { type ErrorDetail, WorkbenchError } from '../../../engine/errors.ts';
import { type ExampleRecord, exampleFields, flagsOfOwn, setFlags } from '../../../engine/examples/fields.ts';
import type { ExampleStatus } from '../../contract/examples/examples.ts';
import type { Foundation } from '../../foundation.ts';
import type { ExampleType } from '../../preparation/examples/prepare-examples.ts';
import type { ChangeDone, ExampleChange, ExampleSelection } from '../../store/examples/example-changes.ts';
import type { ExampleRows } from '../../store/examples/examples.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { refuseTooMany } from '../example-limit.ts';
import type { ChangeSteps, ExampleAdditions } from './example-additions.ts';
import { findConflict } from './second-readings.ts';

/** The fields of an example that can be changed; one that is undefined stays as it is. */
export type ExampleUpdate = {
  [Field in 'input' | 'decision' | 'reasonCodes' | 'note' | (typeof setFlags)[number]]?:
    | ExampleRecord[Field]
    | undefined;
} & {
  status?: ExampleStatus | undefined;
  /** The decision that the given one replaces. */
  replaces?: string | null | undefined;
};
/** The type as far as new examples are checked against it. */
export function toExampleType({ id, activeVersion }: DecisionTypeRecord): ExampleType {
  const { options, reason_codes, readings } = activeVersion.definition;
  return { id, definition: { options, reason_codes, readings } };
}

/** Adds all examples or none, with the writes of `alongside`. Throws `validation_error` at `loc` for too many. */
export function addExamples(
  deps: Foundation,
  type: DecisionTypeRecord,
  examples: readonly ExampleRecord[],
  loc: ErrorDetail['loc'],
  alongside?: () => void,
): void {
  deps.store.transaction(() => {
    refuseTooMany(deps, type, examples.length, loc);
    for (const example of examples) deps.store.examples.insert(example);
    alongside?.();
  });
}

/** As `addExamples`, of rows that were written out elsewhere, without holding up others. */
export function addExampleRows(
  deps: Foundation & { exampleAdditions: Pick<ExampleAdditions, 'add'> },
  type: DecisionTypeRecord,
  rows: ExampleRows,
  loc: ErrorDetail['loc'],
  alongside?: () => void,
): Promise<void> {
  return deps.exampleAdditions.add(rows, () => refuseTooMany(deps, type, rows.count, loc), alongside);
}

/** Returns one example of a type; throws `not_found`. */
export function findExample(deps: Foundation, type: DecisionTypeRecord, id: string): ExampleRecord {
  return deps.store.examples.get(type.id, id) ?? refuseMissingExample();
}

/**
 * Changes one example; a label settles its mark unless a status is named, and two labels that differ. Throws
 * `not_found`, `validation_error`, or `conflict` where neither the replaced nor the new label stands there.
 */
export function updateExample(
  deps: Foundation,
  type: DecisionTypeRecord,
  id: string,
  update: ExampleUpdate,
  reader: string | null,
): ExampleRecord {
  const { labellingModels, leases } = deps.runtime;
  const updated = deps.store.transaction(() => {
    const example = findExample(deps, type, id);
    for (const flag of flagsOfOwn) {
      if (update[flag] !== true || example.source !== 'synthetic') continue;
      const problem = `a generated example cannot be a ${exampleFields[flag].notGenerated}`;
      throw toValidationError([toInvalidValue(['body', flag], problem)]);
    }
    const decision = update.decision === undefined ? example.decision : update.decision;
    refuseOvertaken(example, decision, update.replaces);
    const changed: ExampleRecord = {
      ...example,
      input: update.input ?? example.input,
      decision,
      reasonCodes: update.reasonCodes ?? example.reasonCodes,
      ...byName(setFlags, (flag) => update[flag] ?? example[flag]),
      mark: toMark(example.mark, update, decision),
      byTeacher: update.decision === undefined && example.byTeacher,
      note: update.note === undefined ? example.note : update.note,
      updatedAt: deps.clock.now(),
    };
    const written = writeLabel(deps, example, changed, update, reader);
    if (update.reviewed === true) deps.store.trainingRuns.labelChecks.confirm(type.id, [id]);
    return written;
  });
  // The suggestion counts before the model has learned from the label.
  if (typeof update.decision === 'string') leases.settle(type.id, id, update.decision);
  labellingModels.noteChange(type, updated, update.input !== undefined);
  return updated;
}

/** Writes a changed example; of a label the history says who gave it, and whether it settles two that differed. */
function writeLabel(
  { store, runtime, clock }: Foundation,
  example: ExampleRecord,
  changed: ExampleRecord,
  update: ExampleUpdate,
  reader: string | null,
): ExampleRecord {
  const conflict = typeof update.decision === 'string' ? findConflict({ store }, example) : null;
  const kind = conflict === null ? 'label' : 'settled';
  const note = conflict === null ? null : (update.note ?? null);
  const suggested = runtime.leases.findSuggested(example.decisionTypeId, example.id);
  const written = store.labelHistory.by({ reader, suggested, note }, kind, () => store.examples.update(changed));
  if (conflict === null) return written;
  const { id, decision } = changed;
  const now = clock.now();
  if (decision === example.decision) {
    store.labelHistory.add(id, { kind, before: decision, decision, reader, note }, now);
  }
  store.labelHistory.write({ ...conflict, firstDecision: example.decision ?? '', settledAt: now });
  return written;
}

/** Sent again after a lost answer, a change finds its own decision, which is no conflict. */
function refuseOvertaken(example: ExampleRecord, decision: string | null, replaces: string | null | undefined): void {
  if (replaces === undefined || example.decision === replaces || example.decision === decision) return;
  const now = example.decision === null ? 'removed' : `changed to "${example.decision}"`;
  throw new WorkbenchError(
    'conflict',
    `The label was ${now} meanwhile. Read the example again, or leave replaces out.`,
  );
}

function toMark(
  mark: ExampleRecord['mark'],
  { status, decision: given }: ExampleUpdate,
  decision: string | null,
): ExampleRecord['mark'] {
  if (status === 'skipped' || status === 'flagged') return status;
  if (status === undefined) return typeof given === 'string' ? null : mark;
  if (status === (decision === null ? 'to_label' : 'done')) return null;
  const msg =
    status === 'done'
      ? 'an example without a label is not done: give expected_decision, too'
      : 'an example with a label is done: set expected_decision to null, or the status to "flagged"';
  throw toValidationError([toInvalidValue(['body', 'status'], msg)]);
}

/** Deletes one example of a type. Throws `not_found` where the type has none of this id. */
export function deleteExample(deps: Foundation, type: DecisionTypeRecord, id: string): void {
  deps.store.transaction(() => {
    noteDeletions(deps, type, [id]);
    if (!deps.store.examples.remove(type.id, id)) refuseMissingExample();
  });
}

/** Notes which of the examples were offered for a label and deleted instead, of those that figures stand for. */
function noteDeletions(
  { store, runtime }: Foundation,
  { id: typeId }: DecisionTypeRecord,
  ids: readonly string[],
): void {
  const offered = ids.filter((id) => runtime.leases.hasOffered(typeId, id));
  if (offered.length === 0) return;
  const identifying = store.labelling.listIdentifyingFields(typeId);
  const drawn = offered.filter((id) => {
    const example = store.examples.get(typeId, id);
    return example?.decision === null && isDrawn(toRowNumber(toRowContent(example.input, identifying)));
  });
  store.labelling.noteDrawnDeletions(typeId, drawn);
}

function refuseMissingExample(): never {
  throw new WorkbenchError('not_found', 'The example does not exist.');
}

type ChangeDeps = Foundation & { exampleAdditions: Pick<ExampleAdditions, 'change'> };

/** Changes or deletes many examples, undone by token; `heldOut` of them are measured by a former label. */
export function changeExamples(
  deps: ChangeDeps,
  type: DecisionTypeRecord,
  selection: ExampleSelection,
  change: ExampleChange,
  reader: string | null,
): (ChangeDone & { undoToken: string }) | Promise<ChangeDone & { undoToken: string }> {
  const { options } = type.activeVersion.definition;
  if (change !== 'delete' && change.set === 'decision' && change.to !== null && !options.includes(change.to)) {
    throw toValidationError([toUnknownOption(['body', 'decision'], options)]);
  }
  const undoToken = deps.newId();
  const { exampleChanges, examples } = deps.store;
  const looked = 'ids' in selection ? selection.ids.length : examples.count(type.id);
  const steps: ChangeSteps = {
    begin() {
      const plan = { selection, change, reader };
      if (change === 'delete' && 'ids' in selection) noteDeletions(deps, type, selection.ids);
      exampleChanges.begin({ token: undoToken, typeId: type.id, at: deps.clock.now(), plan, option: null });
    },
    end() {
      // A review of a whole filter has not looked at each suspect label.
      const isReview = change !== 'delete' && change.set === 'reviewed' && change.to && 'ids' in selection;
      if (isReview) deps.store.trainingRuns.labelChecks.confirm(type.id, selection.ids);
    },
    cancelling: { scope: 'label', turnBack: () => exampleChanges.turnBack(undoToken, reader) },
  };
  const changing = deps.exampleAdditions.change(type.id, exampleChanges.countParts(type.id, looked), steps);
  return mapMaybePromise(changing, (done) => {
    if (change !== 'delete' && change.set === 'decision' && change.to !== null && 'ids' in selection) {
      for (const id of selection.ids) deps.runtime.leases.settle(type.id, id, change.to);
    }
    return { ...done, undoToken };
  });
}

/** Undoes a bulk change; throws `conflict` when it is too old or undone, or an option was changed since. */
export function undoExampleChange(
  deps: ChangeDeps,
  type: DecisionTypeRecord,
  undoToken: string,
  reader: string | null,
): { affected: number } | Promise<{ affected: number }> {
  const begin = () => {
    const found = deps.store.exampleChanges.find(undoToken, type.id);
    if (found === null) throw new WorkbenchError('conflict', 'This change cannot be undone any more.');
    if (found.isCovered || found.optionChange !== null) {
      throw new WorkbenchError('conflict', 'An option was renamed, merged or deleted meanwhile. Undo that first.');
    }
    refuseTooMany(deps, type, found.adds, ['body', 'undo_token']);
    deps.store.exampleChanges.turnBack(undoToken, reader);
  };
  const parts = deps.store.exampleChanges.countParts(type.id, 0, undoToken);
  const undone = deps.exampleAdditions.change(type.id, parts, { begin, cancelling: null });
  return mapMaybePromise(undone, ({ affected }) => ({ affected }));
}
