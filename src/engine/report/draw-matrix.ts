/** The matrix of actual and decided options as HTML, in the report and in a tab. */
import type { Confusion } from '../measure/confusion.ts';
import { listMistakes } from '../measure/mistakes.ts';
import { formatCount } from '../numeric.ts';
import { quoteText } from './html.ts';

export type Matrix = Pick<Confusion, 'confusion_labels' | 'confusion_matrix'>;

/** A matrix of more options is a list of the commonest mistakes. */
const maxMatrixOptions = 12;
/** Names of more characters than this in all are numbers above the columns. */
const maxHeadCharacters = 50;
const maxMistakes = 10;

/** Draws actual options against decided ones, by number where names have no room; lists mistakes of many options. */
export function drawMatrix(whole: Matrix): string {
  const { confusion_labels: labels, confusion_matrix: matrix } = whole;
  const mistakes = listMistakes(whole);
  if (mistakes.length === 0) return '<p>No mistakes on the unseen examples.</p>';
  if (labels.length > maxMatrixOptions) {
    const items = mistakes
      .slice(0, maxMistakes)
      .map(
        ({ right, decided, count }) =>
          `<li>${formatCount(count)} of ${quoteText(right)} decided as ${quoteText(decided)}</li>`,
      );
    return `<ul>${items.join('')}</ul>`;
  }
  const isNumbered = labels.join('').length > maxHeadCharacters;
  const heads = labels.map((label, place) => `<th scope="col">${isNumbered ? place + 1 : quoteText(label)}</th>`);
  const rows = matrix.map((counts, right) => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    const cells = counts.map((count, decided) => {
      const miss = count * 4 > total ? 'many' : 'few';
      return `<td class="${right === decided ? 'hit' : count === 0 ? 'quiet' : miss}">${formatCount(count)}</td>`;
    });
    return `<tr><th scope="row">${isNumbered ? `${right + 1} ` : ''}${quoteText(labels[right] ?? '')}</th>${cells.join('')}</tr>`;
  });
  return `<table class="matrix"><thead><tr><th scope="col">Actual ↓ Decided →</th>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
