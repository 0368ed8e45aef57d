/** Rows that are one case more than once: learned from and held out, they flatter classifiers that memorise. */

import { leaveOut } from '../drawn-rows.ts';
import { exp } from '../exact-math.ts';
import { isFiniteNumber, listLeaves } from '../features/values.ts';
import type { Json, JsonObject } from '../json.ts';
import { deriveSeed, hashNumber, hashString, randomStreams } from '../random.ts';
import { createGroups } from '../row-sets.ts';
import { codeFields, foldText, learnChances } from './field-model.ts';
import { compareStrings } from './sides.ts';

/** `content`: the input without fields that only tell rows apart, as canonical JSON. */
type Row = { content: string; input: JsonObject };

/** Cells of a grid: two numbers that differ by a tenth of a cell share it in nine of ten grids. */
const grids = 3;
const cellsPerRange = 50;
/** A number of fewer different values is a category: its steps mean something. */
const minDifferentValues = 11;
/** A cell of a whole number spans at least this many of its smallest steps. */
const minStepsPerCell = 4;
/** Where an input would share its cell with more unrelated ones than this, closeness says nothing of sides. */
const maxChanceOnSide = 0.5;
/** The same where rows are counted: a row that is close only at random would be missing in the interval. */
export const maxChanceInCount = 0.01;
/** Rows that agree are one case where chance brings together this many times fewer. */
const minSurprise = 10;
/** Of copies there are at most three, or this share of the rows: a commoner pattern is no copy. */
const maxCopies = { rows: 3, share: 0.05 };
/** Where each of this many different rows is there as often as the others, the whole table was repeated. */
const minRepeated = 10;
/** Where more different inputs share all words, or a group, their closeness is a coincidence. */
const maxInputsPerGroup = 100;

function foldValue(value: Json): Json {
  return typeof value === 'string' ? foldText(value) : value;
}

/** The width of a number's cells, and the chance that two rows share one. */
type Cells = { width: number; chance: number };

