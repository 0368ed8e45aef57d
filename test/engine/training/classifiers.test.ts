import fc from 'fast-check';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { computePooledLogLoss, fitWeights } from '../../../src/engine/classifiers/blend.ts';
import { computeLogLoss } from '../../../src/engine/classifiers/calibration.ts';
import { type Fitted, type Rows, selectRows, type TreeField } from '../../../src/engine/classifiers/classifier.ts';
import { addProduct } from '../../../src/engine/classifiers/dense-product.ts';
import { fitHead } from '../../../src/engine/classifiers/heads.ts';
import { logisticRegression } from '../../../src/engine/classifiers/logistic.ts';
import { blendModels, type ClassifierModel, compileScorer } from '../../../src/engine/classifiers/model.ts';
import { boostedTrees, fitTrees, type TreeSettings } from '../../../src/engine/classifiers/trees.ts';
import { computeColumnContributions, listColumns } from '../../../src/engine/classifiers/trees-model.ts';
import { softmaxInPlace } from '../../../src/engine/numeric.ts';
import { exportClassifier, readClassifier } from '../../../src/engine/onnx/classifier.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { mixedFields, mixedMatrix, rowsOf } from './classifier-rows.ts';

const matrix = Array.from({ length: 40 }, (_, i) => [
  ((i * 7) % 11) / 5 - 1,
  ((i * 5) % 13) / 6 - 1,
  i % 3 === 0 ? 1 : 0,
]);
const threeLabels = Int32Array.from({ length: 40 }, (_, i) => (i * i + Math.floor(i / 3)) % 3);
const twoLabels = threeLabels.map((label) => (label > 0 ? 1 : 0));

const treeSettings: TreeSettings = {
  rounds: 40,
  maxLeaves: 6,
  minRows: 2,
  l2: 1,
  learningRate: 0.1,
  rowShare: 0.8,
  fieldShare: 0.7,
};
type Given = {
  rows: Rows;
  labels: Int32Array;
  weights?: Float64Array;
  optionCount: number;
  seed?: number;
  tick?: () => void;
};
/** What a fit gives that every kind of classifier must have. */
type Result = Pick<Fitted, 'logits' | 'toModel'>;

const fitLogistic = (given: Given) =>
  logisticRegression.fit({
    seed: 1,
    precision: 'final',
    ...given,
    settings: { denseC: new Float64Array(given.rows.denseWidth).fill(1), sparseC: 1 },
  });
const fitBoosted = (given: Given, settings = treeSettings) =>
  boostedTrees.fit({ seed: 1, precision: 'final', ...given, settings });

/** Every kind of classifier; another one is one more line here. */
const classifiers: { kind: string; learn: (given: Given) => Result }[] = [
  { kind: 'logistic', learn: fitLogistic },
  { kind: 'trees', learn: fitBoosted },
  {
    kind: 'blend',
    learn: (given) => {
      const parts = [fitLogistic(given), fitBoosted(given)] as const;
      return {
        logits: (rows) => {
          const trees = parts[1].logits(rows);
          return parts[0].logits(rows).map((logit, i) => 0.5 * logit + 0.5 * (trees[i] ?? 0));
        },
        toModel: (placement) => {
          const half = { ...placement, weight: placement.weight / 2 };
          return blendModels(parts[0].toModel(half), parts[1].toModel(half));
        },
      };
    },
  },
];

function softmaxRows(logits: Float64Array, optionCount: number): number[][] {
  return Array.from({ length: logits.length / optionCount }, (_, i) => [
    ...softmaxInPlace(logits.slice(i * optionCount, (i + 1) * optionCount)),
  ]);
}

const given = (rows: Rows, labels: Int32Array, optionCount: number): Given => ({ rows, labels, optionCount });
const probabilitiesOf = (learn: (given: Given) => Result, asked: Given, rows: Rows): number[][] =>
  softmaxRows(learn(asked).logits(rows), asked.optionCount);

