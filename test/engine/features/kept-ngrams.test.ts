/** Which n-grams a policy of many options keeps: those that weigh most, and in the last fit the same. */
import { describe, expect, it } from 'vitest';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import { splitIntoWords } from '../../../src/engine/text/words.ts';
import { prepareRows } from '../../../src/engine/training/data/labelled-rows.ts';
import { chooseText } from '../../../src/engine/training/select/choose-text.ts';
import { type FittedModel, fitChoice } from '../../../src/engine/training/select/fit-choice.ts';
import { messages } from '../training-request.ts';

const { rows, presentOptions } = prepareRows(
  messages.map(({ input: { message }, ...example }) => ({ ...example, input: { message: message ?? '' } })),
  ['refund', 'tracking'],
);
const texts = new Map(
  rows.map(({ input: { message } }) => {
    const words = splitIntoWords(String(message));
    return [String(message), { words, ids: [], embedding: new Float32Array(), truncated: false }];
  }),
);
const inputs = rows.map(({ input }) => input);
const fit = { optionCount: 10_000, presentOptions, texts, tunedHead: null, seed: 1, report: () => undefined };
const { linear, ...chosen } = chooseText({
  plan: inferPlan(inputs, { type: 'object', properties: { message: { type: 'string', maxLength: 500 } } }),
  rows,
  optionCount: presentOptions.length,
  texts,
  encoder: null,
  seed: 1,
  tick: () => undefined,
  report: () => undefined,
});
const choice = { ...chosen, linear: { ...linear, weight: 1 }, trees: null };
const listWords = ({ plan }: FittedModel) => {
  const ngrams = plan.text?.ngrams;
  return ngrams && 'pairs' in ngrams ? [ngrams.words, ngrams.pairs, ngrams.letters].flat() : [];
};

describe('the n-grams of a policy with 10,000 options [TRN-6]', () => {
  const measured = fitChoice({ ...fit, choice, rows: rows.filter((_, i) => i % 5 > 0) });

  it('are the twelve that weigh most', () => {
    expect(listWords(measured)).toHaveLength(12);
    expect(listWords(measured)).toEqual(expect.arrayContaining(['refund', 'where']));
  });

  it('are those of the fit that was measured, also where all examples are learned', () => {
    const final = fitChoice({ ...fit, choice, rows, starts: measured.starts });
    expect(listWords(final)).toEqual(listWords(measured));
  });
});
