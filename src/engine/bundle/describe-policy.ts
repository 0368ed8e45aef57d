/** Sentences about a policy that its model card and its report share. */
import type { Rule } from '../domain/definition.ts';
import { describeCondition } from '../rules/analysis/words.ts';
import { listOwnThresholds } from '../thresholds.ts';
import type { Manifest } from './manifest.ts';

/** Writes a user's name for something in the markup of the document. */
type Quote = (text: string) => string;

type Settings = Pick<Manifest, 'confidence_thresholds' | 'escalation_policy' | 'fallback_option'>;

const maxCodeCharacters = 300;

/** Writes a rule as a sentence: tests in words, any other condition as its code up to 300 characters. */
export function describeRule({ condition, then }: Pick<Rule, 'condition' | 'then'>, quote: Quote, quoteCode: Quote) {
  const cut = condition.length > maxCodeCharacters ? `${condition.slice(0, maxCodeCharacters)}…` : condition;
  return `If ${describeCondition(condition, quote) ?? quoteCode(cut)}, the answer is ${quote(then)}.`;
}

/** Says in sentences what becomes of an input that no rule decides, by the confidence of the classifier. */
export function describeThresholds(
  { confidence_thresholds, escalation_policy, fallback_option }: Settings,
  quote: Quote,
) {
  const flagged = 'its answer is given and flagged for a person';
  const fallback = fallback_option === null ? flagged : `${quote(fallback_option)} answers, flagged for a person`;
  const below = escalation_policy.enabled
    ? `the workbench asks a connected model; where that does not help, ${fallback}`
    : fallback;
  const between = { flag: flagged, accept: 'its answer stands', fallback, escalate: below }[escalation_policy.between];
  const { auto_decide, escalation } = confidence_thresholds;
  return [
    `The classifier decides alone from a confidence of ${auto_decide}${listOwnThresholds(confidence_thresholds, quote)}.`,
    ...(escalation < auto_decide ? [`From ${escalation} up to that, ${between}.`] : []),
    ...(escalation > 0 ? [`Below ${escalation}, ${below}.`] : []),
    ...(escalation_policy.unfamiliar === 'escalate'
      ? ['The same holds for an input that is unlike the examples, however confident the classifier is.']
      : []),
  ].join(' ');
}
