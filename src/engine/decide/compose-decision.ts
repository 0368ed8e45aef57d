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
export function isBareFallback({ stage, confidence }: Pick<Decision, 'stage' | 'confidence'>): boolean {
  return stage === 'fallback' && confidence === 0;
}

/**
 * How likely the answer is right. The `confidence` of a fallback, or of what a connected model chose, is the
 * classifier's in its own choice; this is the probability of the answer itself, and 0 where no classifier was asked.
 */
export function toOwnProbability(
  made: Pick<Decision, 'decision' | 'stage' | 'confidence' | 'class_probabilities'>,
): number {
  return isBareFallback(made) ? 0 : (made.class_probabilities[made.decision] ?? made.confidence);
}

/** The decision of a rule that matches; it is the same for every input. */
export function composeRuleDecision(rule: Rule, options: readonly string[], policyVersion: string): Decision {
  const certain = options.map((option) => (option === rule.then ? 1 : 0));
  return Object.freeze({
    decision: rule.then,
    confidence: 1,
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

/** The decision that the thresholds made of a prediction; `reasonCodes` go with the prediction's option only. */
export function composeDecision(
  prediction: Prediction,
  classProbabilities: Record<string, number>,
  outcome: Outcome,
  reasonCodes: string[],
  policyVersion: string,
): Decision {
  return Object.freeze({
    decision: outcome.decision,
    confidence: prediction.confidence,
    reason_codes: outcome.stage === 'classifier' ? reasonCodes : noNames,
    escalate: outcome.escalate,
    fallback_used: outcome.stage === 'fallback',
    rules_triggered: noNames,
    policy_version: policyVersion,
    class_probabilities: classProbabilities,
    explanation: outcome.explain(classProbabilities),
    stage: outcome.stage,
    unfamiliar: prediction.unfamiliarReason !== null,
  });
}
