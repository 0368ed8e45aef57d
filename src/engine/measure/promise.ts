/** The threshold that keeps a promised error among automatic decisions, or why there is none. */
import type { Metrics } from '../domain.ts';
import type { PromiseFinding, PromiseTerms } from '../measured.ts';
import { boundError, countRowsNeeded, isErrorBelow } from './error-bound.ts';
import { formatShare } from './format-share.ts';
import type { ReplayedRow } from './replay.ts';

/** Decided rows and the wrong ones among them. */
export type ErrorCount = { decided: number; wrong: number };

export type PromiseQuestion = PromiseTerms & {
  /** Only decisions for this option, or null for all. */
  option: string | null;
  /** How many options there are: what is promised of each of them holds of all at once. */
  optionCount: number;
  /** The lowest threshold that may be proposed. */
  lowest: number;
  isRefitted: boolean;
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

/** A threshold with what is decided alone from it on. */
type Tried = ErrorCount & { threshold: number };

/** Every threshold with the counts from it on; rows decided by a rule count at each of them. */
function countByThreshold(rows: readonly ReplayedRow[], { option, lowest }: PromiseQuestion): Tried[] {
  const own = rows.filter(({ ruled, prediction }) => option === null || (ruled ?? prediction.option) === option);
  const isWrong = ({ expected, ruled, prediction }: ReplayedRow) => (ruled ?? prediction.option) !== expected;
  const ruled = own.filter((row) => row.ruled !== null);
  const open = own
    .filter((row) => row.ruled === null && row.prediction.unfamiliarReason === null)
    .sort((a, b) => b.prediction.confidence - a.prediction.confidence);
  let decided = ruled.length;
  let wrong = ruled.filter(isWrong).length;
  let next = 0;
  return triedThresholds
    .filter((threshold) => threshold >= lowest)
    .map((threshold) => {
      for (let row = open[next]; row !== undefined && row.prediction.confidence >= threshold; row = open[next]) {
        next += 1;
        decided += 1;
        if (isWrong(row)) wrong += 1;
      }
      return { threshold, decided, wrong };
    });
}

/**
 * Finds the lowest threshold whose bound of the error is within the target. The bounds hold at all thresholds at once
 * (see error-bound.ts), so any number of targets can be tried on the same rows. Rows decided by a rule are among the
 * automatic ones; unfamiliar and refused ones never are.
 */
export function findPromise(rows: readonly ReplayedRow[], question: PromiseQuestion): PromiseFinding {
  const { target_error, certainty, option, isRefitted } = question;
  const risk = toRisk(question);
  const found = countByThreshold(rows, question).findLast(
    ({ decided, wrong }) => decided > 0 && isErrorBelow(target_error, wrong, decided, risk),
  );
  const needed = countRowsNeeded(target_error, risk);
  const common = {
    target_error,
    certainty,
    option,
    rows: rows.length,
    rows_needed: needed,
    measured_on: isRefitted ? ('before_refit' as const) : ('the_policy' as const),
  };
  if (found === undefined) {
    const none = { threshold: null, share_automatic: null, error_observed: null, error_bound: null };
    return { possible: false, ...common, ...none, sentence: describeRefusal(rows.length, question, needed) };
  }
  const { threshold, decided, wrong } = found;
  const share = decided / rows.length;
  return {
    possible: true,
    ...common,
    threshold,
    share_automatic: share,
    error_observed: wrong / decided,
    error_bound: boundError(wrong, decided, risk),
    sentence: describeFinding(threshold, share, question),
  };
}

function describeFinding(threshold: number, share: number, question: PromiseQuestion): string {
  const { target_error, certainty, option, isRefitted } = question;
  const what = option === null ? 'are decided alone' : `are decided alone as "${option}"`;
  const model = isRefitted ? ' It was measured before the last fit on all examples.' : '';
  return `From ${threshold}, ${formatShare(share)} ${what}, at most ${formatShare(target_error)} wrong with ${formatShare(certainty)} certainty.${model}`;
}

function describeRefusal(rows: number, { target_error, certainty, option }: PromiseQuestion, needed: number): string {
  const target = formatShare(target_error);
  if (rows < needed) return `${rows} rows are too few to promise ${target}. It takes ${needed}, none of them wrong.`;
  const whose = option === null ? '' : ` for "${option}"`;
  return `No threshold keeps the error among automatic decisions${whose} at ${target} with ${formatShare(certainty)} certainty on ${rows} rows; it takes ${needed} without an error, or more with some. More or better examples may help.`;
}

/** Errors for which the report suggests thresholds. */
const suggestedTargets = [0.005, 0.01, 0.02, 0.05, 0.1] as const;
const suggestedCertainty = 0.95;

/** The thresholds of usual targets, as the metrics have them. */
export function suggestThresholds(rows: readonly ReplayedRow[], lowest: number): Metrics['suggested_thresholds'] {
  return suggestedTargets.map((target_error) => {
    const found = findPromise(rows, {
      target_error,
      certainty: suggestedCertainty,
      option: null,
      optionCount: 1,
      lowest,
      isRefitted: false,
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
