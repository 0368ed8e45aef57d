/** The prepare stage: examples become labelled rows, of which a fifth, or the analyst's own, are held out. */
import { WorkbenchError } from '../../errors.ts';
import { findTakenOut } from '../../findings/taken-out.ts';
import type { Json } from '../../json.ts';
import { countOf, formatCount } from '../../numeric.ts';
import { foldText } from '../../units/field-model.ts';
import { checkLearned, checkSides, describeCases, describeSides } from '../../units/hold-out.ts';
import { compareStrings, splitRows } from '../../units/sides.ts';
import { isHinted, isLabelled } from '../data/hint-rows.ts';
import { type LabelledRow, prepareRows, toMeasured, toRowLabel } from '../data/labelled-rows.ts';
import type { DecidedRun, Generated, Prepared, Run } from './state.ts';

type State = Pick<Run, 'request' | 'progress'> &
  Partial<Pick<DecidedRun, 'isWayFound'>> &
  Pick<Generated, 'rare' | 'examples' | 'ruled' | 'notes'>;

const testRowsNote = 'The figures are measured on the test rows that were marked, and no model learns from these.';

/** Throws 'validation_error' for no label, fewer than two options, or one with test rows only. */
export function prepareExamples({ request, progress, rare, examples, ruled, notes, isWayFound }: State): Prepared {
  progress.report('prepare', 0, 'Reading the examples');
  const { options, readings } = request.definition;
  const { config, piiFields = [] } = request;
  const {
    rows: all,
    presentOptions,
    notes: rowNotes,
    nearRepeats,
  } = prepareRows([...examples, ...ruled], options, {
    rare,
    piiFields,
    readings,
    split: config.split,
    identifying: request.identifying,
  });
  const split = splitRows(all, config.split.by, request.open);
  checkSides(config.split, { split, rows: all });
  const isTaught = compileTaught(all);
  const isLearned = (row: LabelledRow) => row.label >= 0 && !isTaught(row);
  const rows = all.filter(isLearned);
  const trainRows = split.train.flatMap((position) => all[position] ?? []).filter(isLearned);
  const heldOut = split.test.flatMap((position) => all[position] ?? []).map(toMeasured);
  // Rows that rules decide say nothing of the classifier: alone they are not rows to measure on.
  const testRows = heldOut.some((row) => !row.ruled) ? heldOut : [];
  const learnedOptions = presentOptions.map((index) => options[index] ?? '');
  checkLearned(config.split, split.rule, learnedOptions, trainRows);
  refuseUntrainedOptions(learnedOptions, trainRows);
  const labelled = trainRows.filter(isLabelled);
  const message = `${formatCount(labelled.length)} examples to train on, ${formatCount(testRows.length)} held out`;
  progress.report('prepare', 1, message);
  const holdoutNote =
    'There are too few examples to hold any out, so the figures are measured on the training examples.';
  const unmeasuredNote = 'No example has a label: hints alone were learned from, and nothing was measured.';
  const sides =
    split.rule === 'drawn'
      ? describeDrawn(testRows.length, labelled.length)
      : describeSides(config.split, piiFields, { split, rows: all, train: labelled, test: testRows });
  const nearDuplicates = findNearDuplicates(trainRows, testRows);
  const leftToRules = reportRuled(all, testRows);
  const corrections = { learned: countCorrections(trainRows), heldOut: countCorrections(testRows) };
  return {
    rows,
    presentOptions,
    sharing: rare.together.map((option) => options.indexOf(option)),
    trainRows,
    testRows,
    measuredRows: testRows.length === 0 ? labelled.map(toMeasured) : testRows,
    split: {
      rule: split.rule,
      field: ['hash', 'drawn', 'test_rows'].includes(split.rule) ? null : config.split.field,
      found: isWayFound === true,
      one_case: describeCases(config.split, all),
      sentence: sides,
      // The analyst's test rows are never learned from, so the measured model is the one that decides.
      refitted: config.refit && split.rule !== 'test_rows' && split.rule !== 'column',
      near_duplicates: nearDuplicates.count,
      near_duplicate_ids: nearDuplicates.exampleIds,
      corrections: corrections.learned,
      corrections_held_out: corrections.heldOut,
      near_repeats: nearRepeats,
      put_aside: split.putAside,
    },
    leftToRules,
    takenOut: findTakenOut(request.earlier ?? [], new Set(all.filter(isLabelled).map(toRowLabel))),
    notes: [
      ...(leftToRules === null ? [] : [leftToRules.sentence]),
      ...notes,
      ...rowNotes,
      ...(testRows.length === 0 && split.rule !== 'drawn'
        ? [labelled.length === 0 ? unmeasuredNote : holdoutNote]
        : []),
      ...(sides === '' ? [] : [sides]),
      ...(split.rule === 'test_rows' && testRows.length > 0 ? [testRowsNote] : []),
      ...(split.repeats > 0 ? [describeRepeats(split.repeats)] : []),
      ...(nearDuplicates.count > 0 ? [describeNearDuplicates(nearDuplicates.count)] : []),
      ...describeCorrections(corrections),
    ],
  };
}

