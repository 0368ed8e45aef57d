/** Weighs the words of a text by leaving each out (occlusion), or the heaviest of an estimate. */
import type { Decision } from '../domain/decision.ts';
import { readPlaces } from '../features/readable-text.ts';
import { listLeaves, readPath } from '../features/values.ts';
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { applyChanges, isText } from './seen-values.ts';
import type { WhatIf } from './what-if.ts';

/** A stretch of a field's string (UTF-16 indices) and how much less likely the decision is without it, −1 to 1. */
export type WeighedWords = {
  path: string[];
  start: number;
  end: number;
  weight: number;
  /** Whether the weight is an estimate; else the input was decided without the stretch. */
  estimated: boolean;
};
/** Words of one field whose removal flips the decision; `text` is the rest. */
export type WordFlip = { path: string[]; text: string; removed: { start: number; end: number }[]; decision: Decision };

/** Stretches that are left out one by one; of longer texts several words make up one. */
const maxStretches = 60;
/** Stretches that are estimated; of texts that the encoder reads to the end each is a word. */
const maxEstimated = 256;
/** Words times stretches, which the estimates' n-grams cost. */
const maxEstimateSteps = 65_536;
/** Tokens that the encoder reads to leave words out: about 75 ms on one idle core, the estimate included. */
const maxTokens = 500;
/** An estimate takes as long as embedding the text this many times. */
const runsPerEstimate = 4;
/** Word pieces of a word, about. */
const tokensPerWord = 1.3;
/** Stretches that are taken away together at most. */
const maxRemoved = 6;

type Stretch = { path: string[]; text: string; start: number; end: number };

/** Weighs the words of all texts of an input but those of the paths that `isExcluded` names, heaviest first. */
export async function weighWords(
  whatIf: WhatIf,
  input: JsonObject,
  isExcluded: (path: readonly string[]) => boolean,
): Promise<WeighedWords[]> {
  const words = listWords(input, isExcluded);
  const tokens = Math.min(limits.maxEncoderTokens, 2 + tokensPerWord * words.length);
  const runs = Math.floor(maxTokens / tokens);
  const estimated = words.length > runs ? await estimateWords(whatIf, input, words) : null;
  if (estimated === null) return sortByWeight(await leaveOut(whatIf, input, joinWords(words, maxStretches)));
  const byImpact = [...estimated].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const leftOut = await leaveOut(whatIf, input, byImpact.slice(0, Math.max(0, runs - runsPerEstimate)));
  const isLeftOut = (stretch: Stretch) =>
    leftOut.some(({ path, start }) => path === stretch.path && start === stretch.start);
  return sortByWeight([...leftOut, ...byImpact.filter((word) => !isLeftOut(word))]);
}

function sortByWeight(words: readonly (Stretch & WeighedWords)[]): WeighedWords[] {
  return words
    .map(({ path, start, end, weight, estimated }) => ({ path, start, end, weight, estimated }))
    .sort((a, b) => b.weight - a.weight);
}

/** All words, or as many together as there may be stretches, estimated at once; null where that cannot be done. */
async function estimateWords(
  whatIf: WhatIf,
  input: JsonObject,
  words: readonly Stretch[],
): Promise<(Stretch & WeighedWords)[] | null> {
  if (whatIf.base.stage === 'rules') return null;
  const count = Math.max(maxStretches, Math.min(maxEstimated, Math.floor(maxEstimateSteps / words.length)));
  const stretches = joinWords(words, count);
  const option = findOption(whatIf);
  const without = await whatIf.estimateWithout(input, option, stretches);
  if (without === null) return null;
  const before = whatIf.base.class_probabilities[option] ?? 0;
  return stretches.map((stretch, at) => ({ ...stretch, weight: before - (without[at] ?? 0), estimated: true }));
}

/** Weighs stretches by deciding the input without each; stretches beyond the budget are omitted. */
async function leaveOut(
  whatIf: WhatIf,
  input: JsonObject,
  stretches: readonly Stretch[],
): Promise<(Stretch & WeighedWords)[]> {
  const option = findOption(whatIf);
  const before = whatIf.base.class_probabilities[option] ?? 0;
  const without = stretches.map((stretch) =>
    applyChanges(input, [{ path: stretch.path, to: removeFrom(stretch.text, [stretch]) }]),
  );
  await whatIf.embedAhead(without);
  const weighed: (Stretch & WeighedWords)[] = [];
  for (const [at, stretch] of stretches.entries()) {
    const decision = await whatIf.decide(without[at] as JsonObject);
    if (decision === null) continue;
    weighed.push({ ...stretch, weight: before - (decision.class_probabilities[option] ?? 0), estimated: false });
  }
  return weighed;
}

/** The fewest of the heaviest words of one text whose removal flips the decision, or null. */
export async function findWordFlip(
  whatIf: WhatIf,
  input: JsonObject,
  weighed: readonly WeighedWords[],
): Promise<WordFlip | null> {
  const [heaviest] = weighed;
  if (heaviest === undefined || heaviest.weight <= 0) return null;
  const { path } = heaviest;
  const text = String(readPath(input, path));
  const sameText = weighed.filter((each) => each.weight > 0 && each.path.join('\0') === path.join('\0'));
  for (let count = 1; count <= Math.min(maxRemoved, sameText.length); count++) {
    const removed = sameText.slice(0, count).map(({ start, end }) => ({ start, end }));
    removed.sort((a, b) => a.start - b.start);
    const left = removeFrom(text, removed);
    const decision = await whatIf.decide(applyChanges(input, [{ path, to: left }]));
    if (decision !== null && whatIf.isFlip(decision)) return { path, text: left, removed, decision };
  }
  return null;
}

function findOption({ base }: WhatIf): string {
  // A fallback may stand for an option that the classifier did not choose: then the likeliest one counts.
  if (base.stage !== 'fallback') return base.decision;
  const [best] = Object.entries(base.class_probabilities).sort(([, a], [, b]) => b - a);
  return best?.[0] ?? '';
}

function listWords(input: JsonObject, isExcluded: (path: readonly string[]) => boolean): Stretch[] {
  return listLeaves(input).flatMap(({ path, value }) => {
    if (!isText(value) || isExcluded(path)) return [];
    const reading = readPlaces(value);
    return [...(reading?.text ?? value).matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)].map(({ index, 0: word }) => {
      const end = index + word.length;
      return { path, text: value, start: reading?.starts[index] ?? index, end: reading?.ends[end - 1] ?? end };
    });
  });
}

/** Words as stretches, at most about `count` of them: of more words several of one text make up each. */
function joinWords(words: readonly Stretch[], count: number): Stretch[] {
  const perStretch = Math.ceil(words.length / count);
  const stretches: Stretch[] = [];
  for (let at = 0; at < words.length; ) {
    const first = words[at] as Stretch;
    let last = first;
    for (let taken = 0; taken < perStretch && words[at]?.path === first.path; taken++, at++)
      last = words[at] as Stretch;
    stretches.push({ ...first, end: last.end });
  }
  return stretches;
}

/** The text without some stretches, which ascend; no two spaces are left where one was. */
function removeFrom(text: string, stretches: readonly { start: number; end: number }[]): string {
  let left = '';
  let from = 0;
  for (const { start, end } of stretches) {
    left += text.slice(from, start);
    from = left.endsWith(' ') && text[end] === ' ' ? end + 1 : end;
  }
  return left + text.slice(from);
}
