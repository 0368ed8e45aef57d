/** Changes of an option (renamed, merged, deleted, taken back): one new version, and every example with it. */

import { isDeepStrictEqual } from 'node:util';
import { refuseProblems, toInvalidValue, toUnknownOption } from '../../../door/errors/validation-error.ts';
import { mapMaybePromise } from '../../../door/maybe-promise.ts';
import { replaceCostOption } from '../../../engine/costs.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { limits } from '../../../engine/limits.ts';
import { replaceFavoured } from '../../../engine/report/groups.ts';
import { replaceDirectionOption } from '../../../engine/schema/directions.ts';
import { replaceThresholdOption } from '../../../engine/thresholds.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import type { ChangeDone, OptionChange } from '../../store/examples/example-changes.ts';
import type { Author } from '../../store/types/authors.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { doByTwo } from '../authors.ts';
import { refuseTooMany } from '../example-limit.ts';
import { noteChange } from '../releases.ts';
import { findDecisionType, findVersion, toNextVersion } from './decision-types.ts';

type OptionTouches = ReturnType<typeof findOptionTouches>;

/** The effect of changing an option, the type after it, and how to undo it; null for a preview. */
export type OptionChanged = { touches: OptionTouches; type: DecisionTypeRecord; undoToken: string | null };

/** The fate of an option: its examples get the label `into`, or none, or are deleted. */
type PlannedChange = { into: string | null; how: 'rename' | 'label' | 'delete'; definition: Definition };

type Steps = { begin(): void; cancelling: { scope: 'deploy'; turnBack(): void } | null };
type ChangeDeps = Foundation & {
  /** Does the parts of a change. */
  exampleAdditions: { change(typeId: string, parts: number, steps: Steps): ChangeDone | Promise<ChangeDone> };
};

/**
 * Says what a change of an option touches and, with `commit`, makes it; with four eyes two have to ask, as renames
 * there and back swap all decisions. `plan` throws for what cannot be.
 */
function changeOption(
  deps: ChangeDeps,
  caller: Caller,
  typeId: string,
  { option, field, commit }: { option: string; field: string; commit: boolean },
  plan: (definition: Definition) => PlannedChange,
): OptionChanged | Promise<OptionChanged> {
  const look = () => {
    const type = findDecisionType(deps, caller, typeId);
    const { definition } = type.activeVersion;
    refuseUnknown(definition, option, field);
    return { type, planned: plan(definition), touches: findOptionTouches(deps, type, option) };
  };
  const { touches, type, planned: asked } = look();
  if (!commit) return { touches, type, undoToken: null };
  const undoToken = deps.newId();
  const begin = (first: Author | null) => {
    const { type: now, planned } = look();
    const fallbackOption = touches.isFallback ? planned.into : now.fallbackOption;
    beginOptionChange(deps, caller, now, undoToken, { ...planned, from: option, fallbackOption, first });
  };
  const cancelling = { scope: 'deploy', turnBack: () => turnBack(deps, caller, typeId, undoToken) } as const;
  const parts = deps.store.exampleChanges.countParts(typeId, deps.store.examples.count(typeId));
  const { how, into } = asked;
  const changed = doByTwo(deps, caller, type, { option, how, into }, (first) =>
    deps.exampleAdditions.change(typeId, parts, { begin: () => begin(first), cancelling }),
  );
  return mapMaybePromise(changed, () => ({ touches, type: findDecisionType(deps, caller, typeId), undoToken }));
}

/** Says what a rename touches and, with `commit`, does it. Throws `validation_error` for either name. */
export function renameOption(
  deps: ChangeDeps,
  caller: Caller,
  typeId: string,
  { from, to, commit }: { from: string; to: string; commit: boolean },
): OptionChanged | Promise<OptionChanged> {
  return changeOption(deps, caller, typeId, { option: from, field: 'from', commit }, (definition) => {
    if (definition.options.includes(to)) refuseProblems([toInvalidValue(['body', 'to'], 'is an option already')]);
    const rename = (option: string) => (option === from ? to : option);
    const renamed = {
      ...definition,
      options: definition.options.map(rename),
      hard_rules: definition.hard_rules.map((rule) => ({ ...rule, then: rename(rule.then) })),
    };
    return { into: to, how: 'rename', definition: renamed };
  });
}

