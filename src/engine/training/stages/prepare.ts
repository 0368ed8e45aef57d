/** The prepare stage: examples become labelled rows, of which a fifth, or the analyst's own, are held out. */
import { WorkbenchError } from '../../errors.ts';
import { type LabelledRow, prepareRows } from '../data/labelled-rows.ts';
import { findNearDuplicates } from '../data/near-duplicates.ts';
import { splitRows } from '../data/split.ts';
import { formatCount } from './format-count.ts';
import type { Generated, Prepared, Run } from './state.ts';

type State = Pick<Run, 'request' | 'progress'> & Pick<Generated, 'examples' | 'notes'>;

/**
 * Throws WorkbenchError 'validation_error' when no example is labelled, fewer than two options have examples, or an
 * option has test rows only.
 */
export function prepareExamples({ request, progress, examples, notes }: State): Prepared {
  progress.report('prepare', 0, 'Reading the examples');
  const { rows, presentOptions, notes: rowNotes } = prepareRows(examples, request.definition.options);
  const split = splitRows(rows);
  const { options } = request.definition;
  const trainRows = split.train.flatMap((position) => rows[position] ?? []);
  const testRows = split.test.flatMap((position) => rows[position] ?? []);
  refuseUntrainedOptions(
    presentOptions.map((index) => options[index] ?? ''),
    trainRows,
  );
  const message = `${formatCount(trainRows.length)} examples to train on, ${formatCount(testRows.length)} held out`;
  progress.report('prepare', 1, message);
  const holdoutNote =
    'There are too few examples to hold any out, so the figures are measured on the training examples.';
  const testRowsNote = 'The figures are measured on the test rows that were marked, and no model learns from these.';
  const nearDuplicates = findNearDuplicates(trainRows, testRows);
  return {
    rows,
    presentOptions,
    trainRows,
    testRows,
    measuredRows: testRows.length === 0 ? trainRows : testRows,
    split: {
      rule: split.rule,
      // The analyst's test rows are never learned from, so the measured model is the one that decides.
      refitted: request.config.refit && split.rule === 'hash',
      near_duplicates: nearDuplicates.count,
      near_duplicate_ids: nearDuplicates.exampleIds,
    },
    notes: [
      ...notes,
      ...rowNotes,
      ...(testRows.length === 0 ? [holdoutNote] : []),
      ...(split.rule === 'test_rows' ? [testRowsNote] : []),
      ...(nearDuplicates.count > 0 ? [describeNearDuplicates(nearDuplicates.count)] : []),
    ],
  };
}

function describeNearDuplicates(count: number): string {
  return `${formatCount(count)} held-out examples say the same in nearly the same words as an example that was learned from; the figures may flatter the classifier.`;
}

function refuseUntrainedOptions(options: readonly string[], trainRows: readonly LabelledRow[]): void {
  const trained = new Set(trainRows.map(({ decision }) => decision));
  const missing = options.find((option) => !trained.has(option));
  if (missing === undefined) return;
  throw new WorkbenchError(
    'validation_error',
    `Every example of the option "${missing}" is a test row. Add examples of it to learn from, or unmark some.`,
  );
}
