/** Options renamed, merged and deleted: looked at first, then committed, and undone. */

import { mapMaybePromise } from '../../../door/maybe-promise.ts';
import { refuseOtherState } from '../../services/types/decision-types.ts';
import {
  deleteOption,
  mergeOption,
  type OptionChanged,
  renameOption,
  undoOptionChange,
} from '../../services/types/option-changes.ts';
import type { Deps, Handlers } from '../context.ts';
import { toDecisionType } from './decision-type-wire.ts';

export const optionHandlers = {
  'options.rename': (deps, { caller, type, body, ifMatch }) => {
    refuseOtherState(deps, type, ifMatch);
    return mapMaybePromise(renameOption(deps, caller, type.id, body), (changed) => toAnswer(deps, changed));
  },

  'options.merge': (deps, { caller, type, body, ifMatch }) => {
    refuseOtherState(deps, type, ifMatch);
    return mapMaybePromise(mergeOption(deps, caller, type.id, body), (changed) => toAnswer(deps, changed));
  },

  'options.delete': (deps, { caller, type, body, ifMatch }) => {
    refuseOtherState(deps, type, ifMatch);
    return mapMaybePromise(deleteOption(deps, caller, type.id, body), (changed) => toAnswer(deps, changed));
  },

  'options.undo': (deps, { caller, type: seen, body, ifMatch }) => {
    refuseOtherState(deps, seen, ifMatch);
    return mapMaybePromise(undoOptionChange(deps, caller, seen.id, body.undo_token), ({ affected, type }) => ({
      affected,
      decision_type: toDecisionType(deps, type),
    }));
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
