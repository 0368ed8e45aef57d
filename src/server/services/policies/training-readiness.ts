/** Whether a decision type has enough examples for a training. */

import { createTurns } from '../../../door/turns.ts';
import type { TrainingConfig } from '../../../engine/domain/training.ts';
import { limits } from '../../../engine/limits.ts';
import { countOf } from '../../../engine/numeric.ts';
import { compileRules } from '../../../engine/rules/compile.ts';
import { compileHintReader } from '../../../engine/training/data/hint-rows.ts';
import { compileRuledTest } from '../../../engine/training/data/labelled-rows.ts';
import { learnsRare, listFewOptions, listRareOptions } from '../../../engine/training/data/rare-options.ts';
import type { Foundation } from '../../foundation.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

export type TrainingReadiness = Awaited<ReturnType<typeof assessReadiness>>;

/** Labelled examples of each option from which a training can generate the missing ones. */
const minPerOptionToGenerate = 2;

const chunkSize = 100;
/** Rows without a label that hints are tried on: so many show whether they teach every option. */
const maxHintTrials = 5_000;

type Settings = Pick<TrainingConfig, 'min_per_option' | 'rare_options' | 'train_on'>;
/** Labelled examples and test rows of each option: 0 where rules decide them all; `ruled` counts what rules decide. */
type Counts = { byOption: ReadonlyMap<string, number>; testRows: ReadonlyMap<string, number>; ruled: number };

async function countLeft({ store, clock }: Foundation, type: DecisionTypeRecord): Promise<Counts> {
  const { definition } = type.activeVersion;
  const rules = compileRules(definition.hard_rules, definition);
  const isRuled = rules.ok ? compileRuledTest(rules.value, definition.readings, type.piiFields) : () => false;
  const takeTurns = createTurns(clock);
  const counts = { byOption: new Map<string, number>(), testRows: new Map<string, number>(), ruled: 0 };
  for (const examples of store.examples.slices(type.id, chunkSize)) {
    for (const { input, decision, test } of examples) {
      if (decision === null) continue;
      const isLeft = !isRuled(input);
      counts.byOption.set(decision, (counts.byOption.get(decision) ?? 0) + Number(isLeft));
      if (!isLeft) counts.ruled += 1;
      else if (test) counts.testRows.set(decision, (counts.testRows.get(decision) ?? 0) + 1);
    }
    await takeTurns();
  }
  return counts;
}

/** Counts the rows of each option on which the hints of a type agree, among the newest without a label. */
async function countHinted({ store, clock }: Foundation, type: DecisionTypeRecord): Promise<Map<string, number>> {
  const { definition } = type.activeVersion;
  const counts = new Map<string, number>();
  if (!definition.hard_rules.some(({ hint }) => hint)) return counts;
  const readHints = compileHintReader(definition);
  const takeTurns = createTurns(clock);
  for (let page = 1; page * chunkSize <= maxHintTrials; page += 1) {
    const { examples } = store.examples.page(type.id, { labelled: false }, page, chunkSize);
    for (const { input } of examples) {
      const option = readHints(input);
      if (option !== null) counts.set(option, (counts.get(option) ?? 0) + 1);
    }
    if (examples.length < chunkSize) break;
    await takeTurns();
  }
  return counts;
}

/** Compares the labelled examples of a type, and its hints, with the needs of a training with these settings. */
export async function assessReadiness(deps: Foundation, type: DecisionTypeRecord, settings: Settings) {
  const { options } = type.activeVersion.definition;
  const { examples } = deps.store;
  const { total, labelled, byOption: all } = examples.computeTotals(type.id);
  const { byOption, testRows, ruled } =
    settings.train_on === 'all'
      ? { byOption: all, testRows: examples.countTestRows(type.id), ruled: 0 }
      : await countLeft(deps, type);
  const { minExamples, minOptions } = limits;
  const { min_per_option: minPerOption, rare_options } = settings;
  const countExamples = (option: string) => (byOption.get(option) ?? 0) - (testRows.get(option) ?? 0);
  const open = options.filter((option) => byOption.get(option) !== 0);
  const hinted = learnsRare(rare_options) ? await countHinted(deps, type) : new Map<string, number>();
  const countLearned = (option: string) => countExamples(option) + (hinted.get(option) ?? 0);
  const countHints = (some: readonly string[]) => some.reduce((sum, option) => sum + (hinted.get(option) ?? 0), 0);
  const rare = listRareOptions(open, countLearned, settings);
  const few = listFewOptions(open, countExamples, settings, countLearned);
  const countAll = (some: readonly string[]) => some.reduce((sum, option) => sum + (byOption.get(option) ?? 0), 0);
  const issues: string[] = [];
  const unruled = ruled === 0 ? '' : ' that no rule decides';
  const least = learnsRare(rare_options) ? limits.leastExamplesPerOption : minPerOption;
  // The options that need the fewest labels to be learned, where too few are.
  const nearest = [...rare]
    .sort((a, b) => countLearned(b) - countLearned(a))
    .slice(0, Math.max(0, minOptions - open.length + rare.length))
    .map((option) => ({ option, missing: least - countLearned(option) }));
  const ofNearest = nearest.reduce((sum, { missing }) => sum + missing, 0);
  const stillRare = rare.filter((each) => nearest.every(({ option }) => option !== each));
  const learnable = labelled - ruled - countAll(stillRare) + countHints(open) - countHints(stillRare) + ofNearest;
  const missingLabels = ofNearest + Math.max(0, minExamples - learnable);
  if (open.length < minOptions)
    issues.push(`Rules decide all but ${countOf(open.length, 'option')}: a training needs two that they leave open.`);
  else if (missingLabels > 0) {
    const among = nearest.map(({ option, missing }) => `${missing} of "${option}"`).join(' and ');
    const labels = `${countOf(missingLabels, 'more label')}${ruled === 0 ? '' : ' of examples that no rule decides'}`;
    issues.push(`${labels} and you can train${among === '' ? '' : `, among them ${among}`}.`);
  }
  for (const option of rare_options === 'refuse' ? open : []) {
    const tests = testRows.get(option) ?? 0;
    const count = countExamples(option);
    if (count >= minPerOption) continue;
    const beside = tests === 0 ? '' : ` beside its ${countOf(tests, 'test row')}`;
    issues.push(
      `Option "${option}" has ${countOf(count, 'labelled example')}${unruled}${beside}; at least ${minPerOption} are needed.`,
    );
  }
  return {
    isReady: issues.length === 0,
    totalExamples: total,
    labelledExamples: labelled,
    /** The fewest further labels with which a training could start, beside what single options miss under `refuse`. */
    missingLabels,
    /** Rows without a label on which hints agree, among the newest that they were tried on. */
    hinted: countHints(options),
    /** Labelled examples that a training with these settings would leave to rules. */
    leftToRules: ruled,
    minPerOption,
    /** The options that a training would leave to a person, and those that it learns and may never decide alone. */
    setAside: { options: rare, examples: countAll(rare) },
    neverAlone: { options: few, examples: countAll(few) },
    /** The other labelled examples of each option, in the order of the options. */
    perOption: Object.fromEntries(options.map((option) => [option, byOption.get(option) ?? 0])),
    issues,
  };
}

/** Whether a training could make the examples that are missing from those that are there. */
export function canGenerateMissing({ perOption }: TrainingReadiness): boolean {
  return Object.values(perOption).every((count) => count >= minPerOptionToGenerate);
}
