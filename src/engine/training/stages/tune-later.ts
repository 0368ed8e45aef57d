/** Tuning the text model once a policy decides, and whether it is worth offering as a policy of its own. */
import type { Metrics } from '../../domain/metrics.ts';
import { formatCount } from '../../numeric.ts';
import type { ModelEvaluation } from '../evaluate/evaluate-model.ts';
import type { Evaluated, Planned, Prepared, Run, TextModelled } from './state.ts';

type State = Run & Pick<Prepared, 'testRows'> & Pick<Planned, 'fieldPlan'> & Pick<TextModelled, 'textChoice'>;

/** A cross-validated log-loss below which tuning would keep the machine busy for little. */
const roomLogLoss = 0.05;

/** Whether tuning may go on in the background: left to the program, texts are read, and room is left. */
export function mayTuneLater({ request, ports, testRows, fieldPlan, textChoice }: State): boolean {
  const { comparison, textUse } = textChoice;
  return (
    request.config.tune_encoder === 'auto' &&
    [ports, ...(ports.candidates ?? [])].some((model) => model.encoder !== null && model.openTuningGraph) &&
    fieldPlan.text !== null &&
    textUse !== 'none' &&
    testRows.length > 0 &&
    comparison !== null &&
    comparison.trial.logLoss > roomLogLoss
  );
}

/**
 * Says what a second policy gains: more right answers with no worse log-loss, or as many with a better one; null where
 * it gains nothing or was not tuned. Of a small set the held-out rows alone are too few to tell, so those of the folds
 * of its tuning count as well, which the models that judged them had not learned from either.
 */
export function describeGain(
  { policyVersion }: Run['request'],
  before: ModelEvaluation,
  { request, evaluation, textTuning }: Run & Evaluated & Pick<TextModelled, 'textTuning'>,
): Metrics['better_than'] {
  if (textTuning?.chosen !== 'tuned') return null;
  const { held_rows, frozen, tuned } = textTuning;
  const held = evaluation.heldOut.filter(({ ruled }) => !ruled).length;
  const rows = held + held_rows;
  const measure = ({ figures }: ModelEvaluation, folds: typeof tuned) => ({
    right: Math.round(held * figures.accuracy + held_rows * folds.accuracy),
    loss: (held * figures.log_loss + held_rows * folds.log_loss) / rows,
  });
  const first = measure(before, frozen);
  const second = measure(evaluation, tuned);
  const isMore = second.right > first.right;
  if (second.right < first.right || second.loss > first.loss || (!isMore && second.loss === first.loss)) return null;
  const gain = isMore
    ? `instead of ${formatCount(first.right)}`
    : `as before, and surer (log-loss ${second.loss.toFixed(2)} instead of ${first.loss.toFixed(2)})`;
  const sentence = `v${request.policyVersion} is right on ${formatCount(second.right)} of ${formatCount(rows)} ${gain}: its text model was tuned on the same examples, and each was judged by models that had not learned from it.`;
  return { policy_version: `v${policyVersion}`, rows, right: second.right, right_before: first.right, sentence };
}
