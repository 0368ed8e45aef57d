/** How far readers who labelled the same rows agree: Cohen's kappa of two, Krippendorff's alpha of any number. */
import { computeWilsonInterval, type Interval } from '../intervals.ts';
import { countOf, formatRange, formatShare } from '../numeric.ts';
import { createRandom } from '../random.ts';

/** The label that a reader gave a row, or `rows` that the same readers labelled alike; of one reader there is one. */
export type GivenLabel = { row: string; reader: string; option: string; rows?: number };
/** Two labels of a row, and of how many rows. */
type LabelPair = readonly [string, string, number?];
type Coefficient = Interval & { value: number };
/** Two readers on the rows that both labelled; `kappa` is null where both always gave one and the same label. */
type PairAgreement = {
  readers: [string, string];
  rows: number;
  agreed: number;
  kappa: Coefficient | null;
};
export type Agreement = {
  /** Rows that two readers or more labelled, and on how many of them all agree. */
  rows: number;
  agreed: number;
  /** The share of agreed rows; null without rows. */
  share: Coefficient | null;
  alpha: Coefficient | null;
  pairs: PairAgreement[];
  /** For each option the rows where a reader gave it, and on how many of these all agree. */
  byOption: { option: string; rows: number; agreed: number }[];
};

const normal95 = 1.959963984540054;
const alphaDraws = 400;
/** Rows of one draw; of more the interval is narrowed by the root of their share, so that its time stays the same. */
const maxDrawnRows = 2_000;
const alphaSeed = 7;

const addTo = (counts: Map<string, number>, key: string, by = 1) => counts.set(key, (counts.get(key) ?? 0) + by);

/** Zero for what only rounding has left of it: nobody reads -0.00. */
const dropNoise = (value: number) => (Math.abs(value) < 1e-12 ? 0 : value);

/**
 * Cohen's kappa (1960) with the 95% interval of its large-sample variance (Fleiss, Cohen and Everitt 1969); null
 * without pairs, and where both readers gave one and the same label alone. Where one of them did, that variance is 0
 * whatever is known, and the interval is Wilson's of the share that they agree on.
 */
export function computeKappa(pairs: readonly LabelPair[]): Coefficient | null {
  const n = pairs.reduce((sum, [, , rows = 1]) => sum + rows, 0);
  const [first, second] = [new Map<string, number>(), new Map<string, number>()];
  let observed = 0;
  for (const [a, b, rows = 1] of pairs) {
    addTo(first, a, rows / n);
    addTo(second, b, rows / n);
    if (a === b) observed += rows / n;
  }
  const expected = [...first].reduce((sum, [option, share]) => sum + share * (second.get(option) ?? 0), 0);
  if (n === 0 || expected >= 1) return null;
  let spread = -((observed * expected - 2 * expected + observed) ** 2);
  for (const [a, b, rows = 1] of pairs) {
    const margins = (second.get(a) ?? 0) + (first.get(b) ?? 0);
    spread += (rows * (a === b ? 1 - expected - margins * (1 - observed) : margins * (1 - observed)) ** 2) / n;
  }
  if (first.size === 1 || second.size === 1) {
    const share = computeWilsonInterval(observed * n, n);
    const toKappa = (agreed: number) => Math.max(-1, Math.min(1, (agreed - expected) / (1 - expected)));
    return { value: 0, low: toKappa(share.low), high: toKappa(share.high) };
  }
  const half = (normal95 * Math.sqrt(Math.max(0, spread) / n)) / (1 - expected) ** 2;
  const value = dropNoise((observed - expected) / (1 - expected));
  return { value, low: Math.max(-1, dropNoise(value - half)), high: Math.min(1, dropNoise(value + half)) };
}

/**
 * Krippendorff's alpha for nominal data (2011): `rows` are the labels of each row, of any number of readers; those of
 * one label alone do not count. Null where nothing is left to compare, or only one label was ever given.
 */
export const computeAlpha = (rows: readonly (readonly string[])[]): number | null =>
  compileAlpha(rows)(new Float64Array(rows.length).fill(1));

/** Prepares alpha of rows, each as often as it is counted: a draw reads numbers alone. */
function compileAlpha(rows: readonly (readonly string[])[]): (counts: Float64Array) => number | null {
  const places = new Map<string, number>();
  const compared = rows.map((labels) => {
    const own = new Map<string, number>();
    if (labels.length > 1) for (const label of labels) addTo(own, label);
    const given = [...own].map(([label, times]) => {
      const place = places.get(label) ?? places.size;
      places.set(label, place);
      return { place, times };
    });
    const size = given.length === 0 ? 0 : labels.length;
    const disagreed = given.reduce((sum, { times }) => sum + (times * (size - times)) / (size - 1), 0);
    return { given, size, disagreed };
  });
  return (counts) => {
    const totals = new Float64Array(places.size);
    let count = 0;
    let disagreed = 0;
    for (const [at, row] of compared.entries()) {
      const times = counts[at] ?? 0;
      if (times === 0) continue;
      count += times * row.size;
      disagreed += times * row.disagreed;
      for (const each of row.given) totals[each.place] = (totals[each.place] ?? 0) + times * each.times;
    }
    const guessed = totals.reduce((sum, times) => sum + times * (count - times), 0) / (count - 1);
    return count === 0 || guessed === 0 ? null : dropNoise(1 - disagreed / guessed);
  };
}

