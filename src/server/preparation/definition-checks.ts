/** Checks of a definition before it becomes a version. */
import type { Definition } from '../../engine/domain.ts';
import type { ErrorDetail } from '../../engine/errors.ts';
import { toInvalidValue } from '../errors/validation-error.ts';

/** What is wrong with a definition, and the check of its input schema as code where there is one and it can be used. */
export type CheckedDefinition = { problems: ErrorDetail[]; inputCheck: string | null };

/**
 * Returns every reason why a definition cannot be used: its rules (syntax, option, reason code, names), the fallback
 * option and its input schema. `rulesField` is the name under which the caller sent the rules. The languages of rules
 * and schemas are loaded with their first use: they would delay every start.
 */
export async function checkDefinition(order: {
  definition: Definition;
  fallbackOption: string | null;
  rulesField: 'rules' | 'hard_rules';
}): Promise<CheckedDefinition> {
  const { definition, fallbackOption, rulesField } = order;
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
    problems.push(toInvalidValue(['body', 'fallback_option'], 'must be one of the options'));
  }
  if (definition.input_schema === null) return { problems, inputCheck: null };
  const { writeInputCheck } = await import('../../engine/schema/input-schema.ts');
  const written = writeInputCheck(definition.input_schema);
  if (written.ok) return { problems, inputCheck: written.code };
  return { problems: [...problems, ...written.problems], inputCheck: null };
}
