import { isDeepStrictEqual } from 'node:util';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import type { OptionChange } from '../../store/examples/example-changes.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { refuseTooMany } from '../example-limit.ts';
import { noteChange } from '../releases.ts';
import { findDecisionType, findVersion, toNextVersion } from './decision-types.ts';

/**
 * Takes the change of an option back, in a new version; examples labelled otherwise since stay. Throws `conflict` where
 * it was undone, is too old, or the type was changed since.
 */
export function undoOptionChange(
  deps: Foundation,
  caller: Caller,
  typeId: string,
  undoToken: string,
): { affected: number; type: DecisionTypeRecord } {
  const { decisionTypes, exampleChanges, transaction } = deps.store;
  return transaction(() => {
    const type = findDecisionType(deps, caller, typeId);
    const kept = exampleChanges.find(undoToken, type.id);
    const change = kept?.optionChange ?? null;
    if (change === null) throw new WorkbenchError('conflict', 'This change cannot be undone any more.');
    // Two later renames, there and back, leave the definition as it was: the versions alone would let this pass.
    if (kept?.isCovered) throw new WorkbenchError('conflict', 'An option was changed after this. Undo that first.');
    const { before, after } = change;
    // Not by the version alone: a later change that was undone has left another one with the same definition.
    const left = findVersion(deps, caller, type.id, after.versionId).definition;
    const { costs: costsLeft = type.costs } = after;
    if (
      !isDeepStrictEqual(type.activeVersion.definition, left) ||
      type.fallbackOption !== after.fallbackOption ||
      !isDeepStrictEqual(type.costs, costsLeft)
    ) {
      throw new WorkbenchError(
        'conflict',
        'The decision type was changed after this option, and undoing would lose that. Take an earlier version up again instead.',
      );
    }
    const now = deps.clock.now();
    const { definition } = findVersion(deps, caller, type.id, before.versionId);
    const activeVersion = toNextVersion(deps, type, definition, now);
    const { fallbackOption, costs = type.costs } = before;
    decisionTypes.update({ ...type, fallbackOption, costs, activeVersion, updatedAt: now }, true);
    noteChange(deps, caller, type.id);
    const restored = exampleChanges.undoOption(undoToken, type.id, change);
    const affected = restored + (change.isRename ? undoRename(deps, type.id, change) : 0);
    refuseTooMany(deps, type, 0, ['body', 'undo_token']);
    return { affected, type: findDecisionType(deps, caller, type.id) };
  });
}

/** Gives an option its former name wherever it is named; returns the number of examples. */
function undoRename({ store }: Foundation, typeId: string, { from, into }: OptionChange): number {
  if (into === null) return 0;
  store.trainingRuns.labelChecks.renameOption(typeId, into, from);
  store.audits.renameOption(typeId, into, from);
  return store.labelHistory.renameOption(typeId, into, from, () =>
    store.examples.renameLabel(typeId, into, from, null),
  );
}
