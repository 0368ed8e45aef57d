/** The threshold that keeps a promised error among automatic decisions, or why there is none. */
import type { Metrics } from '../domain/metrics.ts';
import { minDrawnRows } from '../drawn-rows.ts';
import type { PromiseFinding, PromiseTerms } from '../measured.ts';
import { formatShare } from '../numeric.ts';
import {
  boundError,
  firstShare,
  isErrorBelow,
  listSequence,
  passesTest,
  type Tried,
  walkSequence,
} from './error-bound.ts';
import { type ReappliedRow, takeDistinct } from './reapply.ts';
import { type Basis, describeMissingDrawn } from './whole-decision.ts';

export type PromiseQuestion = PromiseTerms & {
  /** Whether target and certainty were declared before the rows were looked at, or are one try of many. */
  basis: PromiseFinding['basis'];
  /** Only decisions for this option, or null for all; a declared promise is about all. */
  option: string | null;
  /** How many options there are: what is promised of each of them holds of all at once. */
  optionCount: number;
  lowest: number;
  isRefitted: boolean;
  /** Whether the rows are those drawn among rows that came without a label; left out: no. */
  isDrawn?: boolean;
  /** Rows that these stand for as well and that were put aside: as wrong, and decided alone; left out: none. */
  aside?: number;
  /** Why figures of the rows say nothing; left out: they do. */
  unknown?: string | null;
};

/** Thresholds that are tried, falling: by 0.0001 down to 0.99, then by 0.001. */
const triedThresholds = [
  ...Array.from({ length: 101 }, (_, step) => (10_000 - step) / 10_000),
  ...Array.from({ length: 990 }, (_, step) => (989 - step) / 1_000),
];

/** The risk of being wrong; that of a statement about one option is shared by the statements about all of them. */
export function toRisk({
  certainty,
  option,
  optionCount,
}: Pick<PromiseQuestion, 'certainty' | 'option' | 'optionCount'>) {
  return (1 - certainty) / (option === null ? 1 : optionCount);
}

/** Counts from each threshold down to `lowest` or `last`, with what rules decide at each of them. */
function countByThreshold(
  rows: readonly ReappliedRow[],
  { option, lowest, aside = 0 }: PromiseQuestion,
  last?: number,
): Tried[] {
  const own = rows.filter(({ ruled, prediction }) => option === null || (ruled ?? prediction.option) === option);
  const isWrong = ({ expected, ruled, prediction }: ReappliedRow) => (ruled ?? prediction.option) !== expected;
  const ruled = own.filter((row) => row.ruled !== null);
  const open = own
    .filter((row) => row.ruled === null && row.prediction.unfamiliarReason === null)
    .sort((a, b) => b.prediction.confidence - a.prediction.confidence);
  let decided = ruled.length + aside;
  let wrong = ruled.filter(isWrong).length + aside;
  let expected = aside;
  let next = 0;
  const thresholds = triedThresholds.filter((threshold) => threshold >= (last ?? lowest));
  if (last !== undefined && thresholds.at(-1) !== last) thresholds.push(last);
  return thresholds.map((threshold) => {
    for (let row = open[next]; row !== undefined && row.prediction.confidence >= threshold; row = open[next]) {
      next += 1;
      decided += 1;
      expected += 1 - row.prediction.confidence;
      if (isWrong(row)) wrong += 1;
    }
    return { threshold, decided, wrong, expected };
  });
}

/**
 * Finds the threshold that decides most and keeps the target: the middle one of those that decide the same rows, as the
 * last fit may lift rows just below them. Of a declared target it is the last one that passes a fixed sequence of exact
 * tests (see fixed-sequence.ts). Else it is the lowest whose bound is within the target: these bounds hold at all
 * thresholds at once (see error-bound.ts), so any number of targets can be explored on the same rows. Rows decided by a
 * rule are among the automatic ones; unfamiliar and refused ones never are.
 */
