import { formatCount } from '../../numeric.ts';
import { checkLabels } from '../evaluate/label-checks.ts';
import { predictOutOfFold } from '../evaluate/out-of-fold.ts';
import type { Checked, Classified, Evaluated, Prepared, Run, TextModelled } from './state.ts';

type State = Pick<Run, 'request' | 'progress'> &
  Pick<Prepared, 'rows' | 'presentOptions' | 'sharing'> &
  Pick<TextModelled, 'texts' | 'tuned'> &
  Pick<Classified, 'choice' | 'notes'> &
  Pick<Evaluated, 'finalModel'>;

/** The share of the stage that is done before. */
export const labelChecksFrom = 0.7;

/**
 * Checks the labels of all rows by cross-validation of the chosen classifier, and says how many are suspect. A tuned
 * encoder has learned the very labels, so then it is the linear classifier over the plain one that judges them.
 */
export function checkExampleLabels(state: State): Checked {
  const { request, progress, rows, presentOptions, sharing, notes } = state;
  const { options } = request.definition;
  const outOfFold = predictOutOfFold({
    ...chooseJudge(state),
    rows,
    presentOptions,
    sharing,
    optionCount: options.length,
    seed: request.seed,
    report: progress.startStep('evaluate', labelChecksFrom, 1, `Checking ${formatCount(rows.length)} labels`),
  });
  // Models that know options only as one say nothing about the label of any of them.
  const isKnown = (option: string) => !sharing.includes(options.indexOf(option));
  const labelChecks = checkLabels(rows, outOfFold, options).filter(({ label }) => isKnown(label));
  const suspects = labelChecks.filter(({ suspect }) => suspect).length;
  const note = `${formatCount(suspects)} of ${formatCount(rows.length)} labels are suspect: models that had not seen the example find another option likelier. Look at them in the findings about the data.`;
  return { labelChecks, notes: suspects === 0 ? notes : [...notes, note] };
}

function chooseJudge({
  texts,
  tuned,
  choice,
  finalModel,
}: State): Pick<Parameters<typeof predictOutOfFold>[0], 'choice' | 'plan' | 'texts'> {
  if (tuned === null) return { choice, plan: finalModel.plan, texts };
  const { plan, textUse, linear } = tuned.plain.choice;
  return { choice: { plan, textUse, linear: { ...linear, weight: 1 }, trees: null }, plan, texts: tuned.plain.texts };
}
