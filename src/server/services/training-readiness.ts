/** Whether a decision type has enough examples for a training. */
import { limits } from '../../engine/limits.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { Store } from '../store/store.ts';

export type TrainingReadiness = {
  isReady: boolean;
  totalExamples: number;
  labelledExamples: number;
  /** Labelled examples of each option, in the order of the options. */
  perOption: Record<string, number>;
  /** What is missing, each a sentence or more. */
  issues: string[];
};

/** Labelled examples of each option from which a training can generate the missing ones. */
const minPerOptionToGenerate = 2;

/** Counts the labelled examples of a type against what a training needs. */
export function assessReadiness(store: Store, type: DecisionTypeRecord): TrainingReadiness {
  const { options } = type.activeVersion.definition;
  const { total, labelled, byOption } = store.examples.computeTotals(type.id);
  const testRows = store.examples.countTestRows(type.id);
  const { minExamples, minExamplesPerOption } = limits;
  const issues: string[] = [];
  if (labelled < minExamples) issues.push(`${labelled} labelled examples; at least ${minExamples} are needed.`);
  for (const option of options) {
    const tests = testRows.get(option) ?? 0;
    const count = (byOption.get(option) ?? 0) - tests;
    if (count >= minExamplesPerOption) continue;
    const beside = tests === 0 ? '' : ` beside its ${tests} test ${tests === 1 ? 'row' : 'rows'}`;
    issues.push(
      `Option "${option}" has ${count} labelled ${count === 1 ? 'example' : 'examples'}${beside}; at least ${minExamplesPerOption} are needed.`,
    );
  }
  return {
    isReady: issues.length === 0,
    totalExamples: total,
    labelledExamples: labelled,
    perOption: Object.fromEntries(options.map((option) => [option, byOption.get(option) ?? 0])),
    issues,
  };
}

/** Whether a training could make the examples that are missing from those that are there. */
export function canGenerateMissing({ perOption }: TrainingReadiness): boolean {
  return Object.values(perOption).every((count) => count >= minPerOptionToGenerate);
}
