/**
 * Which rows are trained on and which held out: by a hash of the input, so that adding rows moves none and near repeats
 * follow the oldest, or of a group; by date; or as they are marked.
 */
import type { Metrics } from '../domain/metrics.ts';
import type { RowSource, SplitWay } from '../domain/training.ts';
import { drawnShare, isDrawn, noOpenRows, type OpenRows, toRowNumber } from '../drawn-rows.ts';
import { deriveSeed, hashString, randomStreams } from '../random.ts';

/** The facts about an example that a split needs. */
export type SplitRow = {
  /** The input without fields that only tell rows apart, as canonical JSON: of copies the same. */
  content: string;
  label: number;
  source: RowSource;
  /** Whether the analyst marked it as a test row; left out: no. */
  test?: boolean;
  /** Whether its label was given later than the row came; left out: no. */
  later?: boolean;
  /** Rows of one group, 0 or above, stay together, as they are one case; left out or −1: on its own. */
  group?: number;
  /**
   * The text that side and fold are hashed from: the value of a held-out group, more than the content for equal rows
   * that are cases of their own; left out: the content.
   */
  unit?: string;
  /** Its place in time where the newest are held out; left out: not known, so it is learned from. */
  time?: number;
  /** When it came, in milliseconds; left out: as old as others. */
  addedMs?: number;
};

/** The rule by which rows are held out: a hash of the content or of its group, drawing, marks, a date or a column. */
type SplitRule = NonNullable<Metrics['split']>['rule'];

/**
 * Positions of rows; `rule` says what decided, `repeats` how many near repeats are on neither side, `putAside` how many
 * rows that would be held out were put aside instead of labelled.
 */
export type Split = { train: number[]; test: number[]; rule: SplitRule; repeats: number; putAside: number };

/** The moment at which a row came (epoch ms): rows of one import are of one time. */
export const timeOf = ({ addedMs = 0 }: Pick<SplitRow, 'addedMs'>): number => addedMs;

/** Orders strings by their UTF-16 code units. */
export const compareStrings = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A label with this many different inputs has one on either side. */
const minInputsForHoldout = 5;

function groupByHash(rows: readonly SplitRow[], seed: number): number[][] {
  const groups = new Map<number, { position: number; hash: number; unit: string }[]>();
  rows.forEach((row, position) => {
    const group = groups.get(row.label) ?? [];
    group.push({ position, hash: hashString(toUnit(row), seed), unit: toUnit(row) });
    groups.set(row.label, group);
  });
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([, group]) =>
      group.sort((a, b) => a.hash - b.hash || compareStrings(a.unit, b.unit)).map(({ position }) => position),
    );
}

/**
 * Splits rows by their content, or by what `by` says.
 *
 * - Where any user row is marked as a test row, the held-out inputs are those of the marked rows, and rows that nearly
 *   repeat one of these are on neither side.
 * - By date, the user rows from the moment on that leaves about a fifth of them are held out; one that nearly repeats
 *   an older row is on neither side. Where no moment has rows on both sides, the hash decides.
 * - Otherwise an input is held out when the hash of its content is in the lowest fifth of all hashes; by group, all
 *   inputs of a group when the hash of its value is. There is one exception, for small labels: a label whose different
 *   inputs are all held out gives the one with the highest hash to the training side, and a label with at least five
 *   different inputs of which none is held out gives the one with the lowest hash to the test side; inputs that no
 *   other label shares go first. Only this one input can change its side when rows are added, once the label has inputs
 *   on both sides by their hashes. No rule without memory can do without it: a side that never changes is a function of
 *   the input alone, and some five inputs then share one side.
 *
 * - Where most rows came without a label, and some of these have one by now, held out are those whose number is below
 *   that of every open row, whatever made somebody label them: these are drawn, the others may have been chosen. Rows
 *   that nearly repeat a drawn one are on neither side. A label whose inputs are all drawn keeps the one of highest
 *   number for the training side. Where most rows came with their label, of the others the drawn ones are held out.
 *
 * Rows of a group are held out with its oldest user row, or not at all; so a new row that nearly repeats an old one
 * moves none but itself.
 *
 * A synthetic row is never held out, and a correction only where it is itself marked as a test row: decisions are
 * corrected because they were looked at, mostly because they were wrong, so figures on them would not be those of the
 * decisions. Such a row that equals a held-out input, or belongs to its group or time, is on neither side, and none
 * moves another row.
 */
