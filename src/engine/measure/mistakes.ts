/** Pairs of options that are decided wrongly. */
import type { Confusion } from './confusion.ts';

/** Lists which options are decided where others would be right, and how often; the commonest first. */
export function listMistakes({
  confusion_labels: labels,
  confusion_matrix: matrix,
}: Pick<Confusion, 'confusion_labels' | 'confusion_matrix'>): { right: string; decided: string; count: number }[] {
  return matrix
    .flatMap((counts, row) =>
      counts.flatMap((count, column) => {
        const [right, decided] = [labels[row], labels[column]];
        return count > 0 && row !== column && right !== undefined && decided !== undefined
          ? [{ right, decided, count }]
          : [];
      }),
    )
    .sort((a, b) => b.count - a.count);
}
