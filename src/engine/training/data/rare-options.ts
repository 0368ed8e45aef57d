/** Options with few examples, which are learned and never decided alone, or left to a person. */
import type { TrainingConfig, TrainingExample } from '../../domain/training.ts';
import { limits } from '../../limits.ts';
import { formatCount } from '../../numeric.ts';

type RareSettings = Pick<TrainingConfig, 'min_per_option' | 'rare_options'>;

/** Options that are left to a person, those of them learned as one, and others learned but never decided alone. */
export type RareOptions = { options: readonly string[]; together: readonly string[]; few: readonly string[] };

export const nothingRare: RareOptions = { options: [], together: [], few: [] };

/** Lists options with too few rows to be learned under these settings; none where they are refused. */
export function listRareOptions(
  options: readonly string[],
  countExamples: (option: string) => number,
  { min_per_option, rare_options }: RareSettings,
): string[] {
  if (rare_options === 'refuse') return [];
  const least = rare_options === 'learn' ? limits.leastExamplesPerOption : min_per_option;
  return options.filter((option) => countExamples(option) < least);
}

/** Lists options that are learned from so few rows that they are never decided alone. */
export function listFewOptions(
  options: readonly string[],
  countExamples: (option: string) => number,
  { min_per_option, rare_options }: RareSettings,
): string[] {
  if (rare_options !== 'learn') return [];
  const isFew = (count: number) => count >= limits.leastExamplesPerOption && count < min_per_option;
  return options.filter((option) => isFew(countExamples(option)));
}

/** Finds the rare options of a training; under `fallback`, those of them with examples are learned as one. */
export function findRareOptions(
  examples: readonly TrainingExample[],
  options: readonly string[],
  settings: RareSettings,
): RareOptions {
  const counts = new Map<string, number>();
  for (const { decision, test } of examples) {
    if (decision !== null && test !== true) counts.set(decision, (counts.get(decision) ?? 0) + 1);
  }
  const count = (option: string) => counts.get(option) ?? 0;
  const rare = listRareOptions(options, count, settings);
  const together = settings.rare_options === 'fallback' ? rare.filter((option) => counts.has(option)) : [];
  return { options: rare, together, few: listFewOptions(options, count, settings) };
}

/** Says that options with few examples are a person's, though they are learned. */
export function describeHandedOn(options: number, minPerOption: number): string {
  const go = options === 1 ? '1 answer still goes' : `${formatCount(options)} answers still go`;
  const have = options === 1 ? 'it has' : 'they have';
  return `${go} to a person: ${have} fewer than ${formatCount(minPerOption)} examples, so the policy suggests and never decides alone.`;
}
