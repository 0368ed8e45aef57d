/** How far readers who labelled the same rows agree: Cohen's kappa of two, Krippendorff's alpha of any number. */
import { computeWilsonInterval, type Interval } from '../intervals.ts';
import { createRandom } from '../random.ts';

/** The label that a reader gave a row; of one row and reader there is one. */
export type GivenLabel = { row: string; reader: string; option: string };
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
  /** Of each option: rows where a reader gave it, and on how many of these all agree. */
  byOption: { option: string; rows: number; agreed: number }[];
};

const normal95 = 1.959963984540054;
const alphaDraws = 400;
const alphaSeed = 7;

const addTo = (counts: Map<string, number>, key: string, by = 1) => counts.set(key, (counts.get(key) ?? 0) + by);

/** Zero for what only rounding has left of it: nobody reads -0.00. */
const dropNoise = (value: number) => (Math.abs(value) < 1e-12 ? 0 : value);

/**
 * Cohen's kappa (1960) with the 95% interval of its large-sample variance (Fleiss, Cohen and Everitt 1969); null
 * without pairs, and where both readers gave one and the same label alone.
 */
export function computeKappa(pairs: readonly (readonly [string, string])[]): Coefficient | null {
  const n = pairs.length;
  const [first, second] = [new Map<string, number>(), new Map<string, number>()];
  for (const [a, b] of pairs) {
    addTo(first, a, 1 / n);
    addTo(second, b, 1 / n);
  }
  const observed = pairs.filter(([a, b]) => a === b).length / n;
  const expected = [...first].reduce((sum, [option, share]) => sum + share * (second.get(option) ?? 0), 0);
  if (n === 0 || expected >= 1) return null;
  let spread = -((observed * expected - 2 * expected + observed) ** 2);
  for (const [a, b] of pairs) {
    const margins = (second.get(a) ?? 0) + (first.get(b) ?? 0);
    spread += (a === b ? 1 - expected - margins * (1 - observed) : margins * (1 - observed)) ** 2 / n;
  }
  const half = (normal95 * Math.sqrt(Math.max(0, spread) / n)) / (1 - expected) ** 2;
  const value = dropNoise((observed - expected) / (1 - expected));
  return { value, low: Math.max(-1, dropNoise(value - half)), high: Math.min(1, dropNoise(value + half)) };
}

/**
 * Krippendorff's alpha for nominal data (2011): `rows` are the labels of each row, of any number of readers; those of
 * one label alone do not count. Null where nothing is left to compare, or only one label was ever given.
 */
export function computeAlpha(rows: readonly (readonly string[])[]): number | null {
  const totals = new Map<string, number>();
  let count = 0;
  let disagreed = 0;
  for (const labels of rows) {
    if (labels.length < 2) continue;
    const own = new Map<string, number>();
    for (const label of labels) {
      addTo(own, label);
      addTo(totals, label);
    }
    count += labels.length;
    for (const times of own.values()) disagreed += (times * (labels.length - times)) / (labels.length - 1);
  }
  const guessed = [...totals.values()].reduce((sum, times) => sum + times * (count - times), 0) / (count - 1);
  return count === 0 || guessed === 0 ? null : dropNoise(1 - disagreed / guessed);
}

/** Alpha with the interval of a percentile bootstrap over rows (Efron 1979), from a fixed seed. */
function computeAlphaInterval(rows: readonly (readonly string[])[]): Coefficient | null {
  const value = computeAlpha(rows);
  if (value === null) return null;
  const random = createRandom(alphaSeed);
  const drawn = Array.from({ length: alphaDraws }, () => {
    const sample = rows.map(() => rows[Math.floor(random() * rows.length)] ?? []);
    // Where all readers give one label, they agree.
    return computeAlpha(sample) ?? 1;
  }).sort((a, b) => a - b);
  const at = (share: number) => drawn[Math.round(share * (alphaDraws - 1))] ?? value;
  return { value, low: at(0.025), high: at(0.975) };
}

/** Compares all labels that readers gave; pairs with the most rows come first, options by the share of agreement. */
export function measureAgreement(labels: readonly GivenLabel[]): Agreement {
  const byRow = [...Map.groupBy(labels, ({ row }) => row).values()].filter((given) => given.length > 1);
  const isAgreed = (given: readonly GivenLabel[]) => given.every(({ option }) => option === given[0]?.option);
  const agreed = byRow.filter(isAgreed).length;
  const pairs = new Map<string, { readers: [string, string]; given: [string, string][] }>();
  const options = new Map<string, { rows: number; agreed: number }>();
  for (const given of byRow) {
    const sorted = given.toSorted((a, b) => (a.reader < b.reader ? -1 : 1));
    for (const [at, a] of sorted.entries()) {
      for (const b of sorted.slice(at + 1)) {
        const key = JSON.stringify([a.reader, b.reader]);
        const pair = pairs.get(key) ?? { readers: [a.reader, b.reader], given: [] };
        pair.given.push([a.option, b.option]);
        pairs.set(key, pair);
      }
    }
    for (const option of new Set(given.map((each) => each.option))) {
      const { rows, agreed: before } = options.get(option) ?? { rows: 0, agreed: 0 };
      options.set(option, { rows: rows + 1, agreed: before + Number(isAgreed(given)) });
    }
  }
  return {
    rows: byRow.length,
    agreed,
    share: byRow.length === 0 ? null : { value: agreed / byRow.length, ...computeWilsonInterval(agreed, byRow.length) },
    alpha: computeAlphaInterval(byRow.map((given) => given.map(({ option }) => option))),
    pairs: [...pairs.values()]
      .map(({ readers, given }) => ({
        readers,
        rows: given.length,
        agreed: given.filter(([a, b]) => a === b).length,
        kappa: computeKappa(given),
      }))
      .sort((a, b) => b.rows - a.rows),
    byOption: [...options]
      .map(([option, counts]) => ({ option, ...counts }))
      .sort((a, b) => a.agreed / a.rows - b.agreed / b.rows),
  };
}

const percent = (share: number) => `${Math.round(share * 100)}%`;

/** Says how far readers agree, as the most that a policy can be asked for. */
export function describeAgreement({ rows, share, alpha }: Pick<Agreement, 'rows' | 'share' | 'alpha'>): string {
  if (share === null) return 'No example was read twice yet.';
  const range = `${percent(share.low)} to ${percent(share.high)}`;
  const corrected =
    alpha === null ? '' : ` Krippendorff's alpha, which takes away what luck would give, is ${alpha.value.toFixed(2)}.`;
  return `Two readers agree on ${percent(share.value)} of ${rows} rows (${range}).${corrected}`;
}
