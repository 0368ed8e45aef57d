/** Renaming an option: one new version, and every example with it. */
import type { Definition } from '../../engine/domain.ts';
import type { Caller } from '../auth/caller.ts';
import { refuseProblems, toInvalidValue } from '../errors/validation-error.ts';
import type { Clock } from '../process/clock.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { Store } from '../store/store.ts';
import { findDecisionType, toNextVersion } from './decision-types.ts';

type Deps = {
  store: Pick<Store, 'decisionTypes' | 'examples' | 'exampleChanges' | 'deployments' | 'transaction'>;
  clock: Clock;
  newId(): string;
};

/** What of a type has the option under its old name. */
export type RenameTouches = {
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
  deps: Deps,
  caller: Caller,
  typeId: string,
  { from, to, commit }: { from: string; to: string; commit: boolean },
): { touches: RenameTouches; type: DecisionTypeRecord } {
  return deps.store.transaction(() => {
    const type = findDecisionType(deps, caller, typeId);
    const { options, hard_rules } = type.activeVersion.definition;
    if (!options.includes(from)) refuseProblems([toInvalidValue(['body', 'from'], 'must be one of the options')]);
    if (options.includes(to)) refuseProblems([toInvalidValue(['body', 'to'], 'is an option already')]);
    const touches = {
      examples: deps.store.examples.countByLabel(type.id).get(from) ?? 0,
      rules: hard_rules.filter((rule) => rule.then === from).map((rule) => rule.name),
      isFallback: type.fallbackOption === from,
      isInDeployedPolicy: deps.store.deployments.find(type.id)?.options.includes(from) ?? false,
    };
    if (!commit) return { touches, type };
    const now = deps.clock.now();
    const definition = withRenamedOption(type.activeVersion.definition, from, to);
    deps.store.decisionTypes.update(
      {
        ...type,
        fallbackOption: type.fallbackOption === from ? to : type.fallbackOption,
        activeVersion: toNextVersion(deps, type, definition, now),
        updatedAt: now,
      },
      true,
    );
    deps.store.examples.renameLabel(type.id, from, to, now);
    deps.store.exampleChanges.forgetAll(type.id);
    return { touches, type: findDecisionType(deps, caller, typeId) };
  });
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
