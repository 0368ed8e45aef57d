/** Bounds of an error: of a sample, of a sequence that is looked at again and again, and of live decisions. */

import { exp, log, log1p } from '../exact-math.ts';
import { computeBinomialTail, computeUpperBound, findBound, type Interval } from '../intervals.ts';
import type { AuditFigure } from '../measured.ts';
import { formatShare } from '../numeric.ts';
import { deriveSeed, hashString, randomStreams } from '../random.ts';

/** Wrong rows of the levels grow by this factor, by one at least. */
const levelGrowth = 1.25;

/** The number of wrong rows of the first level that covers `wrong`, and the level's part of the risk. */
function findLevel(wrong: number): { wrong: number; share: number } {
  let level = 0;
  let index = 0;
  for (let size = 1; level < wrong; size *= levelGrowth) {
    level = Math.max(level + 1, Math.round(size));
    index += 1;
  }
  // 1/2, 1/6, 1/12 …: together 1.
  return { wrong: level, share: 1 / ((index + 1) * (index + 2)) };
}

/** Whether the bound of {@link boundError} is at most `target`, at a small part of its cost. */
export function isErrorBelow(target: number, wrong: number, decided: number, risk: number): boolean {
  // No bound lies below the count.
  if (wrong > target * decided) return false;
  const level = findLevel(wrong);
  return level.wrong < decided && computeBinomialTail(level.wrong, decided, target) <= risk * level.share;
}

/** The bound of the error (0–1) among `decided` rows of which `wrong` are wrong; `risk` (0–1) is that of all bounds. */
export function boundError(wrong: number, decided: number, risk: number): number {
  const level = findLevel(wrong);
  return computeUpperBound(level.wrong, decided, risk * level.share);
}

/** Rows decided alone from a threshold on, the wrong ones among them, and as many as their confidences make expect. */
export type Tried = { threshold: number; decided: number; wrong: number; expected: number };

/** The part of all rows at which the sequence begins at the latest. */
export const firstShare = 0.2;
/** It begins earlier where confidences make expect more than this part of the target. */
const expectedPart = 0.25;
const growth = 1.02;

/** Whether a single test at the whole risk (0–1) says that the error is at most `target`. */
export function passesTest(
  target: number,
  { wrong, decided }: Pick<Tried, 'wrong' | 'decided'>,
  risk: number,
): boolean {
  return wrong <= target * decided && wrong < decided && computeBinomialTail(wrong, decided, target) <= risk;
}

