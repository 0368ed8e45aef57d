/** Answers to questions of decision models, from the probabilities of a decision; nothing of a wire format. */
import type { Decision } from '../../engine/domain/decision.ts';

/** The probability of each option that answers, and the confidence of the formats: how little it is spread. */
export type Spread = { probabilities: number[]; best: number; confidence: number };

type Decided = Pick<Decision, 'decision' | 'class_probabilities'>;

/** The probabilities of some options of a decision, in their order. */
export function readProbabilities({ class_probabilities: all }: Decided, options: readonly string[]): number[] {
  return options.map((option) => all[option] ?? 0);
}

/** How certain a choice is: 1 if one option is certain, 0 if all are equal. */
export function measureChoice(decided: Decided, options: readonly string[]): Spread {
  const probabilities = readProbabilities(decided, options);
  const best = findBest(probabilities, options.indexOf(decided.decision));
  const equal = 1 / probabilities.length;
  return { probabilities, best, confidence: toShare(((probabilities[best] ?? 0) - equal) / (1 - equal)) };
}

/** The mean of a score, and how near to the likeliest level the others are, measured by equal ones. */
export function measureScore(decided: Decided, options: readonly string[]): Spread & { score: number } {
  const probabilities = readProbabilities(decided, options);
  const best = findBest(probabilities, options.indexOf(decided.decision));
  const sumUp = (weigh: (p: number, level: number) => number) =>
    probabilities.reduce((sum, p, level) => sum + weigh(p, level), 0);
  const distance = sumUp((p, level) => p * Math.abs(level - best));
  const equal = sumUp((_p, level) => Math.abs(level - best)) / probabilities.length;
  return { probabilities, best, confidence: toShare(1 - distance / equal), score: sumUp((p, level) => level * p) };
}

const toShare = (value: number) => Math.min(1, Math.max(0, value));

/** The place of the highest probability; of equal ones that of the decision. */
function findBest(probabilities: readonly number[], decided: number): number {
  let best = Math.max(0, decided);
  for (const [at, p] of probabilities.entries()) if (p > (probabilities[best] ?? 0)) best = at;
  return best;
}
