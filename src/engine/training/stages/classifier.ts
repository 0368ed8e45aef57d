import { formatCount } from '../../numeric.ts';
import { isLabelled } from '../data/hint-rows.ts';
import { chooseClassifier } from '../select/choose-classifier.ts';
import { fitChoice } from '../select/fit-choice.ts';
import type { TextUse } from '../select/text-use.ts';
import { chooseMinimum } from './rare-options.ts';
import type { Classified, Generated, Planned, Prepared, Run, TextModelled } from './state.ts';

type State = Pick<Run, 'request' | 'progress'> &
  Pick<Generated, 'rules' | 'rare'> &
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
const noTextNote = 'No field is read as text: one with few different values is a category.';

/** Says how texts are read, and names a text model that was asked for and decides nothing. */
function describeTextUse({ request, fieldPlan }: State, use: TextUse): string {
  if (fieldPlan.text === null) return noTextNote;
  const { text_model: asked } = request.config;
  const isUnused = !['auto', 'words'].includes(asked) && (use === 'none' || use === 'ngrams');
  return isUnused
    ? `${textUseNotes[use]} So the text model “${asked}”, which was asked for, is not used.`
    : textUseNotes[use];
}

/** Says on how many rows settings were searched, where these were not all. */
function describeSearch({ trainRows, textChoice }: State): string[] {
  const searched = textChoice.comparison?.rows.length ?? 0;
  const all = trainRows.filter(isLabelled).length;
  if (searched === 0 || searched >= all) return [];
  return [
    `Settings were searched on ${formatCount(searched)} of the examples; all ${formatCount(all)} were learned from.`,
  ];
}

/** Chooses the classifier by cross-validation on the training rows, and fits the model that is measured. */
export function fitClassifier(state: State): Classified {
  const { request, progress, rows, presentOptions, trainRows, texts, textChoice, tuned, notes } = state;
  progress.report('classifier', 0, 'Searching for good settings');
  const {
    choice,
    judged,
    notes: choiceNotes,
  } = chooseClassifier({
    textChoice,
    optionCount: presentOptions.length,
    rows: trainRows,
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
  const searchNotes = [describeTextUse(state, choice.textUse), ...describeSearch(state)];
  return {
    choice,
    judged,
    measuredModel,
    ...chooseMinimum(state, judged),
    notes: [...notes, ...searchNotes, ...choiceNotes],
  };
}
