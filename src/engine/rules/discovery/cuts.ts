/** Where numbers are worth cutting in two, and how such a place is written so that people like to read it. */

const maxCuts = 24;
const quantiles = 16;

/** Cuts of a column: between few values, else at its sixteenths and where they tell an option best. Ascending. */
export function findCuts(values: Float64Array, labels: Int32Array, optionCount: number): number[] {
  const { order, borders, at } = sortColumn(values);
  const chosen = new Set<number>();
  if (borders.length <= maxCuts) for (const border of borders) chosen.add(border);
  else {
    for (let q = 1; q < quantiles; q++) {
      const wanted = Math.floor((order.length * q) / quantiles);
      const border = borders.find((place) => place >= wanted);
      if (border !== undefined) chosen.add(border);
    }
    for (const border of findTellingBorders(order, labels, optionCount, borders)) chosen.add(border);
  }
  const cuts = [...chosen].sort((a, b) => a - b).map((place) => findReadableNumber(at(place), at(place + 1)));
  return [...new Set(cuts)];
}

/**
 * For each option the borders below and above which its rows outweigh those of others most. One of another option
 * weighs as much as nine (an almost pure tail), as the option's odds (weighted relative accuracy: a tail with more of
 * it than elsewhere; Lavrač, Flach & Zupan 1999), or between the two.
 */
function findTellingBorders(
  order: readonly number[],
  labels: Int32Array,
  optionCount: number,
  borders: readonly number[],
): Set<number> {
  const found = new Set<number>();
  const rows = order.length;
  for (let option = 0; option < optionCount; option++) {
    const isOwn = order.map((row) => labels[row] === option);
    const total = isOwn.filter(Boolean).length;
    if (total === 0 || total === rows) continue;
    const odds = total / (rows - total);
    for (const weight of [9, Math.sqrt(9 * odds), odds]) {
      const { below, above } = findBestBorders(isOwn, total, borders, weight);
      for (const border of [below, above]) if (border >= 0) found.add(border);
    }
  }
  return found;
}

/** Finds the cut beyond which own rows outweigh others (`weight` each) most; null where they never do. */
export function findBestCut(
  values: Float64Array,
  isOwn: readonly boolean[],
  weight: number,
  side: 'above' | 'below',
): number | null {
  const { order, borders, at } = sortColumn(values);
  const sorted = order.map((row) => isOwn[row] === true);
  const border = findBestBorders(sorted, sorted.filter(Boolean).length, borders, weight)[side];
  return border < 0 ? null : findReadableNumber(at(border), at(border + 1));
}

/** The places of a column's values in ascending order, and those with a greater value right behind them. */
function sortColumn(values: Float64Array): { order: number[]; borders: number[]; at(place: number): number } {
  const order = Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  const at = (place: number) => values[order[place]];
  const borders: number[] = [];
  for (let place = 0; place + 1 < order.length; place++) if (at(place) < at(place + 1)) borders.push(place);
  return { order, borders, at };
}

/** The border below which own rows outweigh others most, and the one above which they do; −1 for none. */
function findBestBorders(
  isOwn: readonly boolean[],
  total: number,
  borders: readonly number[],
  weight: number,
): { below: number; above: number } {
  let place = 0;
  let own = 0;
  let below = { value: 0, border: -1 };
  let above = { value: 0, border: -1 };
  for (const border of borders) {
    for (; place <= border; place++) if (isOwn[place]) own++;
    const valueBelow = own - weight * (place - own);
    const valueAbove = total - own - weight * (isOwn.length - place - (total - own));
    if (valueBelow > below.value) below = { value: valueBelow, border };
    if (valueAbove > above.value) above = { value: valueAbove, border };
  }
  return { below: below.border, above: above.border };
}

/** The number from `low` on and below `high` that has the fewest digits: 60 for 57 and 63. */
export function findReadableNumber(low: number, high: number): number {
  if (low <= 0 && high > 0) return 0;
  const largest = Number(Math.max(Math.abs(low), Math.abs(high)).toExponential().split('e')[1]);
  for (let exponent = largest; exponent >= largest - 15; exponent--) {
    const step = 10 ** exponent;
    const candidate = Number((Math.ceil(low / step) * step).toPrecision(15));
    if (candidate >= low && candidate < high) return candidate;
  }
  return low;
}
