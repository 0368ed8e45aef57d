/** The gate on weak parts: whether any part of the measured rows errs more often than it may. */
import type { Metrics } from '../../domain.ts';
import { findWeakSlices } from '../../findings/slices.ts';
import { formatCount } from './format-count.ts';
import type { Evaluated, Prepared, Run } from './state.ts';

type State = Pick<Run, 'request'> & Pick<Prepared, 'measuredRows'> & Pick<Evaluated, 'evaluation'>;

/**
 * Holds every part of the measured rows with enough of them against the gate of the configuration; null without a gate.
 * A part misses it where chance does not explain its errors (exact binomial test, false discoveries corrected): with
 * few rows an observed share above the limit says nothing.
 */
export function checkSliceGate({ request, measuredRows, evaluation }: State): Metrics['slice_gate'] {
  const gate = request.config.slice_gate;
  if (gate === null) return null;
  const { max_error, min_rows } = gate;
  const judged = evaluation.heldOut.map(({ expected, predicted }, i) => ({
    input: measuredRows[i]?.input ?? {},
    isWrong: expected !== predicted,
    isEscalated: false,
  }));
  const settings = { minRows: min_rows, piiFields: request.piiFields ?? [], maxError: max_error };
  const { items, tested } = findWeakSlices(judged, settings);
  const worst = items[0] ?? null;
  const limit = `${(100 * max_error).toFixed(1)} %`;
  const sentence =
    worst === null
      ? `None of ${formatCount(tested)} parts with at least ${min_rows} rows is wrong in more than ${limit} of them, as far as these rows can tell.`
      : `Where ${worst.description}, ${worst.errors} of ${worst.rows} decisions are wrong: more than the ${limit} that the gate allows.`;
  const shown = worst && {
    description: worst.description,
    rows: worst.rows,
    errors: worst.errors,
    error_rate: worst.error_rate,
  };
  return { max_error, min_rows, met: worst === null, tested, worst: shown, sentence };
}
