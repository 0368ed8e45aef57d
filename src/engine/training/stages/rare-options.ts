import type { ThresholdSettings } from '../../decide/thresholds.ts';
import type { Metrics } from '../../domain/metrics.ts';
import { formatShare } from '../../measure/format-share.ts';
import { decideRow, type ReappliedRow } from '../../measure/reapply.ts';
import { measureShare } from '../../measure/whole-decision.ts';
import type { MeasuredShare } from '../../measured.ts';
import { formatCount } from '../../numeric.ts';
import { describeHandedOn } from '../data/rare-options.ts';
import type { Generated, Run } from './state.ts';

type RareReport = NonNullable<Metrics['rare_options']>;

/** Counts what becomes of the held-out rows of options with few examples, or null. */
export function reportRareOptions(
  { request, rare, examples }: Pick<Run, 'request'> & Pick<Generated, 'rare' | 'examples'>,
  reapplied: readonly ReappliedRow[],
  settings: ThresholdSettings,
): Metrics['rare_options'] {
  const { rare_options, min_per_option } = request.config;
  const few = [...rare.few];
  const all = [...rare.options, ...few];
  if (rare_options === 'refuse' || all.length === 0) return null;
  const mode: RareReport['mode'] = rare_options === 'fallback' ? rare_options : 'learn';
  const labelled = examples.filter(({ decision, source }) => decision !== null && source === 'user');
  const held = { rows: 0, handed_on: 0, right_by_rule: 0, wrong_alone: 0 };
  for (const row of reapplied) {
    if (!all.includes(row.expected)) continue;
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
    few,
    examples: labelled.filter(({ decision }) => all.includes(decision ?? '')).length,
    labelled: labelled.length,
    held_out: held,
  };
  const answered = reapplied.filter(({ ruled, prediction }) => ruled === null && few.includes(prediction.option));
  const right = answered.filter(({ expected, prediction }) => prediction.option === expected).length;
  return {
    ...counted,
    sentence: [describe(counted), ...describeFew(few, measureShare(right, answered.length))].join(' '),
  };
}

function describeFew(few: readonly string[], right: MeasuredShare): string[] {
  if (few.length === 0) return [];
  if (right.share === null) return ['No held-out row got such an answer, so how often they are right is not known.'];
  const range = `${formatShare(right.low)} to ${formatShare(right.high)}`;
  return [`Of ${formatCount(right.of)} held-out rows that got one, ${formatShare(right.share)} are right (${range}).`];
}

function describe({
  mode,
  min_per_option,
  options,
  few,
  examples,
  labelled,
  held_out,
}: Omit<RareReport, 'sentence'>): string {
  const count = options.length + few.length;
  const answers = count === 1 ? '1 rare answer' : `${formatCount(count)} rare answers`;
  const go = count === 1 ? 'goes' : 'go';
  if (mode === 'learn') return describeHandedOn(few.length + options.length, min_per_option);
  const sentences = [
    `${answers}, ${formatCount(examples)} of ${formatCount(labelled)} rows, ${go} to a person: fewer than ${formatCount(min_per_option)} examples to learn from.`,
    'They are learned as one, so that inputs like theirs are noticed.',
  ];
  const { rows, handed_on, right_by_rule, wrong_alone } = held_out;
  sentences.push(
    rows === 0
      ? 'None of their rows was held out, so what becomes of such inputs was not measured.'
      : `Of ${formatCount(rows)} held-out rows of theirs ${formatCount(handed_on)} would be handed on, ${formatCount(right_by_rule)} decided rightly by a rule and ${formatCount(wrong_alone)} decided alone and wrongly.`,
  );
  return sentences.join(' ');
}
