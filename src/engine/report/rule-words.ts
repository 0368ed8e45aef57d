import type { Rule } from '../domain.ts';
import { describeCondition } from '../rules/analysis/words.ts';
import { quoteText } from './html.ts';

const maxCodeCharacters = 300;

/** Writes a rule as a sentence: tests in words, any other condition as its code up to 300 characters. */
export function describeRule({ condition, then }: Pick<Rule, 'condition' | 'then'>): string {
  const cut = condition.length > maxCodeCharacters ? `${condition.slice(0, maxCodeCharacters)}…` : condition;
  const words = describeCondition(condition, quoteText) ?? `<code>${quoteText(cut)}</code>`;
  return `If ${words}, the answer is ${quoteText(then)}.`;
}
