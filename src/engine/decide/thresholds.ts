import type { Manifest } from '../bundle/manifest.ts';
import type { Stage } from '../domain.ts';
import { readThresholdsOf } from '../thresholds.ts';
import { explanations } from './explain.ts';

/** The settings of a policy that turn a prediction into a decision. */
export type ThresholdSettings = Pick<Manifest, 'confidence_thresholds' | 'escalation_policy' | 'fallback_option'>;

/** What the classifier says of an input; `unfamiliarReason` is null where nothing is unlike the examples. */
export type Prediction = { option: string; confidence: number; unfamiliarReason: string | null };

export type Outcome = {
  decision: string;
  stage: Extract<Stage, 'classifier' | 'fallback'>;
  escalate: boolean;
  /** Whether the decision stands; otherwise a connected model may be asked instead. */
  isFinal: boolean;
  explanation: string;
};

/**
 * Applies the thresholds to a prediction. At or above `auto_decide` its option is the decision; between the thresholds
 * the policy's `between` says what happens; below `escalation` the fallback option takes its place, or it is flagged
 * where there is no fallback. An unfamiliar input counts as below `escalation` whatever the confidence.
 */
export function applyThresholds(prediction: Prediction, settings: ThresholdSettings): Outcome {
  const { option, confidence, unfamiliarReason } = prediction;
  const { escalation_policy: policy, fallback_option: fallback } = settings;
  const thresholds = readThresholdsOf(option, settings.confidence_thresholds);
  if (unfamiliarReason !== null) {
    return fallback === null
      ? flagPrediction(option, explanations.unfamiliar(option, unfamiliarReason), false)
      : takeFallback(fallback, explanations.unfamiliarFallback(option, fallback, unfamiliarReason), false);
  }
  if (confidence >= thresholds.auto_decide) {
    return acceptPrediction(option, explanations.automatic(option, confidence, thresholds));
  }
  const isBetween = confidence >= thresholds.escalation;
  if (isBetween && policy.between === 'accept') {
    return acceptPrediction(option, explanations.accepted(option, confidence, thresholds));
  }
  if (isBetween && policy.between === 'flag') {
    return flagPrediction(option, explanations.flagged(option, confidence, thresholds), true);
  }
  // Between the thresholds `fallback` means the fallback, whether or not a model may be asked below them.
  const isFinal = isBetween && policy.between === 'fallback';
  return fallback === null
    ? flagPrediction(option, explanations.uncertain(option, confidence, thresholds), isFinal)
    : takeFallback(fallback, explanations.fallback(option, fallback, confidence, thresholds), isFinal);
}

function acceptPrediction(option: string, explanation: string): Outcome {
  return { decision: option, stage: 'classifier', escalate: false, isFinal: true, explanation };
}

function flagPrediction(option: string, explanation: string, isFinal: boolean): Outcome {
  return { decision: option, stage: 'classifier', escalate: true, isFinal, explanation };
}

/** The fallback option in place of a prediction. */
export function takeFallback(option: string, explanation: string, isFinal: boolean): Outcome {
  return { decision: option, stage: 'fallback', escalate: true, isFinal, explanation };
}
