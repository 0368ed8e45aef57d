/** Examples of a decision type: made, added under the type's limit, changed one by one or many at once. */
import type { Definition } from '../../engine/domain.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { limits } from '../../engine/limits.ts';
import { toInvalidValue, toValidationError } from '../errors/validation-error.ts';
import type { Clock } from '../process/clock.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { ExampleChange, ExampleSelection } from '../store/example-changes.ts';
import type { ExampleRecord } from '../store/examples.ts';
import type { Store } from '../store/store.ts';

type AddDeps = { store: Pick<Store, 'examples' | 'transaction'> };
type UpdateDeps = AddDeps & { clock: Clock };
type BulkDeps = { store: Pick<Store, 'examples' | 'exampleChanges' | 'transaction'>; clock: Clock; newId(): string };

/** What a new example is made of; it is the user's own and not reviewed unless something else is said. */
export type NewExample = Pick<ExampleRecord, 'input' | 'decision' | 'reasonCodes'> &
  Partial<Pick<ExampleRecord, 'source' | 'reviewed' | 'logId'>>;
/** The fields of an example that can be changed; one that is undefined stays as it is. */
export type ExampleUpdate = {
  [Field in 'input' | 'decision' | 'reasonCodes' | 'reviewed']?: ExampleRecord[Field] | undefined;
};
/** Where a problem with the labels of an example is reported. */
export type LabelPlaces = { decision: ErrorDetail['loc']; reasonCode(index: number): ErrorDetail['loc'] };

/** Makes an example of a type, to be added with `addExamples`. */
export function newExample(
  deps: { newId(): string },
  type: DecisionTypeRecord,
  example: NewExample,
  createdAt: number,
): ExampleRecord {
  return {
    id: deps.newId(),
    decisionTypeId: type.id,
    input: example.input,
    decision: example.decision,
    reasonCodes: example.reasonCodes,
    source: example.source ?? 'user',
    reviewed: example.reviewed ?? false,
    logId: example.logId ?? null,
    createdAt,
    updatedAt: createdAt,
  };
}

/**
 * Adds all examples or none; `alongside` writes into the same transaction. Throws `validation_error` at `loc` when the
 * type would hold too many.
 */
export function addExamples(
  deps: AddDeps,
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

/** Lists what of the labels is no option or no reason code of the type. */
export function listLabelProblems(
  definition: Pick<Definition, 'options' | 'reason_codes'>,
  labels: { decision?: string | null | undefined; reasonCodes?: readonly string[] | undefined },
  places: LabelPlaces,
): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const { decision, reasonCodes = [] } = labels;
  if (typeof decision === 'string' && !definition.options.includes(decision)) {
    problems.push(toInvalidValue(places.decision, 'must be one of the options'));
  }
  for (const [index, code] of reasonCodes.entries()) {
    if (definition.reason_codes.includes(code)) continue;
    problems.push(toInvalidValue(places.reasonCode(index), 'not a reason code of the decision type'));
  }
  return problems;
}

/** Changes one example; throws `not_found`. */
export function updateExample(
  deps: UpdateDeps,
  type: DecisionTypeRecord,
  id: string,
  update: ExampleUpdate,
): ExampleRecord {
  return deps.store.transaction(() => {
    const example = deps.store.examples.get(type.id, id) ?? refuseMissingExample();
    const changed: ExampleRecord = {
      ...example,
      input: update.input ?? example.input,
      decision: update.decision === undefined ? example.decision : update.decision,
      reasonCodes: update.reasonCodes ?? example.reasonCodes,
      reviewed: update.reviewed ?? example.reviewed,
      updatedAt: deps.clock.now(),
    };
    deps.store.examples.update(changed);
    return changed;
  });
}

/** Deletes one example; throws `not_found`. */
export function deleteExample(deps: AddDeps, type: DecisionTypeRecord, id: string): void {
  if (!deps.store.examples.remove(type.id, id)) refuseMissingExample();
}

function refuseMissingExample(): never {
  throw new WorkbenchError('not_found', 'The example does not exist.');
}

/** Changes or deletes many examples at once; one of the last ten changes of a type can be undone by its token. */
export function changeExamples(
  deps: BulkDeps,
  type: DecisionTypeRecord,
  selection: ExampleSelection,
  change: ExampleChange,
): { affected: number; undoToken: string } {
  const { options } = type.activeVersion.definition;
  if (change !== 'delete' && typeof change.to === 'string' && !options.includes(change.to)) {
    throw toValidationError([toInvalidValue(['body', 'decision'], 'must be one of the options')]);
  }
  const undoToken = deps.newId();
  const affected = deps.store.transaction(() =>
    deps.store.exampleChanges.apply(type.id, selection, change, undoToken, deps.clock.now()),
  );
  return { affected, undoToken };
}

/** Takes a change of many examples back; throws `conflict` when it is too old or was undone. */
export function undoExampleChange(
  deps: Pick<BulkDeps, 'store'>,
  type: DecisionTypeRecord,
  undoToken: string,
): { affected: number } {
  return deps.store.transaction(() => {
    const affected = deps.store.exampleChanges.undo(undoToken, type.id);
    if (affected === null) throw new WorkbenchError('conflict', 'This change cannot be undone any more.');
    refuseTooMany(deps, type, 0, ['body', 'undo_token']);
    return { affected };
  });
}

function refuseTooMany(
  deps: { store: Pick<Store, 'examples'> },
  type: DecisionTypeRecord,
  requested: number,
  loc: ErrorDetail['loc'],
): void {
  const current = deps.store.examples.count(type.id);
  const maximum = limits.maxExamples;
  if (current + requested <= maximum) return;
  const remaining = Math.max(0, maximum - current);
  throw new WorkbenchError('validation_error', `A decision type holds at most ${maximum} examples.`, [
    { type: 'too_many', loc, msg: 'too many examples', current, requested, maximum, remaining },
  ]);
}
