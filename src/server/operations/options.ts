/** Options renamed, merged and deleted: looked at first, then committed. */
import { deleteOption, mergeOption } from '../services/option-removal.ts';
import { type OptionTouches, renameOption } from '../services/option-rename.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { Deps, Handlers } from './context.ts';
import { toDecisionType } from './decision-type-wire.ts';

export const optionHandlers = {
  'options.rename': (deps, { caller, params, body }) =>
    toAnswer(deps, body.commit, renameOption(deps, caller, params.decision_type_id, body)),

  'options.merge': (deps, { caller, params, body }) =>
    toAnswer(deps, body.commit, mergeOption(deps, caller, params.decision_type_id, body)),

  'options.delete': (deps, { caller, params, body }) =>
    toAnswer(deps, body.commit, deleteOption(deps, caller, params.decision_type_id, body)),
} satisfies Handlers<'options.rename' | 'options.merge' | 'options.delete'>;

function toAnswer(
  deps: Deps,
  committed: boolean,
  { touches, type }: { touches: OptionTouches; type: DecisionTypeRecord },
) {
  return {
    committed,
    touches: {
      examples: touches.examples,
      rules: touches.rules,
      fallback_option: touches.isFallback,
      deployed_policy: touches.isInDeployedPolicy,
    },
    decision_type: toDecisionType(deps, type),
  };
}
