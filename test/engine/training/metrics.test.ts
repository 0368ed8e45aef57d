import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  computeCalibrationError,
  computeLogLoss,
  fitTemperature,
} from '../../../src/engine/classifiers/calibration.ts';
import { computeWilsonInterval, type Interval } from '../../../src/engine/intervals.ts';
import { argmax, computePercentile } from '../../../src/engine/numeric.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { bootstrapMacroF1 } from '../../../src/engine/training/evaluate/macro-f1-interval.ts';
import { computeRiskCoverage, evaluatePredictions } from '../../../src/engine/training/evaluate/metrics.ts';
import { assignFolds } from '../../../src/engine/units/sides.ts';

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
    const result = evaluatePredictions(predictions, options);
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
    expect(evaluatePredictions(predictions, [...options, 'never']).macroF1).toBeCloseTo(0.6944444444444443, 12);
  });

  it('are zero and not NaN without any row', () => {
    const result = evaluatePredictions([], options);
    expect([result.accuracy, result.macroF1, result.logLoss, result.ece]).toEqual([0, 0, 0, 0]);
  });

  it('show how the error falls when only confident decisions count', () => {
    const curve = computeRiskCoverage([0.9, 0.8, 0.6, 0.55], [true, true, false, true]);
    expect(curve[0]).toEqual({ threshold: 0, coverage: 1, error: 0.25 });
    expect(curve.find((point) => point.threshold === 0.7)).toEqual({ threshold: 0.7, coverage: 0.5, error: 0 });
    expect(curve.at(-1)).toEqual({ threshold: 1, coverage: 0, error: 0 });
  });

  it('take percentiles by nearest rank', () => {
    expect(computePercentile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(computePercentile([4, 1, 3, 2], 0.95)).toBe(4);
    expect(computePercentile([], 0.5)).toBe(0);
  });
});

const peer = JSON.parse(readFileSync(new URL('../../cases/metrics.json', import.meta.url), 'utf8')) as {
  expected: number[];
  probabilities: number[][];
  accuracy: number;
  macro_f1: number;
  macro_precision: number;
  macro_recall: number;
  log_loss: number;
  ece: number;
  confusion_matrix: number[][];
  per_class: { precision: number; recall: number; f1: number; support: number }[];
  accuracy_interval: Interval;
  macro_f1_interval: Interval;
  wilson: (Interval & { hits: number; count: number })[];
};

describe('240 predictions that scikit-learn and SciPy have measured', () => {
  const names = ['a', 'b', 'c', 'd'];
  const rows = peer.expected.map((label, i) => ({ expected: label, probabilities: peer.probabilities[i] ?? [] }));
  const result = evaluatePredictions(rows, names);
  const predicted = peer.probabilities.map(argmax);

  it('get the same averages, matrix and losses, and bins that hold them all [TRN-17]', () => {
    expect(result.accuracy).toBeCloseTo(peer.accuracy, 12);
    expect(result.macroF1).toBeCloseTo(peer.macro_f1, 12);
    expect(result.macroPrecision).toBeCloseTo(peer.macro_precision, 12);
    expect(result.macroRecall).toBeCloseTo(peer.macro_recall, 12);
    expect(result.logLoss).toBeCloseTo(peer.log_loss, 12);
    expect(result.ece).toBeCloseTo(peer.ece, 12);
    // The bins hold every row once, and tell the same accuracy.
    expect(result.reliability.reduce((sum, { count }) => sum + count, 0)).toBe(240);
    const right = result.reliability.reduce((sum, { count, accuracy }) => sum + count * accuracy, 0);
    expect(right / 240).toBeCloseTo(peer.accuracy, 12);
    for (const { low, high, confidence, accuracy, accuracy_interval: interval } of result.reliability) {
      expect(confidence).toBeGreaterThan(low);
      expect(confidence).toBeLessThanOrEqual(high);
      expect(interval.low).toBeLessThanOrEqual(accuracy);
      expect(interval.high).toBeGreaterThanOrEqual(accuracy);
    }
    expect(result.confusionMatrix).toEqual(peer.confusion_matrix);
    peer.per_class.forEach((figures, k) => {
      for (const [name, value] of Object.entries(figures)) {
        expect(result.perClass[names[k] ?? '']?.[name as 'f1'], `${name} of ${names[k]}`).toBeCloseTo(value, 12);
      }
    });
  });

  it('get the same intervals', () => {
    for (const { hits, count, low, high } of peer.wilson) {
      const interval = computeWilsonInterval(hits, count);
      expect(interval.low).toBeCloseTo(low, 9);
      expect(interval.high).toBeCloseTo(high, 9);
    }
    // Another generator draws other samples: near, not equal.
    const interval = bootstrapMacroF1(peer.expected, predicted, 4, 1);
    expect(Math.abs(interval.low - peer.macro_f1_interval.low)).toBeLessThan(0.015);
    expect(Math.abs(interval.high - peer.macro_f1_interval.high)).toBeLessThan(0.015);
    expect(bootstrapMacroF1(peer.expected, predicted, 4, 1)).toEqual(interval);
  });
});