export function splitRows(
  rows: readonly SplitRow[],
  by: SplitWay['by'] = 'random',
  open: OpenRows = noOpenRows,
): Split {
  const { rule, isHeldOut, isRepeat } = chooseSides(rows, by, open);
  const split: Split = { train: [], test: [], rule, repeats: 0, putAside: 0 };
  rows.forEach((row, position) => {
    if (isRepeat(row)) split.repeats += 1;
    else if (!isHeldOut(row)) split.train.push(position);
    else if (row.source === 'user' || isMarked(row)) split.test.push(position);
  });
  return { ...split, putAside: countPutAside(rows, split, open) };
}

/** How many rows beside the held-out ones were put aside: of groups or times as large a share as of the drawn rows. */
function countPutAside(rows: readonly SplitRow[], { rule, test }: Split, { lowest, putAside = 0 }: OpenRows): number {
  const isOfAll = rows.some(({ source, later }) => source === 'user' && later) && test.length > 0;
  if (putAside === 0 || !isOfAll || rule === 'test_rows' || rule === 'column') return 0;
  if (rule === 'hash' || rule === 'drawn') return putAside;
  const numbers = rows.flatMap(({ source, content }) => (source === 'user' ? [toRowNumber(content)] : []));
  const drawn = numbers.filter((number) => number < lowest && isDrawn(number)).length;
  return Math.ceil((test.length * putAside) / Math.max(1, drawn));
}

type Sides = { rule: SplitRule; isHeldOut(row: SplitRow): boolean; isRepeat(row: SplitRow): boolean };

function chooseSides(rows: readonly SplitRow[], by: SplitWay['by'], open: OpenRows): Sides {
  const marked = rows.filter(isMarked);
  if (marked.length > 0) {
    const units = new Set(marked.map(toUnit));
    const groups = listGroups(marked);
    const isHeldOut = (row: SplitRow) => units.has(toUnit(row));
    return {
      rule: by === 'column' ? 'column' : 'test_rows',
      isHeldOut,
      isRepeat: (row) => !isHeldOut(row) && groups.has(row.group ?? -1),
    };
  }
  const userRows = rows.filter(({ source }) => source === 'user');
  const from = by === 'date' ? findNewest(userRows) : null;
  if (from !== null) {
    const isHeldOut = ({ time = Number.NEGATIVE_INFINITY }: SplitRow) => time >= from;
    const older = listGroups(userRows.filter((row) => !isHeldOut(row)));
    const isRepeat = (row: SplitRow) => row.source === 'user' && isHeldOut(row) && older.has(row.group ?? -1);
    return { rule: 'date', isHeldOut, isRepeat };
  }
  const isChosen = ({ later, content }: SplitRow) => later === true && toRowNumber(content) >= open.lowest;
  const later = userRows.filter((row) => row.later).length;
  const isComplete = later === 0 || open.lowest >= drawnShare;
  if (by === 'random' && !isComplete && 2 * later + open.rows > userRows.length) {
    const drawn = drawRows(userRows, open);
    const groups = listGroups(userRows.filter(({ content }) => drawn.has(content)));
    const isHeldOut = ({ content }: SplitRow) => drawn.has(content);
    return { rule: 'drawn', isHeldOut, isRepeat: (row) => !isHeldOut(row) && groups.has(row.group ?? -1) };
  }
  const isMeasured = (row: SplitRow) => row.source === 'user' && (isComplete || !isChosen(row));
  const units = keepTogether(holdOutByHash(rows.filter(isMeasured)), rows);
  return {
    rule: by === 'group' ? 'group' : 'hash',
    isHeldOut: (row) => units.has(toUnit(row)),
    isRepeat: () => false,
  };
}

/** The value of a row's group, or its input alone: held out as a whole. */
const toUnit = ({ unit, content }: SplitRow) => unit ?? content;

function listGroups(rows: readonly SplitRow[]): Set<number> {
  const groups = new Set(rows.map(({ group = -1 }) => group));
  groups.delete(-1);
  return groups;
}