/** Scores rows without n-grams by the compiled model, as deciding does. */
function scoreAll(model: ClassifierModel, rows: Rows): number[][] {
  const score = compileScorer(model);
  return Array.from({ length: rows.count }, (_, i) => [
    ...score(Float32Array.from(rows.dense.subarray(i * rows.denseWidth, (i + 1) * rows.denseWidth)), [], []),
  ]);
}

async function runOnnx(model: ClassifierModel, rows: Rows): Promise<number[][]> {
  const session = await InferenceSession.create(exportClassifier(model), { intraOpNumThreads: 1 });
  const dense = new Tensor('float32', Float32Array.from(rows.dense), [rows.count, rows.denseWidth]);
  const output = (await session.run({ dense })).probabilities;
  if (output === undefined) throw new Error('no probabilities');
  const data = output.data as Float32Array;
  return Array.from({ length: rows.count }, (_, i) => [...data.subarray(i * model.K, (i + 1) * model.K)]);
}

function largestDifference(a: number[][], b: number[][]): number {
  return Math.max(...a.flatMap((row, i) => row.map((value, k) => Math.abs(value - (b[i]?.[k] ?? Number.NaN)))));
}

function expectClose(got: number[][], wanted: number[][], digits: number): void {
  got.forEach((row, i) => {
    row.forEach((value, k) => {
      expect(value).toBeCloseTo(wanted[i]?.[k] ?? Number.NaN, digits);
    });
  });
}

