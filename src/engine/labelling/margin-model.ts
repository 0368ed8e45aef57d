/** The regression by whose doubt the useful queue is ordered (margin sampling: Scheffer, Decomain and Wrobel 2001). */

import type { Rows } from '../classifiers/classifier.ts';
import { logisticRegression } from '../classifiers/logistic.ts';
import { exp } from '../exact-math.ts';
import type { RowMatrix } from './row-matrix.ts';

/** Inverse penalty, for rows of about length 1. */
const inversePenalty = 10;
/** Rows that are scored at once: their numbers are unpacked for it. */
const rowsAtOnce = 500;

/** The likeliest options of a row; `doubt`: odds of the second against the first, 1 where nothing tells them apart. */
export type Doubt = { first: number; second: number; doubt: number };

export type MarginModel = (places: readonly number[]) => Doubt[];

/** Learns from labelled rows; null while they have fewer than two options. */
export function fitMarginModel(
  matrix: RowMatrix,
  labelled: readonly { place: number; label: number }[],
): MarginModel | null {
  const options = [...new Set(labelled.map(({ label }) => label))].sort((a, b) => a - b);
  if (options.length < 2) return null;
  const positions = new Map(options.map((option, position) => [option, position]));
  const denseWidth = matrix.width - 1;
  const fitted = logisticRegression.fit({
    rows: readRows(
      matrix,
      labelled.map(({ place }) => place),
    ),
    labels: Int32Array.from(labelled, ({ label }) => positions.get(label) ?? 0),
    optionCount: options.length,
    settings: { denseC: new Float64Array(denseWidth).fill(inversePenalty), sparseC: inversePenalty },
    seed: 0,
    precision: 'draft',
  });
  return (places) => {
    const doubts: Doubt[] = [];
    for (let from = 0; from < places.length; from += rowsAtOnce) {
      const part = places.slice(from, from + rowsAtOnce);
      const logits = fitted.logits(readRows(matrix, part));
      for (let row = 0; row < part.length; row++) doubts.push(readDoubt(logits, row * options.length, options));
    }
    return doubts;
  };
}

/** The rows at these places without their last column, which is the constant. */
function readRows(matrix: RowMatrix, places: readonly number[]): Rows {
  const denseWidth = matrix.width - 1;
  const dense = new Float64Array(places.length * denseWidth);
  places.forEach((place, i) => {
    dense.set(matrix.read(place).subarray(0, denseWidth), i * denseWidth);
  });
  const sparse = {
    starts: new Int32Array(places.length + 1),
    indices: new Int32Array(0),
    values: new Float64Array(0),
    width: 0,
  };
  return { count: places.length, dense, denseWidth, fields: [], sparse };
}

function readDoubt(logits: Float64Array, from: number, options: readonly number[]): Doubt {
  let first = 0;
  let second = 1;
  for (let k = 1; k < options.length; k++) {
    if (logits[from + k] > logits[from + first]) {
      second = first;
      first = k;
    } else if (k === 1 || logits[from + k] > logits[from + second]) second = k;
  }
  const doubt = exp(logits[from + second] - logits[from + first]);
  return { first: options[first], second: options[second], doubt };
}
