import { toUnknownOption } from '../../../door/errors/validation-error.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';

/** Every reason why a definition cannot be used; languages load here, as they would delay every start. */
export async function checkDefinition(order: {
  definition: Definition;
  fallbackOption: string | null;
  rulesField: 'rules' | 'hard_rules';
  isSchemaKept: boolean;
}): Promise<ErrorDetail[]> {
  const { definition, fallbackOption, rulesField, isSchemaKept } = order;
  const problems: ErrorDetail[] = [];
  if (definition.hard_rules.length > 0) {
    const { compileRules } = await import('../../../engine/rules/compile.ts');
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
    problems.push(toUnknownOption(['body', 'fallback_option'], definition.options));
  }
  for (const option of Object.keys(definition.confidence_thresholds.by_option ?? {})) {
    if (definition.options.includes(option)) continue;
    problems.push(toUnknownOption(['body', 'confidence_thresholds', 'by_option', option], definition.options));
  }
  if (definition.input_schema === null) return problems;
  const { checkDirections } = await import('../../../engine/schema/directions.ts');
  problems.push(...checkDirections(definition.input_schema, definition.options));
  if (isSchemaKept) return problems;
  const { checkInputSchema } = await import('../../../engine/schema/input-schema.ts');
  return [...problems, ...checkInputSchema(definition.input_schema)];
}
