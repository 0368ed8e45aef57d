import type { Definition } from '../../engine/domain.ts';
import type { ErrorDetail } from '../../engine/errors.ts';

/**
 * Every reason why a definition cannot be used: its rules (syntax, option, reason code, names), its input schema
 * and the fallback option. `rulesField` is the name under which the caller sent the rules.
 */
export async function checkDefinition(
  definition: Definition,
  fallbackOption: string | null,
  rulesField: 'rules' | 'hard_rules',
): Promise<ErrorDetail[]> {
  const problems: ErrorDetail[] = [];
  if (definition.hard_rules.length > 0) {
    const { compileRules } = await import('../../engine/rules/compile.ts');
    const compiled = compileRules(definition.hard_rules, definition);
    if (!compiled.ok) {
      for (const problem of compiled.problems) {
        const hint = problem.suggestion === null ? '' : ` (${problem.suggestion})`;
        problems.push({
          type: 'rule',
          loc: ['body', rulesField, problem.rule, problem.field],
          msg: `${problem.message}${hint}`,
        });
      }
    }
  }
  if (fallbackOption !== null && !definition.options.includes(fallbackOption)) {
    problems.push({ type: 'invalid_value', loc: ['body', 'fallback_option'], msg: 'must be one of the options' });
  }
  if (definition.input_schema !== null) {
    const { checkInputSchema } = await import('../../engine/schema/input-schema.ts');
    problems.push(...checkInputSchema(definition.input_schema));
  }
  return problems;
}
