/** How often a policy would hand a decision on. */
import type { ConfidenceThresholds, EscalationPolicy } from '../../domain.ts';
import type { ModelEvaluation } from './evaluate-model.ts';

/**
 * Estimates the share (0–1) of decisions that would not be accepted as they are: those of low confidence, and those for
 * an unfamiliar input where the policy escalates these. 0 without rows.
 */
export function estimateEscalation(
  { confidences, unfamiliar }: Pick<ModelEvaluation, 'confidences' | 'unfamiliar'>,
  thresholds: ConfidenceThresholds,
  policy: Pick<EscalationPolicy, 'between' | 'unfamiliar'>,
): number {
  const minAccepted = policy.between === 'accept' ? thresholds.escalation : thresholds.auto_decide;
  const escalatesUnfamiliar = policy.unfamiliar === 'escalate';
  const escalated = confidences.filter(
    (confidence, i) => confidence < minAccepted || (escalatesUnfamiliar && unfamiliar[i] === true),
  );
  return escalated.length / Math.max(1, confidences.length);
}