describe('calibration', () => {
  it('never makes the log-loss of other rows worse than no calibration, on small sets of any kind', () => {
    const random = createRandom(12);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    let before = 0;
    let after = 0;
    let corrected = 0;
    for (let set = 0; set < 200; set++) {
      // Logits that are honest (1), a little or much too sure.
      const factor = [1, 1, 1.3, 3][set % 4] ?? 1;
      const draw = (count: number) => {
        const logits = new Float64Array(count * 2);
        const labels = new Int32Array(count);
        for (let i = 0; i < count; i++) {
          const logit = 2 * normal();
          labels[i] = random() < 1 / (1 + Math.exp(-logit)) ? 1 : 0;
          logits[2 * i + 1] = factor * logit;
        }
        return { logits, labels };
      };
      const small = draw(60);
      const others = draw(1000);
      const temperature = fitTemperature(small.logits, small.labels, 2);
      if (factor === 3 && temperature > 1.3) corrected += 1;
      const loss = (t: number) => computeLogLoss(others.logits, others.labels, 2, t);
      if (factor === 1) expect(loss(temperature) - loss(1)).toBeLessThan(0.08);
      before += loss(1);
      after += loss(temperature);
    }
    expect(after).toBeLessThan(before);
    // Of the 50 sets that were three times too sure.
    expect(corrected).toBeGreaterThan(45);
  });

  it('measures the distance between confidence and accuracy bin by bin', () => {
    // two bins: confidence 0.95 with accuracy 0.5, confidence 0.55 with accuracy 1
    const error = computeCalibrationError([0.95, 0.95, 0.55, 0.55], [true, false, true, true]);
    expect(error).toBeCloseTo((0.45 * 2 + 0.45 * 2) / 4, 12);
  });

  it('finds the temperature that overconfident logits were multiplied by', () => {
    const labels = Int32Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const honest = Math.log(3);
    const logits = Float64Array.from({ length: 800 }, (_, i) => (i % 2 === 0 ? honest * 4 : 0));
    const temperature = fitTemperature(logits, labels, 2);
    // 4, drawn a little towards 1 by the prior
    expect(temperature).toBeCloseTo(3.785, 2);
    expect(computeLogLoss(logits, labels, 2, temperature)).toBeLessThan(computeLogLoss(logits, labels, 2));
  });
});

describe('folds', () => {
  const rows = Array.from({ length: 100 }, (_, i) => ({
    content: `{"place":${i}}`,
    label: i % 10 === 0 ? 1 : 0,
    source: 'user' as const,
  }));

  it('deal every option out evenly', () => {
    const folds = assignFolds(rows, 3, 1);
    for (const label of [0, 1]) {
      const counts = [0, 1, 2].map((fold) => rows.filter((row, i) => row.label === label && folds[i] === fold).length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }
  });
});
