import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitPool, fitWeights, poolLogits } from '../../../src/engine/classifiers/blend.ts';
import { computeLogLoss } from '../../../src/engine/classifiers/calibration.ts';
import { type Fitted, type Rows, selectColumns } from '../../../src/engine/classifiers/classifier.ts';
import { combineHeads, computeLogShares, fitHead } from '../../../src/engine/classifiers/heads.ts';
import { compileScorer } from '../../../src/engine/classifiers/model.ts';
import { countOutputs, softmaxInPlace } from '../../../src/engine/numeric.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { toModelInput } from '../../../src/engine/training/data/model-input.ts';

const random = createRandom(4);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Rows of `options` unevenly frequent options; two dense columns and one n-gram per option tell of it, each with noise. */
function makeRows(count: number, options: number): { rows: Rows; labels: Int32Array } {
  const labels = Int32Array.from({ length: count }, () => Math.floor(options * random() ** 2.5));
  const dense = Float64Array.from([...labels].flatMap((label) => [label + normal(), -label + 2 * normal()]));
  return {
    labels,
    rows: {
      count,
      dense,
      denseWidth: 2,
      fields: [],
      sparse: {
        starts: Int32Array.from({ length: count + 1 }, (_, i) => i),
        indices: labels.map((label) => (random() < 0.6 ? label : Math.floor(random() * options))),
        values: new Float64Array(count).fill(1),
        width: options,
      },
    },
  };
}

const facts = { from: 0, to: 2 };
const softmaxRows = (logits: Float64Array, options: number) =>
  Array.from({ length: logits.length / options }, (_, i) => [
    ...softmaxInPlace(logits.slice(i * options, (i + 1) * options)),
  ]);

