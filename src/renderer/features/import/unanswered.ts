/** What is said of a column of answers that is mostly empty. */
import { count, number } from '../../parts/text/figures.ts';
import type { Mapping } from './use-mapping.ts';

/** Says how many rows have no answer in a column, where most have none; null elsewhere. */
export function describeUnanswered({ plan, columns }: Pick<Mapping, 'plan' | 'columns'>, column: string) {
  const { rows } = plan.file;
  const filled = columns.find(({ name }) => name === column)?.filled ?? rows;
  return 2 * filled < rows ? `${number(rows - filled)} of ${count(rows, 'row')} have no answer` : null;
}
