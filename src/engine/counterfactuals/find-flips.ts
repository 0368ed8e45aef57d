/** The fewest and smallest changes to seen values that flip a decision (Wachter et al. 2017), by beam search. */
import type { Decision } from '../domain/decision.ts';
import type { JsonObject } from '../json.ts';
import { applyChanges, type Change, type SeenField, toNumberChange } from './seen-values.ts';
import type { WhatIf } from './what-if.ts';

export type Flip = { changes: Change[]; decision: Decision };

const maxFlips = 3;
const maxChanges = 3;
const beamWidth = 5;
const maxAdded = 12;

type Tried = { changes: Change[]; decision: Decision; rating: number };

/** Looks for flips by fields, in the order worth a try; the fewest and smallest first, each decided. */
export async function findFieldFlips(whatIf: WhatIf, input: JsonObject, fields: readonly SeenField[]): Promise<Flip[]> {
  const flips: Flip[] = [];
  const failed = await trySingleChanges(whatIf, input, fields, flips);
  let beam = pickBest(failed, beamWidth);
  const added = pickBest(failed, maxAdded).flatMap(({ changes }) => changes);
  for (let size = 2; size <= maxChanges && flips.length < maxFlips; size++) {
    beam = pickBest(await addToEach(whatIf, input, beam, added, flips), beamWidth);
  }
  return flips
    .sort((a, b) => a.changes.length - b.changes.length || sumDistances(a) - sumDistances(b))
    .slice(0, maxFlips);
}

/** Tries every change by itself; flips are added to the list, what did not flip is returned. */
async function trySingleChanges(
  whatIf: WhatIf,
  input: JsonObject,
  fields: readonly SeenField[],
  flips: Flip[],
): Promise<Tried[]> {
  const failed: Tried[] = [];
  for (const change of interleave(fields)) {
    if (whatIf.isUsedUp()) break;
    if (change.distance >= findDistance(flips, change)) continue;
    const tried = await tryChanges(whatIf, input, [change]);
    if (tried === null) continue;
    if (whatIf.isFlip(tried.decision)) addFlip(flips, await shrink(whatIf, input, tried, fields));
    else failed.push(tried);
  }
  return failed;
}

/** As `trySingleChanges`, with each of the changes `added` to each of the `beam`. */
async function addToEach(
  whatIf: WhatIf,
  input: JsonObject,
  beam: readonly Tried[],
  added: readonly Change[],
  flips: Flip[],
): Promise<Tried[]> {
  const failed: Tried[] = [];
  for (const { changes } of beam) {
    for (const change of added) {
      if (whatIf.isUsedUp()) return failed;
      if (hasField(changes, change) || hasFlipOf(flips, [...changes, change])) continue;
      const tried = await tryChanges(whatIf, input, [...changes, change]);
      if (tried === null) continue;
      if (whatIf.isFlip(tried.decision)) addFlip(flips, tried);
      else failed.push(tried);
    }
  }
  return failed;
}

/** One value of every field, then the next one of each, so that a budget that ends leaves no field out. */
function interleave(fields: readonly SeenField[]): Change[] {
  const longest = fields.reduce((max, { changes }) => Math.max(max, changes.length), 0);
  return Array.from({ length: longest }, (_, at) => fields.flatMap(({ changes }) => changes[at] ?? [])).flat();
}

async function tryChanges(whatIf: WhatIf, input: JsonObject, changes: Change[]): Promise<Tried | null> {
  const decision = await whatIf.decide(applyChanges(input, changes));
  if (decision === null) return null;
  return { changes, decision, rating: whatIf.rate(decision) };
}

/** Bisects between a number and the value that flips it, as long as a seen value in between also flips. */
async function shrink(whatIf: WhatIf, input: JsonObject, tried: Tried, fields: readonly SeenField[]): Promise<Flip> {
  const [change] = tried.changes;
  const numbers = fields.find((field) => change !== undefined && hasSamePath(field, change))?.numbers ?? [];
  if (change === undefined || typeof change.from !== 'number' || typeof change.to !== 'number') return tried;
  const { path, from, to } = change;
  const between = numbers.filter((value) => value > Math.min(from, to) && value < Math.max(from, to));
  if (to < from) between.reverse();
  let smallest: Flip = tried;
  for (let low = 0, high = between.length; low < high; ) {
    const middle = (low + high) >> 1;
    const nearer = await tryChanges(whatIf, input, [toNumberChange(path, from, between[middle] ?? to, numbers)]);
    if (nearer !== null && whatIf.isFlip(nearer.decision)) {
      smallest = nearer;
      high = middle;
    } else low = middle + 1;
  }
  return smallest;
}

/** Keeps of flips of the same fields the smallest. */
function addFlip(flips: Flip[], flip: Flip): void {
  const same = flips.findIndex(
    ({ changes }) =>
      changes.length === flip.changes.length && flip.changes.every((change) => hasField(changes, change)),
  );
  if (same < 0) flips.push(flip);
  else if (sumDistances(flip) < sumDistances(flips[same] ?? flip)) flips[same] = flip;
}

const sumDistances = ({ changes }: Pick<Flip, 'changes'>) => changes.reduce((sum, { distance }) => sum + distance, 0);
const hasSamePath = (a: { path: string[] }, b: { path: string[] }) => JSON.stringify(a.path) === JSON.stringify(b.path);
const hasField = (changes: readonly Change[], change: Change) => changes.some((each) => hasSamePath(each, change));

/** Whether the fields of a flip are all among these: then more changes explain nothing more. */
function hasFlipOf(flips: readonly Flip[], changes: readonly Change[]): boolean {
  return flips.some((flip) => flip.changes.every((change) => hasField(changes, change)));
}

/** How large a change of this field alone would have to be at most to be better than what was found. */
function findDistance(flips: readonly Flip[], change: Change): number {
  const [distance = Number.POSITIVE_INFINITY] = flips.flatMap((flip) =>
    flip.changes.length === 1 && hasField(flip.changes, change) ? sumDistances(flip) : [],
  );
  return distance;
}

function pickBest(tried: readonly Tried[], count: number): Tried[] {
  return [...tried].sort((a, b) => b.rating - a.rating).slice(0, count);
}
