/** The choice that a training without tuning makes on some rows. */
import { chooseClassifier } from './choose-classifier.ts';
import { chooseText } from './choose-text.ts';
import type { ClassifierChoice } from './fit-choice.ts';

type Params = Pick<
  Parameters<typeof chooseText>[0],
  'plan' | 'rows' | 'optionCount' | 'texts' | 'encoder' | 'seed' | 'tick'
>;

/** Chooses use of text and classifier by cross-validation at usual settings. */
export function chooseByDefaults(params: Params): ClassifierChoice {
  const { rows, optionCount, seed, tick } = params;
  const textChoice = chooseText({ ...params, report: tick });
  const config = { tune_hyperparams: false, n_tuning_trials: 0 };
  const counts = { optionCount, rows, rowCount: rows.length };
  return chooseClassifier({ textChoice, ...counts, config, seed, tick, report: tick }).choice;
}
