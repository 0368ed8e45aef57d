/** The embedded teacher: fills up options that have too few examples by recombining examples of the same option. */
import type { Json, JsonObject, TrainingExample } from '../domain.ts';
import { createRandom, type Random } from '../random.ts';

/** What the minimum is that training asks for, in all and per option. */
export const minimumExamples = { total: 38, perOption: 38 } as const;
/** Below this an option shows no variety that could be recombined. */
const leastToRecombine = 2;
const triesPerRow = 20;

export type Generated = {
  examples: TrainingExample[];
  /** Options that stay below the minimum, with what was there and what was reached. */
  short: { option: string; have: number; reached: number }[];
};

/**
 * Makes synthetic examples so that each option reaches `minimum` labelled ones: texts are spliced from sentences of two
 * examples of the option, numbers lie between the two, everything else comes from one of them. Rows equal to an
 * existing one are dropped. Deterministic by seed; offline; never labels across options.
 */
export function generateExamples(
  examples: readonly TrainingExample[],
  options: readonly string[],
  minimum: number,
  seed: number,
): Generated {
  const random = createRandom(seed);
  const known = new Set(examples.map((example) => JSON.stringify(example.input)));
  const made: TrainingExample[] = [];
  const short: Generated['short'] = [];
  for (const option of options) {
    const originals = examples.filter((example) => example.decision === option);
    let reached = originals.length;
    const tries = originals.length < leastToRecombine ? 0 : (minimum - reached) * triesPerRow;
    for (let attempt = 0; attempt < tries && reached < minimum; attempt++) {
      const first = pick(originals, random);
      const second = pick(originals, random);
      if (first === second) continue;
      const input = recombine(first.input, second.input, random) as JsonObject;
      const text = JSON.stringify(input);
      if (known.has(text)) continue;
      known.add(text);
      reached += 1;
      made.push({
        id: `synthetic-${options.indexOf(option)}-${reached}`,
        input,
        decision: option,
        reasonCodes: first.reasonCodes,
        source: 'synthetic',
      });
    }
    if (reached < minimum) short.push({ option, have: originals.length, reached });
  }
  return { examples: made, short };
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function recombine(a: Json, b: Json, random: Random): Json {
  if (isObject(a) && isObject(b)) {
    const merged: [string, Json][] = Object.entries(a).map(([key, value]) => [
      key,
      Object.hasOwn(b, key) ? recombine(value, b[key] as Json, random) : value,
    ]);
    return Object.fromEntries(merged);
  }
  if (typeof a === 'number' && typeof b === 'number') {
    const between = a + random() * (b - a);
    return Number.isInteger(a) && Number.isInteger(b) ? Math.round(between) : between;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    const spliced = splice(a, b, random);
    if (spliced !== null) return spliced;
  }
  return random() < 0.5 ? a : b;
}

/** The beginning of one text and the end of the other, cut between sentences; null where either has only one. */
function splice(a: string, b: string, random: Random): string | null {
  const head = sentences(a);
  const tail = sentences(b);
  if (head.length < 2 || tail.length < 2) return null;
  const share = 0.25 + random() * 0.5;
  return [...head.slice(0, Math.ceil(head.length * share)), ...tail.slice(Math.floor(tail.length * share))].join(' ');
}

const sentences = (text: string) => text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.trim() !== '');
