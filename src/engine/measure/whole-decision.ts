/** The whole decision measured: rules, then classifier, then thresholds, as they stand. */

import { type Metrics, type OtherWay, readWay } from '../domain/metrics.ts';
import { atRandom, nameFields, type SplitWay } from '../domain/training.ts';
import { minDrawnRows } from '../drawn-rows.ts';
import { computeWilsonInterval } from '../intervals.ts';
import type { MeasuredShare, WholeDecision } from '../measured.ts';
import { formatCount, formatRange, formatShare } from '../numeric.ts';
import type { ThresholdSettings } from '../thresholds.ts';
import { quoteAccuracy, quoteShare } from './quote-share.ts';
import { decideRow, listUnits, type ReappliedRow } from './reapply.ts';

/** A counted share with its Wilson interval, of as many independent rows as `effective` says. */
export function measureShare(count: number, of: number, effective = of): MeasuredShare {
  const share = of === 0 ? null : count / of;
  return { count, of, share, ...computeWilsonInterval((share ?? 0) * effective, effective) };
}

/**
 * Measures the share of rows that are hits; its interval is of as many rows as their groups are worth. Of rows `aside`
 * nobody knows: the interval reaches from where none of them is a hit to where all are (Horowitz & Manski 2000).
 */
export function measureRows<Row extends Pick<ReappliedRow, 'group' | 'period'>>(
  rows: readonly Row[],
  isHit: (row: Row) => boolean,
  { aside, areHits }: { aside: number; areHits: boolean } = { aside: 0, areHits: false },
): MeasuredShare {
  const hits = rows.map(isHit);
  const count = hits.filter(Boolean).length;
  const effective = countEffective(rows, hits);
  if (aside === 0 || rows.length === 0) return measureShare(count, rows.length, effective);
  const of = rows.length + aside;
  const scaled = (effective * of) / rows.length;
  const [least, most] = [measureShare(count, of, scaled), measureShare(count + aside, of, scaled)];
  return { ...(areHits ? most : least), low: least.low, high: most.high };
}

/** Quantiles of Student's t at 97.5% for 1 to 5 degrees of freedom, squared, in those of the normal distribution. */
const tOverNormal = [42.03, 4.82, 2.64, 2.01, 1.72];

/**
 * How many independent rows would say as much as rows of groups and periods (the design effect, Kish 1965): the
 * variance that their share has by these beside that by rows. Where all are alike, each group counts once; as periods
 * are few, their variance is known no better than Student's t allows.
 */
function countEffective(rows: readonly Pick<ReappliedRow, 'group' | 'period'>[], hits: readonly boolean[]): number {
  const units = listUnits(rows);
  const share = hits.filter(Boolean).length / Math.max(1, rows.length);
  const binomial = rows.length * share * (1 - share);
  if (binomial === 0) return units.length;
  const sumSquares = (parts: readonly number[][]) =>
    parts.reduce((sum, part) => {
      const right = part.filter((row) => hits[row]).length;
      return sum + (right - share * part.length) ** 2;
    }, 0);
  const inTime = [...rows.keys()].filter((row) => rows[row]?.period !== undefined);
  const periods = [...Map.groupBy(inTime, (row) => rows[row]?.period).values()];
  const perPeriod = ((tOverNormal[periods.length - 2] ?? 0) * periods.length) / Math.max(1, periods.length - 1);
  const byUnits = units.length === rows.length ? binomial : sumSquares(units);
  return rows.length / Math.max(1, byUnits / binomial, (perPeriod * sumSquares(periods)) / binomial);
}

/** Says how many drawn rows are missing for a figure; null where there are enough, or rows are not drawn. */
function describeTooFew(rows: number, { isDrawn }: Basis): string | null {
  return isDrawn && rows < minDrawnRows.figure
    ? `Accuracy not known yet: ${rows} of ${minDrawnRows.figure} random rows have a label. ${labelRandomOnly}`
    : null;
}

const labelRandomOnly = 'Label random rows only to get there sooner.';

