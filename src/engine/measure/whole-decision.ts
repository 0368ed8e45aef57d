/** The whole decision measured: rules, then classifier, then thresholds, as they stand. */
import type { ThresholdSettings } from '../decide/thresholds.ts';
import { computeWilsonInterval } from '../intervals.ts';
import type { MeasuredShare, WholeDecision } from '../measured.ts';
import { formatShare } from './format-share.ts';
import { decideRow, type Replay } from './replay.ts';

/** A counted share with its Wilson interval. */
export function measureShare(count: number, of: number): MeasuredShare {
  return { count, of, share: of === 0 ? null : count / of, ...computeWilsonInterval(count, of) };
}

/** Counts what becomes of replayed rows; `missing` rows could not be replayed and are only reported. */
export function measureWholeDecision(
  { rows, refused }: Pick<Replay, 'rows' | 'refused'>,
  settings: ThresholdSettings,
  missing: number,
): WholeDecision {
  const counts = { right: 0, automatic: 0, byRule: 0, wrongAutomatic: 0, fallback: 0 };
  for (const row of rows) {
    const { decision, escalate, stage } = decideRow(row, settings);
    const isRight = decision === row.expected;
    if (isRight) counts.right += 1;
    if (stage === 'rules') counts.byRule += 1;
    if (stage === 'fallback') counts.fallback += 1;
    if (escalate) continue;
    counts.automatic += 1;
    if (!isRight) counts.wrongAutomatic += 1;
  }
  const total = rows.length;
  const automatic = measureShare(counts.automatic, total);
  const error = measureShare(counts.wrongAutomatic, counts.automatic);
  return {
    rows: total,
    missing,
    refused,
    accuracy: measureShare(counts.right, total),
    automatic,
    by_rule: measureShare(counts.byRule, total),
    error_automatic: error,
    escalated: measureShare(total - counts.automatic, total),
    fallback: measureShare(counts.fallback, total),
    sentence: describe(automatic, error),
  };
}

function describe(automatic: MeasuredShare, error: MeasuredShare): string {
  if (automatic.share === null) return 'No held-out row is left to measure on. Train the type again.';
  const rows = `${automatic.of} held-out rows`;
  if (error.share === null) return `None of ${rows} would be decided alone.`;
  const range = `${formatShare(error.low)} to ${formatShare(error.high)}`;
  return `Of ${rows} ${formatShare(automatic.share)} would be decided alone, ${formatShare(error.share)} of these wrongly (${range} with 95 % confidence).`;
}
