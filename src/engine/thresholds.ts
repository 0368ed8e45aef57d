/** Thresholds of a type: one for all options, and higher ones that single options may have. */
import type { ConfidenceThresholds, EscalationPolicy } from './domain/definition.ts';

/** The settings of a policy that turn a prediction into a decision. */
export type ThresholdSettings = {
  confidence_thresholds: ConfidenceThresholds;
  escalation_policy: EscalationPolicy;
  fallback_option: string | null;
};

/** The thresholds of a version; a training's own escalation threshold wins, and lifts `auto_decide`. */
export function mergeThresholds(thresholds: ConfidenceThresholds, ownEscalation: number | null): ConfidenceThresholds {
  const escalation = ownEscalation ?? thresholds.escalation;
  return { ...thresholds, auto_decide: Math.max(thresholds.auto_decide, escalation), escalation };
}

/** The two thresholds that a prediction of an option meets. */
export function readThresholdsOf(option: string, thresholds: ConfidenceThresholds): ConfidenceThresholds {
  const { auto_decide, escalation, by_option } = thresholds;
  if (by_option === undefined) return thresholds;
  const own = Object.hasOwn(by_option, option) ? by_option[option] : undefined;
  return { auto_decide: Math.max(auto_decide, own ?? 0), escalation };
}

/** Names the options with thresholds of their own, to follow «from a confidence of …»; empty if there are none. */
export function listOwnThresholds(thresholds: ConfidenceThresholds, quote: (option: string) => string): string {
  return Object.keys(thresholds.by_option ?? {})
    .map((option) => `, ${quote(option)} from ${readThresholdsOf(option, thresholds).auto_decide}`)
    .join('');
}

/** Says in sentences what becomes of an input that no rule decides, by the confidence of the classifier. */
export function describeThresholds(
  { confidence_thresholds, escalation_policy, fallback_option }: ThresholdSettings,
  quote: (option: string) => string,
): string {
  const flagged = 'its answer is given and flagged for a person';
  const fallback = fallback_option === null ? flagged : `${quote(fallback_option)} answers, flagged for a person`;
  const below = escalation_policy.enabled
    ? `the workbench asks a connected model; where that does not help, ${fallback}`
    : fallback;
  const between = { flag: flagged, accept: 'its answer stands', fallback, escalate: below }[escalation_policy.between];
  const { auto_decide, escalation } = confidence_thresholds;
  const isOne = escalation === 0 || escalation >= auto_decide || between === below;
  const rest = isOne
    ? `Below that, ${escalation === 0 ? between : below}.`
    : `From ${escalation} up to that, ${between}. Below ${escalation}, ${below}.`;
  return [
    `The classifier decides alone from a confidence of ${auto_decide}${listOwnThresholds(confidence_thresholds, quote)}.`,
    ...(auto_decide > 0 ? [rest] : []),
    ...(escalation_policy.unfamiliar === 'escalate'
      ? ['The same holds for an input that is unlike the examples, however confident the classifier is.']
      : []),
  ].join(' ');
}

/** Carries thresholds along where an option is renamed or merged `into` another (higher stays), or goes. */
export function replaceThresholdOption(
  thresholds: ConfidenceThresholds,
  from: string,
  into: string | null,
): ConfidenceThresholds {
  const { by_option = {}, ...common } = thresholds;
  const own = new Map(Object.entries(by_option));
  const moved = own.get(from);
  own.delete(from);
  if (moved !== undefined && into !== null) own.set(into, Math.max(moved, own.get(into) ?? 0));
  return own.size === 0 ? common : { ...common, by_option: Object.fromEntries(own) };
}