/** The moment from which on the newest rows are nearest to a fifth; null where no moment has older ones as well. */
function findNewest(rows: readonly SplitRow[]): number | null {
  const times = Float64Array.from(rows.flatMap(({ time }) => time ?? [])).sort();
  let newest: number | null = null;
  let leastMissed = 1;
  times.forEach((time, place) => {
    const missed = Math.abs(1 - place / times.length - drawnShare);
    if (place === 0 || time === times[place - 1] || missed >= leastMissed) return;
    newest = time;
    leastMissed = missed;
  });
  return newest;
}

const isMarked = ({ source, test }: SplitRow) => source !== 'synthetic' && test === true;

/** The contents of rows whose numbers are below those of all open ones; a label keeps one of its own to be learned. */
function drawRows(rows: readonly SplitRow[], { lowest }: OpenRows): Set<string> {
  const numbers = new Map(rows.map(({ content }) => [content, toRowNumber(content)]));
  const drawn = new Set([...numbers].flatMap(([content, number]) => (number < lowest ? [content] : [])));
  for (const ofLabel of Map.groupBy(rows, ({ label }) => label).values()) {
    const contents = new Set(ofLabel.map(({ content }) => content));
    if ([...contents].some((content) => !drawn.has(content))) continue;
    const [highest] = [...contents].sort((a, b) => (numbers.get(b) ?? 0) - (numbers.get(a) ?? 0));
    if (highest !== undefined) drawn.delete(highest);
  }
  return drawn;
}

function holdOutByHash(rows: readonly SplitRow[]): Set<string> {
  const seed = deriveSeed(randomStreams.heldOutSplit);
  const labelsOf = new Map<string, Set<number>>();
  for (const row of rows) labelsOf.set(toUnit(row), (labelsOf.get(toUnit(row)) ?? new Set()).add(row.label));
  const heldOut = new Set<string>();
  for (const unit of labelsOf.keys()) {
    if (isDrawn(toRowNumber(unit))) heldOut.add(unit);
  }
  const isShared = (unit: string) => Number((labelsOf.get(unit)?.size ?? 0) > 1);
  for (const group of groupByHash(rows, seed)) {
    const units = [...new Set(group.map((position) => toUnit(rows[position])))];
    const heldOutCount = units.filter((unit) => heldOut.has(unit)).length;
    // The sort is stable: among equals the order of the hashes stays.
    const [lowest] = units.toSorted((a, b) => isShared(a) - isShared(b));
    const [highest] = units.toReversed().sort((a, b) => isShared(a) - isShared(b));
    if (lowest === undefined || highest === undefined) continue;
    if (heldOutCount === units.length) heldOut.delete(highest);
    else if (heldOutCount === 0 && units.length >= minInputsForHoldout) heldOut.add(lowest);
  }
  return heldOut;
}

/** The held-out units, where each case of several rows stands on the side of its oldest user row. */
function keepTogether(heldOut: ReadonlySet<string>, rows: readonly SplitRow[]): Set<string> {
  const oldest = new Map<number, SplitRow>();
  for (const row of rows) {
    const { group = -1, source } = row;
    if (group < 0 || source !== 'user') continue;
    const known = oldest.get(group);
    // The same rows imported again have the same leader.
    const order = known && (timeOf(row) - timeOf(known) || compareStrings(toUnit(row), toUnit(known)));
    if (order === undefined || order < 0) oldest.set(group, row);
  }
  const kept = new Set(heldOut);
  for (const row of rows) {
    const leader = oldest.get(row.group ?? -1);
    if (leader === undefined) continue;
    if (heldOut.has(toUnit(leader))) kept.add(toUnit(row));
    else kept.delete(toUnit(row));
  }
  return kept;
}

/** Assigns rows to stratified folds; rows of one case, or of a held-out group, share one. `seed` orders them. */
export function assignFolds(rows: readonly SplitRow[], folds: number, seed: number): Int32Array {
  const result = new Int32Array(rows.length);
  const foldOf = new Map<number | string, number>();
  let next = 0;
  for (const ofLabel of groupByHash(rows, seed)) {
    for (const position of ofLabel) {
      const row = rows[position];
      const { group = -1 } = row;
      const together = group >= 0 ? group : toUnit(row);
      const known = foldOf.get(together);
      if (known === undefined) next += 1;
      const fold = known ?? (next - 1) % folds;
      foldOf.set(together, fold);
      result[position] = fold;
    }
  }
  return result;
}
