/** Other rules or settings in place of the current ones, on the same held-out rows: is the whole decision better? */
import { type Costs, isWeighable } from '../costs.ts';
import type { RuleEffect, RulesEffect } from '../measured.ts';
import { formatShare } from '../numeric.ts';
import { computeMcNemarP, maxChance } from './compare.ts';
import { computeCostPer1000, estimateSaving, formatAmount } from './costs.ts';
import { describeVerdict } from './describe-verdict.ts';
import {
  type DecidingSettings,
  decideRow,
  maxSteps,
  type Reapplied,
  type ReappliedRow,
  type RecordedRow,
  reapplySettings,
} from './reapply.ts';
import { measureWholeDecision } from './whole-decision.ts';

/** Decides recorded rows by settings with their rules and by other ones, and compares the results. */
export function measureRulesEffect(
  recorded: readonly RecordedRow[],
  settings: DecidingSettings,
  tried: DecidingSettings,
  costs: Costs,
): RulesEffect {
  const { rows: before, refused } = reapplySettings(recorded, settings);
  const reapplied = reapplySettings(recorded, tried);
  const others = new Map(reapplied.rows.map((row) => [row.recorded, row]));
  // Rules that take long leave out rows at the end.
  const pairs = before.flatMap((row) => {
    const other = others.get(row.recorded);
    return other ? [[row, other] as const] : [];
  });
  const effect = measureChange(pairs, [settings, tried], costs, Math.max(0, reapplied.refused - refused));
  return { ...effect, rules: measureEachRule(reapplied.rows, tried, costs) };
}

/** Measures what each rule does to the rows that it decides, against what the others do without it. */
function measureEachRule(rows: Reapplied['rows'], settings: DecidingSettings, costs: Costs): RuleEffect[] {
  if (rows.length === 0) return [];
  const { rules } = settings;
  const ruled = rows.filter((row) => row.ruled !== null);
  const byRule = Map.groupBy(ruled, ({ recorded }) => rules.evaluate(recorded.input, false).matchedIndex);
  const countRight = (some: readonly ReappliedRow[]) =>
    some.filter((row) => decideRow(row, settings).decision === row.expected).length;
  let left = maxSteps;
  return rules.file.rules.map(({ name }, place) => {
    const own = byRule.get(place) ?? [];
    const without = own.flatMap((row) => {
      if (left <= 0) return [];
      const { matched, steps } = rules.evaluateFrom(place + 1, row.recorded.input);
      left -= steps;
      return [{ ...row, ruled: matched?.then ?? null }];
    });
    const right = countRight(own);
    const known = { name, rows: own.length, right };
    if (without.length < own.length) return { ...known, right_without: null, points: null, cost_per_1000: null };
    const right_without = countRight(without);
    const points = (100 * (right - right_without)) / rows.length;
    const [cost = 0, costWithout = 0] = [own, without].map(
      (some) => ((computeCostPer1000(some, settings, costs) ?? 0) * some.length) / rows.length,
    );
    return { ...known, right_without, points, cost_per_1000: isWeighable(costs) ? cost - costWithout : null };
  });
}

/** Compares what is decided now and what is tried, row by row; `refused` are those that only what is tried refuses. */
export function measureChange(
  pairs: readonly (readonly [ReappliedRow, ReappliedRow])[],
  [settings, tried]: readonly [DecidingSettings, DecidingSettings],
  costs: Costs,
  refused = 0,
): RulesEffect {
  const [first, second] = [pairs.map(([row]) => row), pairs.map(([, row]) => row)];
  const measure = (rows: ReappliedRow[], by: DecidingSettings) => {
    const { accuracy, automatic, error_automatic } = measureWholeDecision({ rows, refused: 0 }, by, { missing: 0 });
    return { accuracy, automatic, error_automatic, cost_per_1000: computeCostPer1000(rows, by, costs) };
  };
  const decided = pairs.map(([a, b]) => [decideRow(a, settings), decideRow(b, tried), a.expected] as const);
  const isSame = ([a, b]: (typeof decided)[number]) => JSON.stringify(a) === JSON.stringify(b);
  const onlyFirst = decided.filter(([a, b, right]) => a.decision === right && b.decision !== right).length;
  const onlySecond = decided.filter(([a, b, right]) => a.decision !== right && b.decision === right).length;
  const p_value = computeMcNemarP({ onlyFirst, onlySecond });
  const moved = p_value > maxChance ? 'not_shown' : onlySecond > onlyFirst ? 'better' : 'worse';
  const effect = {
    verdict: decided.every(isSame) ? ('unchanged' as const) : (moved as 'not_shown' | 'better' | 'worse'),
    rows: pairs.length,
    masked: pairs.filter(([row]) => row.isMasked).length,
    refused,
    before: measure(first, settings),
    after: measure(second, tried),
    saving: estimateSaving([first, settings], [second, tried], costs),
    only_before_right: onlyFirst,
    only_after_right: onlySecond,
    p_value,
    rules: [],
  };
  return { ...effect, sentence: describe(effect, costs.currency) };
}

function describe(
  { verdict, rows, masked, refused, before, after }: Omit<RulesEffect, 'sentence'>,
  currency: string | null,
): string {
  if (rows === 0) return 'No unseen example is left to measure on. Train the type again.';
  const ofMasked =
    (masked === 0 ? '' : ` In ${masked} of these personal fields are masked, which count as missing.`) +
    (refused === 0 ? '' : ` ${refused} more would be refused by the input schema.`);
  if (verdict === 'unchanged') return `All ${rows} unseen examples are decided as before.${ofMasked}`;
  const change = (part: 'accuracy' | 'automatic' | 'error_automatic') => {
    const [from, to] = [before[part].share ?? 0, after[part].share ?? 0].map(formatShare);
    return from === to ? to : `${from} → ${to}`;
  };
  const cost =
    before.cost_per_1000 === null || after.cost_per_1000 === null
      ? ''
      : `, cost ${formatAmount(before.cost_per_1000, null)} → ${formatAmount(after.cost_per_1000, currency)} per 1,000`;
  return `${describeVerdict({ verdict, before, after })}: right ${change('accuracy')}, decided alone ${change('automatic')}, wrong among these ${change('error_automatic')}${cost}, on ${rows} unseen examples.${ofMasked}`;
}

/** Says in which ways an effect is certainly worse, a sentence each; none where it is not. */
export function listWorse({ verdict, refused, before, after, saving }: RulesEffect): string[] {
  const compare = (part: 'accuracy' | 'error_automatic') =>
    `${formatShare(before[part].share ?? 0)} → ${formatShare(after[part].share ?? 0)}`;
  const isWrongMore = after.error_automatic.count > 0 && after.error_automatic.low > before.error_automatic.high;
  return [
    verdict === 'worse' && `Fewer unseen examples are decided correctly: ${compare('accuracy')}.`,
    saving === null
      ? isWrongMore && `More of what is decided alone is wrong: ${compare('error_automatic')}.`
      : saving.high < 0 &&
        `Decisions cost more: ${formatAmount(before.cost_per_1000 ?? 0, null)} → ${formatAmount(after.cost_per_1000 ?? 0, null)} per 1,000.`,
    refused > 0 && `${refused} unseen examples would be refused by the input schema.`,
  ].filter((sentence) => sentence !== false);
}
