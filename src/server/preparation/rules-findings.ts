/** Unsaved rules checked alone, and what is found in them as the wire has it. */
import type { JsonObject, Rule } from '../../engine/domain.ts';
import { lintRules, type RuleFinding } from '../../engine/rules/analysis/lint.ts';
import { type CompiledRules, compileRules } from '../../engine/rules/compile.ts';
import { toUtf16Range } from '../../engine/rules/source.ts';
import { analysisLimits, type RulesAnalysis } from '../contract/types/rules.ts';

const { maxFindings } = analysisLimits;

/** Returns the problems of rules or, where there are none, what their conditions and the schema alone tell. */
export function checkRules(request: {
  rules: Rule[];
  options: string[];
  reason_codes: string[];
  input_schema: JsonObject | null;
}): { ok: boolean; problems: RulesAnalysis['problems']; findings: RulesAnalysis['findings'] } {
  const compiled = compileRules(request.rules, request);
  if (!compiled.ok) return { ok: false, problems: compiled.problems, findings: [] };
  const findings = lintRules(compiled.value.file.rules, request.input_schema, null, maxFindings);
  return { ok: true, problems: [], findings: toWireFindings(compiled.value, request.rules, findings) };
}

/** Numbers the rules of findings in the order in which a client sent them; the engine counts in evaluation order. */
export function toWireFindings(
  compiled: CompiledRules,
  sentRules: readonly Rule[],
  findings: readonly RuleFinding[],
): RulesAnalysis['findings'] {
  // Rules that compile have unique names.
  const places = new Map(sentRules.map(({ name }, place) => [name, place]));
  const toPlace = (index: number) => places.get(compiled.file.rules[index]?.name ?? '') ?? index;
  return findings.map(({ at, rule, other, shownBy, ...rest }) => ({
    ...rest,
    shown_by: shownBy,
    rule: toPlace(rule),
    other: other === null ? null : toPlace(other),
    range: at && toUtf16Range(compiled.file.rules[rule]?.condition ?? '', at),
  }));
}
