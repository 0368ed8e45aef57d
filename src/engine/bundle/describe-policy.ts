/** The facts about a policy that its model card and its report print, in the markup of either. */

import type { Rule } from '../domain/definition.ts';
import type { Metrics } from '../domain/metrics.ts';
import { countOf, formatCount } from '../numeric.ts';
import { describeCondition } from '../rules/analysis/words.ts';
import type { ThresholdSettings } from '../thresholds.ts';
import { describeThresholds } from '../thresholds.ts';

/** Writes a user's name for something in the markup of the document. */
type Quote = (text: string) => string;

type Facts = ThresholdSettings & {
  options: readonly string[];
  rules: readonly Rule[];
  isRulesOnly: boolean;
  /** null where nothing was learned. */
  metrics: Pick<Metrics, 'train_size' | 'test_size' | 'split' | 'rare_options' | 'left_to_rules'> | null;
};

const maxCodeCharacters = 300;

/** Writes up to `max` items in a row, and how many more there are. */
export function listSome(items: readonly string[], max: number): string {
  const more = items.length > max ? ` and ${items.length - max} more` : '';
  return `${items.slice(0, max).join(', ')}${more}`;
}

/** Says what a policy answers, by which rules, what becomes of the rest, and what it learned from. */
export function listPolicyFacts(facts: Facts, max: { names: number; rules: number }, quote: Quote, quoteCode: Quote) {
  const { options, rules, metrics, fallback_option: fallback } = facts;
  const nameSome = (names: readonly string[]) => listSome(names.map(quote), max.names);
  const name = (title: string, names: readonly string[] = []) =>
    names.length === 0 ? [] : [`${title}: ${nameSome(names)}.`];
  const answers = fallback === null ? 'Nothing answers' : `The fallback option ${quote(fallback)} answers`;
  const { train_size = 0, test_size = 0, split, rare_options: rare, left_to_rules: left } = metrics ?? {};
  const chosen = split?.rule === 'test_rows' ? 'marked as test examples' : 'set aside before it began';
  const measured = test_size === 0 ? '' : ` and was measured on ${formatCount(test_size)} others, ${chosen}`;
  return {
    answers: `Every input gets one of ${options.length} answers: ${nameSome(options)}.`,
    order: rules.length === 0 ? 'There are no rules.' : 'The first rule that is true decides.',
    rules: rules.slice(0, max.rules).map((rule) => describeRule(rule, quote, quoteCode)),
    moreRules: Math.max(0, rules.length - max.rules),
    undecided: facts.isRulesOnly ? `${answers} what no rule decides.` : describeThresholds(facts, quote),
    learned: [
      `The training learned from ${countOf(train_size, 'example')}${measured}.`,
      ...[split?.one_case, split?.sentence].flatMap((said) => (said ? [quote(said)] : [])),
      ...(split?.corrections
        ? [
            `Of those it learned from, ${split.corrections} are corrections of live decisions, on which nothing is measured.`,
          ]
        : []),
      ...(split?.refitted && test_size > 0
        ? ['Then it was fitted to all of them; the figures are of the model before that.']
        : []),
      ...(left ? [left.sentence] : []),
      ...(rare ? [rare.sentence] : []),
      ...name('Not learned', rare?.options),
      ...name('Never decided alone', rare?.few),
    ],
  };
}

/** Writes a rule as a sentence: tests in words, any other condition as its code up to 300 characters. */
export function describeRule({ condition, then }: Pick<Rule, 'condition' | 'then'>, quote: Quote, quoteCode: Quote) {
  const cut = condition.length > maxCodeCharacters ? `${condition.slice(0, maxCodeCharacters)}…` : condition;
  return `If ${describeCondition(condition, quote) ?? quoteCode(cut)}, the answer is ${quote(then)}.`;
}
