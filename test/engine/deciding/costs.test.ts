/** Thresholds of least cost, and whether what is said of their cost is true. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Costs } from '../../../src/engine/costs.ts';
import { escalationPolicySchema } from '../../../src/engine/domain/definition.ts';
import { findCheapestThreshold, measureCosts } from '../../../src/engine/measure/costs.ts';
import type { ReappliedRow } from '../../../src/engine/measure/reapply.ts';
import { createRandom, type Random } from '../../../src/engine/random.ts';
import type { ThresholdSettings } from '../../../src/engine/thresholds.ts';
import { readThresholdsOf } from '../../../src/engine/thresholds.ts';

const costs: Costs = { currency: '€', look: 1, wrong: 10, pairs: [{ right: 'b', decided: 'a', cost: 40 }] };
const settings: ThresholdSettings = {
  confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 },
  escalation_policy: escalationPolicySchema.parse({}),
  fallback_option: null,
};
const row = (expected: string, option: string, confidence: number, ruled: string | null = null): ReappliedRow => ({
  expected,
  ruled,
  prediction: { option, confidence, unfamiliarReason: null },
});
const measure = (rows: ReappliedRow[], changed: Partial<ThresholdSettings> = {}, own: number | null = null) =>
  measureCosts({ rows, refused: 0 }, 0, {
    costs,
    options: ['a', 'b'],
    settings: { ...settings, ...changed },
    ownEscalation: own,
    refusal: null,
    isRefitted: false,
  });

/** A row of a calibrated classifier between two options. */
function drawRow(random: Random): ReappliedRow {
  const confidence = 1 - 0.5 * random() ** 3;
  const isRight = random() < confidence;
  const option = random() < 0.5 ? 'a' : 'b';
  return row(isRight ? option : option === 'a' ? 'b' : 'a', option, confidence);
}

describe('the thresholds of least cost', () => {
  it('cost no more on their rows than any others [CST-3]', () => {
    const anyRow = fc.record({ confidence: fc.integer({ min: 0, max: 20 }).map((n) => n / 20), cost: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 40 }), fc.nat(9), fc.constantFrom(0, 0.5), (rows, look, lowest) => {
        const sumAt = (threshold: number) =>
          rows.reduce((sum, { confidence, cost }) => sum + (confidence >= threshold ? cost : look), 0);
        const found = findCheapestThreshold(rows, look, lowest);
        expect(found).toBeGreaterThanOrEqual(lowest);
        expect(found).toBeLessThanOrEqual(1);
        for (let step = 0; step <= 40; step++) {
          if (step / 40 >= lowest) expect(sumAt(found)).toBeLessThanOrEqual(sumAt(step / 40));
        }
      }),
    );
  });

  it('lie where a right answer is as likely as costs ask for: 1 − look / cost of a wrong one, for an option of its own where that certainly costs less [CST-3] [CST-10]', () => {
    const random = createRandom(3);
    const rows = Array.from({ length: 10_000 }, () => drawRow(random));
    const { thresholds, per_1000 = 0 } = measure(rows).suggested ?? {};
    expect(thresholds?.auto_decide).toBeCloseTo(0.9, 1);
    expect(thresholds?.by_option).toEqual({ a: expect.closeTo(0.975, 1) });
    // Wrong answers cost 10 or 40, half each: 25. One threshold for both is all that may be said of few rows.
    const few = measure(rows.slice(0, 100)).suggested;
    expect(few?.thresholds).toEqual({ auto_decide: expect.closeTo(0.96, 1), escalation: 0.6 });
    const one = measure(rows, { confidence_thresholds: { auto_decide: 0.96, escalation: 0.6 } });
    expect([one.now?.per_1000 ?? 0, one.sentence]).toEqual([
      expect.toSatisfy((now: number) => now > 1.02 * per_1000),
      expect.stringMatching(/ if decided alone from 0\.\d+, «a» from 0\.9\d+, /),
    ]);
  });

  it('leave rules and unfamiliar inputs as they are, and keep what the training fixed [CST-3]', () => {
    const ruled = Array.from({ length: 40 }, () => row('b', 'b', 0.9, 'a'));
    expect(measure(ruled).now?.per_1000).toBe(40_000);
    const unfamiliar = ruled.map(({ expected, prediction }) => ({
      expected,
      ruled: null,
      prediction: { ...prediction, unfamiliarReason: 'other words' },
    }));
    expect(measure(unfamiliar).suggested).toMatchObject({ per_1000: 1_000, share_automatic: 0 });
    const right = Array.from({ length: 40 }, (_, i) => row('a', 'a', 0.5 + i / 100));
    expect(measure(right, {}, 0.7).suggested?.thresholds.auto_decide).toBeGreaterThanOrEqual(0.7);
    const accepted = { escalation_policy: escalationPolicySchema.parse({ between: 'accept' }) };
    const { thresholds } = measure(right, accepted).suggested ?? {};
    expect(thresholds?.escalation).toBe(thresholds?.auto_decide);
  });
});