/** Says how many drawn rows are missing for a promise; null where there are enough, or rows are not `isDrawn`. */
export function describeMissingDrawn(rows: number, isDrawn = false): string | null {
  return isDrawn && rows < minDrawnRows.promise
    ? `No promise yet: ${rows} of ${minDrawnRows.promise} random rows have a label. ${labelRandomOnly}`
    : null;
}

type Circumstances = {
  /** Rows that cannot be decided again; only reported. */
  missing: number;
  /** Rows that earlier policies got wrong and that are held out no more; only reported. */
  dropped?: number | undefined;
  /** Those of the rows that were taken out and are measured by earlier answers; only reported. */
  takenOut?: readonly ReappliedRow[];
  basis?: Basis;
};

/** How the measured rows came to be, as far as it belongs to their figures. */
export type Basis = {
  /** Whether they are those drawn among rows that came without a label: too few of them say nothing. */
  isDrawn: boolean;
  /** Whether somebody chose them, by marks or by a column. */
  isChosen: boolean;
  /** The figure of rows held out at random where they were chosen; null where it is not known. */
  atRandom: Pick<OtherWay, 'accuracy' | 'standing'> | null;
  /** How they were held out. */
  way: SplitWay;
  /** Rows that they stand for as well and that were put aside without a label. */
  aside: number;
  cautions: readonly string[];
  /** Why the figure of the rows says nothing; null where it does. */
  unknown: string | null;
};
const usualBasis: Basis = {
  isDrawn: false,
  isChosen: false,
  atRandom: null,
  way: atRandom,
  aside: 0,
  cautions: [],
  unknown: null,
};

/** Names new customers, wordings or times as what they are. */
function nameRows({ by, field }: SplitWay): string {
  if (by === 'group') return ` with new ${nameFields(field ?? '')}`;
  return by === 'date' ? ` of the newest by ${nameFields(field ?? '')}` : '';
}

/** Reads how the rows of a policy came to be from its metrics. */
export function readBasis({ split, other_ways, cautions }: Pick<Metrics, 'split' | 'other_ways' | 'cautions'>): Basis {
  const isChosen = split?.rule === 'test_rows' || split?.rule === 'column';
  const atRandom = isChosen ? other_ways?.find((way) => way.split.by === 'random') : undefined;
  return {
    isDrawn: split?.rule === 'drawn',
    isChosen,
    atRandom: atRandom ?? null,
    way: readWay(split),
    aside: split?.put_aside ?? 0,
    cautions: cautions.map(({ sentence }) => sentence),
    unknown: cautions.find(({ kind }) => kind === 'own_answers' || kind === 'known_late')?.sentence ?? null,
  };
}

