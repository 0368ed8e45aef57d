/** Decisions as they are answered: frozen, because one and the same object may answer many calls. */
import type { Decision } from '../domain/decision.ts';
import type { Rule } from '../domain/definition.ts';
import { explanations } from './explain.ts';
import type { Outcome, Prediction } from './thresholds.ts';

/** A frozen copy of a list. */
export function freezeArray(values: readonly string[]): string[] {
  const copy = [...values];
  Object.freeze(copy);
  return copy;
}

const noNames = freezeArray([]);

/** `class_probabilities`, with an own property for every option whatever it is called. */
export function toClassProbabilities(
  options: readonly string[],
  probabilities: ArrayLike<number>,
): Record<string, number> {
  const entries: Record<string, number> = {};
  for (let index = 0; index < options.length; index++) {
    const option = options[index] as string;
    const value = probabilities[index] ?? 0;
    if (option === '__proto__') Object.defineProperty(entries, option, { value, enumerable: true });
    else entries[option] = value;
  }
  return Object.freeze(entries);
}

/** Whether a decision is the fallback of a policy whose classifier was not asked, or that has none. */
export function isBareFallback({
  stage,
  confidence,
  classifier_choice: choice,
}: Pick<Decision, 'stage' | 'confidence' | 'classifier_choice'>): boolean {
  return stage === 'fallback' && confidence === 0 && choice === null;
}

type Confidence = Pick<Decision, 'confidence' | 'classifier_choice' | 'classifier_probability'>;

/** Whose probability the confidence is: of the option decided, with the classifier's own choice where it is another. */
function toConfidence(
  decision: string,
  { option, confidence }: Pick<Prediction, 'option' | 'confidence'>,
  probabilities: Readonly<Record<string, number>>,
): Confidence {
  if (decision === option) return { confidence, classifier_choice: null, classifier_probability: null };
  // Rounding can take a probability of 1 a little beyond it.
  const own = Math.min(1, probabilities[decision] ?? 0);
  return { confidence: own, classifier_choice: option, classifier_probability: confidence };
}

/** Reads what the classifier chose, with the probability that thresholds compare; null where it was not asked. */
export function readClassifierChoice(made: Decision): Pick<Prediction, 'option' | 'confidence'> | null {
  if (made.stage === 'rules' || isBareFallback(made)) return null;
  const { classifier_choice: option, classifier_probability: confidence } = made;
  return option === null || confidence === null
    ? { option: made.decision, confidence: made.confidence }
    : { option, confidence };
}

/** A decision of the classifier, or of its fallback, with the option that a connected model chose in its place. */
export function replaceOption(made: Decision, option: string): Decision {
  const choice = readClassifierChoice(made);
  return { ...made, decision: option, ...(choice && toConfidence(option, choice, made.class_probabilities)) };
}

/** The decision of a rule that matches; it is the same for every input. */
export function composeRuleDecision(rule: Rule, options: readonly string[], policyVersion: string): Decision {
  const certain = options.map((option) => (option === rule.then ? 1 : 0));
  return Object.freeze({
    decision: rule.then,
    confidence: 1,
    classifier_choice: null,
    classifier_probability: null,
    reason_codes: rule.reason_code === null ? noNames : freezeArray([rule.reason_code]),
    escalate: false,
    fallback_used: false,
    rules_triggered: freezeArray([rule.name]),
    policy_version: policyVersion,
    class_probabilities: toClassProbabilities(options, certain),
    explanation: explanations.rule(rule.name),
    stage: 'rules',
    unfamiliar: false,
  });
}

/**
 * The decision that the thresholds made of a prediction, null where no classifier was asked; `reasonCodes` go with the
 * prediction's option only.
 */
export function composeDecision(
  prediction: Prediction | null,
  classProbabilities: Record<string, number>,
  outcome: Outcome,
  reasonCodes: string[],
  policyVersion: string,
): Decision {
  return Object.freeze({
    decision: outcome.decision,
    ...toConfidence(outcome.decision, prediction ?? { option: outcome.decision, confidence: 0 }, classProbabilities),
    reason_codes: outcome.stage === 'classifier' ? reasonCodes : noNames,
    escalate: outcome.escalate,
    fallback_used: outcome.stage === 'fallback',
    rules_triggered: noNames,
    policy_version: policyVersion,
    class_probabilities: classProbabilities,
    explanation: outcome.explain(classProbabilities),
    stage: outcome.stage,
    unfamiliar: prediction !== null && prediction.unfamiliarReason !== null,
  });
}
