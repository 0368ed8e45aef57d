import { describe, expect, it } from 'vitest';
import { argmax, countOutputs, findMax, logSumExp, softmaxInPlace, softmaxInto } from '../../../src/engine/numeric.ts';

describe('the shared numeric steps', () => {
  it('find the first of the largest values', () => {
    expect([argmax([1, 3, 2]), argmax([2, 2]), argmax(Float64Array.of(-5, -1)), argmax([])]).toEqual([1, 0, 1, 0]);
    const row = Float64Array.of(9, 1, 4, 2, 9);
    expect([findMax(row, 1, 3), findMax(row, 0, 0)]).toEqual([4, Number.NEGATIVE_INFINITY]);
  });

  it('fit one column of scores for two options and one for each of more', () => {
    expect([1, 2, 3, 62].map(countOutputs)).toEqual([1, 1, 3, 62]);
  });

  it('turn logits into probabilities, however large they are', () => {
    const probabilities = softmaxInPlace(Float64Array.of(1000, 1000 + Math.log(3), -1000));
    expect([...probabilities]).toEqual([expect.closeTo(0.25, 12), expect.closeTo(0.75, 12), 0]);
  });

  it('turn a part of a row into probabilities and leave the rest alone', () => {
    const logits = Float64Array.of(7, 0, 0, 7);
    const out = Float64Array.of(5, 5, 5);
    expect(softmaxInto(logits, 1, 2, 0, out, 1)).toBe(2);
    expect([...out]).toEqual([5, 0.5, 0.5]);
    expect([...logits]).toEqual([7, 0, 0, 7]);
    softmaxInto(logits, 1, 2, 0, logits, 1);
    expect([...logits]).toEqual([7, 0.5, 0.5, 7]);
  });

  it('add up exponentials without overflow', () => {
    const row = Float64Array.of(0, 2000, 2000, 0);
    expect(logSumExp(row, 1, 2, 1)).toBe(2000 + Math.log(2));
    expect(logSumExp(row, 1, 2, 2)).toBe(1000 + Math.log(2));
  });
});
