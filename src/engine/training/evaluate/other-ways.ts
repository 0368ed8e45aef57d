/** The figure that a classifier has where rows are held out in another way than it was measured in. */
import type { OtherWay } from '../../domain/metrics.ts';
import type { SplitWay } from '../../domain/training.ts';
import { parseDate } from '../../features/dates.ts';
import { identifierPattern } from '../../features/values.ts';
import { type Column, collectColumns, isTextColumn } from '../../findings/columns.ts';
import { computeFisherTail, listLogFactorials } from '../../findings/significance.ts';
import { countDistinct, measureShare } from '../../measure/whole-decision.ts';
import type { MeasuredShare } from '../../measured.ts';
import { compilePlacement, groupUnits, nameGroups, readField, toTemplate } from '../data/hold-out.ts';
import { type LabelledRow, toMeasured } from '../data/labelled-rows.ts';
import { groupCopies, groupNearRepeats } from '../data/near-repeats.ts';
import { splitRows } from '../data/split.ts';

/** Above this many rows the fits cost more than the figure is worth. */
const maxRows = 20_000;
/** A field that most rows lack parts only the others. */
const minCoverage = 0.8;
const minDates = 10;
const minGroups = 20;
/** Rows per value of a grouping, on average. */
const minRowsPerGroup = 2;
/** Where a value of a field of any name has one answer this much more often than expected, it is a grouping. */
const notableAgreement = { atLeast: 0.9, above: 0.2 };
const minMeasured = 30;
/** Examples of an option that the other way must leave to learn from. */
const minLearned = 8;
const notableDifference = 0.02;
const certainty = 0.01;
const birthPattern = /birth|born|dob$|geburt|naissance/i;
const groupPattern =
  /customer|client|user|account|company|patient|member|person|household|thread|conversation|session|ticket|case_?(id|no|number)|order_?(id|no|number)|sender|author|template|contract|kunde|vertrag/i;

/** Finds a date, a group and sentences by which rows could be held out, and chance, each where `own` is another way. */
export function findWays(rows: readonly LabelledRow[], own: SplitWay): SplitWay[] {
  if (rows.length > maxRows) return [];
  const table = collectColumns();
  for (const { input } of rows) table.add(input);
  const columns = table
    .finish()
    .filter(({ name, cells }) => name !== own.field && cells.filter(isThere).length >= minCoverage * rows.length);
  const date = findBest(columns, rateDate);
  const labels = rows.map(({ label }) => label);
  const group = findBest(
    columns.filter((column) => column !== date),
    (column) => rateGroup(column, labels),
  );
  const sentences = findBest(columns.filter(isTextColumn), ({ name }) => rateSentences(rows, name));
  return [
    ...(own.by === 'random' ? [] : [{ by: 'random' as const, field: null }]),
    ...(date === null || own.by === 'date' ? [] : [{ by: 'date' as const, field: date.name }]),
    ...(group === null || own.by === 'group' ? [] : [{ by: 'group' as const, field: group.name }]),
    ...(sentences === null || own.by === 'group' ? [] : [{ by: 'group' as const, field: sentences.name }]),
  ];
}

const isThere = (cell: Column['cells'][number]) => cell !== null && cell !== undefined && cell !== '';

function findBest(columns: readonly Column[], rate: (column: Column) => number): Column | null {
  const rated = columns.map((column) => ({ column, score: rate(column) })).filter(({ score }) => score > 0);
  return rated.sort((a, b) => b.score - a.score)[0]?.column ?? null;
}

/** The different values of a column of dates, but of birth; 0 of another one. */
function rateDate({ name, cells }: Column): number {
  const there = cells.filter(isThere);
  const dates = new Set(there.flatMap((cell) => parseDate(cell)?.epochDays ?? []));
  const isDate = there.every((cell) => parseDate(cell) !== null);
  return isDate && dates.size >= minDates && !birthPattern.test(name) ? dates.size : 0;
}

