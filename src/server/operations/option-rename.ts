/** Renaming an option: looked at first, then committed. */
import { renameOption } from '../services/option-rename.ts';
import type { Handlers } from './context.ts';
import { toDecisionType } from './decision-type-wire.ts';

export const optionRenameHandlers = {
  'options.rename': (deps, { caller, params, body }) => {
    const { touches, type } = renameOption(deps, caller, params.decision_type_id, body);
    return {
      committed: body.commit,
      touches: {
        examples: touches.examples,
        rules: touches.rules,
        fallback_option: touches.isFallback,
        deployed_policy: touches.isInDeployedPolicy,
      },
      decision_type: toDecisionType(deps, type),
    };
  },
} satisfies Handlers<'options.rename'>;