/** Gives examples, rules and fallback the other option, as {@link changeOption}. Throws `validation_error`. */
export function mergeOption(
  deps: ChangeDeps,
  caller: Caller,
  typeId: string,
  { from, into, commit }: { from: string; into: string; commit: boolean },
): OptionChanged | Promise<OptionChanged> {
  return changeOption(deps, caller, typeId, { option: from, field: 'from', commit }, (definition) => {
    refuseUnknown(definition, into, 'into');
    if (from === into) refuseProblems([toInvalidValue(['body', 'into'], 'must be another option than from')]);
    refuseTooFew(definition, 'from');
    const merged = {
      ...definition,
      options: definition.options.filter((option) => option !== from),
      hard_rules: definition.hard_rules.map((rule) => (rule.then === from ? { ...rule, then: into } : rule)),
    };
    return { into, how: 'label', definition: merged };
  });
}

/** Takes the option's rules, labels and fallback away, as {@link changeOption}. Throws `validation_error`. */
export function deleteOption(
  deps: ChangeDeps,
  caller: Caller,
  typeId: string,
  { option, examples, commit }: { option: string; examples: 'unlabel' | 'delete'; commit: boolean },
): OptionChanged | Promise<OptionChanged> {
  return changeOption(deps, caller, typeId, { option, field: 'option', commit }, (definition) => {
    refuseTooFew(definition, 'option');
    const left = {
      ...definition,
      options: definition.options.filter((each) => each !== option),
      hard_rules: definition.hard_rules.filter((rule) => rule.then !== option),
    };
    return { into: null, how: examples === 'delete' ? 'delete' : 'label', definition: left };
  });
}

function refuseUnknown({ options }: Definition, option: string, field: string): void {
  if (!options.includes(option)) refuseProblems([toUnknownOption(['body', field], options)]);
}

function refuseTooFew({ options }: Definition, field: string): void {
  if (options.length > limits.minOptions) return;
  refuseProblems([toInvalidValue(['body', field], `a decision type keeps at least ${limits.minOptions} options`)]);
}

function findOptionTouches(deps: Foundation, type: DecisionTypeRecord, option: string) {
  return {
    examples: deps.store.examples.countByLabel(type.id).get(option) ?? 0,
    rules: type.activeVersion.definition.hard_rules.filter((rule) => rule.then === option).map((rule) => rule.name),
    isFallback: type.fallbackOption === option,
    isInDeployedPolicy: deps.store.deployments.find(type.id)?.options.includes(option) ?? false,
  };
}

type BegunChange = PlannedChange & {
  from: string;
  fallbackOption: string | null;
  /** Who asked for it before, where two have to. */
  first: Author | null;
};

/** Writes the new version and whatever else names the option; its examples follow in parts. */
function beginOptionChange(
  deps: Foundation,
  caller: Caller,
  type: DecisionTypeRecord,
  token: string,
  { from, into, how, definition, fallbackOption, first }: BegunChange,
): void {
  const { decisionTypes, exampleChanges } = deps.store;
  const now = deps.clock.now();
  const confidence_thresholds = replaceThresholdOption(definition.confidence_thresholds, from, into);
  const input_schema = definition.input_schema && replaceDirectionOption(definition.input_schema, from, into);
  const activeVersion = toNextVersion(deps, type, { ...definition, confidence_thresholds, input_schema }, now);
  const costs = type.costs && replaceCostOption(type.costs, from, into);
  const groups = type.groups && replaceFavoured(type.groups, from, into);
  const option: OptionChange = {
    from,
    into,
    isRename: how === 'rename',
    before: {
      versionId: type.activeVersion.id,
      fallbackOption: type.fallbackOption,
      costs: type.costs,
      groups: type.groups,
    },
    after: { versionId: activeVersion.id, fallbackOption, costs, groups },
  };
  exampleChanges.begin({ token, typeId: type.id, at: now, plan: { how }, option });
  if (how === 'rename' && into !== null) deps.store.trainingRuns.labelChecks.renameOption(type.id, from, into);
  if (into !== null) deps.store.audits.renameOption(type.id, from, into);
  decisionTypes.update({ ...type, fallbackOption, costs, groups, activeVersion, updatedAt: now }, true);
  noteChange(deps, caller, type.id, { reason: null, ...(first && { authors: [first] }) });
}

