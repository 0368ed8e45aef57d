import type { Costs } from '../../../engine/costs.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import type { DecidingSettings, RecordedRow } from '../../../engine/measure/reapply.ts';
import { measureRulesEffect } from '../../../engine/measure/rules-effect.ts';
import type { RulesEffect } from '../../../engine/measured.ts';
import { compileRules } from '../../../engine/rules/compile.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';

/** Rules as they are written, with the settings beside them. */
type Side = {
  rules: Pick<Definition, 'hard_rules' | 'options' | 'reason_codes' | 'lists'>;
  settings: Omit<DecidingSettings, 'rules'>;
};
export type TrialOrder = { saved: Side; tried: Side; rows: readonly RecordedRow[]; costs: Costs };

/** Returns the effect of rules and settings on held-out rows, or the problems of the rules. */
export function tryRules({ saved, tried, rows, costs }: TrialOrder): RulesEffect | { problems: RuleProblem[] } {
  const before = compileRules(saved.rules.hard_rules, saved.rules);
  if (!before.ok) throw new Error('the saved rules do not compile');
  const after = compileRules(tried.rules.hard_rules, tried.rules);
  if (!after.ok) return { problems: after.problems };
  return measureRulesEffect(
    rows,
    { ...saved.settings, rules: before.value },
    { ...tried.settings, rules: after.value },
    costs,
  );
}
