/**
 * One declared promise through ten versions of a policy that are measured on the same held-out rows, a tenth more of them
 * each time. A version that cannot keep the promise is held back, so the one before goes on deciding. Right and wrong
 * answers of versions go together: nine of ten rows keep the luck that they had.
 */
import { findPromise } from '../../../src/engine/measure/promise.ts';
import type { ReappliedRow } from '../../../src/engine/measure/reapply.ts';
import { createRandom, type Random } from '../../../src/engine/random.ts';
import { countFrom, type Member, type Population, simulatePopulations } from './promise-populations.ts';

const versionCount = 10;
const rowCounts = [118, 600, 2_000];
const targets = [0.01, 0.02, 0.05, 0.1];
const keptLuck = 0.9;
const populationSize = 20_000;

/** A version: its members, and their true error from a threshold on. */
type Version = { members: Member[]; errorFrom(threshold: number): number };

/** Makes versions whose confidences differ by a third of what is missing to 1, with errors that fall by `gain` each. */
function makeVersions(population: Population, gain: number, random: Random): Version[] {
  const some = population.members.slice(0, populationSize);
  return Array.from({ length: versionCount }, (_, version) => {
    const factor = (1 - gain) ** version;
    const members = some.map(({ confidence, errorChance, isRuled }) => ({
      confidence: 1 - (1 - confidence) * factor * (2 / 3 + (2 / 3) * random()),
      errorChance: errorChance * factor,
      isRuled,
    }));
    return { members, errorFrom: knowErrors(members) };
  });
}

function knowErrors(members: readonly Member[]): (threshold: number) => number {
  const sorted = members.toSorted((a, b) => b.confidence - a.confidence);
  const confidences = Float64Array.from(sorted, ({ confidence }) => confidence);
  const errors = [0];
  for (const { errorChance } of sorted) errors.push((errors.at(-1) ?? 0) + errorChance);
  return (threshold) => {
    const decided = countFrom(confidences, threshold);
    return decided === 0 ? 0 : (errors[decided] ?? 0) / decided;
  };
}

/** Asks each version for the promise on the same rows; returns whether each has none, keeps it, or breaks it. */
function askVersions(versions: readonly Version[], count: number, target_error: number, risk: number, random: Random) {
  const most = Math.ceil(count * (1 + versionCount / 10));
  const rows = Array.from({ length: most }, () => ({
    member: Math.floor(random() * populationSize),
    luck: random(),
  }));
  return versions.map(({ members, errorFrom }, version) => {
    const held = rows.slice(0, Math.round(count * (1 + version / 10))).map(({ member, luck }): ReappliedRow => {
      const { confidence, errorChance } = members[member] as Member;
      const isWrong = (random() < keptLuck ? luck : random()) < errorChance;
      return {
        expected: isWrong ? 'other' : 'this',
        ruled: null,
        prediction: { option: 'this', confidence, unfamiliarReason: null },
      };
    });
    const { threshold } = findPromise(held, {
      ...{ target_error, certainty: 1 - risk, option: null, optionCount: 1, lowest: 0, isRefitted: false },
      basis: 'declared',
    });
    if (threshold === null) return 'none';
    return errorFrom(threshold) > target_error ? 'broken' : 'kept';
  });
}

/**
 * Prints, for each population, how many versions break their promise, how often the one that decides at the end does, and
 * how often any of the ten did; returns the largest share of the first, and of the second where
 * a threshold can keep the target.
 */
export function tryVersions(draws: number, risk: number): number {
  const flat = (target: number): Population => ({
    name: `flat, ${110 * target}% wrong`,
    members: Array.from({ length: populationSize }, (_, i) => ({
      confidence: 0.5 + i / (2 * populationSize),
      errorChance: target * 1.1,
      isRuled: false,
    })),
  });
  const usual = simulatePopulations().filter(({ name }) => name === 'calibrated' || name === 'too sure');
  let worst = 0;
  console.log(`\n${versionCount} versions on the same held-out rows, a declared promise asked of each`);
  console.log('population              rows  target      promised   broken of all  at the end    any of ten');
  for (const { gain, population, target } of targets.flatMap((target) => [
    ...usual.map((population) => ({ gain: 0.03, population, target })),
    // No threshold keeps the target: whatever is promised is broken.
    { gain: 0, population: flat(target), target },
  ])) {
    for (const rowCount of rowCounts) {
      const random = createRandom(rowCount);
      const versions = makeVersions(population, gain, random);
      let [promised, broken, atTheEnd, any] = [0, 0, 0, 0];
      for (let draw = 0; draw < draws; draw++) {
        const states = askVersions(versions, rowCount, target, risk, random);
        for (const state of states) {
          if (state !== 'none') promised += 1 / draws / versionCount;
          if (state === 'broken') broken += 1 / draws / versionCount;
        }
        if (states.findLast((state) => state !== 'none') === 'broken') atTheEnd += 1 / draws;
        if (states.includes('broken')) any += 1 / draws;
      }
      // Where no threshold keeps the target, each version is another chance, which is printed and no fault of one.
      worst = Math.max(worst, broken, gain > 0 ? atTheEnd : 0);
      const cells = [promised, broken, atTheEnd, any].map((share) => share.toFixed(3).padStart(14));
      console.log(
        `${population.name.padEnd(22)}${String(rowCount).padStart(6)}  ${String(100 * target).padStart(4)}%${cells.join('')}`,
      );
    }
  }
  return worst;
}
