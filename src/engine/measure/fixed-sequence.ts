/**
 * The lowest threshold that keeps one error declared beforehand, with the whole risk spent on it.
 *
 * Fixed-sequence testing (Angelopoulos et al. 2021, "Learn then Test"; Maurer et al. 1995): thresholds are
 * tested in an order that no label has decided, here from the strictest down, each at the whole risk, until the first
 * that fails. To promise a threshold in vain, the first one in the order that exceeds the target must have passed,
 * which has at most the risk. A test is exact: among n rows decided alone from a threshold on, independent draws as
 * they are, the wrong ones are binomial, and K of them pass where P(Bin(n, target) ≤ K) is at most the risk. The bounds
 * of error-bound.ts hold for all targets and thresholds at once and are wider for it.
 *
 * The order depends on confidences and counts alone. It begins at a fifth of all rows, because a test of the strictest
 * few fails for one unlucky row; earlier where the confidences say that a fifth may be too many. It goes on with 2%
 * more rows each, because every further test is one more that chance can fail.
 */
import { computeBinomialTail } from '../intervals.ts';

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
