/** How well the values of one column alone tell the label, measured on rows that they were not counted from. */

export type Value = string | number | boolean | null | undefined;
/** Shares of the labelled `rows`: labelled as most others with their value, and with the commonest label. */
export type Telling = { rows: number; share: number; baseline: number };

const maxCategories = 50;
/** Numbers are put into bins of about this many rows, in which the label may change once without being seen. */
const rowsPerBin = 4;
const minBins = 20;
const maxBins = 500;

/** Labelled rows below which purity may be chance, and the rows without the commonest label that it takes. */
const minRows = 50;
const minOtherRows = 10;
/** A column that alone is wrong this rarely, and in so few of the rows without the commonest label, settles it. */
const maxError = 0.02;
const maxErrorOfOthers = 0.2;

/** Ends of bins with about equally many numbers, ascending, the last one infinite; fewer where numbers repeat. */
export function findBinEnds(numbers: readonly number[], bins: number): number[] {
  const sorted = Float64Array.from(numbers).sort();
  const ends = new Set<number>();
  for (let bin = 1; bin < bins; bin++) {
    const end = sorted[Math.ceil((bin * sorted.length) / bins) - 1];
    if (end !== undefined && end < (sorted.at(-1) ?? 0)) ends.add(end);
  }
  return [...ends, Number.POSITIVE_INFINITY];
}

/** The index of the first end that is not below a number. */
function findBin(ends: readonly number[], number: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Makes values categories: numbers with many different values become their bin. */
function createCategorizer(values: readonly Value[]): (value: Value) => string {
  const numbers = values.filter((value) => typeof value === 'number');
  if (new Set(numbers).size <= maxCategories) return (value) => `${typeof value} ${String(value)}`;
  const bins = Math.max(minBins, Math.min(maxBins, Math.floor(numbers.length / rowsPerBin)));
  const ends = findBinEnds(numbers, bins);
  return (value) => (typeof value === 'number' ? `bin ${findBin(ends, value)}` : `${typeof value} ${String(value)}`);
}

/** The rows of one value by their labels that most of the other rows with it have (leave-one-out). */
function countRight(byLabel: ReadonlyMap<number, number>): number {
  let most = 0;
  let second = 0;
  for (const count of byLabel.values()) {
    second = Math.max(second, Math.min(most, count));
    most = Math.max(most, count);
  }
  return most > 1 && most - 1 > second ? most : 0;
}

/**
 * Measures how well the values of a column tell the labels of its rows, those below 0 left out, and those without a
 * value where they are the fewer ones. A row is right where most of the other rows with its value, or in its bin of
 * numbers, have its label: different values in all rows tell nothing.
 */
export function measureTelling(values: readonly Value[], labels: readonly number[]): Telling {
  const toCategory = createCategorizer(values);
  const isKnown = (row: number) => values[row] !== null && values[row] !== undefined;
  const labelled = [...labels.keys()].filter((row) => (labels[row] ?? -1) >= 0);
  const known = labelled.filter(isKnown);
  const byCategory = new Map<string, Map<number, number>>();
  const totals = new Map<number, number>();
  const counted = known.length * 2 > labelled.length ? known : labelled;
  const rows = counted.length;
  for (const row of counted) {
    const label = labels[row] ?? 0;
    const category = toCategory(values[row]);
    const counts = byCategory.get(category) ?? new Map<number, number>();
    byCategory.set(category, counts.set(label, (counts.get(label) ?? 0) + 1));
    totals.set(label, (totals.get(label) ?? 0) + 1);
  }
  const right = [...byCategory.values()].reduce((sum, counts) => sum + countRight(counts), 0);
  return { rows, share: rows === 0 ? 0 : right / rows, baseline: Math.max(0, ...totals.values()) / Math.max(1, rows) };
}

/** The least share of one label's rows that have a value no other row has, where it tells the label by being there. */
const minGiven = 0.9;

/** Finds the only label whose rows have a value in a field, if most of them do; null if there is none. */
export function findOnlyGiven(
  given: readonly boolean[],
  labels: readonly number[],
): { label: number; share: number } | null {
  const counts = new Map<number, { rows: number; given: number }>();
  for (const [row, label] of labels.entries()) {
    if (label < 0) continue;
    const count = counts.get(label) ?? { rows: 0, given: 0 };
    counts.set(label, { rows: count.rows + 1, given: count.given + Number(given[row]) });
  }
  const having = [...counts].filter((each) => each[1].given > 0);
  const [[label, count] = [-1, { rows: 0, given: 0 }]] = having;
  const others = [...counts.values()].reduce((sum, { rows }) => sum + rows, 0) - count.rows;
  const isOnly = having.length === 1 && count.given >= minGiven * count.rows;
  return isOnly && Math.min(count.rows, others) >= minOtherRows ? { label, share: count.given / count.rows } : null;
}

/** Whether a column alone settles the label, wrong in no more than `most`, as far as this many rows can show. */
export function isLeak({ rows, share, baseline }: Telling, most = maxError): boolean {
  const others = 1 - baseline;
  return rows >= minRows && others * rows >= minOtherRows && 1 - share <= Math.min(most, maxErrorOfOthers * others);
}
