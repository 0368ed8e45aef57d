import type { Handlers } from './context.ts';
import { findDecisionType } from './decision-types.ts';

export const ruleHandlers = {
  'rules.check': async (_deps, { body }) => {
    const { compileRules } = await import('../../engine/rules/compile.ts');
    const compiled = compileRules(body.rules, { options: body.options, reason_codes: body.reason_codes });
    if (!compiled.ok) return { ok: false, problems: compiled.problems, findings: [] };
    const { exactFindings } = await import('../services/rules-analysis.ts');
    return { ok: true, problems: [], findings: exactFindings(compiled.value, body.rules, body.input_schema) };
  },
  'rules.analyse': async (deps, { params, body, caller }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const { analyseRules } = await import('../services/rules-analysis.ts');
    return analyseRules(deps, type, body);
  },
} satisfies Handlers<'rules.check' | 'rules.analyse'>;
