/** Whether a decision type has enough examples for a training. */
import { limits } from '../../../engine/limits.ts';
import { listRareOptions, type RareSettings } from '../../../engine/training/data/rare-options.ts';
import type { Store } from '../../store/store.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

export type TrainingReadiness = {
  isReady: boolean;
  totalExamples: number;
  labelledExamples: number;
  /** Labelled examples of each option, in the order of the options. */
  perOption: Record<string, number>;
  /** Labelled examples that each option needs to be learned. */
  minPerOption: number;
  /** The options that a training with these settings would leave to a person, with their labelled examples. */
  setAside: { options: string[]; examples: number };
  /** What is missing, each a sentence or more. */
  issues: string[];
};

/** Labelled examples of each option from which a training can generate the missing ones. */
const minPerOptionToGenerate = 2;

/** Counts the labelled examples of a type against what a training with these settings needs. */
export function assessReadiness(store: Store, type: DecisionTypeRecord, settings: RareSettings): TrainingReadiness {
  const { options } = type.activeVersion.definition;
  const { total, labelled, byOption } = store.examples.computeTotals(type.id);
  const testRows = store.examples.countTestRows(type.id);
  const { minExamples, minOptions } = limits;
  const { min_per_option: minPerOption, rare_options } = settings;
  const countExamples = (option: string) => (byOption.get(option) ?? 0) - (testRows.get(option) ?? 0);
  const rare = listRareOptions(options, countExamples, settings);
  const setAside = rare.reduce((sum, option) => sum + (byOption.get(option) ?? 0), 0);
  const issues: string[] = [];
  if (labelled - setAside < minExamples) {
    const left = rare.length === 0 ? '' : ' of options with enough of them';
    issues.push(`${labelled - setAside} labelled examples${left}; at least ${minExamples} are needed.`);
  }
  const learned = options.length - rare.length;
  if (learned < minOptions) {
    issues.push(
      `${learned} of the options ${learned === 1 ? 'has' : 'have'} at least ${minPerOption} labelled examples; at least ${minOptions} must.`,
    );
  }
  for (const option of rare_options === 'refuse' ? options : []) {
    const tests = testRows.get(option) ?? 0;
    const count = countExamples(option);
    if (count >= minPerOption) continue;
    const beside = tests === 0 ? '' : ` beside its ${tests} test ${tests === 1 ? 'row' : 'rows'}`;
    issues.push(
      `Option "${option}" has ${count} labelled ${count === 1 ? 'example' : 'examples'}${beside}; at least ${minPerOption} are needed.`,
    );
  }
  return {
    isReady: issues.length === 0,
    totalExamples: total,
    labelledExamples: labelled,
    minPerOption,
    setAside: { options: rare, examples: setAside },
    perOption: Object.fromEntries(options.map((option) => [option, byOption.get(option) ?? 0])),
    issues,
  };
}

/** Whether a training could make the examples that are missing from those that are there. */
export function canGenerateMissing({ perOption }: TrainingReadiness): boolean {
  return Object.values(perOption).every((count) => count >= minPerOptionToGenerate);
}