export function findPromise(measured: readonly ReappliedRow[], question: PromiseQuestion): PromiseFinding {
  const rows = takeDistinct(measured);
  const { target_error, certainty, option, isRefitted, basis } = question;
  const risk = toRisk(question);
  const tried = countByThreshold(rows, question);
  const total = rows.length + (question.aside ?? 0);
  const isDeclared = basis === 'declared';
  const sequence = isDeclared ? listSequence(tried, total, target_error, risk) : [];
  const isWithin = ({ decided, wrong }: Tried) => decided > 0 && isErrorBelow(target_error, wrong, decided, risk);
  const found = isDeclared ? walkSequence(sequence, target_error, risk) : (tried.findLast(isWithin) ?? null);
  const common = {
    target_error,
    certainty,
    option,
    basis,
    rows: rows.length,
    measured_on: isRefitted ? ('before_refit' as const) : ('the_policy' as const),
  };
  const none = { threshold: null, share_automatic: null, error_observed: null, error_bound: null };
  const silent = describeSilence(rows.length, question);
  if (silent !== null) {
    const rows_needed = question.unknown == null ? minDrawnRows.promise : null;
    return { possible: false, ...common, ...none, rows_needed, sentence: silent };
  }
  if (found === null) {
    const passes = isDeclared ? (each: Tried) => passesTest(target_error, each, risk) : isWithin;
    // A sequence that has begun ends at its first test, whatever more rows say about the thresholds behind it.
    const candidates = sequence.length > 0 ? sequence.slice(0, 1) : tried;
    const needed = countRowsNeeded(candidates, total, target_error, passes);
    return {
      possible: false,
      ...common,
      ...none,
      rows_needed: needed,
      sentence: needed === null ? describeImpossible(tried, rows, question) : describeShortage(needed, rows, question),
    };
  }
  const { decided, wrong } = found;
  const alike = tried.filter((each) => each.decided === decided);
  const { threshold } = alike[alike.length >> 1] ?? found;
  const share = decided / total;
  return {
    possible: true,
    ...common,
    threshold,
    share_automatic: share,
    error_observed: wrong / decided,
    // A sequence of tests shows that the target is kept, no more.
    error_bound: isDeclared ? target_error : boundError(wrong, decided, risk),
    rows_needed: rows.length,
    sentence: describeFinding(threshold, share, question),
  };
}

/** The lowest error that is bounded at any threshold; all these bounds hold at once. */
function findLowestBound(tried: readonly Tried[], risk: number): number {
  // Of thresholds with as many wrong rows, the lowest decides most, and so has the lowest bound.
  const most = new Map(tried.filter(({ decided }) => decided > 0).map(({ wrong, decided }) => [wrong, decided]));
  return Math.min(1, ...[...most].map(([wrong, decided]) => boundError(wrong, decided, risk)));
}

/** Says why rows promise nothing, whatever they hold; null where they may. */
export function describeSilence(rows: number, { isDrawn, unknown = null }: PromiseQuestion): string | null {
  return unknown ?? describeMissingDrawn(rows, isDrawn);
}

/** Whether a target declared before the look is kept: the sequence down to the threshold, or it alone, passes. */
export function keepsDeclared(
  measured: readonly ReappliedRow[],
  question: PromiseQuestion,
  threshold: number,
): boolean {
  const rows = takeDistinct(measured);
  const { target_error } = question;
  if (describeSilence(rows.length, question) !== null) return false;
  const risk = toRisk(question);
  const tried = countByThreshold(rows, question, threshold);
  const asked = tried.at(-1);
  if (asked === undefined) return false;
  const down = listSequence(tried, rows.length + (question.aside ?? 0), target_error, risk);
  return [...down, asked].every((each) => passesTest(target_error, each, risk));
}

