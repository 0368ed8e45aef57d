/** The interface of a trainable classifier; another algorithm is one more file that implements it. */
import type { ClassifierModel, Placement } from './model.ts';

/** Sparse rows in compressed form: the entries of row i stand at `starts[i]` up to `starts[i + 1]`. */
type SparseRows = { starts: Int32Array; indices: Int32Array; values: Float64Array; width: number };

/**
 * A field of the dense block that trees may test: a number in one slot, with the slot that is 1 where it is missing (or
 * null), or a category spread over slots of which exactly one is 1. `signs` has a direction for each label: 1 where its
 * score must not fall as the number rises, -1 where it must not rise; logistic regression keeps it as well.
 */
export type TreeField =
  | { kind: 'number'; slot: number; missingSlot: number | null; signs?: readonly number[] }
  | { kind: 'category'; slot: number; size: number };

/** Training rows: dense (`width` numbers a row), sparse n-grams, and the dense fields that trees may read. */
export type Rows = {
  count: number;
  dense: Float64Array;
  denseWidth: number;
  fields: readonly TreeField[];
  sparse: SparseRows;
};

export type FitRequest<Settings> = {
  rows: Rows;
  /** Index of each row's option, 0 … optionCount - 1; at least two options. */
  labels: Int32Array;
  /** How much each row counts; every row counts 1 without it. */
  weights?: Float64Array | undefined;
  optionCount: number;
  settings: Settings;
  seed: number;
  /** `draft` stops early: enough to compare settings; `final` goes to convergence. */
  precision: 'draft' | 'final';
  /** Parameters of an earlier fit of the same shape to start from. */
  start?: Float64Array;
  /** Called once per iteration: a place to report progress and to stop by throwing. */
  tick?: () => void;
};

/** A fitted classifier: logits of any rows of the same shape, and the model that is stored and scored. */
export type Fitted = {
  /** Where a fit with similar settings may start; empty for algorithms that always start again. */
  parameters: Float64Array;
  iterations: number;
  converged: boolean;
  logits(rows: Rows): Float64Array;
  toModel(placement: Placement): ClassifierModel;
};

/** An algorithm. What it promises is tested for all of them alike in test/engine/training/classifiers.test.ts. */
export type Classifier<Settings> = {
  readonly kind: ClassifierModel['kind'];
  fit(request: FitRequest<Settings>): Fitted;
};

/** Finds a field's direction in a score, 0 for none; of two options the one score is the log-odds of the second. */
export function findSign(field: TreeField, score: number, scoreCount: number): number {
  if (field.kind !== 'number' || field.signs === undefined) return 0;
  return field.signs[scoreCount === 1 ? 1 : score] ?? 0;
}

/** Copies the rows at these positions, in their order. */
export function selectRows(rows: Rows, positions: readonly number[]): Rows {
  const { denseWidth, sparse } = rows;
  const dense = new Float64Array(positions.length * denseWidth);
  const starts = new Int32Array(positions.length + 1);
  positions.forEach((position, i) => {
    dense.set(rows.dense.subarray(position * denseWidth, (position + 1) * denseWidth), i * denseWidth);
    const size = sparse.starts[position + 1] - sparse.starts[position];
    starts[i + 1] = starts[i] + size;
  });
  const total = starts[positions.length];
  const indices = new Int32Array(total);
  const values = new Float64Array(total);
  positions.forEach((position, i) => {
    const from = sparse.starts[position];
    const to = sparse.starts[position + 1];
    indices.set(sparse.indices.subarray(from, to), starts[i]);
    values.set(sparse.values.subarray(from, to), starts[i]);
  });
  const { fields } = rows;
  return {
    count: positions.length,
    dense,
    denseWidth,
    fields,
    sparse: { starts, indices, values, width: sparse.width },
  };
}

/** The same rows with a part of their columns: dense ones from … up to `to`, or the n-grams alone. */
export function selectColumns(rows: Rows, columns: { from: number; to: number } | 'sparse'): Rows {
  if (columns === 'sparse') return { ...rows, dense: new Float64Array(0), denseWidth: 0, fields: [] };
  const { from, to } = columns;
  const denseWidth = to - from;
  const none = {
    starts: new Int32Array(rows.count + 1),
    indices: new Int32Array(0),
    values: new Float64Array(0),
    width: 0,
  };
  if (denseWidth === rows.denseWidth) return { ...rows, fields: [], sparse: none };
  const dense = new Float64Array(rows.count * denseWidth);
  for (let i = 0; i < rows.count; i++) {
    dense.set(rows.dense.subarray(i * rows.denseWidth + from, i * rows.denseWidth + to), i * denseWidth);
  }
  return { ...rows, dense, denseWidth, fields: [], sparse: none };
}
