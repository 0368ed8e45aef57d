import type { ThresholdSettings } from '../../decide/thresholds.ts';
import type { Metrics } from '../../domain/metrics.ts';
import { decideRow, type ReappliedRow } from '../../measure/reapply.ts';
import { formatCount } from '../../numeric.ts';
import type { Generated, Run } from './state.ts';

type RareReport = NonNullable<Metrics['rare_options']>;

/** Counts what becomes of the held-out rows of options that were left to a person; null where all were learned. */
export function reportRareOptions(
  { request, rare, examples }: Pick<Run, 'request'> & Pick<Generated, 'rare' | 'examples'>,
  reapplied: readonly ReappliedRow[],
  settings: ThresholdSettings,
): Metrics['rare_options'] {
  const { rare_options: mode, min_per_option } = request.config;
  if (mode === 'refuse' || rare.options.length === 0) return null;
  const labelled = examples.filter(({ decision, source }) => decision !== null && source === 'user');
  const held = { rows: 0, handed_on: 0, right_by_rule: 0, wrong_alone: 0 };
  for (const row of reapplied) {
    if (!rare.options.includes(row.expected)) continue;
    const { decision, escalate } = decideRow(row, settings);
    held.rows += 1;
    if (escalate) held.handed_on += 1;
    else if (decision === row.expected) held.right_by_rule += 1;
    else held.wrong_alone += 1;
  }
  const counted = {
    mode,
    min_per_option,
    options: [...rare.options],
    examples: labelled.filter(({ decision }) => rare.options.includes(decision ?? '')).length,
    labelled: labelled.length,
    held_out: held,
  };
  return { ...counted, sentence: describe(counted) };
}

function describe({
  mode,
  min_per_option,
  options,
  examples,
  labelled,
  held_out,
}: Omit<RareReport, 'sentence'>): string {
  const answers = options.length === 1 ? '1 rare answer' : `${formatCount(options.length)} rare answers`;
  const go = options.length === 1 ? 'goes' : 'go';
  const sentences = [
    `${answers}, ${formatCount(examples)} of ${formatCount(labelled)} rows, ${go} to a person: fewer than ${formatCount(min_per_option)} examples to learn from.`,
  ];
  if (mode === 'fallback') sentences.push('They are learned as one, so that inputs like theirs are noticed.');
  const { rows, handed_on, right_by_rule, wrong_alone } = held_out;
  sentences.push(
    rows === 0
      ? 'None of their rows was held out, so what becomes of such inputs was not measured.'
      : `Of ${formatCount(rows)} held-out rows of theirs ${formatCount(handed_on)} would be handed on, ${formatCount(right_by_rule)} decided rightly by a rule and ${formatCount(wrong_alone)} decided alone and wrongly.`,
  );
  return sentences.join(' ');
}