describe.each(classifiers)('every classifier: $kind', ({ kind, learn }) => {
  const { matrix: mixed, labels: mixedLabels } = mixedMatrix(150, 3, 5);
  const mixedRows = rowsOf(mixed, false, mixedFields);

  it('gives the same model for the same rows and seed', () => {
    const placement = { positions: [0, 1, 2], optionCount: 3, weight: 1 };
    const model = () => learn(given(mixedRows, mixedLabels, 3)).toModel(placement);
    expect(exportClassifier(model())).toEqual(exportClassifier(model()));
    expect(model().kind).toBe(kind);
  });

  it('learns next to nothing from rows of next to no weight', () => {
    const truth = Int32Array.from(mixed, ([first = 0]) => Number(first > 0));
    const lied = truth.map((label, i) => (i % 2 === 0 ? label : 1 - label));
    const weights = Float64Array.from(lied, (_, i) => (i % 2 === 0 ? 1 : 1e-9));
    const countRight = (asked: Given) =>
      probabilitiesOf(learn, asked, mixedRows).filter(([, yes = 0], i) => Number(yes > 0.5) === truth[i]).length;
    expect(countRight({ ...given(mixedRows, lied, 2), weights })).toBeGreaterThan(0.95 * mixedRows.count);
    expect(countRight(given(mixedRows, lied, 2))).toBeLessThan(0.8 * mixedRows.count);
  });

  it('does not depend on the order of the rows', () => {
    const rows = rowsOf(matrix, true);
    const order = matrix.map((_, i) => (i * 17) % 40);
    const shuffled = given(
      selectRows(rows, order),
      Int32Array.from(order, (i) => threeLabels[i] ?? 0),
      3,
    );
    expectClose(probabilitiesOf(learn, shuffled, rows), probabilitiesOf(learn, given(rows, threeLabels, 3), rows), 3);
  });

  it('answers a row alone as it does among others', () => {
    const fitted = learn(given(mixedRows, mixedLabels, 3));
    const all = fitted.logits(mixedRows);
    for (const i of [0, 7, 149]) expect(fitted.logits(selectRows(mixedRows, [i]))).toEqual(all.slice(3 * i, 3 * i + 3));
  });

  it('stays finite with a single row, with a constant column and without any column', () => {
    for (const rows of [rowsOf([[1, 0, 3]]), rowsOf(matrix.map(() => [5, 5])), rowsOf(matrix.map(() => []))]) {
      const labels = threeLabels.slice(0, rows.count);
      for (const row of probabilitiesOf(learn, given(rows, labels, 3), rows)) {
        expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 9);
        expect(row.every((p) => p >= 0 && p <= 1)).toBe(true);
      }
    }
  });

  it('can be saved, loaded and run when there was nothing to learn', async () => {
    const rows = rowsOf(
      matrix.map(() => [5, 5, 0]),
      false,
      [
        { kind: 'number', slot: 0, missingSlot: 2 },
        { kind: 'number', slot: 1, missingSlot: 2 },
      ],
    );
    const fitted = learn(given(rows, threeLabels, 3));
    const loaded = readClassifier(
      exportClassifier(fitted.toModel({ positions: [0, 1, 2], optionCount: 3, weight: 1 })),
    );
    const native = scoreAll(loaded, rows);
    expect(largestDifference(native, softmaxRows(fitted.logits(rows), 3))).toBeLessThan(0.02);
    expect(largestDifference(native, await runOnnx(loaded, rows))).toBeLessThan(1e-5);
  });

  it('without columns answers with the shares of the options', () => {
    const rows = rowsOf(matrix.map(() => []));
    const shares = [0, 1, 2].map((label) => threeLabels.filter((other) => other === label).length / 40);
    expectClose(probabilitiesOf(learn, given(rows, threeLabels, 3), rows).slice(0, 1), [shares], 1.5);
  });

  it('stays finite on unseen categories, missing values and numbers far outside', () => {
    const fitted = learn(given(mixedRows, mixedLabels, 3));
    const model = fitted.toModel({ positions: [0, 1, 2], optionCount: 3, weight: 1 });
    const strange = rowsOf([
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0, 0, 1, 0, 0, 0, 0, 0, 0, 1],
      [8, -8, 0, 1, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]);
    for (const row of scoreAll(model, strange)) {
      expect(row.every((p) => Number.isFinite(p) && p >= 0)).toBe(true);
      expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 9);
    }
  });

  it.each([2, 3, 6])(
    'gives the trained numbers after saving and loading, and in ONNX Runtime: %i options',
    async (K) => {
      for (const seed of [1, 2, 3]) {
        const { matrix: random, labels } = mixedMatrix(120 + 40 * seed, K, seed);
        const rows = rowsOf(random, false, mixedFields);
        const fitted = learn(given(rows, labels, K));
        const model = fitted.toModel({ positions: Array.from({ length: K }, (_, k) => k), optionCount: K, weight: 1 });
        const loaded = readClassifier(exportClassifier(model));
        expect(loaded).toEqual(model);
        const fresh = rowsOf(mixedMatrix(100, K, seed + 50).matrix, false, mixedFields);
        const native = scoreAll(loaded, fresh);
        expect(largestDifference(native, softmaxRows(fitted.logits(fresh), K))).toBeLessThan(1e-5);
        expect(largestDifference(native, await runOnnx(loaded, fresh))).toBeLessThan(1e-5);
      }
    },
  );

  it('becomes a model over all options in which those without examples are practically impossible', async () => {
    const { matrix: random, labels } = mixedMatrix(120, 2, 9);
    const rows = rowsOf(random, false, mixedFields);
    const fitted = learn(given(rows, labels, 2));
    const model = fitted.toModel({ positions: [0, 2], optionCount: 4, weight: 0.5 });
    const got = scoreAll(model, rows);
    const wanted = softmaxRows(
      fitted.logits(rows).map((logit) => logit / 2),
      2,
    ).map(([a = 0, b = 0]) => [a, 0, b, 0]);
    expect(largestDifference(got, wanted)).toBeLessThan(1e-6);
    expect(largestDifference(got, await runOnnx(model, rows))).toBeLessThan(1e-5);
  });

  it('calls back while it works, so that a run can be stopped', () => {
    const stop = () => {
      throw new Error('stopped');
    };
    expect(() => learn({ ...given(rowsOf(matrix), threeLabels, 3), tick: stop })).toThrow('stopped');
  });
});

