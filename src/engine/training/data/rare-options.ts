/** Options with too few examples to be learned, which are left to a person. */
import type { TrainingConfig, TrainingExample } from '../../domain/training.ts';

type RareSettings = Pick<TrainingConfig, 'min_per_option' | 'rare_options'>;

/** Rare options in order, and those of them that are learned as one. */
export type RareOptions = { options: readonly string[]; together: readonly string[] };

export const nothingRare: RareOptions = { options: [], together: [] };

/** Lists options with fewer than `min_per_option` rows to learn from; none where they are refused. */
export function listRareOptions(
  options: readonly string[],
  countExamples: (option: string) => number,
  { min_per_option, rare_options }: RareSettings,
): string[] {
  return rare_options === 'refuse' ? [] : options.filter((option) => countExamples(option) < min_per_option);
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
  const rare = listRareOptions(options, (option) => counts.get(option) ?? 0, settings);
  const together = settings.rare_options === 'fallback' ? rare.filter((option) => counts.has(option)) : [];
  return { options: rare, together };
}
