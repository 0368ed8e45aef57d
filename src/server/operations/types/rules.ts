/** Checks rules before they are saved: by themselves, or against the decision type. */
import { toCallerId } from '../../auth/caller.ts';
import { analyseRules } from '../../services/types/rules-analysis.ts';
import type { Handlers } from '../context.ts';

export const ruleHandlers = {
  'rules.check': (deps, { body, caller }) => deps.preparation.runAdmitted(toCallerId(caller), 'checkRules', body),
  'rules.analyse': (deps, { type, body, caller }) => analyseRules(deps, toCallerId(caller), type, body),
  'rules.propose': async (deps, { type, query }) => {
    // The language of the rules is loaded with the first question about it: it would delay every start.
    const { proposeRulesFor } = await import('../../services/types/rule-proposals.ts');
    return proposeRulesFor(deps, type, query.min_precision);
  },
} satisfies Handlers;