/** LightGBM 4.7.0 on the dense columns: n_estimators 60, num_leaves 15, min_child_samples 10, all else as it is. */
const lightGbmLoss = 0.4379;

describe('boosted trees', () => {
  it('learn what depends on two columns together', () => {
    const random = createRandom(31);
    const matrix = Array.from({ length: 400 }, () => [Math.fround(random() - 0.45), Math.fround(random() - 0.55)]);
    const labels = Int32Array.from(matrix, ([a = 0, b = 0]) => (a > 0 === b > 0 ? 1 : 0));
    const asked = given(rowsOf(matrix), labels, 2);
    const hits = (probabilities: number[][]) =>
      probabilities.filter((row, i) => (row[1] ?? 0) > 0.5 === (labels[i] === 1)).length;
    expect(hits(probabilitiesOf(fitBoosted, asked, asked.rows))).toBeGreaterThan(380);
    expect(hits(probabilitiesOf(fitLogistic, asked, asked.rows))).toBeLessThan(280);
  });

  it('do about as well as LightGBM with the same rounds and leaves on new rows', () => {
    const learned = mixedMatrix(1000, 3, 21);
    const fresh = mixedMatrix(1000, 3, 22);
    const settings = { rounds: 60, maxLeaves: 15, minRows: 10, l2: 0, learningRate: 0.1, rowShare: 1, fieldShare: 1 };
    const fitted = fitBoosted(given(rowsOf(learned.matrix, false, mixedFields), learned.labels, 3), settings);
    const logits = fitted.logits(rowsOf(fresh.matrix, false, mixedFields));
    expect(computeLogLoss(logits, fresh.labels, 3)).toBeLessThan(1.03 * lightGbmLoss);
  });

  it('learn to which side missing values belong', () => {
    const random = createRandom(4);
    const rows = Array.from({ length: 300 }, () => {
      const missing = random() < 0.3;
      return [missing ? 0 : Math.fround(random() * 2 - 1), missing ? 1 : 0];
    });
    // Missing goes with the high values in one half of the data sets and with the low ones in the other.
    for (const side of [1, -1]) {
      const labels = Int32Array.from(rows, ([x = 0, missing]) => (side * (missing === 1 ? 1 : x) > 0.5 ? 1 : 0));
      const asked = given(rowsOf(rows, false, [{ kind: 'number', slot: 0, missingSlot: 1 }]), labels, 2);
      const got = probabilitiesOf(fitBoosted, asked, asked.rows);
      expect(got.every((row, i) => (row[1] ?? 0) > 0.5 === (labels[i] === 1))).toBe(true);
      const single = fitBoosted(asked, { ...treeSettings, rounds: 1, maxLeaves: 2, rowShare: 1, fieldShare: 1 });
      const stump = single.toModel({ positions: [0, 1], optionCount: 2, weight: 1 });
      expect(stump.kind === 'trees' && stump.trees.columns.length).toBe(3);
    }
  });

  it('split many categories into groups of values', () => {
    const random = createRandom(6);
    const size = 40;
    const codes = Array.from({ length: 2000 }, () => Math.floor(random() * size));
    const labels = Int32Array.from(codes, (code) => (random() < ((code * 7) % size < size / 2 ? 0.9 : 0.1) ? 1 : 0));
    const rows = rowsOf(
      codes.map((code) => Array.from({ length: size }, (_, slot) => (slot === code ? 1 : 0))),
      false,
      [{ kind: 'category', slot: 0, size }],
    );
    const settings = { ...treeSettings, rounds: 1, maxLeaves: 2, learningRate: 1, rowShare: 1 };
    const got = softmaxRows(fitBoosted(given(rows, labels, 2), settings).logits(rows), 2);
    const wanted = codes.map((code) => (code * 7) % size < size / 2);
    expect(got.every((row, i) => (row[1] ?? 0) > 0.5 === wanted[i])).toBe(true);
  });

  it('stop growing when the watched rows do not gain any more', () => {
    const { matrix: random, labels } = mixedMatrix(400, 2, 8);
    const rows = rowsOf(random, false, mixedFields);
    const front = Array.from({ length: 250 }, (_, i) => i);
    const back = Array.from({ length: 150 }, (_, i) => 250 + i);
    const watch = { rows: selectRows(rows, back), labels: labels.slice(250), patience: 10 };
    const fitted = fitTrees(
      {
        rows: selectRows(rows, front),
        labels: labels.slice(0, 250),
        optionCount: 2,
        settings: { ...treeSettings, rounds: 1000, learningRate: 0.3 },
        seed: 1,
        precision: 'final',
      },
      watch,
    );
    expect(fitted.iterations).toBeLessThan(400);
    const best = fitted.watchedLoss.indexOf(Math.min(...fitted.watchedLoss));
    expect(fitted.iterations - best).toBeGreaterThanOrEqual(10);
    const { optionCount } = { optionCount: 2 };
    const loss = computeLogLoss(fitted.logitsAfter(watch.rows, best), watch.labels, optionCount);
    expect(loss).toBeCloseTo(fitted.watchedLoss[best] ?? Number.NaN, 6);
  });

  it('take room by their leaves, not by the rows they were grown on', () => {
    const { matrix: random, labels } = mixedMatrix(2_000, 2, 3);
    const rows = rowsOf(random, false, mixedFields);
    const small = fitBoosted(given(rows, labels, 2), { ...treeSettings, rounds: 5 });
    const large = fitBoosted(given(rows, labels, 2), { ...treeSettings, rounds: 50 });
    const sizeOf = (fitted: Result) =>
      exportClassifier(fitted.toModel({ positions: [0, 1], optionCount: 2, weight: 1 })).length;
    // Leaves bound the nodes: 2 · 6 - 1 nodes of less than 80 bytes a tree, and a column for each different test.
    expect(sizeOf(large)).toBeLessThan(50 * 11 * 80 + 4 * 10 * 400 + 1_000);
    expect(sizeOf(small)).toBeLessThan(sizeOf(large) / 4);
  });

  it('explain a score by the columns on the way to it', () => {
    const { matrix: random, labels } = mixedMatrix(200, 3, 2);
    const rows = rowsOf(random, false, mixedFields);
    const fitted = fitBoosted(given(rows, labels, 3));
    const model = fitted.toModel({ positions: [0, 1, 2], optionCount: 3, weight: 1 });
    if (model.kind !== 'trees') throw new Error('no trees');
    const logits = fitted.logits(rows);
    const dense = (i: number) => Float32Array.from(random[i] ?? []);
    const sum = (i: number, k: number) =>
      computeColumnContributions(model.trees, dense(i), k, 3).reduce((total, share) => total + share, 0);
    // Contributions leave out only what is the same for every row.
    const rest = (i: number, k: number) => (logits[3 * i + k] ?? 0) - sum(i, k);
    for (const k of [0, 1, 2]) for (const i of [1, 50, 199]) expect(rest(i, k)).toBeCloseTo(rest(0, k), 5);
    const columns = new Float32Array(model.trees.columnCount);
    listColumns(model.trees, dense(0), 0, columns);
    expect(columns.some((value) => value !== 0)).toBe(true);
  });
});

