/** Other rules in place of the current ones, on the same held-out rows: is the whole decision better or worse? */
import type { Costs } from '../costs.ts';
import type { RulesEffect } from '../measured.ts';
import type { CompiledRules } from '../rules/compile.ts';
import { computeMcNemarP, maxChance } from './compare.ts';
import { computeCostPer1000, formatAmount } from './costs.ts';
import { formatShare } from './format-share.ts';
import { type DecidingSettings, decideRow, type ReappliedRow, type RecordedRow, reapplySettings } from './reapply.ts';
import { measureWholeDecision } from './whole-decision.ts';

/** Decides recorded rows by the rules of `settings` and by other ones, and compares the results. */
export function measureRulesEffect(
  recorded: readonly RecordedRow[],
  settings: DecidingSettings,
  rules: CompiledRules,
  costs: Costs,
): RulesEffect {
  const before = reapplySettings(recorded, settings).rows;
  const others = new Map(reapplySettings(recorded, { ...settings, rules }).rows.map((row) => [row.recorded, row]));
  // Rules that take long leave out rows at the end.
  const pairs = before.flatMap((row) => {
    const other = others.get(row.recorded);
    return other ? [[row, other] as const] : [];
  });
  const measure = (rows: ReappliedRow[]) => {
    const { accuracy, automatic, error_automatic } = measureWholeDecision({ rows, refused: 0 }, settings, 0);
    return { accuracy, automatic, error_automatic, cost_per_1000: computeCostPer1000(rows, settings, costs) };
  };
  const isRight = (row: ReappliedRow) => decideRow(row, settings).decision === row.expected;
  const isSame = ([a, b]: (typeof pairs)[number]) =>
    JSON.stringify(decideRow(a, settings)) === JSON.stringify(decideRow(b, settings));
  const onlyFirst = pairs.filter(([a, b]) => isRight(a) && !isRight(b)).length;
  const onlySecond = pairs.filter(([a, b]) => !isRight(a) && isRight(b)).length;
  const p_value = computeMcNemarP({ onlyFirst, onlySecond });
  const moved = p_value > maxChance ? 'not_shown' : onlySecond > onlyFirst ? 'better' : 'worse';
  const effect = {
    verdict: pairs.every(isSame) ? ('unchanged' as const) : (moved as 'not_shown' | 'better' | 'worse'),
    rows: pairs.length,
    masked: pairs.filter(([row]) => row.isMasked).length,
    before: measure(pairs.map(([row]) => row)),
    after: measure(pairs.map(([, row]) => row)),
    only_before_right: onlyFirst,
    only_after_right: onlySecond,
    p_value,
  };
  return { ...effect, sentence: describe(effect, costs.currency) };
}

const verdicts = { better: 'Better', worse: 'Worse', not_shown: 'Neither better nor worse for certain' } as const;

function describe(
  { verdict, rows, masked, before, after }: Omit<RulesEffect, 'sentence'>,
  currency: string | null,
): string {
  if (rows === 0) return 'No unseen example is left to measure on. Train the type again.';
  const ofMasked = masked === 0 ? '' : ` In ${masked} of these personal fields are masked, which count as missing.`;
  if (verdict === 'unchanged') return `These rules decide all ${rows} unseen examples as before.${ofMasked}`;
  const change = (part: 'accuracy' | 'automatic' | 'error_automatic') => {
    const [from, to] = [before[part].share ?? 0, after[part].share ?? 0].map(formatShare);
    return from === to ? to : `${from} → ${to}`;
  };
  const cost =
    before.cost_per_1000 === null || after.cost_per_1000 === null
      ? ''
      : `, cost ${formatAmount(before.cost_per_1000, null)} → ${formatAmount(after.cost_per_1000, currency)} per 1,000`;
  return `${verdicts[verdict]}: right ${change('accuracy')}, decided alone ${change('automatic')}, wrong among these ${change('error_automatic')}${cost}, on ${rows} unseen examples.${ofMasked}`;
}
