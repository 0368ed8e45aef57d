import { log } from '../../exact-math.ts';
import { countCommon, intersect, type RowSet, subtract } from '../../row-sets.ts';
import type { FieldTest } from './field-tests.ts';

/** A conjunction of tests, with the searched rows for and against its option. */
export type Conjunction = { tests: readonly FieldTest[]; rows: RowSet; hits: number; others: number };

const maxTests = 3;
/** Conjunctions that are made longer in each round, and tests they are made longer by. */
const beamWidth = 6;
const maxExtensions = 300;
const minHits = 10;
/** A row of another option outweighs this many of the right one. */
const costOfOther = 9;
/** The least gain of each further test, as a share of the rows found. */
const costOfTest = 0.05;
const maxPerOption = 3;

/** Conjunctions of up to three tests by beam search (CN2, 1989; FOIL's gain, 1990); pauses after each round. */
export function* findConjunctions(
  tests: readonly FieldTest[],
  target: RowSet,
  all: RowSet,
): Generator<undefined, Conjunction[]> {
  const found: Conjunction[] = [];
  let left = all;
  while (found.length < maxPerOption) {
    const best = yield* searchBest(tests, intersect(target, left), left);
    if (best === null) break;
    found.push(best);
    left = subtract(left, best.rows);
  }
  return found;
}

function* searchBest(
  tests: readonly FieldTest[],
  target: RowSet,
  all: RowSet,
): Generator<undefined, Conjunction | null> {
  const hits = countCommon(target, target);
  const baseShare = hits / Math.max(1, countCommon(all, all));
  if (hits < minHits || baseShare === 1) return null;
  const whole: Conjunction = { tests: [], rows: all, hits, others: 0 };
  const rank = (candidates: Conjunction[]) =>
    candidates
      .map((candidate) => ({ candidate, gain: computeGain(candidate, baseShare) }))
      .filter(({ gain }) => gain > 0)
      .sort((a, b) => b.gain - a.gain);
  let beam = [whole];
  let extensions = tests;
  let best: Conjunction | null = null;
  for (let size = 1; size <= maxTests; size++) {
    const longer = beam.flatMap((start) => extend(start, extensions, target, all));
    for (const candidate of longer) {
      if (computeValue(candidate) > (best ? computeValue(best) : 0)) best = candidate;
    }
    const ranked = rank(longer).map(({ candidate }) => candidate);
    if (size === 1) extensions = ranked.slice(0, maxExtensions).flatMap((candidate) => candidate.tests);
    beam = takeDistinct(ranked);
    yield undefined;
  }
  return best && refine(best, target, all);
}

/** Moves the cuts of a conjunction, one by one, to where they are best beside its other tests. */
function refine(found: Conjunction, target: RowSet, all: RowSet): Conjunction {
  return found.tests.reduce((best, test, place) => {
    const others = best.tests.filter((_, other) => other !== place);
    const among = others.reduce((rows, other) => intersect(rows, other.rows), all);
    const better = test.refine?.(among, target, costOfOther);
    if (!better) return best;
    const rows = intersect(among, better.rows);
    const hits = countCommon(rows, target);
    const moved = { tests: best.tests.with(place, better), rows, hits, others: countCommon(rows, all) - hits };
    return computeValue(moved) > computeValue(best) ? moved : best;
  }, found);
}

function extend(start: Conjunction, tests: readonly FieldTest[], target: RowSet, all: RowSet): Conjunction[] {
  const longer: Conjunction[] = [];
  for (const test of tests) {
    if (start.tests.includes(test)) continue;
    const rows = intersect(start.rows, test.rows);
    const hits = countCommon(rows, target);
    if (hits < minHits) continue;
    const others = countCommon(rows, all) - hits;
    const isSame = start.tests.length > 0 && hits === start.hits && others === start.others;
    if (!isSame) longer.push({ tests: [...start.tests, test], rows, hits, others });
  }
  return longer;
}

/** FOIL's gain over an option's share of all rows, in bits: many rows and purer ones. */
function computeGain({ hits, others }: Conjunction, baseShare: number): number {
  return (hits * log(hits / (hits + others) / baseShare)) / Math.LN2;
}

/** Computes the worth of a conjunction as a rule: the rows for it, less those against and its length. */
function computeValue({ hits, others, tests }: Conjunction): number {
  return hits * (1 - costOfTest * tests.length) - costOfOther * others;
}

/** The best of a ranking that hold on different rows. */
function takeDistinct(ranked: readonly Conjunction[]): Conjunction[] {
  const taken: Conjunction[] = [];
  for (const candidate of ranked) {
    if (taken.length === beamWidth) break;
    if (!taken.some(({ hits, others }) => hits === candidate.hits && others === candidate.others))
      taken.push(candidate);
  }
  return taken;
}
