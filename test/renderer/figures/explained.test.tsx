import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { Explained } from '../../../src/renderer/parts/explained/explained.tsx';
import { describeCauses, listCauses } from '../../../src/renderer/parts/explained/weights.tsx';
import type { Explanation } from '../../../src/server/contract/deciding/decisions.ts';
import type { DecisionType } from '../../../src/server/contract/types/decision-types.ts';
import { openPage, show } from '../page.tsx';

afterEach(cleanup);

const input = { message: 'Urgent: my cup arrived broken', amount: 1_200, order: { country: null } };
const flip = (changes: Explanation['flips'][number]['changes'], decision: string, escalate = false) => ({
  ...{ changes, decision, escalate },
  confidence: 0.812,
});
const explanation: Explanation = {
  ...{ decision: 'review', confidence: 0.7, escalate: true, policy_version: 'v3', release: null, note: null },
  usual: { 'Gemeldet am − Schadentag, days': 4 },
  flips: [
    flip([{ field: 'amount', from: 1_200, to: 300 }], 'approve'),
    flip(
      [
        { field: 'amount', from: 1_200, to: 900 },
        { field: 'order.country', from: null, to: 'DE' },
      ],
      'deny',
      true,
    ),
    flip(
      [{ field: 'message', from: input.message, to: ': my cup arrived', removed: [{ start: 0, end: 6 }] }],
      'approve',
    ),
  ],
  words: [
    { field: 'message', start: 0, end: 6, weight: 0.25, estimated: false },
    { field: 'message', start: 8, end: 10, weight: 0.0001, estimated: false },
    { field: 'gone', start: 0, end: 3, weight: 0.1, estimated: false },
  ],
  nearest: [{ example_id: '018f0000-0000-7000-8000-000000000001', decision: 'deny', similarity: 0.93 }],
  trace: {
    rules: [
      { name: 'large', outcome: 'not_matched', error: null, values: [{ expression: 'ctx.amount', value: 1_200 }] },
    ],
    features: [
      { field: 'message', kind: 'text_ngrams', value: { tokens: 6 }, contribution: 0.5 },
      { field: 'message', kind: 'text_embedding', value: { tokens: 6 }, contribution: -0.25 },
    ],
    ...{ thresholds: null, stage_ms: {}, truncated: [], reasons: [], familiarity: [] },
  },
};
const type = {
  id: '018f0000-0000-7000-8000-000000000000',
  name: 'Refunds',
  active_version: { readings: {} },
} as unknown as DecisionType;
const example = { expected_decision: 'deny', input_payload: { message: 'My plate came in pieces', amount: 40 } };

function showExplained(decided?: string, words = explanation.words, hasLearned = false) {
  const page = openPage(async () => new Response(JSON.stringify(example)));
  const shown = { ...explanation, words };
  return show(<Explained {...{ type, input, decided, hasLearned }} explanation={shown} />, page);
}
const section = (name: string) => screen.getByRole('region', { name });
const sentences = () => [...section('What would change it').querySelectorAll('li')].map((item) => item.textContent);

describe('an explanation', () => {
  it('says each change as a sentence, with what it leads to', () => {
    showExplained();
    expect(sentences()).toEqual([
      'With amount 300 instead of 1,200, it would be approve (81.2%).',
      'With amount 900 instead of 1,200 and with order.country DE where there is no value, it would be deny (81.2%), and somebody should look at it.',
      'Without “Urgent” in message, it would be approve (81.2%).',
    ]);
  });

  it('has on paper what it is about: the type, the policy and the input', () => {
    showExplained();
    const [head] = document.querySelectorAll('header.printed');
    expect(head?.textContent).toBe('RefundsAs v3 decides.');
    expect(document.querySelector('section.printed')?.textContent).toContain('my cup arrived broken');
  });

  it('says days between two dates, and how many are usual, as a person would', () => {
    const field = 'Gemeldet am − Schadentag, days';
    const says = (value: number) => {
      const small = { field: 'amount', kind: 'number', value: 3, contribution: 0.01 };
      const trace = { rules: [], features: [{ field, kind: 'number', value, contribution: 2 }, small] };
      const shown = { ...explanation, trace: { ...explanation.trace, ...trace } } as Explanation;
      return describeCauses(shown, listCauses(shown), {});
    };
    expect(says(21)).toBe('review, because 21 days between Schadentag and Gemeldet am (usual: 4).');
    expect(says(4)).toBe('review, because 4 days between Schadentag and Gemeldet am.');
  });

  it('names the words that weigh something, as they stand in the text', () => {
    showExplained();
    const words = section('Words that weighed in').textContent;
    expect(words).toContain('Urgent');
    expect(words).toContain('+25.0');
    screen.getByText('review, because what message says.', { selector: 'strong' });
    expect(section('Words that weighed in').querySelectorAll('.name')).toHaveLength(1);
    expect(words).not.toContain('estimates');
  });

  it.each([
    [true, 'The text is long, so these are estimates.'],
    [false, 'The text is long, so the smaller weights are estimates.'],
  ])('says that words of a long text were estimated, the heaviest too: %s [XPL-3]', (estimated, said) => {
    const [heaviest, ...others] = explanation.words.map((word) => ({ ...word, estimated: true }));
    if (heaviest !== undefined) showExplained(undefined, [{ ...heaviest, estimated }, ...others]);
    expect(section('Words that weighed in').textContent).toContain(said);
  });

  it('warns where the deployed policy decides otherwise now, and shows the trace of that', () => {
    showExplained('approve');
    screen.getByText(/The deployed policy v3 decides/);
    screen.getByText(/which is not what was decided here/);
    expect(section('Rules').textContent).toContain('ctx.amount = 1200');
    // A logit of 0.25 less than that of 70% is one of 64.5%.
    expect(section('What weighed in').textContent).toMatch(/its words and meaning.*\+5\.5/);
  });

  it('says that the deployed policy has learned from the row since, where it decides otherwise for that [XPL-10]', () => {
    const { unmount } = showExplained('approve');
    expect(screen.queryByText(/learned from this row/)).toBeNull();
    unmount();
    showExplained('approve', explanation.words, true);
    screen.getByText(/which is not what was decided here\. It has learned from this row since it was measured\./);
  });

  it('opens an example that is like the input', async () => {
    showExplained();
    const near = await screen.findByRole('button', { name: /deny.*My plate came in pieces.*93.0%/ });
    fireEvent.click(near);
    expect(near.getAttribute('aria-expanded')).toBe('true');
    screen.getByRole('row', { name: /amount 40/ });
  });
});
