/** What is offered of a text model that was tuned in the background, by the rows that both policies held out. */
import { expect, it } from 'vitest';
import { describeGain } from '../../../src/engine/training/stages/tune-later.ts';
import { createDefinition, createRequest } from '../training-request.ts';

type Tuned = Parameters<typeof describeGain>[2];

const request = createRequest([], createDefinition(['praise', 'complaint']));
const rows = 3;

function measured(right: number, log_loss: number): Tuned['evaluation'] {
  const heldOut = Array.from({ length: rows }, (_, i) => ({
    expected: 'praise',
    predicted: i < right ? 'praise' : 'complaint',
    ruled: false,
  }));
  return { heldOut, figures: { log_loss } } as unknown as Tuned['evaluation'];
}

const offer = (before: [number, number], after: [number, number]) => {
  const tuned = { request: { ...request, policyVersion: 4 }, evaluation: measured(...after) } as Tuned;
  return describeGain(request, measured(...before), tuned)?.sentence.split(':')[0] ?? null;
};

it.each([
  [[1, 0.5], [3, 0.5], 'v4 is right on 3 of 3 instead of 1'],
  [[1, 0.5], [3, 0.6], null],
  // On few rows only the log-loss can tell.
  [[3, 0.32], [3, 0.12], 'v4 is right on 3 of 3 as before, and surer (log-loss 0.12 instead of 0.32)'],
  [[3, 0.32], [3, 0.32], null],
  [[3, 0.32], [2, 0.12], null],
] as [[number, number], [number, number], string | null][])('from %j to %j: %s [BTR-2]', (before, after, sentence) => {
  expect(offer(before, after)).toBe(sentence);
});
