/** Promised errors: the bounds they rest on, and that they hold. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeBinomialTail, computeUpperBound } from '../../../src/engine/intervals.ts';
import { computeMcNemarP, describeComparison } from '../../../src/engine/measure/compare.ts';
import { boundError, isErrorBelow } from '../../../src/engine/measure/error-bound.ts';
import { findPromise, keepsDeclared, type PromiseQuestion } from '../../../src/engine/measure/promise.ts';
import { quoteShare } from '../../../src/engine/measure/quote-share.ts';
import { type ReappliedRow, reapplySettings } from '../../../src/engine/measure/reapply.ts';
import { measureWholeDecision } from '../../../src/engine/measure/whole-decision.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { createDefinition } from '../training-request.ts';

const question: PromiseQuestion = {
  target_error: 0.02,
  certainty: 0.95,
  basis: 'explored',
  option: null,
  optionCount: 2,
  lowest: 0,
  isRefitted: false,
};

const toRow = (confidence: number, isRight: boolean, changes: Partial<ReappliedRow> = {}): ReappliedRow => ({
  expected: isRight ? 'a' : 'b',
  ruled: null,
  prediction: { option: 'a', confidence, unfamiliarReason: null },
  ...changes,
});

describe('the bound of an error', () => {
  it.each([
    // scipy.stats: beta.ppf(1 - risk, hits + 1, count - hits) and binom.cdf(hits, count, min(0.99, 1.5 (hits + 1) / count))
    [0, 149, 0.05, 0.019904816220685077, 0.22144048979940903],
    [3, 200, 0.05, 0.03830970849856934, 0.14715119408240107],
    [12, 500, 0.025, 0.04154761879968625, 0.04562127417516505],
    [85, 2000, 0.0003787878787878788, 0.059817221047740496, 1.3974791371164995e-5],
    [1, 34, 0.01, 0.1798193746699434, 0.18556854307857334],
    [9999, 10000, 0.3, 0.9999643331416836, 1],
  ])('of %d in %d rows at risk %d is that of scipy', (hits, count, risk, bound, tail) => {
    expect(computeUpperBound(hits, count, risk)).toBeCloseTo(bound, 9);
    expect(computeBinomialTail(hits, count, Math.min(0.99, (1.5 * (hits + 1)) / count))).toBeCloseTo(tail, 9);
  });

  it('falls with the rows, rises with the wrong ones, and decides like the quicker question [PRM-2]', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3_000 }),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        fc.double({ min: 0.001, max: 0.5, noNaN: true }),
        (decided, share, target) => {
          const wrong = Math.floor(decided * share);
          const bound = boundError(wrong, decided, 0.05);
          expect(bound).toBeGreaterThan(wrong / decided);
          expect(boundError(wrong, decided + 10, 0.05)).toBeLessThanOrEqual(bound);
          expect(boundError(wrong + 1, decided, 0.05)).toBeGreaterThanOrEqual(bound - 1e-12);
          // Beyond each other by more than the precision of the search.
          if (Math.abs(bound - target) > 1e-9) {
            expect(isErrorBelow(target, wrong, decided, 0.05)).toBe(bound <= target);
          }
        },
      ),
    );
    expect(boundError(0, 183, 0.05)).toBeLessThanOrEqual(0.02);
    expect(boundError(0, 182, 0.05)).toBeGreaterThan(0.02);
  });
});

describe('a promise', () => {
  it('is refused with the rows it takes where there are too few [PRM-1]', () => {
    const rows = Array.from({ length: 34 }, () => toRow(0.99, true));
    expect(findPromise(rows, question)).toMatchObject({
      possible: false,
      threshold: null,
      rows: 34,
      rows_needed: 183,
      sentence:
        'A promise of 2% with 95% certainty needs about 183 test rows if errors stay as frequent; there are 34.',
    });
    expect(findPromise([], question)).toMatchObject({ possible: false, rows: 0, rows_needed: null });
  });

  it('that is impossible says how many rows it takes with the errors seen, never fewer than there are [PRM-1]', () => {
    // One in fifty is wrong, wherever it is looked: too many for 3% on 600 rows, and for 2% on any number.
    const rows = Array.from({ length: 600 }, (_, i) => toRow(0.9 - i / 10_000, i % 50 !== 25));
    const { possible, rows_needed } = findPromise(rows, { ...question, target_error: 0.03 });
    expect([possible, rows_needed]).toEqual([false, 5_061]);
    expect([isErrorBelow(0.03, 102, 5_061, 0.05), isErrorBelow(0.03, 102, 5_060, 0.05)]).toEqual([true, false]);
    const hopeless = findPromise(rows, { ...question, target_error: 0.015, basis: 'declared' });
    expect(hopeless).toMatchObject({ possible: false, rows_needed: null });
    expect(hopeless.sentence).toMatch(
      /^1.5% with 95% certainty cannot be guaranteed on these 600 rows at any threshold\. The best we can guarantee is [\d.]+%\. More/,
    );
    const best = Number(/best we can guarantee is ([\d.]+)/.exec(hopeless.sentence)?.[1]) / 100;
    const isPossible = (target_error: number) => findPromise(rows, { ...question, target_error }).possible;
    expect([isPossible(best), isPossible(best - 0.001)]).toEqual([true, false]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 2, max: 40 }),
        fc.double({ min: 0.01, max: 0.2, noNaN: true }),
        fc.constantFrom('declared', 'explored'),
        (count, every, target_error, basis) => {
          const some = Array.from({ length: count }, (_, i) => toRow(0.9 - i / 1_000, i % every !== 0));
          const found = findPromise(some, { ...question, target_error, basis });
          if (found.possible) expect(found.rows_needed).toBe(count);
          else if (found.rows_needed !== null) expect(found.rows_needed).toBeGreaterThan(count);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('decides as much as the bound allows, from the middle of the thresholds that do, and counts what rules decide [PRM-1]', () => {
    const sure = Array.from({ length: 200 }, (_, i) => toRow(0.95 + (i % 10) / 1000, true));
    const unsure = Array.from({ length: 300 }, (_, i) => toRow(0.6, i % 3 !== 0));
    const found = findPromise([...sure, ...unsure], question);
    expect(found).toMatchObject({ possible: true, share_automatic: 0.4, error_observed: 0, rows: 500 });
    expect(found.threshold).toBeCloseTo(0.775, 9);
    expect(found.sentence).toBe(
      'From 0.775, 40% are decided alone, at most 2% wrong with 95% certainty. This bound holds for every target you try.',
    );
    // The same rows with a rule that is wrong on twenty inputs, which no threshold can take back.
    const ruled = Array.from({ length: 20 }, () => toRow(0.1, false, { ruled: 'a' }));
    expect(findPromise([...sure, ...unsure, ...ruled], question).possible).toBe(false);
    // Unfamiliar inputs are never decided alone.
    const unfamiliar = unsure.map((row) => ({ ...row, prediction: { ...row.prediction, unfamiliarReason: 'words' } }));
    expect(findPromise([...sure, ...unfamiliar], question)).toMatchObject({ threshold: 0.475, share_automatic: 0.4 });
    expect(findPromise([...sure, ...unfamiliar], { ...question, lowest: 0.8 }).threshold).toBe(0.875);
  });

  it('for an option looks at its decisions alone, and takes more rows because it holds of all options at once [PRM-3]', () => {
    const right = Array.from({ length: 220 }, () => toRow(0.9, true));
    const others = Array.from({ length: 100 }, () =>
      toRow(0.9, false, { prediction: { option: 'c', confidence: 0.9, unfamiliarReason: null } }),
    );
    const found = findPromise([...right, ...others], { ...question, option: 'a' });
    expect(found).toMatchObject({ possible: true, rows_needed: 320 });
    expect(found.share_automatic).toBeCloseTo(220 / 320, 9);
    expect(findPromise([...right, ...others], { ...question, option: 'c' }).possible).toBe(false);
    expect(findPromise([...right, ...others], { ...question, option: 'a', optionCount: 77 }).possible).toBe(false);
  });

  it('is broken in at most 5% of draws, whatever number of targets is tried on the same rows [PRM-2]', () => {
    const random = createRandom(5);
    const targets = [0.01, 0.02, 0.05, 0.1];
    // Wrong with the chance that a confidence leaves, or twice that; chances above a confidence by their integral.
    for (const factor of [1, 2]) {
      const draw = () => 1 - 0.5 * random() ** 4;
      const chance = (confidence: number) => factor * (1 - confidence);
      const known = Array.from({ length: 20_000 }, draw).sort((a, b) => b - a);
      const errorFrom = (threshold: number) => {
        const above = known.filter((confidence) => confidence >= threshold);
        return above.reduce((sum, confidence) => sum + chance(confidence), 0) / Math.max(1, above.length);
      };
      let broken = 0;
      const draws = 200;
      for (let i = 0; i < draws; i++) {
        const rows = Array.from({ length: 500 }, () => {
          const confidence = draw();
          return toRow(confidence, random() >= chance(confidence));
        });
        const isBroken = targets.some((target_error) => {
          const { threshold } = findPromise(rows, { ...question, target_error });
          return threshold !== null && errorFrom(threshold) > target_error;
        });
        if (isBroken) broken += 1;
      }
      expect(broken / draws).toBeLessThanOrEqual(0.05);
    }
  });
});

describe('a promise that was declared beforehand', () => {
  const declared: PromiseQuestion = { ...question, target_error: 0.05, basis: 'declared' };
  // Of the surest hundred none is wrong, then one in thirty, and at the end every third.
  const sure = Array.from({ length: 300 }, (_, i) => toRow(0.99 - i / 1_000, i < 100 || i % 30 !== 20));
  const rows = [...sure, ...Array.from({ length: 100 }, (_, i) => toRow(0.6 - i / 1_000, i % 3 !== 0))];

  it('decides as much alone as exact tests down from the strictest threshold allow [PRM-9]', () => {
    const found = findPromise(rows, declared);
    // The bound is that which was tested.
    expect(found).toMatchObject({ possible: true, basis: 'declared', error_bound: 0.05, rows_needed: 400 });
    expect(found.share_automatic).toBeGreaterThan(0.74);
    expect(found.sentence).not.toContain('exploration');
    const explored = findPromise(rows, { ...declared, basis: 'explored' });
    expect(explored.share_automatic).toBeLessThan(0.6);
  });

  it('is stopped by the first test that fails, however well later ones would do [PRM-9]', () => {
    const early = Array.from({ length: 300 }, (_, i) => toRow(0.999 - i / 100_000, i !== 10 && i !== 20));
    const late = [...early, ...Array.from({ length: 900 }, (_, i) => toRow(0.6 - i / 10_000, true))];
    // The sequence begins behind a fifth of the rows: with 93 of 300, where one may be wrong, with 260 of 1,200.
    expect(findPromise(early, declared).possible).toBe(false);
    expect(findPromise(late, declared)).toMatchObject({ possible: true, share_automatic: 1 });
    // Where confidences make expect more than a fifth can bear, it begins with the fewest rows that can say anything.
    const unsure = Array.from({ length: 600 }, (_, i) => toRow(0.97 - i / 1_000, i < 70 || i % 3 !== 0));
    expect(findPromise(unsure, declared)).toMatchObject({ possible: true, share_automatic: expect.closeTo(0.12, 1) });
  });

  it('is kept from its threshold on and from stricter ones, not below [PRM-9]', () => {
    const { threshold } = findPromise(rows, declared);
    if (threshold === null) throw new Error('no threshold');
    expect(keepsDeclared(rows, declared, threshold)).toBe(true);
    expect(keepsDeclared(rows, declared, threshold + 0.02)).toBe(true);
    expect(keepsDeclared(rows, declared, 0.55)).toBe(false);
    expect(keepsDeclared(rows, declared, 1)).toBe(false);
  });

  it('is broken in at most 5% of draws, and decides more alone than what is explored [PRM-9]', () => {
    const random = createRandom(11);
    const draw = () => 1 - 0.5 * random() ** 4;
    // Wrong with the chance that a confidence leaves, and confidences above t are wrong with the mean of those chances.
    const known = Array.from({ length: 20_000 }, draw).sort((a, b) => b - a);
    const errorFrom = (threshold: number) => {
      const above = known.filter((confidence) => confidence >= threshold);
      return above.reduce((sum, confidence) => sum + 1 - confidence, 0) / Math.max(1, above.length);
    };
    for (const target_error of [0.02, 0.1]) {
      let broken = 0;
      let gained = 0;
      const draws = 200;
      for (let i = 0; i < draws; i++) {
        const drawn = Array.from({ length: 500 }, () => {
          const confidence = draw();
          return toRow(confidence, random() >= 1 - confidence);
        });
        const { threshold, share_automatic } = findPromise(drawn, { ...declared, target_error });
        const explored = findPromise(drawn, { ...question, target_error }).share_automatic;
        gained += (share_automatic ?? 0) - (explored ?? 0);
        if (threshold !== null && errorFrom(threshold) > target_error) broken += 1;
      }
      expect(broken / draws).toBeLessThanOrEqual(0.05);
      expect(gained / draws).toBeGreaterThan(0.02);
    }
  });
});

describe('the whole decision', () => {
  const rule = { name: 'large', condition: 'ctx.amount > 100', then: 'b', reason_code: null, priority: 1 };
  const definition = createDefinition(['a', 'b'], {
    hard_rules: [rule],
    input_schema: { type: 'object', properties: { amount: { type: 'number' } } },
    escalation_policy: { ...createDefinition([]).escalation_policy, unfamiliar: 'escalate' },
  });
  const compiled = compileRules(definition.hard_rules, definition);
  if (!compiled.ok) throw new Error('the rules do not compile');
  const settings = {
    rules: compiled.value,
    inputSchema: definition.input_schema,
    confidence_thresholds: { auto_decide: 0.9, escalation: 0.5 },
    escalation_policy: definition.escalation_policy,
    fallback_option: 'b',
  };
  const row = (amount: number | string, expected: string, confidence: number, unfamiliar = false) => ({
    input: { amount },
    expected,
    predicted: 'a',
    confidence,
    unfamiliar,
  });

  it('counts what rules, classifier, thresholds and fallback make of each row [PRM-7]', () => {
    const recorded = [
      row(500, 'b', 0.99),
      row(500, 'a', 0.99),
      row(1, 'a', 1.0000001),
      row(1, 'b', 0.9),
      row(1, 'a', 0.7),
      row(1, 'b', 0.3),
      row(1, 'a', 0.99, true),
      row('many', 'a', 0.99),
    ];
    const whole = measureWholeDecision(reapplySettings(recorded, settings), settings, { missing: 2 });
    expect([whole.rows, whole.refused, whole.missing]).toEqual([7, 1, 2]);
    expect(whole.by_rule).toMatchObject({ count: 2, of: 7 });
    expect(whole.automatic).toMatchObject({ count: 4, of: 7, share: 4 / 7 });
    expect(whole.error_automatic).toMatchObject({ count: 2, of: 4, share: 0.5 });
    expect(whole.escalated).toMatchObject({ count: 3, of: 7 });
    expect(whole.fallback).toMatchObject({ count: 2, of: 7 });
    // Right are the rule once, the sure one, the flagged one, and the fallback for what is really b.
    expect(whole.accuracy).toMatchObject({ count: 4, of: 7 });
    expect(whole.accuracy.low).toBeLessThan(4 / 7);
    expect(whole.baseline).toMatchObject({
      option: 'a',
      accuracy: { count: 4, of: 7 },
      rules_alone: { count: 3, of: 7 },
    });
    expect(whole.sentence).toMatch(/^Of 7 held-out rows 4 would be decided alone, 2 of these wrongly \(/);
  });

  it('leaves rows out where schema and rules would take too long on all of them [PRM-7]', () => {
    const pairs = (n: number) => `ctx.list.exists(a, ctx.list.exists(b, a + b == ${-n}))`;
    const hard_rules = Array.from({ length: 8 }, (_, n) => ({
      ...{ name: `r${n}`, condition: pairs(n + 1), then: 'b', reason_code: null, priority: n + 1 },
    }));
    const costly = compileRules(hard_rules, definition);
    if (!costly.ok) throw new Error(JSON.stringify(costly.problems));
    const list = Array.from({ length: 100 }, (_, n) => n);
    const recorded = Array.from({ length: 500 }, () => ({ ...row(1, 'a', 0.9), input: { amount: 1, list } }));
    const { rows, refused, leftOut } = reapplySettings(recorded, { ...settings, rules: costly.value });
    expect(refused).toBe(0);
    // 400,000 steps a row, of 20 million.
    expect([rows.length, leftOut]).toEqual([50, 450]);
    expect(reapplySettings(recorded, settings)).toMatchObject({ leftOut: 0 });
  });

  it('says so where no row is left, or none is decided alone [PRM-7]', () => {
    const strict = { ...settings, confidence_thresholds: { auto_decide: 1, escalation: 1 } };
    const none = measureWholeDecision(reapplySettings([row(1, 'a', 0.9)], strict), strict, { missing: 0 });
    expect(none.error_automatic).toMatchObject({ share: null, low: 0, high: 1 });
    expect(quoteShare(none.automatic)).toMatchObject({ figure: '0 to 79.3%', beside: '0% of 1' });
    expect(none.baseline).toMatchObject({ option: 'a', accuracy: { share: 1 }, rules_alone: null });
    expect(none.sentence).toBe('None of 1 held-out rows would be decided alone.');
    expect(measureWholeDecision({ rows: [], refused: 0 }, strict, { missing: 3 }).sentence).toContain(
      'Train the type again.',
    );
  });
});

describe('the difference between two policies', () => {
  it('is measured by the exact test of McNemar, as worked out by hand and as chance has it [HDL-3]', () => {
    // 2 against 1: 2 · (1 + 3) / 8; 10 against 2: 2 · (1 + 12 + 66) / 4096.
    expect(computeMcNemarP({ onlyFirst: 2, onlySecond: 1 })).toBeCloseTo(1, 12);
    expect(computeMcNemarP({ onlyFirst: 10, onlySecond: 2 })).toBeCloseTo((2 * 79) / 4096, 12);
    expect(computeMcNemarP({ onlyFirst: 2, onlySecond: 10 })).toBeCloseTo((2 * 79) / 4096, 12);
    expect(computeMcNemarP({ onlyFirst: 0, onlySecond: 0 })).toBe(1);
    expect(describeComparison({ onlyFirst: 2, onlySecond: 1 })).toMatch(/^Neither is shown to be better: chance /);
    expect(describeComparison({ onlyFirst: 10, onlySecond: 2 })).toMatch(/^The one that is right more often is better/);
    expect(describeComparison({ onlyFirst: 0, onlySecond: 0 })).toMatch(/^Neither is better: /);
  });
});
