/** Which options are decided where others would be right. */

import type { Metrics } from '../domain/metrics.ts';
import type { ThresholdSettings } from '../thresholds.ts';
import { decideRow, type ReappliedRow } from './reapply.ts';

/** Rows of the matrix are right options, its columns decided ones, both in the order of the labels. */
export type Confusion = Pick<Metrics, 'confusion_labels' | 'confusion_matrix' | 'per_class'>;
export type OptionScores = { precision: number; recall: number; f1: number; support: number };

/** A share of the confidence and the rows in it, by whether the classifier is right. */
export type ConfidenceBin = { low: number; high: number; right: number; wrong: number };

/** A share, 0 where there is nothing to share. */
export const computeRatio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

/** Scores each option (0–1) by a matrix of right and decided options; an undefined ratio is 0, as in scikit-learn. */
export function scoreOptions(matrix: readonly (readonly number[])[]): OptionScores[] {
  return matrix.map((counts, k) => {
    const hits = counts[k] ?? 0;
    const support = counts.reduce((sum, count) => sum + count, 0);
    const decided = matrix.reduce((sum, row) => sum + (row[k] ?? 0), 0);
    const f1 = computeRatio(2 * hits, support + decided);
    return { precision: computeRatio(hits, decided), recall: computeRatio(hits, support), f1, support };
  });
}

/** Counts decisions over the options; one that names none of them is left out. */
export function tabulateDecisions(
  decisions: readonly { expected: string; decision: string }[],
  options: readonly string[],
): Confusion {
  const places = new Map(options.map((option, place) => [option, place]));
  const matrix = options.map(() => options.map(() => 0));
  for (const { expected, decision } of decisions) {
    const row = matrix[places.get(expected) ?? -1];
    const column = places.get(decision);
    if (row !== undefined && column !== undefined) row[column] = (row[column] ?? 0) + 1;
  }
  const scores = scoreOptions(matrix);
  return {
    confusion_labels: [...options],
    confusion_matrix: matrix,
    per_class: Object.fromEntries(options.map((option, place) => [option, { ...scores[place] }])),
  };
}

/** Counts what rules, classifier and thresholds decide of held-out rows. */
export function tabulateRows(
  rows: readonly ReappliedRow[],
  settings: ThresholdSettings,
  options: readonly string[],
): Confusion {
  return tabulateDecisions(
    rows.map((row) => ({ expected: row.expected, decision: decideRow(row, settings).decision })),
    options,
  );
}

/** Counts the rows that thresholds decide about, neither ruled nor unfamiliar, in equal bins between 0 and 1. */
export function countByConfidence(rows: readonly ReappliedRow[], binCount: number): ConfidenceBin[] {
  const bins = Array.from({ length: binCount }, (_, bin) => ({
    low: bin / binCount,
    high: (bin + 1) / binCount,
    right: 0,
    wrong: 0,
  }));
  for (const { expected, ruled, prediction } of rows) {
    if (ruled !== null || prediction.unfamiliarReason !== null) continue;
    const bin = bins[Math.min(binCount - 1, Math.floor(prediction.confidence * binCount))];
    if (bin !== undefined) bin[prediction.option === expected ? 'right' : 'wrong'] += 1;
  }
  return bins;
}
