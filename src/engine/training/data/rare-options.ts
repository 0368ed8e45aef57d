/** Options with few examples, which are learned and never decided alone, or left to a person. */
import type { TrainingConfig, TrainingExample } from '../../domain/training.ts';
import { limits } from '../../limits.ts';
import { formatCount } from '../../numeric.ts';
import { isHinted } from './hint-rows.ts';

type RareSettings = Pick<TrainingConfig, 'min_per_option' | 'rare_options'>;

/** From `least` examples on options may be decided alone; `few` are those that then never are. */
export type Minimum = { least: number; few: readonly string[] };

/**
 * Options that are left to a person, those of them learned as one, and others learned but never decided alone;
 * `lower` are minima under which fewer of these are, falling, where that is to be measured.
 */
export type RareOptions = Minimum & {
  options: readonly string[];
  together: readonly string[];
  lower: readonly Minimum[];
};

export const nothingRare: RareOptions = { options: [], together: [], least: 0, few: [], lower: [] };

/** Lower minima that a training tries under `measure`. */
const lowerMinima = [16, 8];
const leastMeasured = Math.min(...lowerMinima);

/** Whether options with few rows are learned; `set_aside`, of earlier clients, is read as `learn`. */
export const learnsRare = (mode: RareSettings['rare_options']): boolean => mode !== 'refuse' && mode !== 'fallback';

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

/** Options learned from so few rows that they are never decided alone; `countLearned` also counts hinted rows. */
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
  const toMinimum = (least: number): Minimum => ({
    least,
    few: listFewOptions(options, count, { ...settings, min_per_option: least }, countLearned),
  });
  const minima = [settings.min_per_option, ...lowerMinima.filter((each) => each < settings.min_per_option)];
  const [own, ...lower] = minima.map(toMinimum);
  if (own === undefined) return nothingRare;
  const isOther = ({ few }: Minimum, at: number) => few.length < (lower[at - 1] ?? own).few.length;
  return { options: rare, together, ...own, lower: settings.rare_options === 'measure' ? lower.filter(isOther) : [] };
}

/** Says before a training what becomes of options with few examples; `counts` holds the number of each. */
export function describeFewToCome(counts: readonly number[], { min_per_option, rare_options }: RareSettings): string {
  if (counts.length === 0) return '';
  if (rare_options !== 'measure' || counts.every((count) => count < leastMeasured)) {
    return describeHandedOn(counts.length, min_per_option);
  }
  const have = counts.length === 1 ? '1 answer has' : `${formatCount(counts.length)} answers have`;
  const them = counts.length === 1 ? 'it' : 'them';
  return `${have} fewer than ${formatCount(min_per_option)} examples: the policy suggests ${them}, and decides ${them} alone only where the training shows that it may.`;
}

/** Says that options with few examples are a person's, though they are learned. */
export function describeHandedOn(options: number, minPerOption: number): string {
  const go = options === 1 ? '1 answer still goes' : `${formatCount(options)} answers still go`;
  const have = options === 1 ? 'it has' : 'they have';
  return `${go} to a person: ${have} fewer than ${formatCount(minPerOption)} examples, so the policy suggests and never decides alone.`;
}
