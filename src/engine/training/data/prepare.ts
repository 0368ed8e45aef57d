/** From examples to labelled rows. */
import { toCanonicalJson } from '../../canonical-json.ts';
import type { JsonObject, TrainingExample } from '../../domain.ts';
import { WorkbenchError } from '../../errors.ts';
import { byText, type SplitRow } from './split.ts';

/** A labelled example; `label` counts the options that have examples, see {@link Prepared.present}. */
export type LabelledRow = SplitRow & { id: string; input: JsonObject; decision: string; reasonCodes: string[] };

export type Prepared = {
  rows: LabelledRow[];
  /** For each label its place among the definition's options. */
  present: number[];
  notes: string[];
};

/**
 * Keeps the labelled examples in the order of their contents. Throws WorkbenchError 'validation_error' when no example is
 * labelled or fewer than two options have examples. Options without examples and unknown decisions become notes.
 */
export function prepareRows(examples: readonly TrainingExample[], options: readonly string[]): Prepared {
  const labelled = examples.filter((example) => example.decision !== null);
  if (labelled.length === 0) {
    throw new WorkbenchError(
      'validation_error',
      'There are no labelled examples to train on. Add examples with their decision first.',
    );
  }
  const used = new Set(labelled.map((example) => example.decision));
  const present = options.flatMap((option, index) => (used.has(option) ? [index] : []));
  if (present.length < 2) {
    throw new WorkbenchError('validation_error', 'Only one option has examples. Add examples of at least two options.');
  }
  const labelOf = new Map(present.map((place, label) => [options[place], label]));
  const rows = labelled
    .flatMap((example) => {
      const label = labelOf.get(example.decision ?? undefined);
      if (label === undefined || example.decision === null) return [];
      const { id, input, source, reasonCodes, decision } = example;
      return [{ id, content: toCanonicalJson(input), input, source, reasonCodes, decision, label }];
    })
    .sort((a, b) => byText(a.content, b.content) || a.label - b.label || byText(a.id, b.id));
  const notes: string[] = [];
  const empty = options.filter((option) => !used.has(option));
  if (empty.length > 0) notes.push(`No examples, so never predicted: ${empty.join(', ')}.`);
  const unknown = labelled.length - rows.length;
  if (unknown > 0) notes.push(`${unknown} examples were left out because their decision is not an option.`);
  const imbalance = imbalanceNote(rows, present, options);
  if (imbalance !== null) notes.push(imbalance);
  return { rows, present, notes };
}

/** The most frequent option has this many times the examples of the rarest one before that is worth a note. */
const notableImbalance = 5;

function imbalanceNote(
  rows: readonly LabelledRow[],
  present: readonly number[],
  options: readonly string[],
): string | null {
  const counts = present.map((place, label) => ({
    option: options[place] ?? '',
    count: rows.filter((row) => row.label === label).length,
  }));
  counts.sort((a, b) => a.count - b.count);
  const rarest = counts[0];
  const most = counts.at(-1);
  if (rarest === undefined || most === undefined || most.count < notableImbalance * rarest.count) return null;
  return `The options are unevenly represented: ${most.option} has ${most.count} examples and ${rarest.option} only ${rarest.count}. Look at the figures of each option, not only at the accuracy; more examples of rare options help most.`;
}

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
      .filter(({ count }) => count > 0 && count >= 0.3 * coded.length)
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
    return [option, counts.slice(0, 3).map(({ code }) => code)];
  });
  return Object.fromEntries(reasons);
}
