import type { Metrics } from '../../domain/metrics.ts';
import { compileJudge } from '../../findings/judge-rows.ts';
import { findWeakSlices, type SliceParams, type SliceReport } from '../../findings/slices.ts';
import type { DecidingSettings, RecordedRow } from '../../measure/reapply.ts';
import { formatCount } from '../../numeric.ts';
import type { TrainRequest } from '../request.ts';

/**
 * Holds parts of the measured rows against the gate; null without one. A part misses it where chance does not explain
 * its errors (exact binomial test, false discoveries corrected).
 */
export function checkSliceGate(
  { config, piiFields = [] }: Pick<TrainRequest, 'config' | 'piiFields'>,
  recorded: readonly RecordedRow[],
  deciding: DecidingSettings,
): Metrics['slice_gate'] {
  const gate = config.slice_gate;
  if (gate === null) return null;
  const { max_error, min_rows } = gate;
  const { items, tested } = searchParts(recorded, deciding, { minRows: min_rows, piiFields, maxError: max_error });
  const worst = items[0] ?? null;
  const limit = `${(100 * max_error).toFixed(1)} %`;
  const sentence =
    worst === null
      ? `In none of ${formatCount(tested)} parts with at least ${min_rows} rows are more than ${limit} of the rows decided alone and wrongly, as far as these rows can tell.`
      : `Where ${worst.description}, ${worst.errors} of ${worst.rows} rows are decided alone and wrongly: more than the ${limit} that the gate allows.`;
  const shown = worst && {
    description: worst.description,
    rows: worst.rows,
    errors: worst.errors,
    error_rate: worst.error_rate,
  };
  return { judged: 'whole_decision', max_error, min_rows, met: worst === null, tested, worst: shown, sentence };
}

const minRows = 30;
const maxParts = 5;

/** The parts of the measured rows that are decided alone and wrongly more often than the others, five at most. */
export function listWeakParts(
  { piiFields = [] }: Pick<TrainRequest, 'piiFields'>,
  recorded: readonly RecordedRow[],
  deciding: DecidingSettings,
): Metrics['weak_parts'] {
  const { items } = searchParts(recorded, deciding, { minRows, piiFields, maxError: null });
  return items
    .slice(0, maxParts)
    .map(({ description, fields, rows, errors }) => ({ description, fields, rows, errors }));
}

function searchParts(recorded: readonly RecordedRow[], deciding: DecidingSettings, params: SliceParams): SliceReport {
  const judged = recorded.map(compileJudge(deciding, 'whole_decision')).filter((row) => row !== null);
  return findWeakSlices(judged, params);
}
