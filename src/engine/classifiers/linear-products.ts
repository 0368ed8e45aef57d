/**
 * Products of rows with weights, for dense and sparse columns: nearly all the time of fitting linear models goes here.
 */
import type { Rows } from './classifier.ts';

/** A row-major matrix; `stride` numbers lie between one row and the next, `step` between one column and the next. */
type Matrix = { data: Float64Array; rows: number; columns: number; stride: number; step: number };

/**
 * out[r, k] += Σ_c matrix[r, c] · source[c, k] for k < width; `out` and `source` start at `outFrom` and `sourceFrom`
 * and have rows of `width` numbers. Two rows and four columns at a time: eight products for six loads and two stores,
 * which is twice as fast as one at a time. A rest of rows or columns is filled up by coefficients of 0.
 */
export function addProduct(
  matrix: Matrix,
  source: Float64Array,
  sourceFrom: number,
  out: Float64Array,
  outFrom: number,
  width: number,
): void {
  const { data, rows, columns, stride, step } = matrix;
  for (let r = 0; r < rows; r += 2) {
    const second = r + 1 < rows;
    const o0 = outFrom + r * width;
    const o1 = second ? o0 + width : o0;
    for (let c = 0; c < columns; c += 4) {
      const left = columns - c;
      const p = r * stride + c * step;
      const q = p + stride;
      const a0 = data[p];
      const a1 = left > 1 ? data[p + step] : 0;
      const a2 = left > 2 ? data[p + 2 * step] : 0;
      const a3 = left > 3 ? data[p + 3 * step] : 0;
      const b0 = second ? data[q] : 0;
      const b1 = second && left > 1 ? data[q + step] : 0;
      const b2 = second && left > 2 ? data[q + 2 * step] : 0;
      const b3 = second && left > 3 ? data[q + 3 * step] : 0;
      // One-hot columns are mostly zeros.
      if (a0 === 0 && a1 === 0 && a2 === 0 && a3 === 0 && b0 === 0 && b1 === 0 && b2 === 0 && b3 === 0) continue;
      const s0 = sourceFrom + c * width;
      const s1 = left > 1 ? s0 + width : s0;
      const s2 = left > 2 ? s1 + width : s0;
      const s3 = left > 3 ? s2 + width : s0;
      for (let k = 0; k < width; k++) {
        const w0 = source[s0 + k];
        const w1 = source[s1 + k];
        const w2 = source[s2 + k];
        const w3 = source[s3 + k];
        out[o0 + k] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3;
        out[o1 + k] += b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3;
      }
    }
  }
}

/** As {@link addProduct} for one column of weights: a plain dot product per row. */
function addDots(dense: Float64Array, count: number, width: number, weights: Float64Array, out: Float64Array): void {
  for (let i = 0; i < count; i++) {
    const row = i * width;
    let sum = 0;
    for (let d = 0; d < width; d++) sum += dense[row + d] * weights[d];
    out[i] += sum;
  }
}

/**
 * Writes the logits of every row (row-major, `outputs` a row). Parameters stand in the order dense columns × outputs,
 * n-grams × outputs, intercepts.
 */
export function writeLogits(rows: Rows, parameters: Float64Array, outputs: number, logits: Float64Array): void {
  const { count, dense, denseWidth, sparse } = rows;
  const sparseFrom = denseWidth * outputs;
  const biasFrom = sparseFrom + sparse.width * outputs;
  for (let i = 0; i < count; i++) {
    const out = i * outputs;
    for (let k = 0; k < outputs; k++) logits[out + k] = parameters[biasFrom + k];
    const to = sparse.starts[i + 1];
    for (let j = sparse.starts[i]; j < to; j++) {
      const x = sparse.values[j];
      const at = sparseFrom + sparse.indices[j] * outputs;
      for (let k = 0; k < outputs; k++) logits[out + k] += x * parameters[at + k];
    }
  }
  if (outputs === 1) addDots(dense, count, denseWidth, parameters, logits);
  else {
    const matrix = { data: dense, rows: count, columns: denseWidth, stride: denseWidth, step: 1 };
    addProduct(matrix, parameters, 0, logits, 0, outputs);
  }
}

/** Adds residuals · features to the gradient, which has the order of the parameters. */
export function addGradient(rows: Rows, residuals: Float64Array, outputs: number, gradient: Float64Array): void {
  const { count, dense, denseWidth, sparse } = rows;
  const sparseFrom = denseWidth * outputs;
  const biasFrom = sparseFrom + sparse.width * outputs;
  for (let i = 0; i < count; i++) {
    const out = i * outputs;
    for (let k = 0; k < outputs; k++) {
      gradient[biasFrom + k] += residuals[out + k];
    }
    const to = sparse.starts[i + 1];
    for (let j = sparse.starts[i]; j < to; j++) {
      const x = sparse.values[j];
      const at = sparseFrom + sparse.indices[j] * outputs;
      for (let k = 0; k < outputs; k++) gradient[at + k] += x * residuals[out + k];
    }
  }
  if (outputs === 1) {
    for (let i = 0; i < count; i++) {
      const residual = residuals[i];
      const row = i * denseWidth;
      for (let d = 0; d < denseWidth; d++) gradient[d] += residual * dense[row + d];
    }
    return;
  }
  // Four rows at a time, all their columns: the rows are then read once, while the gradient stays in the cache.
  for (let i = 0; i < count; i += 4) {
    const rest = Math.min(4, count - i);
    const part = { data: dense.subarray(i * denseWidth), rows: denseWidth, columns: rest, stride: 1, step: denseWidth };
    addProduct(part, residuals, i * outputs, gradient, 0, outputs);
  }
}

/**
 * The sum over rows of (row, 1) · (row, 1)ᵀ over the dense columns and the intercept, row-major, for at most `maxRows`
 * rows evenly taken; `rows` says how many they are.
 */
export function computeGram(rows: Rows, maxRows: number): { gram: Float64Array; rows: number } {
  const { count, dense, denseWidth } = rows;
  const stepRows = Math.max(1, Math.ceil(count / maxRows));
  const size = denseWidth + 1;
  const gram = new Float64Array(size * size);
  const block = new Float64Array(4 * size);
  let taken = 0;
  for (let i = 0; i < count; ) {
    block.fill(0);
    let filled = 0;
    for (; filled < 4 && i < count; filled++, i += stepRows) {
      block.set(dense.subarray(i * denseWidth, (i + 1) * denseWidth), filled * size);
      block[filled * size + denseWidth] = 1;
    }
    taken += filled;
    addProduct({ data: block, rows: size, columns: 4, stride: 1, step: size }, block, 0, gram, 0, size);
  }
  return { gram, rows: taken };
}