/** Measures the whole decision on held-out rows. */
export function measureWholeDecision(
  { rows, refused }: { rows: readonly ReappliedRow[]; refused: number },
  settings: ThresholdSettings,
  { missing, dropped = 0, takenOut = [], basis = usualBasis }: Circumstances,
): WholeDecision {
  const outcomes = rows.map((row) => ({ ...row, ...decideRow(row, settings) }));
  type Outcome = (typeof outcomes)[number];
  const isRight = ({ decision, expected }: Outcome) => decision === expected;
  const alone = outcomes.filter(({ escalate }) => !escalate);
  const total = rows.length;
  const distinct = listUnits(rows).length;
  const unknown = basis.unknown ?? describeTooFew(total, basis);
  const isUnknown = unknown !== null;
  const atRandom = basis.atRandom?.standing === 'lower' ? basis.atRandom.accuracy : null;
  const hide = (share: MeasuredShare) => (isUnknown ? { ...share, share: null, low: 0, high: 1 } : share);
  const { aside } = basis;
  const measure = (isHit: (row: Outcome) => boolean, areHits = false) =>
    measureRows(outcomes, isHit, { aside, areHits });
  const automatic = measure(({ escalate }) => !escalate);
  const errorOfRows = measureRows(alone, (row) => !isRight(row), { aside, areHits: true });
  const error = atRandom === null ? hide(errorOfRows) : { ...errorOfRows, share: null, low: 0, high: 1 };
  const ofRows = hide(measure(isRight));
  const accuracy = atRandom ?? ofRows;
  const baseline = isUnknown ? null : measureBaseline(rows, settings);
  const relabelled = describeRelabelled(
    rows.filter((row) => row.relabelled).length,
    ofRows,
    measure((row) => row.decision === (row.relabelled ?? row.expected)),
  );
  const droppedRows = describeDropped(dropped);
  const takenOutRows = describeTakenOut(takenOut);
  const copies = basis.way.by === 'random' ? describeCopies(total, distinct) : [];
  const said = [relabelled, takenOutRows, droppedRows]
    .flatMap((part) => part?.sentence ?? [])
    .concat(copies, basis.cautions);
  const chosen = describeBasis(ofRows, basis);
  return {
    rows: total,
    missing,
    refused,
    masked: rows.filter(({ isMasked }) => isMasked).length,
    headline: isUnknown ? unknown : [describeHeadline(ofRows, baseline, basis, chosen), ...said].join(' '),
    remarks: isUnknown ? [] : [chosen ?? describeAside(ofRows, aside) ?? [], said].flat(),
    accuracy,
    automatic,
    by_rule: measureRows(outcomes, ({ stage }) => stage === 'rules'),
    error_automatic: error,
    escalated: measure(({ escalate }) => escalate, true),
    fallback: measureRows(outcomes, ({ stage }) => stage === 'fallback'),
    baseline,
    relabelled,
    taken_out: takenOutRows,
    dropped: droppedRows,
    sentence: isUnknown
      ? 'How many would be decided wrongly is not known yet.'
      : atRandom === null
        ? describe(automatic, error, aside)
        : 'How many would be decided wrongly is not known: the examples that were chosen are easier than others.',
  };
}