describe('what is said of costs', () => {
  it('is true of new rows: the mean has no bias, the interval holds it as often as it says [CST-4]', () => {
    const random = createRandom(7);
    const others = Array.from({ length: 5_000 }, () => drawRow(random));
    const trials = 150;
    let bias = 0;
    let held = 0;
    let size = 0;
    for (let trial = 0; trial < trials; trial++) {
      const { suggested } = measure(Array.from({ length: 200 }, () => drawRow(random)));
      const { per_1000, low, high } = suggested ?? { per_1000: 0, low: 0, high: 0 };
      let truth = 0;
      for (const { expected, prediction } of others) {
        const { option, confidence } = prediction;
        const { auto_decide } = readThresholdsOf(option, suggested?.thresholds ?? settings.confidence_thresholds);
        truth += confidence < auto_decide ? 1 : expected === option ? 0 : option === 'a' ? 40 : 10;
      }
      truth *= 1_000 / others.length;
      bias += (per_1000 - truth) / trials;
      size += truth / trials;
      if (low <= truth && truth <= high) held += 1 / trials;
    }
    expect(Math.abs(bias) / size).toBeLessThan(0.05);
    expect(held).toBeGreaterThan(0.9);
  });

  it('is as wide as that of the rows that differ where each stands three times [CST-4]', () => {
    const random = createRandom(7);
    const rows = Array.from({ length: 100 }, () => drawRow(random));
    const copies = rows.flatMap((each, group) => [1, 2, 3].map(() => ({ ...each, group })));
    const [once, thrice] = [measure(rows).now, measure(copies).now];
    const width = ({ low, high }: { low: number; high: number } = { low: 0, high: 0 }) => high - low;
    expect(thrice?.per_1000).toBeCloseTo(once?.per_1000 ?? 0, 6);
    expect(width(thrice ?? undefined) / width(once ?? undefined)).toBeCloseTo(1, 1);
  });

  it('is the same in every call, and names the currency [CST-4]', () => {
    const random = createRandom(1);
    const rows = Array.from({ length: 300 }, () => drawRow(random));
    expect(measure(rows)).toEqual(measure(rows));
    expect(measure(rows).sentence).toMatch(
      /^1,000 decisions cost [\d.,]+ € \([\d.,]+ to [\d.,]+ €\) now, .* if decided alone from 0\.\d+, 1,000 € all by hand\./,
    );
  });

  it('is nothing below 30 rows, and without the two costs that are weighed [CST-4]', () => {
    const rows = Array.from({ length: 29 }, () => row('a', 'a', 0.9));
    expect(measure(rows)).toMatchObject({ now: null, suggested: null, by_hand: null });
    expect(measure(rows).sentence).toBe('29 held-out rows are too few to weigh costs. It takes 30.');
  });
});
