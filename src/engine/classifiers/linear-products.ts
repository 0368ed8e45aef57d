/** Products of rows with weights, dense and sparse: nearly all the time of fitting linear models goes here. */
import type { Rows } from './classifier.ts';
import { addProduct } from './dense-product.ts';

/** As {@link addProduct} for one column of weights: a plain dot product per row. */
function addDots(dense: Float64Array, count: number, width: number, weights: Float64Array, out: Float64Array): void {
  for (let i = 0; i < count; i++) {
    const row = i * width;
    let sum = 0;
    for (let d = 0; d < width; d++) sum += dense[row + d] * weights[d];
    out[i] += sum;
  }
}

/** Four n-grams of a row, which together take two thirds of the time: values and places of their parameters. */
const createFour = () => ({ x0: 0, x1: 0, x2: 0, x3: 0, p0: 0, p1: 0, p2: 0, p3: 0 });

/** Reads the n-grams at `j` to `j + 3`; in place of those beyond `to` the first one with a value of 0. */
function takeFour(
  { values, indices }: Rows['sparse'],
  j: number,
  to: number,
  from: number,
  outputs: number,
  four: ReturnType<typeof createFour>,
): void {
  const left = to - j;
  four.x0 = values[j];
  four.x1 = left > 1 ? values[j + 1] : 0;
  four.x2 = left > 2 ? values[j + 2] : 0;
  four.x3 = left > 3 ? values[j + 3] : 0;
  four.p0 = from + indices[j] * outputs;
  four.p1 = left > 1 ? from + indices[j + 1] * outputs : four.p0;
  four.p2 = left > 2 ? from + indices[j + 2] * outputs : four.p0;
  four.p3 = left > 3 ? from + indices[j + 3] * outputs : four.p0;
}

/** Writes every row's logits. Parameters are ordered as dense × outputs, n-grams × outputs, intercepts. */
export function writeLogits(rows: Rows, parameters: Float64Array, outputs: number, logits: Float64Array): void {
  const { count, dense, denseWidth, sparse } = rows;
  const sparseFrom = denseWidth * outputs;
  const four = createFour();
  const biasFrom = sparseFrom + sparse.width * outputs;
  for (let i = 0; i < count; i++) {
    const out = i * outputs;
    for (let k = 0; k < outputs; k++) logits[out + k] = parameters[biasFrom + k];
    const to = sparse.starts[i + 1];
    for (let j = sparse.starts[i]; j < to; j += 4) {
      takeFour(sparse, j, to, sparseFrom, outputs, four);
      const { x0, x1, x2, x3, p0, p1, p2, p3 } = four;
      for (let k = 0; k < outputs; k++) {
        logits[out + k] +=
          x0 * parameters[p0 + k] + x1 * parameters[p1 + k] + x2 * parameters[p2 + k] + x3 * parameters[p3 + k];
      }
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
  const four = createFour();
  const biasFrom = sparseFrom + sparse.width * outputs;
  for (let i = 0; i < count; i++) {
    const out = i * outputs;
    for (let k = 0; k < outputs; k++) {
      gradient[biasFrom + k] += residuals[out + k];
    }
    const to = sparse.starts[i + 1];
    for (let j = sparse.starts[i]; j < to; j += 4) {
      takeFour(sparse, j, to, sparseFrom, outputs, four);
      const { x0, x1, x2, x3, p0, p1, p2, p3 } = four;
      for (let k = 0; k < outputs; k++) {
        const residual = residuals[out + k];
        gradient[p0 + k] += x0 * residual;
        gradient[p1 + k] += x1 * residual;
        gradient[p2 + k] += x2 * residual;
        gradient[p3 + k] += x3 * residual;
      }
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
  const transposed = { data: dense, rows: denseWidth, columns: count, stride: 1, step: denseWidth };
  addProduct(transposed, residuals, 0, gradient, 0, outputs);
}

/** Sums (row, 1)·(row, 1)ᵀ over dense columns and intercept, for at most `maxRows` rows evenly taken. */
export function computeGram(rows: Rows, maxRows: number): { gram: Float64Array; rows: number } {
  const { count, dense, denseWidth } = rows;
  const stepRows = Math.max(1, Math.ceil(count / maxRows));
  const size = denseWidth + 1;
  const taken = Math.ceil(count / stepRows);
  const part = new Float64Array(taken * size).fill(1);
  for (let i = 0; i < taken; i++) {
    const from = i * stepRows * denseWidth;
    part.set(dense.subarray(from, from + denseWidth), i * size);
  }
  const gram = new Float64Array(size * size);
  addProduct({ data: part, rows: size, columns: taken, stride: 1, step: size }, part, 0, gram, 0, size);
  return { gram, rows: taken };
}