/** Prepares telling hinted rows that say the same as a labelled one: they teach nothing that its label does not. */
function compileTaught(rows: readonly LabelledRow[]): (row: LabelledRow) => boolean {
  const labelled = rows.filter(isLabelled);
  const contents = new Set(labelled.map(({ content }) => content));
  const groups = new Set(labelled.flatMap(({ group = -1 }) => (group < 0 ? [] : group)));
  return (row) => isHinted(row) && (contents.has(row.content) || groups.has(row.group ?? -1));
}

function describeDrawn(drawn: number, others: number): string {
  return `Most examples came without a label: the figures are of ${countOf(drawn, 'random row')}, each scored by a model that had not seen it. The ${formatCount(others)} others with a label may have been chosen.`;
}

/** Counts the rows that are left to rules, or null. */
function reportRuled(rows: readonly LabelledRow[], testRows: readonly LabelledRow[]): Prepared['leftToRules'] {
  const isRuled = ({ ruled }: LabelledRow) => ruled === true;
  const [examples, held_out] = [rows.filter(isRuled).length, testRows.filter(isRuled).length];
  if (examples === 0) return null;
  const sentence = `${formatCount(examples)} of ${formatCount(rows.length)} examples are decided by a rule: the classifier did not learn from them, and its own figures leave out the ${formatCount(held_out)} of them that are held out. The whole decision is measured on all held-out examples.`;
  return { examples, held_out, sentence };
}

const countCorrections = (rows: readonly LabelledRow[]) => rows.filter(({ source }) => source === 'correction').length;

function describeCorrections({ learned, heldOut }: { learned: number; heldOut: number }): string[] {
  const ofTraining = `${formatCount(learned)} of the examples to learn from are corrections of live decisions; none of them is held out, so they do not bend the figures.`;
  const ofTests = `${formatCount(heldOut)} of the test rows are corrections of live decisions. Decisions are corrected mostly because they were wrong, so the figures may look worse than the policy is.`;
  return [...(learned > 0 ? [ofTraining] : []), ...(heldOut > 0 ? [ofTests] : [])];
}

function describeRepeats(count: number): string {
  return `${formatCount(count)} examples nearly repeat a test row and were left out, because learning from them would flatter the figures.`;
}

function describeNearDuplicates(count: number): string {
  return `${formatCount(count)} held-out examples say the same in nearly the same words as an example that was learned from; the figures may flatter the classifier.`;
}

function refuseUntrainedOptions(options: readonly string[], trainRows: readonly LabelledRow[]): void {
  const trained = new Set(trainRows.map(({ label }) => label));
  const missing = options.find((_, label) => !trained.has(label));
  if (missing === undefined) return;
  throw new WorkbenchError(
    'validation_error',
    `Every example of the option "${missing}" is a test row or nearly repeats one. Add examples of it to learn from, or unmark some.`,
  );
}

/** How many held-out rows have a near duplicate, and the ids of the first of them. */
type NearDuplicates = { count: number; exampleIds: string[] };

const maxReportedIds = 100;

/** The words of every value under its path, sorted and folded: equal for near duplicates. */
function foldInput(value: Json, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => foldInput(item, `${path}[]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => foldInput(item, `${path}.${key}`));
  }
  if (typeof value !== 'string') return [`${path}=${value}`];
  return [`${path}=${foldText(value)}`];
}

const toKey = (row: LabelledRow) => foldInput(row.input).sort(compareStrings).join('\n');

/** Finds the rows of `testRows` that have a near duplicate in `trainRows`; in their order. Linear in all texts. */
export function findNearDuplicates(
  trainRows: readonly LabelledRow[],
  testRows: readonly LabelledRow[],
): NearDuplicates {
  const known = new Set(trainRows.map(toKey));
  const found = testRows.filter((row) => known.has(toKey(row)));
  return { count: found.length, exampleIds: found.slice(0, maxReportedIds).map(({ id }) => id) };
}