describe('a field with a direction', () => {
  const pass = 1e-12;
  const fitAll = (asked: Given): ClassifierModel[] => {
    const placement = { positions: [...Array(asked.optionCount).keys()], optionCount: asked.optionCount, weight: 0.7 };
    const linear = fitHead({ seed: 1, precision: 'final', ...asked }, { from: 0, to: asked.rows.denseWidth }, 3);
    const models = [linear, fitBoosted(asked, { ...treeSettings, rounds: 25 })].map((part) => part.toModel(placement));
    const [first, second] = models;
    return first && second ? [...models, blendModels(first, second)] : models;
  };
  /** How far the probability of an option moves against a sign at most, where a slot of these rows is raised. */
  const findBreach = (
    model: ClassifierModel,
    rows: readonly number[][],
    slot: number,
    option: number,
    sign: number,
  ) => {
    const steps = Array.from({ length: 60 }, (_, i) => Math.fround(-3 + i / 10));
    const raised = rows.flatMap((row) => steps.map((value) => row.map((x, s) => (s === slot ? value : x))));
    const got = scoreAll(model, rowsOf(raised, false, mixedFields)).map((row) => sign * (row[option] ?? Number.NaN));
    return Math.max(...got.map((p, i) => (i % steps.length === 0 ? 0 : (got[i - 1] ?? 0) - p)));
  };

  it('never moves its option the other way, whatever the rest of the input and the examples say', () => {
    const asked = fc.record({ seed: fc.nat(), optionCount: fc.integer({ min: 2, max: 4 }), first: fc.boolean() });
    let free = 0;
    fc.assert(
      fc.property(asked, ({ seed, optionCount, first }) => {
        const { matrix: mixed, labels } = mixedMatrix(150, optionCount, seed);
        const slot = first ? 0 : 1;
        const probes = mixed.filter(([, , missing]) => missing === 0).slice(0, 8);
        for (const [option, sign] of [
          [0, 1],
          [optionCount - 1, -1],
        ] as const) {
          const signs = Array.from({ length: optionCount }, (_, k) => (k === option ? sign : -sign));
          const isRaised = (field: TreeField) => field.kind === 'number' && field.slot === slot;
          const fields = mixedFields.map((field) => (isRaised(field) ? { ...field, signs } : field));
          const listBreaches = (of: TreeField[]) =>
            fitAll(given(rowsOf(mixed, false, of), labels, optionCount)).map((model) =>
              findBreach(model, probes, slot, option, sign),
            );
          for (const kept of listBreaches(fields)) expect(kept).toBeLessThan(pass);
          free += listBreaches(mixedFields).filter((breach) => breach > 0.01).length;
        }
      }),
      { numRuns: 8 },
    );
    expect(free).toBeGreaterThan(15);
  });
});

