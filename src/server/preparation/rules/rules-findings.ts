/** Checks unsaved rules by themselves, with the findings in the contract's form. */

import type { NamedLists, Rule } from '../../../engine/domain/definition.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { lintRules, type RuleFinding } from '../../../engine/rules/analysis/lint.ts';
import { compileSoundRules } from '../../../engine/rules/compile.ts';
import type { CompiledRules } from '../../../engine/rules/rules-file.ts';
import { toUtf16Range } from '../../../engine/rules/source.ts';
import { analysisLimits, type RulesAnalysis } from '../../contract/types/rules.ts';

const { maxFindings } = analysisLimits;

/** Returns the problems of rules and, for those without any, the findings from conditions and schema alone. */
export function checkRules(request: {
  rules: Rule[];
  options: string[];
  reason_codes: string[];
  lists: NamedLists;
  input_schema: JsonObject | null;
}): { ok: boolean; problems: RulesAnalysis['problems']; findings: RulesAnalysis['findings'] } {
  const { problems, sound } = compileSoundRules(request.rules, request);
  const findings = lintRules(sound.file.rules, request.input_schema, null, maxFindings);
  return { ok: problems.length === 0, problems, findings: toWireFindings(sound, request.rules, findings) };
}

/** Numbers the rules of findings in the order in which a client sent them; the engine counts in evaluation order. */
export function toWireFindings(
  compiled: CompiledRules,
  sentRules: readonly Rule[],
  findings: readonly RuleFinding[],
): RulesAnalysis['findings'] {
  // Of rules with one name only the first compiles.
  const toPlace = (index: number) => sentRules.findIndex(({ name }) => name === compiled.file.rules[index]?.name);
  return findings.map(({ at, rule, other, ...rest }) => ({
    ...rest,
    rule: toPlace(rule),
    other: other === null ? null : toPlace(other),
    range: at && toUtf16Range(compiled.file.rules[rule]?.condition ?? '', at),
  }));
}