/** Alpha with the interval of a percentile bootstrap over rows (Efron 1979), from a fixed seed. */
function computeAlphaInterval(rows: readonly (readonly string[])[], counts: Float64Array): Coefficient | null {
  const alphaOf = compileAlpha(rows);
  const value = alphaOf(counts);
  if (value === null) return null;
  const random = createRandom(alphaSeed);
  const n = counts.reduce((sum, each) => sum + each, 0);
  const kinds = new Uint32Array(n);
  let filled = 0;
  for (const [kind, times] of counts.entries()) {
    kinds.fill(kind, filled, filled + times);
    filled += times;
  }
  const size = Math.min(n, maxDrawnRows);
  const drawn = Array.from({ length: alphaDraws }, () => {
    const sample = new Float64Array(rows.length);
    for (let row = 0; row < size; row++) {
      const kind = kinds[Math.floor(random() * n)] ?? 0;
      sample[kind] = (sample[kind] ?? 0) + 1;
    }
    // Where all readers give one label, they agree.
    return alphaOf(sample) ?? 1;
  }).sort((a, b) => a - b);
  const at = (share: number) =>
    value + ((drawn[Math.round(share * (alphaDraws - 1))] ?? value) - value) * Math.sqrt(size / n);
  return { value, low: at(0.025), high: at(0.975) };
}

/** Compares all labels that readers gave; pairs with the most rows come first, options by the share of agreement. */
export function measureAgreement(labels: readonly GivenLabel[]): Agreement {
  const byRow = [...Map.groupBy(labels, ({ row }) => row).values()].filter((given) => given.length > 1);
  const isAgreed = (given: readonly GivenLabel[]) => given.every(({ option }) => option === given[0]?.option);
  const countRows = (given: readonly GivenLabel[]) => given[0]?.rows ?? 1;
  const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);
  const rows = sum(byRow.map(countRows));
  const agreed = sum(byRow.filter(isAgreed).map(countRows));
  const pairs = new Map<string, { readers: [string, string]; given: [string, string, number][] }>();
  const options = new Map<string, { rows: number; agreed: number }>();
  for (const given of byRow) {
    const sorted = given.toSorted((a, b) => (a.reader < b.reader ? -1 : 1));
    for (const [at, a] of sorted.entries()) {
      for (const b of sorted.slice(at + 1)) {
        const key = JSON.stringify([a.reader, b.reader]);
        const pair = pairs.get(key) ?? { readers: [a.reader, b.reader], given: [] };
        pair.given.push([a.option, b.option, countRows(given)]);
        pairs.set(key, pair);
      }
    }
    for (const option of new Set(given.map((each) => each.option))) {
      const known = options.get(option) ?? { rows: 0, agreed: 0 };
      const own = countRows(given);
      options.set(option, { rows: known.rows + own, agreed: known.agreed + (isAgreed(given) ? own : 0) });
    }
  }
  return {
    rows,
    agreed,
    share: rows === 0 ? null : { value: agreed / rows, ...computeWilsonInterval(agreed, rows) },
    alpha: computeAlphaInterval(
      byRow.map((given) => given.map(({ option }) => option)),
      Float64Array.from(byRow, countRows),
    ),
    pairs: [...pairs.values()]
      .map(({ readers, given }) => ({
        readers,
        rows: sum(given.map(([, , count]) => count)),
        agreed: sum(given.filter(([a, b]) => a === b).map(([, , count]) => count)),
        kappa: computeKappa(given),
      }))
      .sort((a, b) => b.rows - a.rows),
    byOption: [...options]
      .map(([option, counts]) => ({ option, ...counts }))
      .sort((a, b) => a.agreed / a.rows - b.agreed / b.rows),
  };
}

/** Below the one beside more than the other, alpha wants a word. */
const maxLowAlpha = 0.4;
const minHighShare = 0.8;

/** Says how far readers agree, as the most that a policy can be asked for. */
export function describeAgreement({ rows, share, alpha }: Pick<Agreement, 'rows' | 'share' | 'alpha'>): string {
  if (share === null) return 'No example was read twice yet.';
  const range = formatRange(share);
  const corrected =
    alpha === null
      ? ''
      : ` Krippendorff's alpha, which corrects for chance, is ${(Math.round(100 * alpha.value) / 100 || 0).toFixed(2)}.`;
  const isLow = alpha !== null && alpha.value < maxLowAlpha && share.value > minHighShare;
  const why = isLow ? ' It is low because nearly all labels are the same, so that readers agree at random, too.' : '';
  return `Two readers agree on ${formatShare(share.value)} of ${countOf(rows, 'row')} (${range}).${corrected}${why}`;
}
