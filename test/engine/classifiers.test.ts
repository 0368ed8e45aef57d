import { describe, expect, it } from 'vitest';
import type { Classifier, FitRequest, Rows } from '../../src/engine/classifiers/classifier.ts';
import { selectRows } from '../../src/engine/classifiers/classifier.ts';
import { logisticRegression, toLogisticModel } from '../../src/engine/classifiers/logistic.ts';
import { scoreLogistic, softmaxInPlace } from '../../src/engine/classifiers/logistic-model.ts';
import { createRandom } from '../../src/engine/random.ts';

/** Dense rows; with `sparseColumn` the last column is given as an n-gram instead. */
function rowsOf(matrix: number[][], sparseColumn = false): Rows {
  const denseWidth = (matrix[0]?.length ?? 0) - (sparseColumn ? 1 : 0);
  return {
    count: matrix.length,
    dense: Float64Array.from(matrix.flatMap((row) => row.slice(0, denseWidth))),
    denseWidth,
    sparse: {
      starts: Int32Array.from({ length: matrix.length + 1 }, (_, i) => (sparseColumn ? i : 0)),
      indices: new Int32Array(sparseColumn ? matrix.length : 0),
      values: Float64Array.from(sparseColumn ? matrix.map((row) => row[denseWidth] ?? 0) : []),
      width: sparseColumn ? 1 : 0,
    },
  };
}

const matrix = Array.from({ length: 40 }, (_, i) => [
  ((i * 7) % 11) / 5 - 1,
  ((i * 5) % 13) / 6 - 1,
  i % 3 === 0 ? 1 : 0,
]);
const threeLabels = Int32Array.from({ length: 40 }, (_, i) => (i * i + Math.floor(i / 3)) % 3);
const twoLabels = threeLabels.map((label) => (label > 0 ? 1 : 0));

function request(rows: Rows, labels: Int32Array, optionCount: number): FitRequest {
  return {
    rows,
    labels,
    optionCount,
    denseStrengths: new Float64Array(rows.denseWidth).fill(1),
    sparseStrength: 1,
    precision: 'final',
  };
}

function probabilitiesOf(classifier: Classifier, given: FitRequest, rows: Rows): number[][] {
  const logits = classifier.fit(given).logits(rows);
  return Array.from({ length: rows.count }, (_, i) => [
    ...softmaxInPlace(logits.slice(i * given.optionCount, (i + 1) * given.optionCount)),
  ]);
}

function expectClose(got: number[][], wanted: number[][], digits: number): void {
  got.forEach((row, i) => {
    row.forEach((value, k) => {
      expect(value).toBeCloseTo(wanted[i]?.[k] ?? Number.NaN, digits);
    });
  });
}

describe.each([logisticRegression])('every classifier: $kind', (classifier) => {
  it('gives the same parameters for the same rows', () => {
    const given = request(rowsOf(matrix), threeLabels, 3);
    expect(classifier.fit(given).parameters).toEqual(classifier.fit(given).parameters);
  });

  it('does not depend on the order of the rows', () => {
    const rows = rowsOf(matrix, true);
    const order = matrix.map((_, i) => (i * 17) % 40);
    const shuffled = request(
      selectRows(rows, order),
      Int32Array.from(order, (i) => threeLabels[i] ?? 0),
      3,
    );
    expectClose(
      probabilitiesOf(classifier, shuffled, rows),
      probabilitiesOf(classifier, request(rows, threeLabels, 3), rows),
      3,
    );
  });

  it('stays finite with a single row, with a constant column and without any column', () => {
    for (const rows of [rowsOf([[1, 0, 3]]), rowsOf(matrix.map(() => [5, 5])), rowsOf(matrix.map(() => []))]) {
      const labels = threeLabels.slice(0, rows.count);
      for (const row of probabilitiesOf(classifier, request(rows, labels, 3), rows)) {
        expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 9);
        expect(row.every((p) => p >= 0 && p <= 1)).toBe(true);
      }
    }
  });

  it('without columns answers with the shares of the options', () => {
    const rows = rowsOf(matrix.map(() => []));
    const shares = [0, 1, 2].map((label) => threeLabels.filter((other) => other === label).length / 40);
    expectClose(probabilitiesOf(classifier, request(rows, threeLabels, 3), rows).slice(0, 1), [shares], 4);
  });

  it('calls back while it works, so that a run can be stopped', () => {
    const stop = () => {
      throw new Error('stopped');
    };
    expect(() => classifier.fit({ ...request(rowsOf(matrix), threeLabels, 3), tick: stop })).toThrow('stopped');
  });
});

describe('logistic regression', () => {
  it('reaches the optimum that scikit-learn finds for three options', () => {
    const rows = rowsOf(matrix);
    const got = probabilitiesOf(logisticRegression, request(rows, threeLabels, 3), rows).slice(0, 3);
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
      const got = probabilitiesOf(logisticRegression, request(rows, twoLabels, 2), rows).slice(0, 3);
      expectClose(
        got.map((row) => row.slice(1)),
        [[0.6131173894522443], [0.6642023007710273], [0.750584625014556]],
        4,
      );
    }
  });

  it('starts from an earlier fit and is done at once', () => {
    const given = request(rowsOf(matrix), threeLabels, 3);
    const first = logisticRegression.fit(given);
    const second = logisticRegression.fit({ ...given, start: first.parameters });
    expect(second.iterations).toBeLessThan(first.iterations);
    expect(second.converged).toBe(true);
  });

  it('learns two clouds of points with many columns', () => {
    const random = createRandom(3);
    const labels = Int32Array.from({ length: 200 }, (_, i) => i % 2);
    const rows = rowsOf([...labels].map((label) => Array.from({ length: 30 }, () => random() + 0.3 * label)));
    const got = probabilitiesOf(logisticRegression, request(rows, labels, 2), rows);
    const hits = got.filter((row, i) => (row[1] ?? 0) > 0.5 === (labels[i] === 1)).length;
    expect(hits).toBeGreaterThan(180);
  });

  it('becomes a model over all options in which those without examples are practically impossible', () => {
    const rows = rowsOf(matrix, true);
    const fitted = logisticRegression.fit(request(rows, twoLabels, 2));
    const model = toLogisticModel(fitted, { dense: 2, sparse: 1 }, [0, 2], 4, 2);
    const row = matrix[5] ?? [];
    const got = scoreLogistic(model, Float32Array.from(row.slice(0, 2)), [0], [row[2] ?? 0]);
    const logits = fitted
      .logits(rows)
      .slice(10, 12)
      .map((logit) => logit / 2);
    const wanted = softmaxInPlace(logits);
    expect(got[0]).toBeCloseTo(wanted[0] ?? 0, 6);
    expect(got[2]).toBeCloseTo(wanted[1] ?? 0, 6);
    expect(got[1]).toBeLessThan(1e-9);
    expect(got[3]).toBeLessThan(1e-9);
  });
});