describe('a blend', () => {
  it('adds up what its parts say of a row, however far an option lies below the others in one of them', () => {
    const { matrix: random, labels } = mixedMatrix(200, 3, 2);
    const rows = rowsOf(random, false, mixedFields);
    const trees = fitBoosted(given(rows, labels, 3)).toModel({ positions: [0, 1, 2], optionCount: 3, weight: 1 });
    const ofTrees = scoreAll(trees, rows);
    const D = rows.denseWidth;
    const numbers = (count: number, max: number) =>
      fc.array(fc.double({ min: -max, max, noNaN: true }), { minLength: count, maxLength: count });
    fc.assert(
      fc.property(numbers(3, 60), numbers(3 * D, 20), (bias, dense) => {
        const shape = { D, V: 0, K: 3, ngram: new Float32Array(), bias: Float32Array.from(bias) };
        const linear: ClassifierModel = { kind: 'logistic', ...shape, dense: Float32Array.from(dense) };
        const ofLinear = scoreAll(linear, rows);
        scoreAll(blendModels(linear, trees), rows).forEach((got, row) => {
          const both = got.map((_, k) => Math.log(ofLinear[row]?.[k] ?? 0) + Math.log(ofTrees[row]?.[k] ?? 0));
          const expected = softmaxInPlace(Float64Array.from(both));
          for (const [k, p] of got.entries()) expect(p).toBeCloseTo(expected[k] ?? -1, 4);
        });
      }),
      { numRuns: 30 },
    );
  });

  it('weighs its parts by what they know, and calibrates them', () => {
    const random = createRandom(12);
    const labels = Int32Array.from({ length: 500 }, () => (random() < 0.5 ? 1 : 0));
    const knowing = Float64Array.from(
      { length: 1000 },
      (_, i) => (labels[i >> 1] === i % 2 ? 1 : -1) + 4 * random() - 2,
    );
    const guessing = Float64Array.from({ length: 1000 }, () => random() * 8 - 4);
    const weights = fitWeights([knowing, guessing], labels, 2);
    expect(weights[0]).toBeGreaterThan(0.6);
    expect(weights[1]).toBeLessThan(0.1);
    const loss = computePooledLogLoss([knowing, guessing], weights, labels, 2);
    expect(loss).toBeLessThan(computeLogLoss(knowing, labels, 2));
    expect(loss).toBeLessThan(computeLogLoss(guessing, labels, 2));
  });
});

