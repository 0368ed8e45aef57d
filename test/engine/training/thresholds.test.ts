/** What becomes of a prediction, for every way that thresholds, policy and fallback can be set. */
import { describe, expect, it } from 'vitest';
import { applyThresholds } from '../../../src/engine/decide/thresholds.ts';
import type { ThresholdSettings } from '../../../src/engine/thresholds.ts';

type Between = ThresholdSettings['escalation_policy']['between'];

const settings = (between: Between, fallbackOption: string | null): ThresholdSettings => ({
  confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 },
  escalation_policy: { enabled: true, between, connection: null, timeout_ms: 10_000, unfamiliar: 'escalate' },
  fallback_option: fallbackOption,
});

const accepted = { decision: 'pay', stage: 'classifier', escalate: false, isFinal: true };
const flagged = { decision: 'pay', stage: 'classifier', escalate: true, isFinal: true };
const open = { decision: 'pay', stage: 'classifier', escalate: true, isFinal: false };
const fallback = { decision: 'ask', stage: 'fallback', escalate: true, isFinal: true };
const openFallback = { decision: 'ask', stage: 'fallback', escalate: true, isFinal: false };

const probabilities = { pay: 0.9, ask: 0.011 };
const policies: Between[] = ['flag', 'accept', 'fallback', 'escalate'];

describe('the thresholds [THR-1] [THR-2] [THR-3] [THR-4]', () => {
  it.each(policies.flatMap((between) => [null, 'ask'].map((option) => [between, option] as const)))(
    'accept a prediction at the automatic threshold, with %s between them and the fallback %s',
    (between, fallbackOption) => {
      for (const confidence of [0.85, 1]) {
        const prediction = { option: 'pay', confidence, unfamiliarReason: null };
        expect(applyThresholds(prediction, settings(between, fallbackOption))).toMatchObject(accepted);
      }
    },
  );

  it.each([
    ['accept', null, accepted, 'such decisions are accepted.'],
    ['accept', 'ask', accepted, 'such decisions are accepted.'],
    ['flag', null, flagged, 'between the escalation threshold 0.6 and the automatic threshold 0.85'],
    ['flag', 'ask', flagged, 'it is flagged for review.'],
    ['fallback', null, flagged, 'below the automatic threshold 0.85; no fallback is set'],
    ['fallback', 'ask', fallback, 'below the automatic threshold 0.85.'],
    ['escalate', null, open, 'below the automatic threshold 0.85; no fallback is set'],
    ['escalate', 'ask', openFallback, 'Sent to the fallback «ask» (confidence 0.01): the classifier thought «pay», '],
  ] as const)('between them: %s with the fallback %s', (between, fallbackOption, expected, sentence) => {
    for (const confidence of [0.6, 0.849]) {
      const prediction = { option: 'pay', confidence, unfamiliarReason: null };
      const outcome = applyThresholds(prediction, settings(between, fallbackOption));
      expect(outcome).toMatchObject(expected);
      expect(outcome.explain(probabilities)).toContain(sentence);
    }
  });

  it.each(policies)('leave a prediction below both of them open, whatever %s says', (between) => {
    const prediction = { option: 'pay', confidence: 0.599, unfamiliarReason: null };
    const flag = applyThresholds(prediction, settings(between, null));
    expect(flag).toMatchObject(open);
    expect(flag.explain(probabilities)).toContain('below the escalation threshold 0.6; no fallback is set');
    const fall = applyThresholds(prediction, settings(between, 'ask'));
    expect(fall).toMatchObject(openFallback);
    expect(fall.explain(probabilities)).toBe(
      'Sent to the fallback «ask» (confidence 0.01): the classifier thought «pay», 0.599, below the escalation threshold 0.6.',
    );
  });

  it.each(policies)('leave an unfamiliar input open however sure the classifier is, with %s', (between) => {
    const prediction = { option: 'pay', confidence: 1, unfamiliarReason: 'its text' };
    const flag = applyThresholds(prediction, settings(between, null));
    expect(flag).toMatchObject(open);
    expect(flag.explain(probabilities)).toBe(
      'The input is unlike the examples (its text), so the choice «pay» of the classifier is not relied on; no fallback is set, so it is flagged for review.',
    );
    const fall = applyThresholds(prediction, settings(between, 'ask'));
    expect(fall).toMatchObject(openFallback);
    expect(fall.explain(probabilities)).toBe(
      'Sent to the fallback «ask» (confidence 0.01): the input is unlike the examples (its text). The classifier thought «pay», 1.00.',
    );
  });

  it('are met by a confidence that is equal to both of them', () => {
    const same = { ...settings('fallback', 'ask'), confidence_thresholds: { auto_decide: 0.7, escalation: 0.7 } };
    const decide = (confidence: number) => applyThresholds({ option: 'pay', confidence, unfamiliarReason: null }, same);
    expect(decide(0.7)).toMatchObject(accepted);
    expect(decide(0.6999999)).toMatchObject(openFallback);
  });
});