/** Begins to take the change of an option back, in a new version; throws `conflict` as `undoOptionChange`. */
function turnBack(deps: Foundation, caller: Caller, typeId: string, undoToken: string): void {
  const { decisionTypes, exampleChanges } = deps.store;
  const type = findDecisionType(deps, caller, typeId);
  const kept = exampleChanges.find(undoToken, type.id);
  const change = kept?.optionChange ?? null;
  if (change === null) throw new WorkbenchError('conflict', 'This change cannot be undone any more.');
  // Two later renames, there and back, leave the definition as it was: the versions alone would let this pass.
  if (kept?.isCovered) throw new WorkbenchError('conflict', 'An option was changed after this. Undo that first.');
  const { before, after } = change;
  // Not by the version alone: a later change that was undone has left another one with the same definition.
  const left = findVersion(deps, caller, type.id, after.versionId).definition;
  const { costs: costsLeft = type.costs, groups: groupsLeft = type.groups } = after;
  if (
    !isDeepStrictEqual(type.activeVersion.definition, left) ||
    type.fallbackOption !== after.fallbackOption ||
    !isDeepStrictEqual(type.costs, costsLeft) ||
    !isDeepStrictEqual(type.groups, groupsLeft)
  ) {
    throw new WorkbenchError(
      'conflict',
      'The decision type was changed after this option, and undoing would lose that. Take an earlier version up again instead.',
    );
  }
  const now = deps.clock.now();
  const { definition } = findVersion(deps, caller, type.id, before.versionId);
  const activeVersion = toNextVersion(deps, type, definition, now);
  const { fallbackOption, costs = type.costs, groups = type.groups } = before;
  decisionTypes.update({ ...type, fallbackOption, costs, groups, activeVersion, updatedAt: now }, true);
  noteChange(deps, caller, type.id);
  if (change.isRename && change.into !== null) {
    deps.store.trainingRuns.labelChecks.renameOption(type.id, change.into, change.from);
    deps.store.audits.renameOption(type.id, change.into, change.from);
  }
  refuseTooMany(deps, type, kept?.adds ?? 0, ['body', 'undo_token']);
  exampleChanges.turnBack(undoToken, null);
}

/**
 * Takes the change of an option back, in a new version; examples labelled otherwise since stay. Throws `conflict` where
 * it was undone, is too old, or the type was changed since.
 */
export function undoOptionChange(
  deps: ChangeDeps,
  caller: Caller,
  typeId: string,
  undoToken: string,
): { affected: number; type: DecisionTypeRecord } | Promise<{ affected: number; type: DecisionTypeRecord }> {
  const begin = () => turnBack(deps, caller, typeId, undoToken);
  const parts = deps.store.exampleChanges.countParts(typeId, deps.store.examples.count(typeId), undoToken);
  const undone = doByTwo(deps, caller, findDecisionType(deps, caller, typeId), { undo: undoToken }, () =>
    deps.exampleAdditions.change(typeId, parts, { begin, cancelling: null }),
  );
  return mapMaybePromise(undone, ({ affected }) => ({ affected, type: findDecisionType(deps, caller, typeId) }));
}