function describeFinding(threshold: number, share: number, question: PromiseQuestion): string {
  const { target_error, certainty, option, isRefitted, basis } = question;
  const aside = describeAside(question);
  const what = option === null ? 'are decided alone' : `are decided alone as "${option}"`;
  const model = isRefitted ? ' It was measured before the last fit on all examples.' : '';
  const explored = basis === 'explored' ? ' This bound holds for every target you try.' : '';
  return `From ${threshold}, ${formatShare(share)} ${what}, at most ${formatShare(target_error)} wrong with ${formatShare(certainty)} certainty.${explored}${model}${aside}`;
}

function describeAside({ aside = 0 }: PromiseQuestion): string {
  if (aside === 0) return '';
  const counts = aside === 1 ? 'row that was put aside counts' : 'rows that were put aside count';
  return ` The ${aside} ${counts} as wrong: label what can be labelled.`;
}

function describeAsked({ target_error, certainty, option }: PromiseQuestion): string {
  const whose = option === null ? '' : ` for "${option}"`;
  return `${formatShare(target_error)}${whose} with ${formatShare(certainty)} certainty`;
}

function describeShortage(needed: number, { length }: readonly ReappliedRow[], question: PromiseQuestion): string {
  return `A promise of ${describeAsked(question)} needs about ${needed} test rows if errors stay as frequent; there are ${length}.${describeAside(question)}`;
}

function describeImpossible(
  tried: readonly Tried[],
  { length }: readonly ReappliedRow[],
  question: PromiseQuestion,
): string {
  const lowest = Math.ceil(findLowestBound(tried, toRisk(question)) * 1_000) / 1_000;
  const best = lowest < 1 ? ` The best we can guarantee is ${formatShare(lowest)}.` : '';
  return `${describeAsked(question)} cannot be guaranteed on these ${length} rows at any threshold.${best}${describeAside(question) || ' More of the same will not help; cleaner labels might.'}`;
}

/** Errors for which the report suggests thresholds. */
const suggestedTargets = [0.005, 0.01, 0.02, 0.05, 0.1] as const;
const suggestedCertainty = 0.95;

/** The thresholds of usual targets, as the metrics have them. */
export function suggestThresholds(
  rows: readonly ReappliedRow[],
  lowest: number,
  { isDrawn, aside }: Pick<Basis, 'isDrawn' | 'aside'>,
): Metrics['suggested_thresholds'] {
  return suggestedTargets.map((target_error) => {
    const found = findPromise(rows, {
      target_error,
      certainty: suggestedCertainty,
      basis: 'explored',
      option: null,
      optionCount: 1,
      lowest,
      isRefitted: false,
      isDrawn,
      aside,
    });
    return {
      target_error,
      threshold: found.threshold,
      coverage: found.share_automatic ?? 0,
      error: found.error_observed ?? 0,
      error_interval: { low: 0, high: found.error_bound ?? 1 },
    };
  });
}

/** Beyond this many held-out rows, more of them are not a practical remedy. */
const maxRows = 100_000;

/**
 * The fewest rows, deciding and wrong at the current rates, at which a threshold `passes`; null beyond 100,000.
 * Thresholds that decide less than a fifth count only alone.
 */
function countRowsNeeded(
  tried: readonly Tried[],
  rows: number,
  target: number,
  passes: (counts: Tried) => boolean,
): number | null {
  const most = tried.at(-1);
  if (most === undefined || most.decided === 0) return null;
  const enough = tried.filter(({ decided }) => decided >= firstShare * rows);
  let needed = maxRows + 1;
  for (const each of enough.length > 0 ? enough : [most]) {
    const { decided, wrong } = each;
    if (decided === 0 || wrong >= target * decided) continue;
    const isEnough = (total: number) =>
      passes({ ...each, decided: Math.floor((decided * total) / rows), wrong: Math.ceil((wrong * total) / rows) });
    if (!isEnough(needed - 1)) continue;
    let low = rows;
    let high = needed - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (isEnough(middle)) high = middle;
      else low = middle;
    }
    needed = high;
  }
  return needed > maxRows ? null : Math.max(needed, rows + 1);
}
