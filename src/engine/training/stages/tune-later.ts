/** Tuning the text model once a policy decides, and whether it is worth offering as a policy of its own. */
import type { Metrics } from '../../domain.ts';
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
    ports.openTuningGraph !== undefined &&
    fieldPlan.text !== null &&
    textUse !== 'none' &&
    testRows.length > 0 &&
    comparison !== null &&
    comparison.trial.logLoss > roomLogLoss
  );
}

/**
 * Says what a second policy gains on the same rows, after the folds have said that tuning pays: more right answers with
 * no worse log-loss, or as many, as on a few rows, with a better one; null where it gains nothing.
 */
export function describeGain(
  { policyVersion }: Run['request'],
  before: ModelEvaluation,
  { request, evaluation }: Run & Evaluated,
): Metrics['better_than'] {
  const countRight = ({ heldOut }: ModelEvaluation) =>
    heldOut.filter(({ expected, predicted, ruled }) => !ruled && expected === predicted).length;
  const rows = evaluation.heldOut.filter(({ ruled }) => !ruled).length;
  const right = countRight(evaluation);
  const right_before = countRight(before);
  const [loss, lossBefore] = [evaluation.figures.log_loss, before.figures.log_loss];
  if (right < right_before || (right === right_before ? loss >= lossBefore : loss > lossBefore)) return null;
  const gain =
    right > right_before
      ? `instead of ${formatCount(right_before)}`
      : `as before, and surer (log-loss ${loss.toFixed(2)} instead of ${lossBefore.toFixed(2)})`;
  const sentence = `v${request.policyVersion} is right on ${formatCount(right)} of ${formatCount(rows)} ${gain}: its text model was tuned on the same examples, and both were measured on the same held-out ones.`;
  return { policy_version: `v${policyVersion}`, rows, right, right_before, sentence };
}
