/** The prepare stage: examples become labelled rows, of which a fifth is held out. */
import { prepareRows } from '../data/labelled-rows.ts';
import { splitRows } from '../data/split.ts';
import { formatCount } from './format-count.ts';
import type { Generated, Prepared, Run } from './state.ts';

type State = Pick<Run, 'request' | 'progress'> & Pick<Generated, 'examples' | 'notes'>;

/** Throws WorkbenchError 'validation_error' when no example is labelled or fewer than two options have examples. */
export function prepareExamples({ request, progress, examples, notes }: State): Prepared {
  progress.report('prepare', 0, 'Reading the examples');
  const { rows, presentOptions, notes: rowNotes } = prepareRows(examples, request.definition.options);
  const split = splitRows(rows);
  const trainRows = split.train.flatMap((position) => rows[position] ?? []);
  const testRows = split.test.flatMap((position) => rows[position] ?? []);
  const message = `${formatCount(trainRows.length)} examples to train on, ${formatCount(testRows.length)} held out`;
  progress.report('prepare', 1, message);
  const holdoutNote =
    'There are too few examples to hold any out, so the figures are measured on the training examples.';
  return {
    rows,
    presentOptions,
    trainRows,
    testRows,
    measuredRows: testRows.length === 0 ? trainRows : testRows,
    notes: [...notes, ...rowNotes, ...(testRows.length === 0 ? [holdoutNote] : [])],
  };
}
