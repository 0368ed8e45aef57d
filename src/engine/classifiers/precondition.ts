/** A first guess of the inverse Hessian of softmax regression, so that L-BFGS needs half the iterations. */
import type { Rows } from './classifier.ts';
import type { Precondition } from './lbfgs.ts';
import { computeGram } from './linear-products.ts';

/** Mean p·(1 − p) of an option's probability near the solution, times the number of options. */
const curvatureTimesOptions = 0.2;
const gramRows = 2_000;
/** The dense block is inverted as a whole only where its products are worth the matrix. */
const widthPerOutput = 16;

/** In place: the lower triangle L of A = L·Lᵀ. A must be positive definite. */
export function cholesky(a: Float64Array, size: number): void {
  for (let j = 0; j < size; j++) {
    for (let i = j; i < size; i++) {
      let sum = a[i * size + j];
      for (let k = 0; k < j; k++) sum -= a[i * size + k] * a[j * size + k];
      a[i * size + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / a[j * size + j];
    }
  }
}

/** In place: x ← (L·Lᵀ)⁻¹ x, where x has `width` columns and row r of x starts at `at(r)`. */
function solve(l: Float64Array, size: number, x: Float64Array, at: (row: number) => number, width: number): void {
  const subtract = (target: number, source: number, factor: number) => {
    if (factor === 0) return;
    for (let k = 0; k < width; k++) x[target + k] -= factor * x[source + k];
  };
  const divide = (target: number, by: number) => {
    for (let k = 0; k < width; k++) x[target + k] /= by;
  };
  for (let r = 0; r < size; r++) {
    for (let c = 0; c < r; c++) subtract(at(r), at(c), l[r * size + c]);
    divide(at(r), l[r * size + r]);
  }
  for (let r = size - 1; r >= 0; r--) {
    for (let c = r + 1; c < size; c++) subtract(at(r), at(c), l[c * size + r]);
    divide(at(r), l[r * size + r]);
  }
}

/**
 * The inverse of penalty + curvature · Σ x·xᵀ over the dense columns and the intercept where there are many options,
 * and the inverse penalty everywhere else: it makes all penalties equal, which n-grams need most. `penalties` has one
 * number per column, 0 for the intercept.
 */
export function buildPreconditioner(
  rows: Rows,
  penalties: Float64Array,
  optionCount: number,
  outputs: number,
): Precondition {
  const { count, denseWidth, sparse } = rows;
  const curvature = curvatureTimesOptions / optionCount;
  const columns = denseWidth + sparse.width + 1;
  const inverse = penalties.map((penalty) => (penalty === 0 ? 1 : 1 / penalty));

  const whole = denseWidth > 0 && denseWidth <= widthPerOutput * outputs;
  const size = denseWidth + 1;
  const { gram, rows: taken } = whole ? computeGram(rows, gramRows) : { gram: new Float64Array(0), rows: 1 };
  if (whole) {
    const factor = (curvature * count) / taken;
    for (let i = 0; i < gram.length; i++) gram[i] *= factor;
    for (let d = 0; d < size; d++) {
      const penalty = penalties[d < denseWidth ? d : columns - 1];
      gram[d * size + d] = gram[d * size + d] * (1 + 1e-9) + penalty;
    }
    cholesky(gram, size);
  }
  const at = (row: number) => (row < denseWidth ? row : columns - 1) * outputs;
  return (vector) => {
    const scale = (column: number) => {
      const factor = inverse[column];
      for (let k = 0; k < outputs; k++) vector[column * outputs + k] *= factor;
    };
    for (let column = whole ? denseWidth : 0; column < columns - (whole ? 1 : 0); column++) scale(column);
    if (whole) solve(gram, size, vector, at, outputs);
  };
}
