import type { Handlers } from './context.ts';
import { findDecisionType } from './decision-types.ts';

export const ruleHandlers = {
  'rules.check': async (_deps, { body }) => {
    const { compileRules } = await import('../../engine/rules/compile.ts');
    const compiled = compileRules(body.rules, { options: body.options, reason_codes: body.reason_codes });
    return compiled.ok ? { ok: true, problems: [] } : { ok: false, problems: compiled.problems };
  },
  'rules.analyse': async (deps, { params, body, caller }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { analyseRules } = await import('./rules-analysis.ts');
    return analyseRules(deps, type, body);
  },
} satisfies Handlers<'rules.check' | 'rules.analyse'>;
