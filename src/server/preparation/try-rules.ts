import type { Costs } from '../../engine/costs.ts';
import type { Definition } from '../../engine/domain/definition.ts';
import type { DecidingSettings, RecordedRow } from '../../engine/measure/reapply.ts';
import { measureRulesEffect } from '../../engine/measure/rules-effect.ts';
import type { RulesEffect } from '../../engine/measured.ts';
import { compileRules } from '../../engine/rules/compile.ts';
import type { RuleProblem } from '../../engine/rules/results.ts';

type RuleSet = Pick<Definition, 'hard_rules' | 'options' | 'reason_codes' | 'lists'>;
type TrialOrder = {
  saved: RuleSet;
  tried: RuleSet;
  settings: Omit<DecidingSettings, 'rules'>;
  rows: readonly RecordedRow[];
  costs: Costs;
};

/** Returns the effect of rules on held-out rows, or the problems of the rules. */
export function tryRules({
  saved,
  tried,
  settings,
  rows,
  costs,
}: TrialOrder): RulesEffect | { problems: RuleProblem[] } {
  const before = compileRules(saved.hard_rules, saved);
  if (!before.ok) throw new Error('the saved rules do not compile');
  const after = compileRules(tried.hard_rules, tried);
  if (!after.ok) return { problems: after.problems };
  return measureRulesEffect(rows, { ...settings, rules: before.value }, after.value, costs);
}
