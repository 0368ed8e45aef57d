import type { Stage } from '../domain/decision.ts';
import { argmax } from '../numeric.ts';
import { readThresholdsOf, type ThresholdSettings } from '../thresholds.ts';
import { explanations } from './explain.ts';

/**
 * The classifier's prediction for an input, its likeliest learned option; `unfamiliarReason` is null where the input is
 * like the examples, `isSetAside` true where options that were set aside are likelier together, `isNeverAlone` where
 * the option was learned from few examples.
 */
export type Prediction = {
  option: string;
  confidence: number;
  unfamiliarReason: string | null;
  isSetAside?: boolean;
  isNeverAlone?: boolean;
};

/**
 * Chooses the likeliest option but those set aside, by their indices, and says whether these are likelier together. The
 * classifier has learned them as one and cannot tell which of them it is.
 */
export function chooseOption(
  probabilities: ArrayLike<number>,
  setAside: ReadonlySet<number>,
): { best: number; isSetAside: boolean } {
  if (setAside.size === 0) return { best: argmax(probabilities), isSetAside: false };
  let [best, together] = [-1, 0];
  for (let k = 0; k < probabilities.length; k++) {
    const probability = probabilities[k] as number;
    if (setAside.has(k)) together += probability;
    else if (best < 0 || probability > (probabilities[best] as number)) best = k;
  }
  return { best, isSetAside: together > (probabilities[best] as number) };
}

export type Outcome = {
  decision: string;
  stage: Extract<Stage, 'classifier' | 'fallback'>;
  escalate: boolean;
  /** Whether the decision stands; otherwise a connected model may be asked instead. */
  isFinal: boolean;
  /** Says why, in a sentence; `probabilities` are those of the options. */
  explain(probabilities: Readonly<Record<string, number>>): string;
};

/**
 * Applies thresholds: from `auto_decide` the option stands, between them `between` says; below `escalation`,
 * unfamiliar, set aside or never alone the fallback takes its place, or it is flagged.
 */
export function applyThresholds(prediction: Prediction, settings: ThresholdSettings): Outcome {
  const { option, confidence, unfamiliarReason, isSetAside = false, isNeverAlone = false } = prediction;
  const { escalation_policy: policy, fallback_option: fallback } = settings;
  const thresholds = readThresholdsOf(option, settings.confidence_thresholds);
  if (isSetAside) {
    return fallback === null
      ? flagPrediction(option, () => explanations.setAside(option, confidence), false)
      : takeFallback(fallback, (own) => explanations.setAsideFallback(fallback, own), false);
  }
  if (unfamiliarReason !== null) {
    return fallback === null
      ? flagPrediction(option, () => explanations.unfamiliar(option, unfamiliarReason), false)
      : takeFallback(
          fallback,
          (own) => explanations.unfamiliarFallback(fallback, own, option, confidence, unfamiliarReason),
          false,
        );
  }
  if (isNeverAlone) {
    return fallback === null
      ? flagPrediction(option, () => explanations.neverAlone(option, confidence), false)
      : takeFallback(fallback, (own) => explanations.neverAloneFallback(fallback, own, option, confidence), false);
  }
  if (confidence >= thresholds.auto_decide) {
    return acceptPrediction(option, () => explanations.automatic(option, confidence, thresholds));
  }
  const isBetween = confidence >= thresholds.escalation;
  if (isBetween && policy.between === 'accept') {
    return acceptPrediction(option, () => explanations.accepted(option, confidence, thresholds));
  }
  if (isBetween && policy.between === 'flag') {
    return flagPrediction(option, () => explanations.flagged(option, confidence, thresholds), true);
  }
  // Between the thresholds `fallback` means the fallback, whether or not a model may be asked below them.
  const isFinal = isBetween && policy.between === 'fallback';
  return fallback === null
    ? flagPrediction(option, () => explanations.uncertain(option, confidence, thresholds), isFinal)
    : takeFallback(fallback, (own) => explanations.fallback(fallback, own, option, confidence, thresholds), isFinal);
}

function acceptPrediction(option: string, explain: () => string): Outcome {
  return { decision: option, stage: 'classifier', escalate: false, isFinal: true, explain };
}

function flagPrediction(option: string, explain: () => string, isFinal: boolean): Outcome {
  return { decision: option, stage: 'classifier', escalate: true, isFinal, explain };
}

/** The fallback option in place of a prediction; `explainBy` makes the sentence from its own probability. */
export function takeFallback(option: string, explainBy: (own: number) => string, isFinal: boolean): Outcome {
  const explain: Outcome['explain'] = (probabilities) => explainBy(probabilities[option] ?? 0);
  return { decision: option, stage: 'fallback', escalate: true, isFinal, explain };
}
