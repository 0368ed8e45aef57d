/** What a classifier must do to be trained here; another algorithm is one more file that fulfils it. */

/** Sparse rows in compressed form: the entries of row i stand at `starts[i]` up to `starts[i + 1]`. */
export type SparseRows = { starts: Int32Array; indices: Int32Array; values: Float64Array; width: number };

/** Training rows: a dense block (row-major, `width` numbers a row) and a sparse block of n-grams. */
export type Rows = { count: number; dense: Float64Array; denseWidth: number; sparse: SparseRows };

export type FitRequest = {
  rows: Rows;
  /** Index of each row's option, 0 … optionCount - 1. */
  labels: Int32Array;
  optionCount: number;
  /** Inverse penalty of each dense column. */
  denseStrengths: Float64Array;
  /** Inverse penalty of the n-grams. */
  sparseStrength: number;
  /** `draft` stops early: enough to compare settings; `final` goes to convergence. */
  precision: 'draft' | 'final';
  /** Parameters of an earlier fit of the same shape to start from. */
  start?: Float64Array;
  /** Called once per iteration: a place to report progress and to stop by throwing. */
  tick?: () => void;
};

/** A fitted classifier: its parameters in the algorithm's own order, and logits of any rows of the same shape. */
export type Fitted = {
  parameters: Float64Array;
  iterations: number;
  converged: boolean;
  logits(rows: Rows): Float64Array;
};

export type Classifier = {
  readonly kind: string;
  fit(request: FitRequest): Fitted;
};

/** The rows at `positions`, in that order. */
export function selectRows(rows: Rows, positions: readonly number[]): Rows {
  const { denseWidth, sparse } = rows;
  const dense = new Float64Array(positions.length * denseWidth);
  const starts = new Int32Array(positions.length + 1);
  positions.forEach((position, i) => {
    dense.set(rows.dense.subarray(position * denseWidth, (position + 1) * denseWidth), i * denseWidth);
    const size = (sparse.starts[position + 1] as number) - (sparse.starts[position] as number);
    starts[i + 1] = (starts[i] as number) + size;
  });
  const total = starts[positions.length] as number;
  const indices = new Int32Array(total);
  const values = new Float64Array(total);
  positions.forEach((position, i) => {
    const from = sparse.starts[position] as number;
    const to = sparse.starts[position + 1] as number;
    indices.set(sparse.indices.subarray(from, to), starts[i] as number);
    values.set(sparse.values.subarray(from, to), starts[i] as number);
  });
  return { count: positions.length, dense, denseWidth, sparse: { starts, indices, values, width: sparse.width } };
}