/** Gives the cells of each number by its dotted path, from spread and steps of its values; none of a category. */
function measureCells(rows: readonly Row[]): Map<string, Cells> {
  const values = new Map<string, number[]>();
  for (const { input } of rows) {
    for (const { path, value } of listLeaves(input)) {
      if (!isFiniteNumber(value)) continue;
      const name = path.join('.');
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  const cells = new Map<string, Cells>();
  for (const [name, all] of values) {
    const sorted = Float64Array.from(all).sort();
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    let step = Number.POSITIVE_INFINITY;
    let different = 1;
    for (let i = 1; i < sorted.length; i++) {
      const gap = (sorted[i] ?? 0) - (sorted[i - 1] ?? 0);
      if (gap === 0) continue;
      different += 1;
      step = Math.min(step, gap);
    }
    if (different < minDifferentValues) continue;
    const width = Math.max((at(0.9) - at(0.1)) / cellsPerRange, minStepsPerCell * step);
    cells.set(name, { width, chance: computeChance(sorted, width) });
  }
  return cells;
}

function computeChance(sorted: Float64Array, width: number): number {
  let sum = 0;
  for (let from = 0; from < sorted.length; ) {
    const cell = Math.floor((sorted[from] ?? 0) / width);
    let to = from + 1;
    while (to < sorted.length && Math.floor((sorted[to] ?? 0) / width) === cell) to += 1;
    sum += ((to - from) / sorted.length) ** 2;
    from = to;
  }
  return sum;
}

/** A hash of 53 bits: among a hundred thousand rows, collisions are not to be expected. */
const hashCell = (cell: string, base: string): number =>
  hashString(cell, hashString(base)) * 2 ** 21 + (hashString(cell, hashString(base, 1)) >>> 11);

/** An input: all but spread numbers as one hash, where these lie in each grid, and the chance to share a cell. */
type Placed = { base: number; cells: number[]; chance: number };

function placeInput(input: JsonObject, known: ReadonlyMap<string, Cells>): Placed {
  const fixed: string[] = [];
  const spread: { name: string; place: number }[] = [];
  let chance = 1;
  for (const { path, value } of listLeaves(input)) {
    const name = path.join('.');
    const cells = known.get(name);
    if (cells !== undefined && isFiniteNumber(value)) {
      spread.push({ name, place: value / cells.width });
      chance *= cells.chance;
    } else fixed.push(`${name}=${JSON.stringify(Array.isArray(value) ? value.map(foldValue) : foldValue(value))}`);
  }
  spread.sort((a, b) => compareStrings(a.name, b.name));
  const words = `${fixed.sort(compareStrings).join('\n')}\n${spread.map(({ name }) => name).join(' ')}`;
  const base = hashCell('', words);
  if (spread.length === 0) return { base, cells: [base], chance: 0 };
  const seed = deriveSeed(randomStreams.nearRepeatGrids);
  const cells = Array.from({ length: grids }, (_, grid) => {
    // Every grid lies otherwise over every number: what an edge parts in one stands together in another.
    const places = spread.map(({ name, place }) =>
      Math.floor(place + (grid + hashNumber(hashString(name), seed) / 2 ** 32) / grids),
    );
    return hashCell(`${grid} ${places.join(' ')}`, words);
  });
  return { base, cells, chance };
}

/**
 * Finds groups of rows with different inputs that nearly repeat each other, or that follow from each other so: equal in
 * everything but letters' case, punctuation, order of words and numbers with many values, these in one cell of a grid
 * of a fiftieth of their range (from the 10th to the 90th of 100) or four of their steps. Gives the group of each row;
 * −1 for rows on their own, and where so many are equal in all else that chance brings numbers together. Linear in the
 * rows, up to a logarithm.
 */
function groupNearRepeats(rows: readonly Row[], maxChance: number): Int32Array {
  const firstOf = new Map<string, number>();
  const inputOf = Int32Array.from(rows, ({ content }) => {
    const first = firstOf.get(content) ?? firstOf.size;
    firstOf.set(content, first);
    return first;
  });
  const different: Row[] = [];
  rows.forEach((row, i) => {
    if (inputOf[i] === different.length) different.push(row);
  });
  const joined = createGroups(different.length);
  const known = measureCells(different);
  const placed = different.map(({ input }) => placeInput(input, known));
  const alike = new Map<number, number>();
  for (const { base } of placed) alike.set(base, (alike.get(base) ?? 0) + 1);
  const firstIn = new Map<number, number>();
  placed.forEach(({ base, cells, chance }, i) => {
    if (chance * (alike.get(base) ?? 0) > maxChance) return;
    for (const cell of cells) {
      const first = firstIn.get(cell);
      if (first === undefined) firstIn.set(cell, i);
      else joined.join(i, first);
    }
  });
  const sizes = new Int32Array(different.length);
  for (let i = 0; i < different.length; i++) sizes[joined.find(i)] += 1;
  return Int32Array.from(rows, (_, i) => {
    const root = joined.find(inputOf[i]);
    const size = sizes[root];
    return size > 1 && size <= maxInputsPerGroup ? root : -1;
  });
}

/** Each row's case: a number that it shares with its copies and near copies, −1 for a case of one row. */
export type Cases = {
  groups: Int32Array;
  /** Contents whose equal rows are cases of their own, as their fields allow few different rows. */
  apart: ReadonlySet<string>;
  /** Rows that stand together though their inputs differ. */
  nearRepeats: number;
};

/**
 * Finds rows that are one case: equal, or nearly so, where chance would bring together ten times fewer such rows, given
 * how often the fields have these values, alone and in pairs; or where the whole table is there several times. Rows for
 * which `isCounted` is false join a case, and make none.
 */
export function findCases<Each extends Row>(
  rows: readonly Each[],
  identifying: readonly (readonly string[])[],
  isCounted: (row: Each) => boolean = () => true,
  maxChance = maxChanceOnSide,
): Cases {
  const known = rows.map(({ content, input }) => ({ content, input: leaveOut(input, identifying) }));
  const near = groupNearRepeats(known, maxChance);
  const byContent = Map.groupBy(rows.keys(), (row) => rows[row].content);
  const groups = new Int32Array(rows.length).fill(-1);
  const apart = new Set<string>();
  const isRepeated = [...byContent.values()].some(({ length }) => length > 1);
  if (!isRepeated && near.every((group) => group < 0)) return { groups, apart, nearRepeats: 0 };
  const counted = [...rows.keys()].filter((row) => isCounted(rows[row]));
  const placeOf = new Map(counted.map((row, place) => [row, place]));
  const measure = compileChance(counted.map((row) => known[row]?.input ?? {}));
  const listCounted = (members: readonly number[]) => members.filter((row) => placeOf.has(row));
  const counts = [...byContent.values()].map((members) => listCounted(members).length).filter((count) => count > 0);
  const isWhole = counts.length >= minRepeated && counts.reduce(findDivisor, 0) > 1;
  const most = Math.max(maxCopies.rows, maxCopies.share * counted.length);
  const isOne = (contents: readonly (readonly number[])[]) => {
    const count = contents.reduce((sum, members) => sum + listCounted(members).length, 0);
    if (count > most || count < 2) return isWhole && count > 1;
    const expected = contents.reduce((sum, members) => {
      const place = placeOf.get(listCounted(members)[0] ?? -1);
      return place === undefined ? sum : sum + measure(place);
    }, 0);
    return isWhole || count >= minSurprise * expected;
  };
  let nearRepeats = 0;
  for (const members of Map.groupBy(byContent.values(), ([row = 0]) =>
    near[row] < 0 ? -1 - row : near[row],
  ).values()) {
    const isNear = members.length > 1 && isOne(members);
    for (const part of isNear ? [members] : members.map((each) => [each])) {
      const [first = 0] = part[0] ?? [];
      if (isNear || isOne(part)) for (const row of part.flat()) groups[row] = first;
      else if (listCounted(part.flat()).length > 1) apart.add(rows[first].content);
    }
    if (isNear) nearRepeats += members.flat().length;
  }
  return { groups, apart, nearRepeats };
}

const findDivisor = (a: number, b: number): number => (b === 0 ? a : findDivisor(b, a % b));

/** Prepares saying how many rows that agree with one are expected at random. */
function compileChance(inputs: readonly JsonObject[]): (row: number) => number {
  const fields = codeFields(inputs);
  const chance = learnChances(fields, inputs.length).compile([...fields.keys()]);
  return (row) => inputs.length * exp(chance(row));
}
