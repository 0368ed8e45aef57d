/** Which rows to label next: uncertain × different × what the options lack, and every tenth drawn at random. */
import { dot } from '../numeric.ts';
import { createRandom } from '../random.ts';

type Candidate = {
  index: number;
  /** The likeliest option and the next one, by number. */
  first: number;
  second: number;
  /** Odds of the second option against the first, 0 to 1: 1 where the model cannot tell them apart. */
  doubt: number;
  /** Variance of the row's scores given the labels: large where no labelled row is like it. */
  variance: number;
};

export type Reason = 'random' | 'doubt' | 'rare_option' | 'different';
export type Choice = { candidate: Candidate; reason: Reason };

export type Pool = {
  /** How useful each row is by itself (`rateUse`); −∞ for one that may not be chosen. */
  uses: Float64Array;
  read(index: number): Candidate;
  readRow(index: number): Float64Array;
  /** The scalar product of a row and a vector. */
  multiplyRow(index: number, vector: Float64Array): number;
  /** Labels so far, by number of the option. */
  labelCounts: readonly number[];
  /** The covariance of rows with one row, given the labels. */
  multiplyInverse(row: Float64Array): Float64Array;
};

/** Candidates that are compared with each other for difference; the others are less useful by themselves. */
const maxCompared = 300;
const randomEvery = 10;
const randomOffset = 4;
/** How much an option with few or many labels counts at most. */
const maxNeed = 2;

/** How much a label would teach: the model's doubt about the option, times the standard deviation of its answer. */
export function rateUse(doubt: number, variance: number): number {
  return (0.05 + doubt) * Math.sqrt(Math.max(0, variance));
}

/**
 * Chooses up to `count` rows by doubt × √variance × need; each choice lowers the variance of rows like it (greedy
 * D-optimal design). `round` varies the random ones.
 */
export function chooseRows(pool: Pool, count: number, round: number): Choice[] {
  const counts = [...pool.labelCounts];
  const random = createRandom(round);
  const left = new Set(compareBest(pool, Math.max(maxCompared, count * 2)));
  const taken = new Set<number>();
  const steps: Step[] = [];
  const choices: Choice[] = [];
  const choose = (candidate: Candidate, reason: Reason) => {
    taken.add(candidate.index);
    choices.push({ candidate, reason });
  };
  while (choices.length < count) {
    if (choices.length % randomEvery === randomOffset) {
      const index = Math.floor(random() * pool.uses.length);
      if ((pool.uses[index] ?? Number.NEGATIVE_INFINITY) >= 0 && !taken.has(index)) {
        choose(pool.read(index), 'random');
        continue;
      }
    }
    const best = findBest(left, taken, counts);
    if (best === null) break;
    left.delete(best);
    choose(best.candidate, explain(best.candidate, best.variance, counts));
    counts[best.candidate.first] = (counts[best.candidate.first] ?? 0) + 1;
    if (choices.length === count) break;
    const row = pool.readRow(best.candidate.index);
    const direction = conditionOn(steps, pool.multiplyInverse(row), row);
    const gain = 1 / (1 + dot(row, direction));
    steps.push({ direction, gain });
    for (const other of left) other.variance -= gain * pool.multiplyRow(other.candidate.index, direction) ** 2;
  }
  return choices;
}

type Step = { direction: Float64Array; gain: number };
type Compared = { candidate: Candidate; variance: number };

function compareBest(pool: Pool, count: number): Compared[] {
  const { uses } = pool;
  const limit = Math.max(0, uses.toSorted().at(-count) ?? 0);
  const best: Compared[] = [];
  for (let index = 0; index < uses.length; index++) {
    if (uses[index] < limit) continue;
    const candidate = pool.read(index);
    best.push({ candidate, variance: candidate.variance });
  }
  return best.sort((a, b) => uses[b.candidate.index] - uses[a.candidate.index]).slice(0, count);
}

/** More than 1 for an option with fewer labels than the average. */
function computeNeed(counts: readonly number[], option: number): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);
  const need = Math.sqrt((mean + 1) / ((counts[option] ?? 0) + 1));
  return Math.max(1 / maxNeed, Math.min(maxNeed, need));
}

function findBest(left: ReadonlySet<Compared>, taken: ReadonlySet<number>, counts: readonly number[]): Compared | null {
  let best: Compared | null = null;
  let bestUse = -1;
  for (const each of left) {
    if (taken.has(each.candidate.index)) continue;
    const use = rateUse(each.candidate.doubt, each.variance) * computeNeed(counts, each.candidate.first);
    if (use > bestUse) [best, bestUse] = [each, use];
  }
  return best;
}

/** The covariance with a row once the rows chosen before have labels, too. */
function conditionOn(steps: readonly Step[], covariance: Float64Array, row: Float64Array): Float64Array {
  for (const { direction, gain } of steps) {
    const factor = gain * dot(row, direction);
    for (let d = 0; d < covariance.length; d++) {
      covariance[d] -= factor * direction[d];
    }
  }
  return covariance;
}

function explain(candidate: Candidate, variance: number, counts: readonly number[]): Reason {
  if (candidate.doubt >= 0.5 && counts.some((count) => count > 0)) return 'doubt';
  if (computeNeed(counts, candidate.first) >= 1.4) return 'rare_option';
  return variance >= 0.5 || candidate.doubt < 0.2 ? 'different' : 'doubt';
}
