/** Which words of a text a decision rests on, and which would have to be missing for another one (occlusion). */
import type { Decision, JsonObject } from '../domain.ts';
import { listLeaves } from '../features/values.ts';
import { applyChanges, isText } from './seen-values.ts';
import type { WhatIf } from './what-if.ts';

/** A stretch of a text (UTF-16 indices) and how much less likely the decision is without it, −1 to 1. */
export type WeighedWords = { path: string[]; start: number; end: number; weight: number };
/** Words of one field whose removal flips the decision; `text` is what is left. */
export type WordFlip = { path: string[]; text: string; removed: { start: number; end: number }[]; decision: Decision };

/** Stretches that are weighed; of longer texts several words make up one. */
const maxStretches = 60;
/** Stretches that are taken away together at most. */
const maxRemoved = 6;

type Stretch = { path: string[]; text: string; start: number; end: number };

/** Weighs the words of all texts of an input but those of the paths that `isExcluded` names, heaviest first. */
export async function weighWords(
  whatIf: WhatIf,
  input: JsonObject,
  isExcluded: (path: readonly string[]) => boolean,
): Promise<WeighedWords[]> {
  const weighed: WeighedWords[] = [];
  const before = readProbability(whatIf, whatIf.base);
  const without = listStretches(input, isExcluded).map((stretch) => ({
    ...stretch,
    input: applyChanges(input, [{ path: stretch.path, to: removeFrom(stretch.text, [stretch]) }]),
  }));
  await whatIf.embedAhead(without.map((each) => each.input));
  for (const { path, start, end, input: changed } of without) {
    const decision = await whatIf.decide(changed);
    if (decision === null) continue;
    weighed.push({ path, start, end, weight: before - readProbability(whatIf, decision) });
  }
  return weighed.sort((a, b) => b.weight - a.weight);
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
  const text = readText(input, path);
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

function readProbability({ base }: WhatIf, { class_probabilities: probabilities }: Decision): number {
  // A fallback may stand for an option that the classifier did not choose: then the likeliest one counts.
  if (base.stage !== 'fallback') return probabilities[base.decision] ?? 0;
  const [best] = Object.entries(base.class_probabilities).sort(([, a], [, b]) => b - a);
  return probabilities[best?.[0] ?? ''] ?? 0;
}

function readText(input: JsonObject, path: readonly string[]): string {
  const leaf = listLeaves(input).find((each) => each.path.join('\0') === path.join('\0'));
  return typeof leaf?.value === 'string' ? leaf.value : '';
}

function listStretches(input: JsonObject, isExcluded: (path: readonly string[]) => boolean): Stretch[] {
  const words = listLeaves(input).flatMap(({ path, value }) => {
    if (!isText(value) || isExcluded(path)) return [];
    return [...value.matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)].map(({ index, 0: word }) => ({
      path,
      text: value,
      start: index,
      end: index + word.length,
    }));
  });
  const perStretch = Math.ceil(words.length / maxStretches);
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
