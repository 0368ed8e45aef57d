/** Options with few examples, which are learned and never decided alone, or left to a person. */
import type { TrainingConfig, TrainingExample } from '../../domain/training.ts';
import { limits } from '../../limits.ts';
import { formatCount } from '../../numeric.ts';
import { isHinted } from './hint-rows.ts';

type RareSettings = Pick<TrainingConfig, 'min_per_option' | 'rare_options'>;

/** Options that are left to a person, those of them learned as one, and others learned but never decided alone. */
export type RareOptions = { options: readonly string[]; together: readonly string[]; few: readonly string[] };

export const nothingRare: RareOptions = { options: [], together: [], few: [] };

/** Whether options with few rows are learned; `set_aside`, of earlier clients, is read so. */
export const learnsRare = (mode: RareSettings['rare_options']): boolean => mode === 'learn' || mode === 'set_aside';

/** Lists options with too few rows to be learned under these settings; none where they are refused. */
export function listRareOptions(
  options: readonly string[],
  countExamples: (option: string) => number,
  { min_per_option, rare_options }: RareSettings,
): string[] {
  if (rare_options === 'refuse') return [];
  const least = rare_options === 'fallback' ? min_per_option : limits.leastExamplesPerOption;
  return options.filter((option) => countExamples(option) < least);
}

/**
 * Lists options that are learned from so few rows that they are never decided alone; `countLearned` also counts hinted
 * rows.
 */
export function listFewOptions(
  options: readonly string[],
  countExamples: (option: string) => number,
  { min_per_option, rare_options }: RareSettings,
  countLearned = countExamples,
): string[] {
  if (!learnsRare(rare_options)) return [];
  return options.filter(
    (option) => countLearned(option) >= limits.leastExamplesPerOption && countExamples(option) < min_per_option,
  );
}

/** Finds the rare options of a training; under `fallback`, those of them with examples are learned as one. */
export function findRareOptions(
  examples: readonly TrainingExample[],
  options: readonly string[],
  settings: RareSettings,
): RareOptions {
  const [labels, learned] = [new Map<string, number>(), new Map<string, number>()];
  for (const { decision, test, source } of examples) {
    if (decision === null || test === true) continue;
    for (const counts of isHinted({ source }) ? [learned] : [labels, learned]) {
      counts.set(decision, (counts.get(decision) ?? 0) + 1);
    }
  }
  const count = (option: string) => labels.get(option) ?? 0;
  const countLearned = (option: string) => learned.get(option) ?? 0;
  const rare = listRareOptions(options, learnsRare(settings.rare_options) ? countLearned : count, settings);
  const together = settings.rare_options === 'fallback' ? rare.filter((option) => labels.has(option)) : [];
  return { options: rare, together, few: listFewOptions(options, count, settings, countLearned) };
}

/** Says that options with few examples are a person's, though they are learned. */
export function describeHandedOn(options: number, minPerOption: number): string {
  const go = options === 1 ? '1 answer still goes' : `${formatCount(options)} answers still go`;
  const have = options === 1 ? 'it has' : 'they have';
  return `${go} to a person: ${have} fewer than ${formatCount(minPerOption)} examples, so the policy suggests and never decides alone.`;
}
