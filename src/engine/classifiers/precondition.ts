/** A first guess of the inverse Hessian of softmax regression, so that L-BFGS needs half the iterations. */
import type { Rows } from './classifier.ts';
import { addProduct } from './dense-product.ts';
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

/** The inverse of L·Lᵀ, row-major: L⁻¹ by columns, then L⁻ᵀ·L⁻¹. */
function invert(l: Float64Array, size: number): Float64Array {
  // Row c holds column c of L⁻¹.
  const columns = new Float64Array(size * size);
  for (let c = 0; c < size; c++) {
    const at = c * size;
    for (let r = c; r < size; r++) {
      let sum = r === c ? 1 : 0;
      for (let k = c; k < r; k++) sum -= l[r * size + k] * columns[at + k];
      columns[at + r] = sum / l[r * size + r];
    }
  }
  const inverse = new Float64Array(size * size);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let k = a; k < size; k++) sum += columns[a * size + k] * columns[b * size + k];
      inverse[a * size + b] = sum;
      inverse[b * size + a] = sum;
    }
  }
  return inverse;
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
  const inverted = whole ? invert(gram, size) : gram;
  const dense = new Float64Array(size * outputs);
  const multiplied = new Float64Array(size * outputs);
  const intercept = denseWidth * outputs;
  return (vector) => {
    const scale = (column: number) => {
      const factor = inverse[column];
      for (let k = 0; k < outputs; k++) vector[column * outputs + k] *= factor;
    };
    for (let column = whole ? denseWidth : 0; column < columns - (whole ? 1 : 0); column++) scale(column);
    if (!whole) return;
    dense.set(vector.subarray(0, intercept));
    dense.set(vector.subarray((columns - 1) * outputs), intercept);
    multiplied.fill(0);
    addProduct({ data: inverted, rows: size, columns: size, stride: size, step: 1 }, dense, 0, multiplied, 0, outputs);
    vector.set(multiplied.subarray(0, intercept));
    vector.set(multiplied.subarray(intercept), (columns - 1) * outputs);
  };
}
