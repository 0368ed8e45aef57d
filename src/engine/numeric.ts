/** Numeric steps that classifiers, calibration, evaluation and deciding share. */

/** Index of the largest value; the first one of equals, 0 for an empty list. */
export function argmax(values: ArrayLike<number>): number {
  let best = 0;
  for (let k = 1; k < values.length; k++) if ((values[k] as number) > (values[best] as number)) best = k;
  return best;
}
