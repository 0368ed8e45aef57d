/** The figure that a classifier has where rows are held out in another way than it was measured in. */
import type { OtherWay } from '../../domain/metrics.ts';
import { atRandom, nameFields, type SplitWay } from '../../domain/training.ts';
import { computeFisherTail, listLogFactorials } from '../../findings/significance.ts';
import { measureRows } from '../../measure/whole-decision.ts';
import type { MeasuredShare } from '../../measured.ts';
import { formatRange, formatShare } from '../../numeric.ts';
import { compilePlacement, groupMeasured, nameGroups, placeUnits } from '../../units/hold-out.ts';
import { splitRows } from '../../units/sides.ts';
import { type LabelledRow, toMeasured } from '../data/labelled-rows.ts';

const minMeasured = 30;
/** Examples of an option that the other way must leave to learn from. */
const minLearned = 8;
const notableDifference = 0.02;
const certainty = 0.01;

/** Measures a classifier that learned from `train` on `test`; gives the options it chose, in the order of the rows. */
type Measure = (train: readonly LabelledRow[], test: readonly LabelledRow[]) => readonly string[];

/** Measures a way beside the figure as it stands; null where it leaves too few rows to learn from or to measure. */
export function measureWay(
  rows: readonly LabelledRow[],
  split: SplitWay,
  own: { split: SplitWay; accuracy: MeasuredShare; isMarked: boolean; identifying: readonly (readonly string[])[] },
  measure: Measure,
): OtherWay | null {
  const place = compilePlacement(split);
  const placed = rows.map(
    ({ unit: _unit, time: _time, test: _test, ...row }): LabelledRow => ({ ...row, ...place(row.input) }),
  );
  const { rows: grouped } = placeUnits(placed, own.identifying);
  const { train, test, rule } = splitRows(grouped, split.by);
  if (rule !== (split.by === 'random' ? 'hash' : split.by) || test.length < minMeasured) return null;
  const [trainRows, testRows] = [train, test].map((side) => side.flatMap((position) => grouped[position] ?? []));
  const counts = Map.groupBy(trainRows ?? [], ({ label }) => label);
  const options = new Set(rows.map(({ label }) => label));
  const isLearnable = [...options].every((label) => (counts.get(label)?.length ?? 0) >= minLearned);
  if (!isLearnable) return null;
  const measured = (testRows ?? []).map(toMeasured);
  const chosen = measure(trainRows ?? [], measured);
  const groups = groupMeasured(measured, own.identifying, split);
  const outcomes = measured.map(({ decision }, i) => ({ ...groups[i], isRight: decision === chosen[i] }));
  const accuracy = measureRows(outcomes, ({ isRight }) => isRight);
  const ownExamples = own.isMarked ? 'of those that were marked' : nameExamples(own.split);
  return describeWay({ split, rows: grouped }, accuracy, own.accuracy, ownExamples, own.isMarked);
}

/** Says how a figure in another way stands beside the figure as it was measured. */
function describeWay(
  { split, rows }: Placed,
  accuracy: MeasuredShare,
  asMeasured: MeasuredShare,
  ownExamples: string,
  isMarked: boolean,
): OtherWay {
  const standing = compare(asMeasured, accuracy);
  const conclusion = isMarked && standing === 'lower' ? conclusionOfMarks : conclusions[standing];
  const figures = describe(accuracy, nameExamples(split, rows), asMeasured, ownExamples);
  const sentence = `${figures} ${conclusion}`;
  return { split, accuracy, accuracy_as_measured: asMeasured, standing, sentence };
}

const draft = 'a draft of the classifier';

type Placed = { split: SplitWay; rows: readonly LabelledRow[] };

/** Says how a draft of the classifier does in a way that was tried beside rows at random, in which it is not lower. */
export function describeTried({ split, rows }: Placed, inWay: MeasuredShare, random: MeasuredShare): OtherWay {
  const figures = describe(inWay, nameExamples(split, rows), random, nameExamples(atRandom), draft);
  const sentence = `${figures} ${conclusions.alike}`;
  return { split, accuracy: inWay, accuracy_as_measured: random, standing: 'alike', sentence };
}

/** Says what the same draft reaches on rows at random, where the way is certainly lower and was taken. */
export function describeRandom({ split, rows }: Placed, inWay: MeasuredShare, random: MeasuredShare): OtherWay {
  const own = nameExamples(split, rows);
  const sentence = `${describe(random, nameExamples(atRandom), inWay, own, draft)} ${conclusions.higher}`;
  return { split: atRandom, accuracy: random, accuracy_as_measured: inWay, standing: 'higher', sentence };
}

function compare(own: MeasuredShare, other: MeasuredShare): OtherWay['standing'] {
  const difference = (other.share ?? 0) - (own.share ?? 0);
  if (Math.abs(difference) < notableDifference) return 'alike';
  const [worse, better] = difference < 0 ? [other, own] : [own, other];
  const all = own.of + other.of;
  const allHits = all - own.count - other.count;
  const logs = listLogFactorials(all);
  const p = computeFisherTail(logs, { hits: worse.of - worse.count, size: worse.of, allHits, all });
  if (p > certainty || better.of === 0) return 'alike';
  return difference < 0 ? 'lower' : 'higher';
}

const nameExamples = ({ by, field }: SplitWay, rows: readonly LabelledRow[] = []) =>
  ({
    random: 'of examples held out at random',
    date: `of the newest by ${nameFields(field ?? '')}`,
    group: `of those with unseen ${nameGroups(field ?? '', rows)}`,
    column: `of those that ${JSON.stringify(field)} names`,
  })[by];

const conclusions = {
  lower: 'Expect no more of new data: hold examples out that way and train again.',
  higher: 'That is of more like those that were learned from, and too good for new ones.',
  alike: 'The difference is not significant.',
} as const satisfies Record<OtherWay['standing'], string>;

/** Held out at random, marked rows are measured again. */
const conclusionOfMarks = 'Expect no more of new data: take the marks off the test rows and train again.';

function describe(
  accuracy: MeasuredShare,
  examples: string,
  own: MeasuredShare,
  ownExamples: string,
  who = 'the classifier',
): string {
  const measured = ownExamples.replace('of', 'Of');
  return `${measured} ${who} gets ${formatShare(own.share ?? 0)} right, ${examples} ${formatShare(accuracy.share ?? 0)} (${formatRange(accuracy)}).`;
}
