import type { Metrics } from '../../domain/metrics.ts';
import {
  decideRow,
  type ReappliedRow,
  type RecordedAnswer,
  reapplySettings,
  toUnruledRow,
} from '../../measure/reapply.ts';
import { measureRows, measureShare } from '../../measure/whole-decision.ts';
import type { MeasuredShare, WholeDecision } from '../../measured.ts';
import { argmax, formatCount, formatRange, formatShare, softmaxInPlace } from '../../numeric.ts';
import type { ThresholdSettings } from '../../thresholds.ts';
import { mergeThresholds, readThresholdsOf } from '../../thresholds.ts';
import { groupMeasured } from '../../units/hold-out.ts';
import { toMeasured } from '../data/labelled-rows.ts';
import { describeHandedOn } from '../data/rare-options.ts';
import type { JudgedRows } from '../select/choose-classifier.ts';
import type { Classified, Generated, OpenMinimum, Prepared, Run } from './state.ts';

type RareReport = NonNullable<Metrics['rare_options']>;

type ChoiceState = Pick<Run, 'request'> & Pick<Generated, 'rules' | 'rare'> & Pick<Prepared, 'presentOptions'>;

/**
 * Chooses from how many examples on an option may be decided alone: the least minimum of which the folds show that what
 * it adds is as often right as the thresholds ask, certain to 95%. Minima are tried falling, and the first to fail ends
 * it, so that several tries pass no more often by luck than one.
 */
export function chooseMinimum(state: ChoiceState, judged: JudgedRows | null): Pick<Classified, 'rare' | 'minima'> {
  const { rare } = state;
  if (judged === null || rare.lower.length === 0) return { rare, minima: [] };
  const { least, few } = rare;
  const minima: OpenMinimum[] = [{ least, few, added: null }];
  const alone = listAlone(state, judged);
  let [taken, isOpen] = [{ least, few }, true];
  for (const minimum of rare.lower) {
    const before = taken.few;
    const isAdded = (option: string) => before.includes(option) && !minimum.few.includes(option);
    const added = isOpen
      ? judgeAdded(
          state.request,
          alone.filter(({ prediction }) => isAdded(prediction.option)),
        )
      : null;
    minima.push({ ...minimum, added });
    isOpen = added !== null && added.wrong.high <= added.allowed;
    if (isOpen) taken = minimum;
  }
  return { rare: { ...rare, ...taken }, minima };
}

/** Of decisions alone how many are wrong, and which share may be, by the thresholds that they meet. */
function judgeAdded({ definition, config }: Run['request'], rows: readonly ReappliedRow[]): OpenMinimum['added'] {
  const thresholds = mergeThresholds(definition.confidence_thresholds, config.escalation_threshold);
  const isAccepted = definition.escalation_policy.between === 'accept';
  const allowed = rows.map(({ prediction }) => {
    const { auto_decide, escalation } = readThresholdsOf(prediction.option, thresholds);
    return 1 - (isAccepted ? escalation : auto_decide);
  });
  return {
    wrong: measureRows(rows, ({ expected, prediction }) => prediction.option !== expected),
    allowed: allowed.reduce((sum, each) => sum + each, 0) / Math.max(1, rows.length),
  };
}

/** Lists judged rows that fits which had not seen them would decide alone as an option with few examples. */
function listAlone({ request, rules, rare, presentOptions }: ChoiceState, { rows, logits }: JudgedRows) {
  const { definition, config, identifying = [], fallbackOption: fallback_option } = request;
  const { escalation_policy, input_schema: inputSchema, options } = definition;
  const confidence_thresholds = mergeThresholds(definition.confidence_thresholds, config.escalation_threshold);
  const settings = { confidence_thresholds, escalation_policy, fallback_option, rules, inputSchema };
  const width = presentOptions.length;
  const answers = rows.flatMap((row, i) => {
    const probabilities = softmaxInPlace(logits.slice(i * width, (i + 1) * width));
    const best = argmax(probabilities);
    const predicted = options[presentOptions[best] ?? -1] ?? '';
    if (!rare.few.includes(predicted)) return [];
    return [{ ...toMeasured(row), predicted, confidence: probabilities[best] ?? 0, unfamiliar: false }];
  });
  const groups = groupMeasured(answers, identifying, config.split);
  const recorded = answers.map((answer, i) => ({ ...answer, ...groups[i], expected: answer.decision }));
  const reapplied = reapplySettings(recorded, settings);
  return reapplied.rows.filter((row) => row.ruled === null && !decideRow(row, settings).escalate);
}

type Reported = Pick<Run, 'request'> & Pick<Generated, 'rare' | 'examples'> & Pick<Classified, 'minima'>;
type MeasuredRow = ReappliedRow & { recorded: RecordedAnswer };

/** Measures every minimum that was open as the whole decision is measured on held-out rows. */
export function measureMinima(
  { minima, rare }: Reported,
  reapplied: readonly MeasuredRow[],
  settings: ThresholdSettings,
  measure: (rows: readonly ReappliedRow[]) => WholeDecision,
): RareReport['minima'] {
  return minima.map(({ least, few }) => {
    const rows = reapplied.map(({ recorded, ...row }) => {
      const answer = { ...recorded, isSetAside: few.includes(recorded.predicted) };
      return { ...row, prediction: toUnruledRow(answer, settings).prediction };
    });
    const { accuracy, automatic, error_automatic } = measure(rows);
    return { min_per_option: least, accuracy, automatic, error_automatic, chosen: least === rare.least };
  });
}

/** Counts what becomes of the held-out rows of options with few examples, or null. */
export function reportRareOptions(
  { request, rare, examples, minima: open }: Reported,
  reapplied: readonly ReappliedRow[],
  settings: ThresholdSettings,
  minima: RareReport['minima'],
): Metrics['rare_options'] {
  const { rare_options } = request.config;
  const few = [...rare.few];
  const all = [...rare.options, ...few];
  if (rare_options === 'refuse' || (all.length === 0 && open.length === 0)) return null;
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
    min_per_option: rare.least,
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
    minima,
    sentence: [
      ...open.flatMap(describeOpen),
      ...(all.length === 0 ? [] : [describe(counted)]),
      ...describeFew(few, measureShare(right, answered.length)),
    ].join(' '),
  };
}

/** Says why a minimum that was tried is taken or not. */
function describeOpen({ least, added }: OpenMinimum): string[] {
  if (added === null) return [];
  const { wrong, allowed } = added;
  const isTaken = wrong.high <= allowed;
  const from = `From ${least} examples on an answer is ${isTaken ? '' : 'not yet '}decided alone:`;
  if (wrong.share === null) return [`${from} cross-validation met no such decision.`];
  const range = formatRange(wrong);
  return [
    `${from} ${formatCount(wrong.count)} of ${formatCount(wrong.of)} such decisions in cross-validation were wrong (${range}), and the thresholds allow ${formatShare(allowed)}.`,
  ];
}

function describeFew(few: readonly string[], right: MeasuredShare): string[] {
  if (few.length === 0) return [];
  if (right.share === null) return ['No held-out row got such an answer, so how often they are right is not known.'];
  const range = formatRange(right);
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
}: Omit<RareReport, 'sentence' | 'minima'>): string {
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
