/** Rules before they are saved: checked alone, or against what the decision type knows. */
import { findDecisionType } from '../services/decision-types.ts';
import type { Handlers } from './context.ts';

// The language of the rules is loaded with the first question about it: it would delay every start.
const loadRulesAnalysis = () => import('../services/rules-analysis.ts');

export const ruleHandlers = {
  'rules.check': async (_deps, { body }) => (await loadRulesAnalysis()).checkRules(body),
  'rules.analyse': async (deps, { params, body, caller }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    return (await loadRulesAnalysis()).analyseRules(deps, type, body);
  },
  'rules.propose': async (deps, { params, query, caller }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { proposeRulesFor } = await import('../services/rule-proposals.ts');
    return proposeRulesFor(deps, type, query.min_precision);
  },
} satisfies Handlers<'rules.check' | 'rules.analyse' | 'rules.propose'>;
