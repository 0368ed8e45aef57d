import { describe, expect, it } from 'vitest';
import { expectedCalibrationError, fitTemperature, logLossOfLogits } from '../../src/engine/classifiers/calibration.ts';
import { evaluate, percentile, riskCoverageOf } from '../../src/engine/training/metrics.ts';
import { foldsOf, splitRows } from '../../src/engine/training/split.ts';

const options = ['a', 'b', 'c'];
const expected = [0, 0, 1, 2, 2, 2, 1, 0, 2, 1];
const probabilities = [
  [0.7, 0.2, 0.1],
  [0.4, 0.5, 0.1],
  [0.1, 0.8, 0.1],
  [0.2, 0.2, 0.6],
  [0.1, 0.3, 0.6],
  [0.5, 0.2, 0.3],
  [0.3, 0.6, 0.1],
  [0.9, 0.05, 0.05],
  [0.05, 0.05, 0.9],
  [0.25, 0.35, 0.4],
];
const predictions = expected.map((label, i) => ({ expected: label, probabilities: probabilities[i] ?? [] }));

describe('held-out figures', () => {
  it('are those that scikit-learn gives for the same predictions', () => {
    const result = evaluate(predictions, options);
    expect(result.accuracy).toBeCloseTo(0.7, 12);
    expect(result.macroF1).toBeCloseTo(0.6944444444444443, 12);
    expect(result.macroPrecision).toBeCloseTo(0.6944444444444443, 12);
    expect(result.macroRecall).toBeCloseTo(0.6944444444444443, 12);
    expect(result.logLoss).toBeCloseTo(0.5493102058565336, 12);
    expect(result.confusionMatrix).toEqual([
      [2, 1, 0],
      [0, 2, 1],
      [1, 0, 3],
    ]);
    expect(result.perClass['c']).toEqual({ precision: 0.75, recall: 0.75, f1: 0.75, support: 4 });
  });

  it('do not count an option that is neither expected nor predicted in the averages', () => {
    expect(evaluate(predictions, [...options, 'never']).macroF1).toBeCloseTo(0.6944444444444443, 12);
  });

  it('are zero and not NaN without any row', () => {
    const result = evaluate([], options);
    expect([result.accuracy, result.macroF1, result.logLoss, result.ece]).toEqual([0, 0, 0, 0]);
  });

  it('show how the error falls when only confident decisions count', () => {
    const curve = riskCoverageOf([0.9, 0.8, 0.6, 0.55], [true, true, false, true]);
    expect(curve[0]).toEqual({ threshold: 0, coverage: 1, error: 0.25 });
    expect(curve.find((point) => point.threshold === 0.7)).toEqual({ threshold: 0.7, coverage: 0.5, error: 0 });
    expect(curve.at(-1)).toEqual({ threshold: 1, coverage: 0, error: 0 });
  });

  it('take percentiles by nearest rank', () => {
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(percentile([4, 1, 3, 2], 0.95)).toBe(4);
    expect(percentile([], 0.5)).toBe(0);
  });
});

describe('calibration', () => {
  it('measures the distance between confidence and accuracy bin by bin', () => {
    // two bins: confidence 0.95 with accuracy 0.5, confidence 0.55 with accuracy 1
    const error = expectedCalibrationError([0.95, 0.95, 0.55, 0.55], [true, false, true, true]);
    expect(error).toBeCloseTo((0.45 * 2 + 0.45 * 2) / 4, 12);
  });

  it('finds the temperature that overconfident logits were multiplied by', () => {
    const labels = Int32Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const honest = Math.log(3);
    const logits = Float64Array.from({ length: 800 }, (_, i) => (i % 2 === 0 ? honest * 4 : 0));
    const temperature = fitTemperature(logits, labels, 2);
    expect(temperature).toBeCloseTo(4, 2);
    expect(logLossOfLogits(logits, labels, 2, temperature)).toBeLessThan(logLossOfLogits(logits, labels, 2));
  });
});

describe('the split', () => {
  const rows = Array.from({ length: 100 }, (_, i) => ({
    content: `{"place":${i}}`,
    label: i % 10 === 0 ? 1 : 0,
    source: i % 7 === 0 ? ('synthetic' as const) : ('user' as const),
  }));

  it('holds out a fifth of every option and never a synthetic example [TRN-7] [TRN-8]', () => {
    const { train, test } = splitRows(rows);
    expect(train.length + test.length).toBe(100);
    expect(test.every((position) => rows[position]?.source === 'user')).toBe(true);
    expect(test.filter((position) => rows[position]?.label === 1).length).toBe(2);
  });

  it('puts an input on the same side whatever the order, and hardly moves any when some are added [TRN-7]', () => {
    const heldOut = (all: typeof rows) => new Set(splitRows(all).test.map((position) => all[position]?.content));
    const before = heldOut(rows);
    expect(heldOut([...rows].reverse())).toEqual(before);
    const added = Array.from({ length: 5 }, (_, i) => ({ content: `{"new":${i}}`, label: 0, source: 'user' as const }));
    const after = heldOut([...rows, ...added]);
    expect([...before].filter((content) => !after.has(content)).length).toBeLessThanOrEqual(2);
  });

  it('deals every option out evenly over the folds', () => {
    const folds = foldsOf(rows, 3, 1);
    for (const label of [0, 1]) {
      const counts = [0, 1, 2].map((fold) => rows.filter((row, i) => row.label === label && folds[i] === fold).length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }
  });
});
