/**
 * The audit: live decisions are drawn at random as they are recorded and judged by a person who does not see what was
 * decided. Unlike decisions that somebody happened to look at, they represent all, so their error is that of the live
 * decisions, with a bound that holds at every moment: looking after each judgement, and stopping when the figure
 * pleases, is as safe as looking once.
 *
 * The bound is a confidence sequence. Let X₁, X₂ … be 1 where a drawn decision is wrong, with the chance μᵢ given those
 * before. For a number λ the product of exp(λXᵢ) / (1 − μᵢ + μᵢe^λ) is a martingale that begins at 1, and so is every
 * mixture of such products over λ. By Ville's inequality (1939) a mixture ever reaches 1/α with chance α at most.
 * ln(1 − μ + μe^λ) is concave in μ, so putting the mean of μ₁ … μₙ in place of each only lowers the product: a mean for
 * which the mixture reaches 1/α is refused, and with chance α at most the true one ever is. Nothing is assumed of the
 * decisions: their error may change over time. Howard, Ramdas, McAuliffe and Sekhon 2021, "Time-uniform, nonparametric,
 * nonasymptotic confidence sequences", sections 3.2 (Bernoulli) and 3.5 (discrete mixtures).
 */
import { exp, log, log1p } from '../exact-math.ts';
import { findBound, type Interval } from '../intervals.ts';
import type { AuditFigure } from '../measured.ts';
import { deriveSeed, hashString, randomStreams } from '../random.ts';
import { formatShare } from './format-share.ts';

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
