import type { ConfidenceThresholds } from '../domain/definition.ts';
import type { FamiliarityCheck } from '../features/familiarity.ts';

/** Formats a confidence so that it stays on its side of both thresholds: never "0.85, below 0.85". */
function formatConfidence(confidence: number, { auto_decide: auto, escalation }: ConfidenceThresholds): string {
  for (let digits = 2; digits < 8; digits++) {
    const text = confidence.toFixed(digits);
    const rounded = Number(text);
    if (rounded >= auto === confidence >= auto && rounded >= escalation === confidence >= escalation) return text;
  }
  return String(confidence);
}

function describeMissedThreshold(confidence: number, { auto_decide, escalation }: ConfidenceThresholds): string {
  return confidence < escalation ? `escalation threshold ${escalation}` : `automatic threshold ${auto_decide}`;
}

/** "The classifier chose … with confidence …", the beginning of a sentence. */
function describeChoice(option: string, confidence: number, thresholds: ConfidenceThresholds): string {
  return `The classifier chose «${option}» with confidence ${formatConfidence(confidence, thresholds)}`;
}

function describeRange({ auto_decide, escalation }: ConfidenceThresholds): string {
  return `between the escalation threshold ${escalation} and the automatic threshold ${auto_decide}`;
}

/** "Sent to the fallback … (confidence …): ", the beginning of a sentence. */
function describeFallback(fallback: string, probability: number): string {
  return `Sent to the fallback «${fallback}» (confidence ${probability.toFixed(2)}): `;
}

/** One sentence for each way to decide; none of them holds a value of the input. */
export const explanations = {
  rule: (name: string): string => `Rule «${name}» matched.`,
  automatic: (option: string, confidence: number, thresholds: ConfidenceThresholds): string =>
    `${describeChoice(option, confidence, thresholds)}, at or above the automatic threshold ${thresholds.auto_decide}.`,
  accepted: (option: string, confidence: number, thresholds: ConfidenceThresholds): string =>
    `${describeChoice(option, confidence, thresholds)}, ${describeRange(thresholds)}; such decisions are accepted.`,
  flagged: (option: string, confidence: number, thresholds: ConfidenceThresholds): string =>
    `${describeChoice(option, confidence, thresholds)}, ${describeRange(thresholds)}; it is flagged for review.`,
  uncertain: (option: string, confidence: number, thresholds: ConfidenceThresholds): string =>
    `${describeChoice(option, confidence, thresholds)}, below the ${describeMissedThreshold(confidence, thresholds)}; no fallback is set, so it is flagged for review.`,
  fallback: (
    fallback: string,
    own: number,
    option: string,
    confidence: number,
    thresholds: ConfidenceThresholds,
  ): string =>
    `${describeFallback(fallback, own)}the classifier thought «${option}», ${formatConfidence(confidence, thresholds)}, below the ${describeMissedThreshold(confidence, thresholds)}.`,
  unfamiliar: (option: string, reason: string): string =>
    `The input is unlike the examples (${reason}), so the choice «${option}» of the classifier is not relied on; no fallback is set, so it is flagged for review.`,
  unfamiliarFallback: (fallback: string, own: number, option: string, confidence: number, reason: string): string =>
    `${describeFallback(fallback, own)}the input is unlike the examples (${reason}). The classifier thought «${option}», ${confidence.toFixed(2)}.`,
  setAside: (option: string, confidence: number): string =>
    `Something else is likelier, an answer that was set aside in training; «${option}» (${confidence.toFixed(2)}) is the likeliest of the others. No fallback is set, so it is flagged for review.`,
  setAsideFallback: (fallback: string, own: number): string =>
    `${describeFallback(fallback, own)}something else is likelier, an answer that was set aside in training.`,
  neverAlone: (option: string, confidence: number): string =>
    `The classifier chose «${option}» (${confidence.toFixed(2)}), which it learned from few examples and never decides alone; no fallback is set, so it is flagged for review.`,
  neverAloneFallback: (fallback: string, own: number, option: string, confidence: number): string =>
    `${describeFallback(fallback, own)}the classifier thought «${option}», ${confidence.toFixed(2)}, which it learned from few examples and never decides alone.`,
  noRule: (fallback: string): string => `No rule matched, so the fallback «${fallback}» was used.`,
  encoderUnavailable: (fallback: string): string =>
    `The text model was not available, so the fallback «${fallback}» was used.`,
};

/** Says what is unlike the examples: the text, or up to three fields; null if nothing. */
export function describeUnfamiliar(checks: readonly FamiliarityCheck[]): string | null {
  if (checks.every(({ familiar }) => familiar)) return null;
  const failed = checks.filter(({ familiar }) => !familiar);
  const fields = failed.flatMap(({ outside }) => outside);
  const named = fields.slice(0, 3).map((field) => `«${field}»`);
  const more = fields.length > 3 ? ` and ${fields.length - 3} more` : '';
  const parts = failed.some(({ check }) => check !== 'fields') ? ['its text'] : [];
  if (fields.length > 0) parts.push(`the values of ${named.join(', ')}${more}`);
  return parts.join(' and ');
}
