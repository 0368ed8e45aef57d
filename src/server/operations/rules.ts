import type { Handlers } from './context.ts';

export const ruleHandlers = {
  'rules.check': async (_deps, { body }) => {
    const { compileRules } = await import('../../engine/rules/compile.ts');
    const compiled = compileRules(body.rules, { options: body.options, reason_codes: body.reason_codes });
    return compiled.ok ? { ok: true, problems: [] } : { ok: false, problems: compiled.problems };
  },
} satisfies Handlers<'rules.check'>;