/** How much more often than all rows those with the same value share a label; 0 if the column is not a grouping. */
function rateGroup(column: Column, labels: readonly number[]): number {
  const { path, cells } = column;
  const byValue = Map.groupBy(
    [...cells.keys()].filter((row) => isThere(cells[row])),
    (row) => cells[row],
  );
  const rows = [...byValue.values()].reduce((sum, { length }) => sum + length, 0);
  if (byValue.size < minGroups || rows < minRowsPerGroup * byValue.size || isTextColumn(column)) return 0;
  if (rateDate(column) > 0) return 0;
  const chance = computeAgreement([labels]);
  const agreement = computeAgreement([...byValue.values()].map((group) => group.map((row) => labels[row] ?? -1)));
  const name = path.at(-1) ?? '';
  const isNamed = groupPattern.test(name) || identifierPattern.test(name);
  const isNotable = agreement >= notableAgreement.atLeast && agreement >= chance + notableAgreement.above;
  const isNumber = cells.some((cell) => typeof cell === 'number');
  if (isNamed) return 1 + Math.max(0, agreement - chance);
  return isNotable && !isNumber ? agreement - chance : 0;
}

/** The different texts of a template, on average; 0 of a column whose texts come from none. */
function rateSentences(rows: readonly LabelledRow[], field: string): number {
  const texts = new Set(rows.map(({ input }) => readField(input, field)).filter((value) => typeof value === 'string'));
  const templates = [...texts].flatMap((text) => toTemplate(text) ?? []);
  const different = new Set(templates).size;
  const isMostly = 2 * templates.length > texts.size;
  return isMostly && different >= minGroups && templates.length >= minRowsPerGroup * different
    ? templates.length / different
    : 0;
}

/** The chance that two rows of one group have the same label, over all pairs within groups. */
function computeAgreement(groups: readonly (readonly number[])[]): number {
  let [same, all] = [0, 0];
  for (const labels of groups) {
    for (const { length } of Map.groupBy(labels, (label) => label).values()) same += length * (length - 1);
    all += labels.length * (labels.length - 1);
  }
  return same / Math.max(1, all);
}

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
  const groups = groupUnits(placed, groupNearRepeats(placed));
  const grouped = placed.map((row, i) => ({ ...row, group: groups[i] ?? -1 }));
  const { train, test, rule } = splitRows(grouped, split.by);
  if (rule !== (split.by === 'random' ? 'hash' : split.by) || test.length < minMeasured) return null;
  const [trainRows, testRows] = [train, test].map((side) => side.flatMap((position) => grouped[position] ?? []));
  const counts = Map.groupBy(trainRows ?? [], ({ label }) => label);
  const options = new Set(rows.map(({ label }) => label));
  const isLearnable = [...options].every((label) => (counts.get(label)?.length ?? 0) >= minLearned);
  if (!isLearnable) return null;
  const measured = (testRows ?? []).map(toMeasured);
  const chosen = measure(trainRows ?? [], measured);
  const right = measured.filter(({ decision }, i) => decision === chosen[i]).length;
  const accuracy = measureShare(right, measured.length, countDistinct(groupCopies(measured, own.identifying)));
  const standing = compare(own.accuracy, accuracy);
  return {
    split,
    accuracy,
    accuracy_as_measured: own.accuracy,
    standing,
    sentence: describe(
      { accuracy, standing },
      nameExamples(split, grouped),
      own.accuracy,
      own.isMarked ? 'of those that were marked' : nameExamples(own.split, rows),
    ),
  };
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

const nameExamples = ({ by, field }: SplitWay, rows: readonly LabelledRow[]) =>
  ({
    random: 'of examples held out at random',
    date: `of the newest by ${JSON.stringify(field)}`,
    group: `of those with unseen ${nameGroups(field ?? '', rows)}`,
    column: `of those that ${JSON.stringify(field)} names`,
  })[by];

const toPercent = (share: number) => Number((100 * share).toFixed(1));

const conclusions = {
  lower: 'Expect no more of new data: hold examples out that way and train again.',
  higher: 'That is too good for new data.',
  alike: 'That is no certain difference.',
} as const satisfies Record<OtherWay['standing'], string>;

function describe(
  { accuracy, standing }: Pick<OtherWay, 'accuracy' | 'standing'>,
  examples: string,
  own: MeasuredShare,
  ownExamples: string,
): string {
  const range = `${toPercent(accuracy.low)} to ${toPercent(accuracy.high)}%`;
  const measured = ownExamples.replace('of', 'Of');
  return `${measured} the classifier gets ${toPercent(own.share ?? 0)}% right, ${examples} ${toPercent(accuracy.share ?? 0)}% (${range}). ${conclusions[standing]}`;
}
