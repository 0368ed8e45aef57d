/** The weak parts of a policy, as its report names them. */
import type { Metrics } from '../../domain/metrics.ts';
import { compileJudge } from '../../findings/judge-rows.ts';
import type { SeenInput } from '../../findings/slice-conditions.ts';
import { findWeakSlices } from '../../findings/slices.ts';
import type { DecidingSettings, RecordedRow } from '../../measure/reapply.ts';
import type { LanguageDetector } from '../../ports.ts';
import type { TrainRequest } from '../request.ts';

const minRows = 30;
const maxParts = 5;

/** The parts of the measured rows that are decided alone and wrongly more often than the others, five at most. */
export function listWeakParts(
  { piiFields = [] }: Pick<TrainRequest, 'piiFields'>,
  recorded: readonly (RecordedRow & SeenInput)[],
  deciding: DecidingSettings,
  detectLanguage: LanguageDetector | null,
): Metrics['weak_parts'] {
  const judged = recorded.map(compileJudge(deciding, 'whole_decision')).filter((row) => row !== null);
  return findWeakSlices(judged, { minRows, piiFields, detectLanguage })
    .items.slice(0, maxParts)
    .map(({ description, fields, rows, errors }) => ({ description, fields, rows, errors }));
}