/** Measures how often the commonest answer (first by name), and rules alone, would be right. */
function measureBaseline(
  rows: readonly ReappliedRow[],
  { fallback_option }: Pick<ThresholdSettings, 'fallback_option'>,
): WholeDecision['baseline'] {
  const counts = new Map<string, number>();
  for (const { expected } of rows) counts.set(expected, (counts.get(expected) ?? 0) + 1);
  const [commonest] = [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  if (commonest === undefined) return null;
  const [option, count] = commonest;
  const rightByRules = rows.filter(({ ruled, expected }) => (ruled ?? fallback_option) === expected).length;
  const isRuled = rows.some(({ ruled }) => ruled !== null);
  return {
    option,
    accuracy: measureShare(count, rows.length),
    rules_alone: isRuled ? measureShare(rightByRules, rows.length) : null,
  };
}

/** Says of chosen rows how they compare with others, in a sentence; null where the rows were not chosen. */
function describeBasis(
  { share, of }: Pick<MeasuredShare, 'share' | 'of'>,
  { isChosen, atRandom }: Pick<Basis, 'isChosen' | 'atRandom'>,
): string | null {
  const random = atRandom?.accuracy.share ?? null;
  if (random !== null && share !== null && atRandom?.standing === 'lower')
    return `On the ${of} that were chosen it is ${formatShare(share)}, which is too good for new data.`;
  return isChosen
    ? `On examples held out at random it is ${random === null ? 'not known' : formatShare(random)}.`
    : null;
}

function describeHeadline(
  ofRows: MeasuredShare,
  baseline: WholeDecision['baseline'],
  { isDrawn, isChosen, atRandom, way, aside }: Basis,
  chosen: string | null,
): string {
  if (baseline === null) return 'Not measured: no unseen example is left.';
  const { option, accuracy, rules_alone: rules } = baseline;
  const say = (measured: MeasuredShare, examples: string) => {
    const quote = quoteAccuracy(measured);
    if (!quote.isKnown) return `${quote.headline}.`;
    const { isRange, figure, beside } = quote;
    return isRange
      ? `Correct on ${figure} (95% confidence interval; ${beside} unseen examples${examples}).`
      : `Correct on ${figure} of ${measured.of} unseen examples${examples} (95% confidence interval ${beside}).`;
  };
  const random = atRandom?.accuracy;
  if (random && atRandom?.standing === 'lower') {
    return `${say(random, ' held out at random')} ${chosen}`;
  }
  const which = isDrawn ? ' drawn at random' : isChosen ? ' that were chosen' : nameRows(way);
  const atOnce = describeAside(ofRows, aside, which) ?? say(ofRows, which);
  const right = chosen === null ? atOnce : `${atOnce} ${chosen}`;
  const always = `Always answering «${option}» would get ${formatShare(accuracy.share ?? 0)}`;
  return rules === null
    ? `${right} ${always}.`
    : `${right} ${always}, the rules alone ${formatShare(rules.share ?? 0)}.`;
}

/** Says between which shares rows are right of which some were put aside, in a sentence; null where none were. */
function describeAside({ count, of, low, high }: MeasuredShare, aside: number, which = ''): string | null {
  if (aside === 0 || of === 0) return null;
  const were = `${formatCount(aside)} ${aside === 1 ? 'was' : 'were'} put aside without a label`;
  return `Of ${formatCount(of)} unseen examples${which} ${were}: ${formatRange({ low: count / of, high: (count + aside) / of })} correct (95% confidence interval ${formatRange({ low, high })}).`;
}

/** Says how many labels were changed after a model's doubt, and what that would make of the figure; null for none. */
function describeRelabelled(rows: number, byFirst: MeasuredShare, asNow: MeasuredShare): WholeDecision['relabelled'] {
  if (rows === 0) return null;
  const were = rows === 1 ? 'test row was' : 'test rows were';
  const shares = `${formatShare(byFirst.share ?? 0)} by the first labels, ${formatShare(asNow.share ?? 0)} by the new`;
  return {
    rows,
    accuracy: asNow,
    sentence: `${formatCount(rows)} of ${formatCount(byFirst.of)} ${were} relabelled after a model's doubt: ${shares}.`,
  };
}

/** Says how many rows are measured though they were taken out; null for none. */
function describeTakenOut(rows: readonly ReappliedRow[]): WholeDecision['taken_out'] {
  if (rows.length === 0) return null;
  const wrong = rows.filter(({ expected, prediction }) => prediction.option !== expected).length;
  const were = rows.length === 1 ? 'test row was' : 'test rows were';
  const sentence = `${formatCount(rows.length)} earlier ${were} removed, edited or unlabelled, ${formatCount(wrong)} of them after a model got them wrong: they are measured by its answers of then.`;
  return { rows: rows.length, wrong, sentence };
}

/** A smaller share of copies hardly widens an interval. */
const notableCopies = 0.05;

/** Says that copies widen the interval, where they do. */
function describeCopies(rows: number, distinct: number): string[] {
  if (rows - distinct <= notableCopies * rows) return [];
  const are = `${formatCount(rows)} rows are copies or near copies of ${formatCount(distinct)}`;
  return [`The ${are}, so the interval is that of so many.`];
}

/** Says how many rows left the test side after a model got them wrong; null for none. */
function describeDropped(rows: number): WholeDecision['dropped'] {
  if (rows === 0) return null;
  const are =
    rows === 1 ? 'earlier test row that a model got wrong is' : 'earlier test rows that a model got wrong are';
  return { rows, sentence: `${formatCount(rows)} ${are} no longer measured.` };
}

function describe(automatic: MeasuredShare, error: MeasuredShare, aside: number): string {
  if (automatic.share === null) return 'No held-out row is left to measure on. Train the type again.';
  const rows = `${automatic.of} held-out rows`;
  if (error.share === null) return `None of ${rows} would be decided alone.`;
  const range = formatRange(error);
  if (aside > 0)
    return `Of ${rows}, with ${formatCount(aside)} that were put aside, ${formatRange(automatic)} would be decided alone, ${range} of these wrongly, with 95% confidence.`;
  const write = ({ count, share }: MeasuredShare) =>
    quoteShare(automatic).isRange ? formatCount(count) : formatShare(share ?? 0);
  return `Of ${rows} ${write(automatic)} would be decided alone, ${write(error)} of these wrongly (${range} with 95% confidence).`;
}
