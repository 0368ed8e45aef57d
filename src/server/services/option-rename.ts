/** Renaming an option: one new version, and every example with it. */
import type { Definition } from '../../engine/domain.ts';
import type { Caller } from '../auth/caller.ts';
import { refuseProblems, toInvalidValue } from '../errors/validation-error.ts';
import type { Clock } from '../process/clock.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { Store } from '../store/store.ts';
import { findDecisionType, toNextVersion } from './decision-types.ts';

/** What a change of the options needs. */
export type OptionChangeDeps = {
  store: Pick<Store, 'decisionTypes' | 'examples' | 'exampleChanges' | 'deployments' | 'transaction'>;
  clock: Clock;
  newId(): string;
};

/** What of a type names an option. */
export type OptionTouches = {
  examples: number;
  /** Names of the rules that decide it. */
  rules: string[];
  isFallback: boolean;
  isInDeployedPolicy: boolean;
};

/**
 * Says what a rename touches and, with `commit`, does it: the type gets a new version, the examples the new label, and
 * what could be undone before cannot be any more, because it would bring the old name back. Throws `validation_error`
 * for an unknown old or a taken new name.
 */
export function renameOption(
  deps: OptionChangeDeps,
  caller: Caller,
  typeId: string,
  { from, to, commit }: { from: string; to: string; commit: boolean },
): { touches: OptionTouches; type: DecisionTypeRecord } {
  return deps.store.transaction(() => {
    const type = findDecisionType(deps, caller, typeId);
    const { definition } = type.activeVersion;
    if (!definition.options.includes(from)) {
      refuseProblems([toInvalidValue(['body', 'from'], 'must be one of the options')]);
    }
    if (definition.options.includes(to)) refuseProblems([toInvalidValue(['body', 'to'], 'is an option already')]);
    const touches = findOptionTouches(deps, type, from);
    if (!commit) return { touches, type };
    const now = deps.clock.now();
    deps.store.examples.renameLabel(type.id, from, to, now);
    const renamed = {
      definition: withRenamedOption(definition, from, to),
      fallbackOption: touches.isFallback ? to : type.fallbackOption,
      now,
    };
    return { touches, type: storeOptionChange(deps, caller, type, renamed) };
  });
}

/** Counts and names what of a type names an option. */
export function findOptionTouches(deps: OptionChangeDeps, type: DecisionTypeRecord, option: string): OptionTouches {
  return {
    examples: deps.store.examples.countByLabel(type.id).get(option) ?? 0,
    rules: type.activeVersion.definition.hard_rules.filter((rule) => rule.then === option).map((rule) => rule.name),
    isFallback: type.fallbackOption === option,
    isInDeployedPolicy: deps.store.deployments.find(type.id)?.options.includes(option) ?? false,
  };
}

/**
 * Stores a type with changed options as a new version, and forgets what could be undone: it would bring back labels
 * that are no options any more. For a transaction of its caller.
 */
export function storeOptionChange(
  deps: OptionChangeDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  { definition, fallbackOption, now }: { definition: Definition; fallbackOption: string | null; now: number },
): DecisionTypeRecord {
  const activeVersion = toNextVersion(deps, type, definition, now);
  deps.store.decisionTypes.update({ ...type, fallbackOption, activeVersion, updatedAt: now }, true);
  deps.store.exampleChanges.forgetAll(type.id);
  return findDecisionType(deps, caller, type.id);
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
