/** Options that go: one new version without them, and every example with it. */
import type { Definition } from '../../engine/domain.ts';
import { limits } from '../../engine/limits.ts';
import type { Caller } from '../auth/caller.ts';
import { refuseProblems, toInvalidValue } from '../errors/validation-error.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import { findDecisionType } from './decision-types.ts';
import { findOptionTouches, type OptionChangeDeps, type OptionTouches, storeOptionChange } from './option-rename.ts';

/** What a removal touches, and the type as it is after it. */
export type OptionRemoval = { touches: OptionTouches; type: DecisionTypeRecord };

/**
 * Says what a merge touches and, with `commit`, does it: examples and rules of the one option get the other, which is
 * also the fallback where the first one was. What could be undone before cannot be any more. Throws `validation_error`
 * for an unknown option, and where fewer than two would be left.
 */
export function mergeOption(
  deps: OptionChangeDeps,
  caller: Caller,
  typeId: string,
  { from, into, commit }: { from: string; into: string; commit: boolean },
): OptionRemoval {
  return deps.store.transaction(() => {
    const type = findDecisionType(deps, caller, typeId);
    const { definition } = type.activeVersion;
    refuseUnknown(definition, from, 'from');
    refuseUnknown(definition, into, 'into');
    if (from === into) refuseProblems([toInvalidValue(['body', 'into'], 'must be another option than from')]);
    refuseTooFew(definition, 'from');
    const touches = findOptionTouches(deps, type, from);
    if (!commit) return { touches, type };
    const now = deps.clock.now();
    const merged: Definition = {
      ...definition,
      options: definition.options.filter((option) => option !== from),
      hard_rules: definition.hard_rules.map((rule) => (rule.then === from ? { ...rule, then: into } : rule)),
    };
    deps.store.examples.renameLabel(type.id, from, into, now);
    const fallbackOption = touches.isFallback ? into : type.fallbackOption;
    return { touches, type: storeOptionChange(deps, caller, type, { definition: merged, fallbackOption, now }) };
  });
}

/**
 * Says what a deletion touches and, with `commit`, does it: the rules that decide the option go with it, its examples
 * lose their label or are deleted, too, and where it was the fallback there is none. Otherwise as `mergeOption`.
 */
export function deleteOption(
  deps: OptionChangeDeps,
  caller: Caller,
  typeId: string,
  { option, examples, commit }: { option: string; examples: 'unlabel' | 'delete'; commit: boolean },
): OptionRemoval {
  return deps.store.transaction(() => {
    const type = findDecisionType(deps, caller, typeId);
    const { definition } = type.activeVersion;
    refuseUnknown(definition, option, 'option');
    refuseTooFew(definition, 'option');
    const touches = findOptionTouches(deps, type, option);
    if (!commit) return { touches, type };
    const now = deps.clock.now();
    const left: Definition = {
      ...definition,
      options: definition.options.filter((each) => each !== option),
      hard_rules: definition.hard_rules.filter((rule) => rule.then !== option),
    };
    if (examples === 'delete') deps.store.examples.removeLabelled(type.id, option);
    else deps.store.examples.renameLabel(type.id, option, null, now);
    const fallbackOption = touches.isFallback ? null : type.fallbackOption;
    return { touches, type: storeOptionChange(deps, caller, type, { definition: left, fallbackOption, now }) };
  });
}

function refuseUnknown({ options }: Definition, option: string, field: string): void {
  if (!options.includes(option)) refuseProblems([toInvalidValue(['body', field], 'must be one of the options')]);
}

function refuseTooFew({ options }: Definition, field: string): void {
  if (options.length > limits.minOptions) return;
  refuseProblems([toInvalidValue(['body', field], `a decision type keeps at least ${limits.minOptions} options`)]);
}
