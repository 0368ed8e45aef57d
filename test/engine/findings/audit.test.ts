/** The draws of the audit and its bound; test/bench/audit.ts tries the bound on a thousand streams. */
import { describe, expect, it } from 'vitest';
import { computeUpperBound } from '../../../src/engine/intervals.ts';
import {
  boundRunningError,
  isMeanRefused,
  measureAudit,
  rankDecision,
  toWeek,
} from '../../../src/engine/measure/error-bound.ts';
import { createRandom } from '../../../src/engine/random.ts';

describe('a draw', () => {
  const drawn = (share: number, toId: (record: number) => string) =>
    Array.from({ length: 20_000 }, (_, record) => record).filter(
      (record) => rankDecision(toId(record), record) < share,
    );

  it('takes its share, the same records every time, and more of them with a larger share [AUD-2]', () => {
    const toId = (record: number) => `request-${record}`;
    const some = drawn(0.05, toId);
    expect(some.length).toBeGreaterThan(900);
    expect(some.length).toBeLessThan(1_100);
    expect(drawn(0.05, toId)).toEqual(some);
    const more = new Set(drawn(0.2, toId));
    expect(some.every((record) => more.has(record))).toBe(true);
    expect(drawn(1, toId)).toHaveLength(20_000);
  });

  it('cannot be steered by an id that is sent again and again [AUD-2]', () => {
    const same = drawn(0.1, () => 'always-the-same');
    expect(same.length).toBeGreaterThan(1_850);
    expect(same.length).toBeLessThan(2_150);
  });
});

it('a week begins on Monday at midnight UTC [LFT-4]', () => {
  const monday = Date.UTC(2026, 5, 15);
  expect(toWeek(monday) - toWeek(monday - 1)).toBe(1);
  expect(toWeek(monday + 7 * 24 * 3_600_000 - 1)).toBe(toWeek(monday));
});

describe('the bound of the running error', () => {
  it('holds the counted share, narrows with judgements, and asks little more than a look at a fixed time [AUD-4]', () => {
    expect(boundRunningError(0, 0)).toEqual({ low: 0, high: 1 });
    let width = 1;
    for (const count of [10, 30, 100, 300, 1_000, 3_000, 10_000]) {
      const wrong = count / 10;
      const { low, high } = boundRunningError(wrong, count);
      expect(low).toBeLessThan(0.1);
      expect(high).toBeGreaterThan(0.1);
      expect(high - low).toBeLessThan(width);
      width = high - low;
      expect(high).toBeLessThan(1.45 * computeUpperBound(wrong, count, 0.025));
    }
    expect(boundRunningError(3, 3)).toMatchObject({ high: 1 });
    expect(boundRunningError(0, 3)).toMatchObject({ low: 0 });
  });

  it('holds at every moment in nearly all streams, also where the error drifts [AUD-4]', () => {
    const random = createRandom(5);
    let broken = 0;
    const streams = 100;
    for (let stream = 0; stream < streams; stream += 1) {
      let [wrong, chances, isBroken] = [0, 0, false];
      for (let count = 1; count <= 400; count += 1) {
        const chance = stream % 2 === 0 ? 0.05 : 0.02 + (0.2 * count) / 400;
        chances += chance;
        if (random() < chance) wrong += 1;
        const mean = chances / count;
        if (isMeanRefused(mean, wrong, count, 1) || isMeanRefused(mean, wrong, count, -1)) isBroken = true;
      }
      if (isBroken) broken += 1;
    }
    expect(broken).toBeLessThanOrEqual(5);
  });

  it('counts what was passed over as wrong above and as right below [AUD-4]', () => {
    const figure = measureAudit({ judged: 40, wrong: 2, passedOver: 5 });
    expect(figure.share).toBe(0.05);
    expect(figure.high).toBe(boundRunningError(7, 45).high);
    expect(figure.low).toBe(boundRunningError(2, 45).low);
  });
});
