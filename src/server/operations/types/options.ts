/** Options renamed, merged and deleted: looked at first, then committed, and undone. */
import { deleteOption, mergeOption } from '../../services/types/option-removal.ts';
import { type OptionChanged, renameOption } from '../../services/types/option-rename.ts';
import { undoOptionChange } from '../../services/types/option-undo.ts';
import type { Deps, Handlers } from '../context.ts';
import { toDecisionType } from './decision-type-wire.ts';

export const optionHandlers = {
  'options.rename': (deps, { caller, params, body }) =>
    toAnswer(deps, renameOption(deps, caller, params.decision_type_id, body)),

  'options.merge': (deps, { caller, params, body }) =>
    toAnswer(deps, mergeOption(deps, caller, params.decision_type_id, body)),

  'options.delete': (deps, { caller, params, body }) =>
    toAnswer(deps, deleteOption(deps, caller, params.decision_type_id, body)),

  'options.undo': (deps, { caller, params, body }) => {
    const { affected, type } = undoOptionChange(deps, caller, params.decision_type_id, body.undo_token);
    return { affected, decision_type: toDecisionType(deps, type) };
  },
} satisfies Handlers;

function toAnswer(deps: Deps, { touches, type, undoToken }: OptionChanged) {
  return {
    committed: undoToken !== null,
    touches: {
      examples: touches.examples,
      rules: touches.rules,
      fallback_option: touches.isFallback,
      deployed_policy: touches.isInDeployedPolicy,
    },
    decision_type: toDecisionType(deps, type),
    undo_token: undoToken,
  };
}
