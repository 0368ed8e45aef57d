import type { AnalysisState } from '../analysis/analysis.ts';
import { isoTimeOrNull } from '../process/clock.ts';

/** How far an analysis is, on the wire. */
export function toAnalysisState({ known, isFresh, progress }: AnalysisState<unknown>) {
  return {
    state: isFresh ? ('ready' as const) : ('computing' as const),
    stale: known !== null && !isFresh,
    computed_at: isoTimeOrNull(known?.computedAt ?? null),
    progress,
  };
}
