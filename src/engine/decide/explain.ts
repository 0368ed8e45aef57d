import type { ConfidenceThresholds } from '../domain.ts';
import type { FamiliarityCheck } from '../features/familiarity.ts';

/**
 * Shows a confidence with as few decimals (from 2) as keep it on its side of both thresholds, so that a sentence
 * never says "0.85, below 0.85".
 */
function shown(confidence: number, thresholds: ConfidenceThresholds): string {
  const { auto_decide: auto, escalation } = thresholds;
  for (let digits = 2; digits < 8; digits++) {
    const text = confidence.toFixed(digits);
    const rounded = Number(text);
    if (rounded >= auto === confidence >= auto && rounded >= escalation === confidence >= escalation) return text;
  }
  return String(confidence);
}

/** The sentences of `explanation`; none of them holds a value of the input. */
export const explanations = {
  rule: (name: string): string => `Rule «${name}» matched.`,
  automatic: (option: string, confidence: number, t: ConfidenceThresholds): string =>
    `The classifier chose «${option}» with confidence ${shown(confidence, t)}, at or above the automatic threshold ${t.auto_decide}.`,
  accepted: (option: string, confidence: number, t: ConfidenceThresholds): string =>
    `The classifier chose «${option}» with confidence ${shown(confidence, t)}, between the escalation threshold ${t.escalation} and the automatic threshold ${t.auto_decide}; such decisions are accepted.`,
  flagged: (option: string, confidence: number, t: ConfidenceThresholds): string =>
    `The classifier chose «${option}» with confidence ${shown(confidence, t)}, between the escalation threshold ${t.escalation} and the automatic threshold ${t.auto_decide}; it is flagged for review.`,
  uncertain: (option: string, confidence: number, t: ConfidenceThresholds): string =>
    `The classifier chose «${option}» with confidence ${shown(confidence, t)}, below the ${missed(confidence, t)}; no fallback is set, so it is flagged for review.`,
  fallback: (option: string, fallback: string, confidence: number, t: ConfidenceThresholds): string =>
    `The classifier's confidence ${shown(confidence, t)} for «${option}» is below the ${missed(confidence, t)}, so the fallback «${fallback}» was used.`,
  unfamiliar: (option: string, what: string): string =>
    `The input is unlike the examples (${what}), so the choice «${option}» of the classifier is not relied on; no fallback is set, so it is flagged for review.`,
  unfamiliarFallback: (option: string, fallback: string, what: string): string =>
    `The input is unlike the examples (${what}), so the choice «${option}» of the classifier is not relied on and the fallback «${fallback}» was used.`,
  encoderDown: (fallback: string): string =>
    `The text model was not available, so the fallback «${fallback}» was used.`,
};

/** What is unlike the examples, in a few words: the text, or the fields that are outside their range. */
export function describeUnfamiliar(checks: readonly FamiliarityCheck[]): string | null {
  if (checks.every(({ familiar }) => familiar)) return null;
  const strange = checks.filter(({ familiar }) => !familiar);
  const fields = strange.flatMap(({ outside }) => outside);
  const shownFields = fields.slice(0, 3).map((field) => `«${field}»`);
  const more = fields.length > 3 ? ` and ${fields.length - 3} more` : '';
  const text = strange.some(({ check }) => check !== 'fields') ? ['its text'] : [];
  return [...text, ...(fields.length > 0 ? [`the values of ${shownFields.join(', ')}${more}`] : [])].join(' and ');
}

function missed(confidence: number, t: ConfidenceThresholds): string {
  return confidence < t.escalation ? `escalation threshold ${t.escalation}` : `automatic threshold ${t.auto_decide}`;
}
