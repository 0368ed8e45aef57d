/** Options with too few examples to be learned, which are left to a person. */
import type { TrainingConfig, TrainingExample } from '../../domain.ts';

type RareSettings = Pick<TrainingConfig, 'min_per_option' | 'rare_options'>;

/**
 * The rare options in the order of the options, and those of them that are learned as one; `together` is empty or has
 * at least two.
 */
export type RareOptions = { options: readonly string[]; together: readonly string[] };

export const nothingRare: RareOptions = { options: [], together: [] };

/**
 * Lists the options with fewer than `min_per_option` examples to learn from (labelled, and no test rows), in their
 * order; none where rare options are refused.
 */
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
  // An option that is learned alone could be decided, and a rare one never is.
  return { options: rare, together: together.length < 2 ? [] : together };
}
