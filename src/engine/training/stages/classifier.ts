import { chooseClassifier } from '../select/choose-classifier.ts';
import { fitChoice } from '../select/fit-choice.ts';
import type { TextUse } from '../select/text-use.ts';
import type { Classified, Planned, Prepared, Run, TextModelled } from './state.ts';

type State = Pick<Run, 'request' | 'progress'> &
  Pick<Prepared, 'rows' | 'presentOptions' | 'sharing' | 'trainRows'> &
  Pick<Planned, 'fieldPlan'> &
  TextModelled;

/** The share of the stage that the search takes, and where the fit begins. */
const searchShare = 0.8;
const fitFrom = 0.85;

const textUseNotes: Record<TextUse, string> = {
  none: 'The text is not used because it did not help beside the other fields.',
  ngrams: 'Text is read by its words and their letters; the sentence encoder is not needed to decide.',
  encoder: 'Text is read by the sentence encoder.',
  both: 'Text is read by its words and their letters, and by the sentence encoder.',
};
const noTextNote = 'The inputs have no text to read.';

/** Chooses the classifier by cross-validation on the training rows, and fits the model that is measured. */
export function fitClassifier(state: State): Classified {
  const { request, progress, rows, presentOptions, trainRows, fieldPlan, texts, textChoice, tuned, notes } = state;
  progress.report('classifier', 0, 'Searching for good settings');
  const { choice, notes: choiceNotes } = chooseClassifier({
    textChoice,
    optionCount: presentOptions.length,
    rowCount: rows.length,
    config: request.config,
    seed: request.seed,
    tick: progress.heartbeat,
    report: (share, message) => progress.reportThrottled('classifier', searchShare * share, message),
  });
  const measuredModel = fitChoice({
    choice,
    rows: trainRows,
    presentOptions,
    sharing: state.sharing,
    optionCount: request.definition.options.length,
    texts,
    tunedHead: tuned?.head ?? null,
    seed: request.seed,
    report: progress.startStep('classifier', fitFrom, 1, 'Fitting the classifier'),
  });
  const textNote = fieldPlan.text === null ? noTextNote : textUseNotes[choice.textUse];
  return { choice, measuredModel, notes: [...notes, textNote, ...choiceNotes] };
}
