/** Labelled examples in the order and form that training works with. */
import { toCanonicalJson } from '../../canonical-json.ts';
import type { JsonObject, TrainingExample } from '../../domain.ts';
import { WorkbenchError } from '../../errors.ts';
import { compareStrings, type SplitRow } from './split.ts';

/** A labelled example; `label` counts the options that have examples, see {@link PreparedRows.presentOptions}. */
export type LabelledRow = SplitRow & { id: string; input: JsonObject; decision: string; reasonCodes: string[] };

export type PreparedRows = {
  rows: LabelledRow[];
  /** For each label the index of its option in the definition; ascending. */
  presentOptions: number[];
  /** Sentences on options without examples, unusable decisions and an uneven distribution. */
  notes: string[];
};

/**
 * Keeps the labelled examples in the order of their contents. Throws WorkbenchError 'validation_error' when no example
 * is labelled or fewer than two options have examples. Options without examples and unknown decisions become notes.
 */
export function prepareRows(examples: readonly TrainingExample[], options: readonly string[]): PreparedRows {
  const labelled = examples.filter((example) => example.decision !== null);
  if (labelled.length === 0) {
    throw new WorkbenchError(
      'validation_error',
      'There are no labelled examples to train on. Add examples with their decision first.',
    );
  }
  const used = new Set(labelled.map((example) => example.decision));
  const presentOptions = options.flatMap((option, index) => (used.has(option) ? [index] : []));
  if (presentOptions.length < 2) {
    throw new WorkbenchError('validation_error', 'Only one option has examples. Add examples of at least two options.');
  }
  const labels = new Map(presentOptions.map((index, label) => [options[index], label]));
  const rows = labelled
    .flatMap((example) => {
      const label = labels.get(example.decision ?? undefined);
      if (label === undefined || example.decision === null) return [];
      const { id, input, source, reasonCodes, decision, test = false } = example;
      return [{ id, content: toCanonicalJson(input), input, source, reasonCodes, decision, label, test }];
    })
    .sort((a, b) => compareStrings(a.content, b.content) || a.label - b.label || compareStrings(a.id, b.id));
  const notes: string[] = [];
  const empty = options.filter((option) => !used.has(option));
  if (empty.length > 0) notes.push(`Options without examples are never predicted: ${empty.join(', ')}.`);
  const unknown = labelled.length - rows.length;
  if (unknown > 0) notes.push(`${unknown} examples were left out because their decision is not an option.`);
  const imbalance = describeImbalance(rows, presentOptions, options);
  if (imbalance !== null) notes.push(imbalance);
  return { rows, presentOptions, notes };
}

/** The labels of rows, in their order. */
export function listLabels(rows: readonly LabelledRow[]): Int32Array {
  return Int32Array.from(rows, (row) => row.label);
}

/** The most frequent option has this many times the examples of the rarest one before that is worth a note. */
const notableImbalance = 5;

function describeImbalance(
  rows: readonly LabelledRow[],
  presentOptions: readonly number[],
  options: readonly string[],
): string | null {
  const counts = presentOptions.map((index, label) => ({
    option: options[index] ?? '',
    count: rows.filter((row) => row.label === label).length,
  }));
  counts.sort((a, b) => a.count - b.count);
  const rarest = counts[0];
  const commonest = counts.at(-1);
  if (rarest === undefined || commonest === undefined || commonest.count < notableImbalance * rarest.count) return null;
  return `The options are unevenly represented: ${commonest.option} has ${commonest.count} examples and ${rarest.option} only ${rarest.count}. Look at the figures of each option, not only at the accuracy; more examples of rare options help most.`;
}

/** The share of an option's coded examples that must carry a reason code for it to go with the option. */
const minReasonShare = 0.3;
const maxReasonsPerOption = 3;

/**
 * Reason codes that go with each option: those carried by at least 30 % of its examples that have any, at most three,
 * the most frequent first, ties by name.
 */
export function countReasonsByOption(
  rows: readonly LabelledRow[],
  options: readonly string[],
  codes: readonly string[],
): Record<string, string[]> {
  const reasons: [string, string[]][] = options.map((option) => {
    const coded = rows.filter((row) => row.decision === option && row.reasonCodes.length > 0);
    const counts = codes
      .map((code) => ({ code, count: coded.filter((row) => row.reasonCodes.includes(code)).length }))
      .filter(({ count }) => count > 0 && count >= minReasonShare * coded.length)
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
    return [option, counts.slice(0, maxReasonsPerOption).map(({ code }) => code)];
  });
  return Object.fromEntries(reasons);
}
