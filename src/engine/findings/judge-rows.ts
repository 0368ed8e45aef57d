/** Held-out rows as the search for weak parts counts them: wrong, or given to a person. */
import type { JudgedPart } from '../domain/metrics.ts';
import { compileReapply, type DecidingSettings, decideRow, type RecordedRow } from '../measure/reapply.ts';
import type { SeenInput } from './slice-conditions.ts';
import type { JudgedRow } from './slices.ts';

/** Judges rows by the current settings; null where the schema, or (`leavesRuled`) a rule, takes them away. */
export function compileJudge(
  settings: DecidingSettings,
  part: JudgedPart,
  leavesRuled = false,
): (row: RecordedRow & SeenInput) => JudgedRow | null {
  const reapply = compileReapply(settings);
  return (row) => {
    const { row: reapplied } = reapply(row);
    const isWhole = part === 'whole_decision';
    if (reapplied === null || (leavesRuled && !isWhole && reapplied.ruled !== null)) return null;
    const { decision, escalate } = decideRow(isWhole ? reapplied : { ...reapplied, ruled: null }, settings);
    const isWrong = isWhole ? !escalate && decision !== row.expected : row.predicted !== row.expected;
    return { input: row.input, unreadable: row.unreadable, isWrong, isEscalated: escalate };
  };
}