describe('heads that were fitted apart', () => {
  it.each([2, 5])('are one linear model together, for %i options', (options) => {
    const { rows, labels } = makeRows(200, options);
    const given = { rows, labels, optionCount: options, seed: 1, precision: 'final' as const };
    const heads = ([facts, 'sparse'] as const).map((columns) => ({ columns, fitted: fitHead(given, columns, 3) }));
    const parts = heads.map(({ columns, fitted }) => fitted.logits(selectColumns(rows, columns)));
    const pool = { weights: [0.7, 1.3], prior: -0.4 };
    const expected = softmaxRows(poolLogits(parts, computeLogShares(labels, options), pool), options);

    const combined = combineHeads(given, heads, pool);
    expect(softmaxRows(combined.logits(rows), options).flat()).toEqual(
      expected.flat().map((probability) => expect.closeTo(probability, 9)),
    );
    const score = compileScorer(
      combined.toModel({ positions: [...Array(options).keys()], optionCount: options, weight: 1 }),
    );
    for (const i of [0, 7, 199]) {
      const { dense, indices, values } = toModelInput(rows, i);
      expect([...score(dense, indices, values)]).toEqual(
        expected[i]?.map((probability) => expect.closeTo(probability, 5)),
      );
    }
  });

  it.each([2, 5])('stay near a head that was learned before, as far as C lets them, for %i options', (options) => {
    const { rows, labels } = makeRows(200, options);
    const given = { rows, labels, optionCount: options, seed: 1, precision: 'final' as const };
    const weightsOf = ({ parameters }: Fitted) => parameters.subarray(0, 2 * countOutputs(options));
    const free = fitHead(given, facts, 1e6);
    const centre = free.parameters.map((parameter, i) => parameter / 2 + (i % 3) - 1);
    const measureDistance = (C: number) => {
      const weights = weightsOf(fitHead(given, facts, C, centre));
      return Math.hypot(...weights.map((weight, i) => weight - (centre[i] ?? 0)));
    };
    expect(measureDistance(1e-6)).toBeLessThan(1e-3);
    expect(measureDistance(1e-2)).toBeGreaterThan(1e-2);
    expect(measureDistance(1e-2)).toBeLessThan(measureDistance(1));
    const columns = selectColumns(rows, facts);
    const probabilitiesOf = (fitted: Fitted) => softmaxRows(fitted.logits(columns), options).flat();
    expect(probabilitiesOf(fitHead(given, facts, 1e6, centre))).toEqual(
      probabilitiesOf(free).map((probability) => expect.closeTo(probability, 3)),
    );
  });

  it('do not count the shares of the options twice', () => {
    const options = 4;
    const { rows, labels } = makeRows(4_000, options);
    const half = 2_000;
    const given = { rows, labels, optionCount: options, seed: 1, precision: 'final' as const };
    const logits = ([facts, 'sparse'] as const).map((columns) =>
      fitHead(given, columns, 3).logits(selectColumns(rows, columns)),
    );
    const shares = computeLogShares(labels, options);
    const learned = labels.subarray(0, half);
    const pool = fitPool(
      logits.map((part) => part.subarray(0, half * options)),
      shares,
      learned,
    );
    // two independent sources of evidence: Bayes' rule adds their logits and takes the shares back once
    expect(pool.weights[0]).toBeCloseTo(1, 0);
    expect(pool.weights[1]).toBeCloseTo(1, 0);
    expect(pool.prior).toBeLessThan(-0.6);
    expect(pool.prior).toBeGreaterThan(-1.4);
    const held = (weights: number[], prior: number) => {
      const rest = logits.map((part) => part.subarray(half * options));
      return computeLogLoss(poolLogits(rest, shares, { weights, prior }), labels.subarray(half), options);
    };
    expect(held(pool.weights, pool.prior)).toBeLessThan(held(pool.weights, 0));
    expect(held(pool.weights, pool.prior)).toBeLessThan(held([1, 0], 0));
    expect(held(pool.weights, pool.prior)).toBeLessThan(held([0, 1], 0));
  });

  it('are calibrated only where that lowers the cross-validated log-loss, a first mistake counted in', () => {
    const optionCount = 3;
    const row = fc.record({
      label: fc.nat(optionCount - 1),
      logits: fc.array(fc.double({ min: -8, max: 8, noNaN: true }), { minLength: 2 * optionCount }),
    });
    let surer = 0;
    let lessSure = 0;
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), (rows) => {
        const labels = Int32Array.from(rows, ({ label }) => label);
        const [first, second] = [0, optionCount].map((from) =>
          Float64Array.from(rows.flatMap(({ logits }) => logits.slice(from, from + optionCount))),
        ) as [Float64Array, Float64Array];
        // The share of every label that is given to the other options: Laplace's estimate of a first mistake.
        const doubt = 1 / (rows.length + 2);
        const computeDoubtfulLoss = (logits: Float64Array) => {
          const others = [1, 2].map((step) => labels.map((label) => (label + step) % optionCount));
          const losses = others.map((other) => computeLogLoss(logits, other, optionCount));
          const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
          return (1 - doubt) * computeLogLoss(logits, labels, optionCount) + doubt * mean;
        };
        const shares = computeLogShares(labels, optionCount);
        const pool = fitPool([first, second], shares, labels);
        const even = { weights: [0.5, 0.5], prior: 0 };
        const [fitted, uncalibrated] = [pool, even].map((each) => poolLogits([first, second], shares, each));
        expect(computeDoubtfulLoss(fitted as Float64Array)).toBeLessThanOrEqual(
          computeDoubtfulLoss(uncalibrated as Float64Array) + 1e-9,
        );
        // One classifier: what makes it surer has a lower log-loss as it is; what makes it less sure is the doubt.
        const [weight = 1] = fitWeights([first], labels, optionCount);
        if (weight <= 1) lessSure += 1;
        if (weight <= 1) return;
        surer += 1;
        const scaled = first.map((logit) => logit * weight);
        expect(computeLogLoss(scaled, labels, optionCount)).toBeLessThanOrEqual(
          computeLogLoss(first, labels, optionCount) + 1e-9,
        );
      }),
    );
    expect(Math.min(surer, lessSure)).toBeGreaterThan(0);
  });

  it('are not trusted with certainty where few rows show no mistake', () => {
    const options = 2;
    const isSure = (rows: number) => {
      const labels = Int32Array.from({ length: rows }, (_, i) => i % options);
      const logits = Float64Array.from([...labels].flatMap((label) => (label === 0 ? [9, -9] : [-9, 9])));
      const [weight = 0] = fitWeights([logits], labels, options);
      return 1 / (1 + Math.exp(-18 * weight));
    };
    // As often wrong as a first mistake is likely: 1 in rows + 2.
    expect(isSure(10)).toBeCloseTo(11 / 12, 3);
    expect(isSure(100)).toBeCloseTo(101 / 102, 3);
  });

  it('are left with the shares of the options where there is nothing to read', () => {
    const { rows, labels } = makeRows(50, 3);
    const empty = {
      ...rows,
      dense: new Float64Array(0),
      denseWidth: 0,
      sparse: { ...rows.sparse, starts: new Int32Array(51), indices: new Int32Array(0), width: 0 },
    };
    const combined = combineHeads({ rows: empty, labels, optionCount: 3 }, [], { weights: [], prior: 1 });
    expect([...softmaxInPlace(combined.logits(empty).slice(0, 3))]).toEqual(
      [...computeLogShares(labels, 3)].map((share) => expect.closeTo(Math.exp(share), 9)),
    );
    // Their pool is weighed on rows with a label of their own, so those that hints taught change no share.
    const weights = Float64Array.from(labels, (label) => (label === 0 ? 0.3 : 1));
    const hinted = combineHeads({ rows: empty, labels, weights, optionCount: 3 }, [], { weights: [], prior: 1 });
    const own = labels.filter((label) => label !== 0);
    expect([...hinted.logits(empty).slice(0, 3)]).toEqual([...computeLogShares(own, 3)]);
  });
});
