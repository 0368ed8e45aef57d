/** Renaming an option: one new version, and every example with it. */
import { replaceCostOption } from '../../../engine/costs.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import { replaceDirectionOption } from '../../../engine/schema/directions.ts';
import { replaceThresholdOption } from '../../../engine/thresholds.ts';
import type { Caller } from '../../auth/caller.ts';
import { refuseProblems, toInvalidValue, toUnknownOption } from '../../errors/validation-error.ts';
import type { Foundation } from '../../foundation.ts';
import type { OptionChange } from '../../store/examples/example-changes.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { noteChange } from '../releases.ts';
import { findDecisionType, toNextVersion } from './decision-types.ts';

type OptionTouches = {
  examples: number;
  rules: string[];
  isFallback: boolean;
  isInDeployedPolicy: boolean;
};

/** The effect of changing an option, the type after it, and how to undo it; null for a preview. */
export type OptionChanged = { touches: OptionTouches; type: DecisionTypeRecord; undoToken: string | null };

/** Says what a rename touches and, with `commit`, does it. Throws `validation_error` for either name. */
export function renameOption(
  deps: Foundation,
  caller: Caller,
  typeId: string,
  { from, to, commit }: { from: string; to: string; commit: boolean },
): OptionChanged {
  return deps.store.transaction(() => {
    const type = findDecisionType(deps, caller, typeId);
    const { definition } = type.activeVersion;
    if (!definition.options.includes(from)) {
      refuseProblems([toUnknownOption(['body', 'from'], definition.options)]);
    }
    if (definition.options.includes(to)) refuseProblems([toInvalidValue(['body', 'to'], 'is an option already')]);
    const touches = findOptionTouches(deps, type, from);
    if (!commit) return { touches, type, undoToken: null };
    const renamed = {
      from,
      into: to,
      how: 'rename',
      definition: withRenamedOption(definition, from, to),
      fallbackOption: touches.isFallback ? to : type.fallbackOption,
    } as const;
    return { touches, ...storeOptionChange(deps, caller, type, renamed) };
  });
}

/** Counts and lists the parts of a type that name an option. */
export function findOptionTouches(deps: Foundation, type: DecisionTypeRecord, option: string): OptionTouches {
  return {
    examples: deps.store.examples.countByLabel(type.id).get(option) ?? 0,
    rules: type.activeVersion.definition.hard_rules.filter((rule) => rule.then === option).map((rule) => rule.name),
    isFallback: type.fallbackOption === option,
    isInDeployedPolicy: deps.store.deployments.find(type.id)?.options.includes(option) ?? false,
  };
}

/** The fate of an option: its examples get the label `into`, or none, or are deleted. */
type StoredChange = {
  from: string;
  into: string | null;
  how: 'rename' | 'label' | 'delete';
  definition: Definition;
  fallbackOption: string | null;
};

/** Stores a type's changed options, its examples and the undo of both. Call it in a transaction. */
export function storeOptionChange(
  deps: Foundation,
  caller: Caller,
  type: DecisionTypeRecord,
  { from, into, how, definition, fallbackOption }: StoredChange,
): { type: DecisionTypeRecord; undoToken: string } {
  const { decisionTypes, examples, exampleChanges } = deps.store;
  const now = deps.clock.now();
  const confidence_thresholds = replaceThresholdOption(definition.confidence_thresholds, from, into);
  const input_schema = definition.input_schema && replaceDirectionOption(definition.input_schema, from, into);
  const activeVersion = toNextVersion(deps, type, { ...definition, confidence_thresholds, input_schema }, now);
  const undoToken = deps.newId();
  const costs = type.costs && replaceCostOption(type.costs, from, into);
  const change: OptionChange = {
    from,
    into,
    isRename: how === 'rename',
    before: { versionId: type.activeVersion.id, fallbackOption: type.fallbackOption, costs: type.costs },
    after: { versionId: activeVersion.id, fallbackOption, costs },
  };
  exampleChanges.keepOption(type.id, change, how === 'delete', undoToken, now);
  if (how === 'delete') examples.removeLabelled(type.id, from);
  else if (how === 'rename' && into !== null) {
    deps.store.labelHistory.renameOption(type.id, from, into, () => examples.renameLabel(type.id, from, into, null));
  } else examples.renameLabel(type.id, from, into, now);
  if (how === 'rename' && into !== null) deps.store.trainingRuns.labelChecks.renameOption(type.id, from, into);
  if (into !== null) deps.store.audits.renameOption(type.id, from, into);
  decisionTypes.update({ ...type, fallbackOption, costs, activeVersion, updatedAt: now }, true);
  noteChange(deps, caller, type.id);
  return { type: findDecisionType(deps, caller, type.id), undoToken };
}

/** The option keeps its place in the list, and the rules that decide it decide it under its new name. */
function withRenamedOption(definition: Definition, from: string, to: string): Definition {
  const rename = (option: string) => (option === from ? to : option);
  return {
    ...definition,
    options: definition.options.map(rename),
    hard_rules: definition.hard_rules.map((rule) => ({ ...rule, then: rename(rule.then) })),
  };
}