describe('logistic regression', () => {
  it('reaches the optimum that scikit-learn finds for three options', () => {
    const rows = rowsOf(matrix);
    const got = probabilitiesOf(fitLogistic, given(rows, threeLabels, 3), rows).slice(0, 3);
    expectClose(
      got,
      [
        [0.38435977, 0.39157231, 0.22406792],
        [0.33719331, 0.39706366, 0.26574303],
        [0.25165538, 0.34408505, 0.40425957],
      ],
      4,
    );
  });

  it('reaches the optimum that scikit-learn finds for two options, dense or sparse', () => {
    for (const sparse of [false, true]) {
      const rows = rowsOf(matrix, sparse);
      const got = probabilitiesOf(fitLogistic, given(rows, twoLabels, 2), rows).slice(0, 3);
      expectClose(
        got.map((row) => row.slice(1)),
        [[0.6131173894522443], [0.6642023007710273], [0.750584625014556]],
        4,
      );
    }
  });

  it('starts from an earlier fit and is done at once', () => {
    const rows = rowsOf(matrix);
    const settings = { denseC: new Float64Array(3).fill(1), sparseC: 1 };
    const asked = { rows, labels: threeLabels, optionCount: 3, settings, seed: 1, precision: 'final' as const };
    const first = logisticRegression.fit(asked);
    const second = logisticRegression.fit({ ...asked, start: first.parameters });
    expect(second.iterations).toBeLessThan(first.iterations);
    expect(second.converged).toBe(true);
  });

  it('learns two clouds of points with many columns', () => {
    const random = createRandom(3);
    const labels = Int32Array.from({ length: 200 }, (_, i) => i % 2);
    const rows = rowsOf([...labels].map((label) => Array.from({ length: 30 }, () => random() + 0.3 * label)));
    const got = probabilitiesOf(fitLogistic, given(rows, labels, 2), rows);
    const hits = got.filter((row, i) => (row[1] ?? 0) > 0.5 === (labels[i] === 1)).length;
    expect(hits).toBeGreaterThan(180);
  });
});

it('a product of dense matrices is that of the definition, whatever their shapes and the order of their numbers', () => {
  // Beyond 64 rows, 384 columns and a width of 256 a product is made in parts.
  const sizes = fc.record({
    rows: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 60, max: 140 })),
    columns: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 380, max: 400 })),
    width: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 250, max: 270 })),
    isByColumns: fc.boolean(),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(sizes, ({ rows, columns, width, isByColumns, seed }) => {
      const random = createRandom(seed);
      const draw = (length: number) => Float64Array.from({ length }, () => random() - 0.5);
      const [data, source, before] = [draw(rows * columns), draw(3 + columns * width), draw(5 + rows * width)];
      const [stride, step] = isByColumns ? [1, rows] : [columns, 1];
      const out = before.slice();
      addProduct({ data, rows, columns, stride, step }, source, 3, out, 5, width);
      let largestDifference = 0;
      for (let r = 0; r < rows; r++) {
        for (let k = 0; k < width; k++) {
          let sum = before[5 + r * width + k] ?? Number.NaN;
          for (let c = 0; c < columns; c++)
            sum += (data[r * stride + c * step] ?? 0) * (source[3 + c * width + k] ?? 0);
          largestDifference = Math.max(largestDifference, Math.abs((out[5 + r * width + k] ?? Number.NaN) - sum));
        }
      }
      expect(largestDifference).toBeLessThan(1e-11);
      expect(out.subarray(0, 5)).toEqual(before.subarray(0, 5));
    }),
    { numRuns: 25 },
  );
});
