/** What is offered of a text model that was tuned in the background, by rows that no model had learned from. */
import { expect, it } from 'vitest';
import { describeGain } from '../../../../src/engine/training/stages/tune-later.ts';
import { createDefinition, createRequest } from '../../training-request.ts';

type Tuned = Parameters<typeof describeGain>[2];
/** Right answers and mean log-loss on the three rows held out, then on the five of the folds. */
type Measured = [heldRight: number, heldLoss: number, foldsRight: number, foldsLoss: number];

const request = createRequest([], createDefinition(['praise', 'complaint']));
const heldRows = 3;
const foldRows = 5;

function evaluate([right, log_loss]: Measured): Tuned['evaluation'] {
  const heldOut = Array.from({ length: heldRows }, () => ({ ruled: false }));
  return { heldOut, figures: { accuracy: right / heldRows, log_loss } } as unknown as Tuned['evaluation'];
}

function offer(before: Measured, after: Measured, chosen = 'tuned'): string | null {
  const [frozen, tuned] = [before, after].map(([, , right, log_loss]) => ({ accuracy: right / foldRows, log_loss }));
  const textTuning = { chosen, held_rows: foldRows, frozen, tuned };
  const trained = { request: { ...request, policyVersion: 4 }, evaluation: evaluate(after), textTuning };
  return describeGain(request, evaluate(before), trained as unknown as Tuned)?.sentence.split(':')[0] ?? null;
}

it.each([
  [[1, 0.5, 4, 0.4], [3, 0.5, 4, 0.4], 'v4 is right on 7 of 8 instead of 5'],
  [[1, 0.5, 4, 0.4], [3, 0.6, 4, 0.4], null],
  // What three held-out rows say against it is outweighed by the five of the folds.
  [[3, 0.1, 2, 0.8], [2, 0.2, 4, 0.4], 'v4 is right on 6 of 8 instead of 5'],
  [[3, 0.1, 4, 0.4], [2, 0.2, 4, 0.3], null],
  [[3, 0.1, 3, 0.42], [3, 0.2, 3, 0.26], 'v4 is right on 6 of 8 as before, and surer (log-loss 0.24 instead of 0.30)'],
  [[3, 0.3, 4, 0.4], [3, 0.3, 4, 0.4], null],
] as [Measured, Measured, string | null][])('from %j to %j: %s [BTR-2]', (before, after, sentence) => {
  expect(offer(before, after)).toBe(sentence);
});

it('is nothing where the folds have not said that tuning pays [BTR-2]', () => {
  expect(offer([1, 0.5, 4, 0.4], [3, 0.5, 4, 0.4], 'frozen')).toBeNull();
});
