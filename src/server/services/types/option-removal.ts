/** Options that go: one new version without them, and every example with it. */
import type { Definition } from '../../../engine/domain/definition.ts';
import { limits } from '../../../engine/limits.ts';
import type { Caller } from '../../auth/caller.ts';
import { refuseProblems, toInvalidValue, toUnknownOption } from '../../errors/validation-error.ts';
import type { Foundation } from '../../foundation.ts';
import { findDecisionType } from './decision-types.ts';
import { findOptionTouches, type OptionChanged, storeOptionChange } from './option-rename.ts';

/**
 * Says what a merge touches and, with `commit`, gives examples, rules and fallback the other option. Throws
 * `validation_error` (unknown, too few left).
 */
export function mergeOption(
  deps: Foundation,
  caller: Caller,
  typeId: string,
  { from, into, commit }: { from: string; into: string; commit: boolean },
): OptionChanged {
  return deps.store.transaction(() => {
    const type = findDecisionType(deps, caller, typeId);
    const { definition } = type.activeVersion;
    refuseUnknown(definition, from, 'from');
    refuseUnknown(definition, into, 'into');
    if (from === into) refuseProblems([toInvalidValue(['body', 'into'], 'must be another option than from')]);
    refuseTooFew(definition, 'from');
    const touches = findOptionTouches(deps, type, from);
    if (!commit) return { touches, type, undoToken: null };
    const merged: Definition = {
      ...definition,
      options: definition.options.filter((option) => option !== from),
      hard_rules: definition.hard_rules.map((rule) => (rule.then === from ? { ...rule, then: into } : rule)),
    };
    const fallbackOption = touches.isFallback ? into : type.fallbackOption;
    const change = { from, into, how: 'label', definition: merged, fallbackOption } as const;
    return { touches, ...storeOptionChange(deps, caller, type, change) };
  });
}

/** Says what a deletion touches and, with `commit`, takes the option's rules, labels and fallback away. */
export function deleteOption(
  deps: Foundation,
  caller: Caller,
  typeId: string,
  { option, examples, commit }: { option: string; examples: 'unlabel' | 'delete'; commit: boolean },
): OptionChanged {
  return deps.store.transaction(() => {
    const type = findDecisionType(deps, caller, typeId);
    const { definition } = type.activeVersion;
    refuseUnknown(definition, option, 'option');
    refuseTooFew(definition, 'option');
    const touches = findOptionTouches(deps, type, option);
    if (!commit) return { touches, type, undoToken: null };
    const left: Definition = {
      ...definition,
      options: definition.options.filter((each) => each !== option),
      hard_rules: definition.hard_rules.filter((rule) => rule.then !== option),
    };
    const fallbackOption = touches.isFallback ? null : type.fallbackOption;
    const how = examples === 'delete' ? 'delete' : 'label';
    const change = { from: option, into: null, how, definition: left, fallbackOption } as const;
    return { touches, ...storeOptionChange(deps, caller, type, change) };
  });
}

function refuseUnknown({ options }: Definition, option: string, field: string): void {
  if (!options.includes(option)) refuseProblems([toUnknownOption(['body', field], options)]);
}

function refuseTooFew({ options }: Definition, field: string): void {
  if (options.length > limits.minOptions) return;
  refuseProblems([toInvalidValue(['body', field], `a decision type keeps at least ${limits.minOptions} options`)]);
}