/** How many wrong rows of `decided` pass a test; −1 where even none is too few rows. */
function countTolerated(target: number, decided: number, risk: number): number {
  let low = -1;
  let high = Math.floor(target * decided) + 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (passesTest(target, { wrong: middle, decided }, risk)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Lists the thresholds to test of falling ones, by nothing but their numbers of decided rows and confidences: from
 * where a test first tolerates one wrong row more than among the most confident fifth of the `rows`, and last the
 * lowest. Empty where too few rows are decided.
 */
export function listSequence(falling: readonly Tried[], rows: number, target: number, risk: number): Tried[] {
  const fifth = firstShare * rows;
  const isSure = ({ decided, expected }: Tried) => expected <= expectedPart * target * decided;
  const atFifth = falling.find(({ decided }) => decided >= fifth);
  const fewest =
    atFifth !== undefined && isSure(atFifth)
      ? fifth
      : (falling.findLast((each) => each.decided < fifth && isSure(each))?.decided ?? 0);
  const tolerated = countTolerated(target, Math.floor(fewest), risk);
  const findStart = (least: number) =>
    falling.findIndex(({ decided }) => decided >= fewest && countTolerated(target, decided, risk) >= least);
  const better = findStart(tolerated + 1);
  const start = better >= 0 ? better : findStart(0);
  if (start < 0) return [];
  const sequence: Tried[] = [];
  let next = 0;
  for (const each of falling.slice(start)) {
    if (each.decided < next) continue;
    sequence.push(each);
    next = Math.max(each.decided + 1, growth * each.decided);
  }
  const lowest = falling.at(-1);
  if (lowest !== undefined && lowest.decided > (sequence.at(-1)?.decided ?? 0)) sequence.push(lowest);
  return sequence;
}

/** Tests a sequence from {@link listSequence} on; returns the last threshold that passes, or null. */
export function walkSequence(sequence: readonly Tried[], target: number, risk: number): Tried | null {
  const failed = sequence.findIndex((each) => !passesTest(target, each, risk));
  return (failed < 0 ? sequence.at(-1) : sequence[failed - 1]) ?? null;
}

const hashRange = 2 ** 32;

/**
 * Where a decision stands among all, 0 to 1, by request id and record number: neither it nor who repeats an id has a
 * part. Of a share the lower ones are drawn, of a week the first.
 */
export function rankDecision(requestId: string, record: number): number {
  return hashString(`${record} ${requestId}`, deriveSeed(randomStreams.auditDraw)) / hashRange;
}

const weekMs = 7 * 24 * 60 * 60 * 1_000;
/** Monday, 5 January 1970. */
const firstMondayMs = 4 * 24 * 60 * 60 * 1_000;

/** The number of the week of a time in milliseconds since 1970: weeks begin on Monday at midnight UTC. */
export const toWeek = (ms: number): number => Math.floor((ms - firstMondayMs) / weekMs);

/** The risk of each side: both bounds hold together with 95% certainty. */
const riskPerSide = 0.025;
/** Sizes of λ, from those that suit ten thousand judgements to those that suit a few without an error. */
const sizes = Array.from({ length: 20 }, (_, step) => 0.02 * 1.4 ** step);

/** Whether the counts refuse `mean` (0–1) as too low (`sign` 1, that of every λ) or too high (−1). */
export function isMeanRefused(mean: number, wrong: number, count: number, sign: 1 | -1): boolean {
  return computeLogMixture(wrong, count, mean, sign) >= log(1 / riskPerSide);
}

/** ln of the mixture for the mean `mean`. */
function computeLogMixture(wrong: number, count: number, mean: number, sign: 1 | -1): number {
  const logs = sizes.map((size) => sign * size * wrong - count * log1p(mean * (exp(sign * size) - 1)));
  const largest = Math.max(...logs);
  return largest + log(logs.reduce((sum, each) => sum + exp(each - largest), 0) / sizes.length);
}

/** The range of the mean chance of an error so far; the ranges of all moments hold together with 95% certainty. */
export function boundRunningError(wrong: number, count: number): Interval {
  if (count === 0) return { low: 0, high: 1 };
  const search = (end: 0 | 1): number =>
    findBound(wrong / count, end, (mean) => !isMeanRefused(mean, wrong, count, end === 1 ? -1 : 1));
  return { low: wrong === 0 ? 0 : search(0), high: wrong === count ? 1 : search(1) };
}

/** Counts of drawn decisions up to the one judged last; `passedOver` were left without an answer. */
export type AuditCounts = { judged: number; wrong: number; passedOver: number };

/** The live error. What was passed over counts as right in the lower bound and as wrong in the upper one. */
export function measureAudit({ judged, wrong, passedOver }: AuditCounts): AuditFigure {
  const of = judged + passedOver;
  return {
    judged,
    wrong,
    passed_over: passedOver,
    share: judged === 0 ? null : wrong / judged,
    low: boundRunningError(wrong, of).low,
    high: boundRunningError(wrong + passedOver, of).high,
  };
}

/** Says the live error in a sentence; `isWeekly` where the decisions were drawn by the week. */
export function describeAudit(
  { judged, wrong, passed_over, share, low, high }: AuditFigure,
  isWeekly: boolean,
): string {
  if (share === null) return 'No decision that was drawn has been judged yet.';
  const counted = `Of ${judged} decisions drawn at random and judged blind, ${wrong} ${wrong === 1 ? 'was' : 'were'} wrong`;
  const range = `${formatShare(share)}; between ${formatShare(low)} and ${formatShare(high)} with 95% certainty, whenever you look`;
  const passed = passed_over === 0 ? '' : ` ${passed_over} that were passed over count as wrong in the upper bound.`;
  const weeks = isWeekly ? ' Weeks count by how many were drawn of them, not by how many decisions they had.' : '';
  return `${counted} (${range}).${passed}${weeks}`;
}
