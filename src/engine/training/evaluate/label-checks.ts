/** Which labels are probably wrong, by confident learning over probabilities of models that have not seen the row. */
import type { LabelCheck } from '../../findings/labels.ts';
import { argmax } from '../../numeric.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import type { OutOfFold } from './out-of-fold.ts';

/** A probability that is enough to doubt a label, whatever the models usually give. */
const sureProbability = 0.7;
/** Models that err on more of the rows than this cannot tell wrong labels from cases that are open. */
const maxErrorRate = 0.2;

/** For each option the mean probability that its own rows give it; Infinity for one without rows. */
function computeSelfConfidences(outOfFold: OutOfFold, labels: readonly number[], optionCount: number): number[] {
  const sums = new Array<number>(optionCount).fill(0);
  const counts = new Array<number>(optionCount).fill(0);
  labels.forEach((label, i) => {
    const row = outOfFold[i];
    if (!row) return;
    sums[label] = (sums[label] ?? 0) + (row[label] ?? 0);
    counts[label] = (counts[label] ?? 0) + 1;
  });
  return sums.map((sum, k) => (counts[k] === 0 ? Number.POSITIVE_INFINITY : sum / (counts[k] ?? 1)));
}

/** The share of predicted rows whose label is not the most probable option; 0 without such rows. */
function computeErrorRate(outOfFold: OutOfFold, labels: readonly number[]): number {
  let predicted = 0;
  let wrong = 0;
  outOfFold.forEach((row, i) => {
    if (row === null) return;
    predicted += 1;
    if (argmax(row) !== labels[i]) wrong += 1;
  });
  return wrong / Math.max(1, predicted);
}

function findLikelier(row: readonly number[], label: number): number {
  let best = label === 0 ? 1 : 0;
  row.forEach((probability, k) => {
    if (k !== label && probability > (row[best] ?? 0)) best = k;
  });
  return best;
}

/** The verdict on every label, and about how many of the labels are wrong; null where that is not known. */
export type LabelSearch = { checks: LabelCheck[]; expectedWrong: number | null };

/**
 * Compares every label with models that have not seen it. Where another option is more probable and reaches the mean
 * probability of its own rows, the row counts as wrong, which estimates their number (Northcutt, Jiang & Chuang 2021,
 * "Confident learning") where the models err on a fifth of the rows at most. Suspect are these, and labels beside an
 * option with 0.7 or more: where models are sure of nearly every row, the mean alone would miss a third of the wrong.
 */
export function checkLabels(
  rows: readonly LabelledRow[],
  outOfFold: OutOfFold,
  options: readonly string[],
): LabelSearch {
  const labels = rows.map((row) => options.indexOf(row.decision));
  const errorRate = computeErrorRate(outOfFold, labels);
  const selfConfidences = computeSelfConfidences(outOfFold, labels, options.length);
  let offDiagonal = 0;
  const checks = rows.flatMap((row, i) => {
    const probabilities = outOfFold[i];
    if (!probabilities) return [];
    const label = labels[i] ?? 0;
    const likelier = findLikelier(probabilities, label);
    const probability = probabilities[label] ?? 0;
    const likelierProbability = probabilities[likelier] ?? 0;
    const isLikelier = likelierProbability > probability;
    const isOffDiagonal = isLikelier && likelierProbability >= (selfConfidences[likelier] ?? 1);
    if (isOffDiagonal) offDiagonal += 1;
    return {
      example_id: row.id,
      label: row.decision,
      probability,
      likelier: options[likelier] ?? '',
      likelier_probability: likelierProbability,
      doubt: 1 / (1 + probability),
      suspect: isOffDiagonal || (isLikelier && likelierProbability >= sureProbability),
    };
  });
  return { checks, expectedWrong: errorRate > maxErrorRate ? null : offDiagonal };
}
