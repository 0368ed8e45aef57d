/** The gain that more labels would bring. */
import { expect, it } from 'vitest';
import { forecastGain } from '../../../src/engine/training/evaluate/learning-curve.ts';

/** A model that learned from some labels, wrong on the first of 400 rows as 0.1 + 1/√labels has it. */
const learn = (learned: number, rows = 400) => ({
  learned,
  wrong: Array.from({ length: rows }, (_, row) => row < Math.round(rows * (0.1 + learned ** -0.5))),
});

it('follows a curve to 100 more labels, with an interval that holds what they bring [DRW-6]', () => {
  const found = forecastGain([learn(50), learn(100), learn(150), learn(200)]);
  const brought = 200 ** -0.5 - 300 ** -0.5;
  expect(found?.gain).toBeCloseTo(brought, 2);
  expect(found?.low).toBeLessThan(brought);
  expect(found?.high).toBeGreaterThan(brought);
  expect(found?.sentence).toMatch(/^About \+1\.[23] points for 100 more labels \(−\d\.\d to \+\d\.\d\)\.$/);
});

it('says nothing below 60 labels, 20 measured rows or of one model alone [DRW-6]', () => {
  expect(forecastGain([learn(25), learn(50)])).toBeNull();
  expect(forecastGain([learn(50, 19), learn(100, 19)])).toBeNull();
  expect(forecastGain([learn(100)])).toBeNull();
  expect(forecastGain([])).toBeNull();
});
