import type { FitRequest } from '../../classifiers/classifier.ts';
import { manyParameters } from '../../classifiers/logistic.ts';
import { formatCount } from '../../numeric.ts';
import { encodeTexts, type LabelledRow } from '../data/labelled-rows.ts';
import { chooseChecks, noticeProbes } from '../evaluate/choose-checks.ts';
import { evaluateModel } from '../evaluate/evaluate-model.ts';
import { listProbeTexts } from '../evaluate/probes.ts';
import { type RowScores, scoreInTurn } from '../evaluate/score-in-turn.ts';
import { type FittedModel, fitChoice } from '../select/fit-choice.ts';
import type { HeadStarts } from '../select/linear-heads.ts';
import type { Classified, Evaluated, Prepared, Run, TextModelled } from './state.ts';

/** Inputs of a further fit of the choice. */
export type RefitState = Pick<Run, 'request' | 'progress'> &
  Pick<Prepared, 'presentOptions' | 'sharing'> &
  Pick<TextModelled, 'texts' | 'tuned'> &
  Pick<Classified, 'choice' | 'measuredModel'>;

type State = Run & RefitState & Pick<Prepared, 'rows' | 'trainRows' | 'measuredRows' | 'split' | 'takenOut'>;

/** The share of the stage that is done before the final model is fitted. */
const finalFitFrom = 0.5;
/** Of more rows the drawn ones are held out at once. */
const maxRowsInTurn = 5_000;

/** Measures the model of the training rows, and fits the final one on all where configured. */
export async function evaluateClassifier(state: State): Promise<Evaluated> {
  const { request, ports, progress, rows, trainRows, measuredRows, texts, measuredModel, split } = state;
  const adapters = state.tuned?.adapters ?? null;
  progress.report('evaluate', 0, `Measuring on ${formatCount(measuredRows.length)} examples`);
  const { plan } = measuredModel;
  const probes = plan.text === null ? [] : listProbeTexts();
  const probeTexts = await encodeTexts(probes, ports.tokenizer, ports.encoder, progress.heartbeat, adapters);
  const allTexts = new Map([...texts, ...probeTexts]);
  const { checks, file, near } = chooseChecks(
    { plan, rows: trainRows, built: measuredModel.rows, texts, tunedFolds: state.tuned?.folds ?? [] },
    (familiarity) => noticeProbes({ plan, rows: trainRows, texts: allTexts }, probes, familiarity),
    progress.heartbeat,
  );
  const evaluation = evaluateModel({
    model: measuredModel,
    familiarity: file,
    near,
    rows: measuredRows,
    identifying: request.identifying ?? [],
    split: request.config.split,
    scores: split.rule === 'drawn' ? scoreDrawn(state) : null,
    takenOut: state.takenOut,
    texts: allTexts,
    probes,
    options: request.definition.options,
    sharing: state.sharing,
    seed: request.seed,
  });
  const finalRows = split.refitted ? rows : trainRows;
  return { evaluation, checks, finalModel: fitFinalModel(state), finalRows };
}

/**
 * Scores the measured rows, each left out in turn; null where that takes too long, or where the encoder has learned
 * from the others alone: there the measured model scores them, which has learned a little less.
 */
function scoreDrawn(state: State): RowScores | null {
  const { request, progress, rows, trainRows, measuredRows, texts, tuned, choice } = state;
  if (tuned !== null || rows.length > maxRowsInTurn) return null;
  const contents = new Set([...trainRows, ...measuredRows].map(({ content }) => content));
  return scoreInTurn({
    choice,
    measured: measuredRows,
    rows: rows.filter(({ content }) => contents.has(content)),
    presentOptions: state.presentOptions,
    sharing: state.sharing,
    optionCount: request.definition.options.length,
    texts,
    seed: request.seed,
    report: progress.startStep('evaluate', 0, finalFitFrom, 'Leaving out drawn rows in turn'),
  });
}

function fitFinalModel(state: State): FittedModel {
  const { progress, rows, measuredModel, split } = state;
  if (!split.refitted) {
    progress.report('evaluate', finalFitFrom, 'Measured');
    return measuredModel;
  }
  const message = `Fitting on all ${formatCount(rows.length)} examples`;
  return refit(state, rows, 'final', progress.startStep('evaluate', finalFitFrom, 1, message));
}

/** Fits the choice on other rows, with a plan that is learned again from them. */
export function refit(
  { request, presentOptions, sharing, texts, tuned, choice, measuredModel }: RefitState,
  rows: readonly LabelledRow[],
  precision: FitRequest<never>['precision'],
  report: (share: number) => void,
): FittedModel {
  return fitChoice({
    choice,
    rows,
    presentOptions,
    sharing,
    optionCount: request.definition.options.length,
    texts,
    starts: chooseStarts(measuredModel, precision),
    tunedHead: tuned?.head ?? null,
    precision,
    seed: request.seed,
    report,
  });
}

/**
 * The heads of a fit from which one on other rows may start. Not where that saves no time, as a fit from near its
 * minimum may end a little before it, nor for a draft, which ends too early to leave what n-grams weighed elsewhere.
 */
function chooseStarts({ starts }: FittedModel, precision: FitRequest<never>['precision']): HeadStarts {
  const { encoder, ngrams } = starts;
  const isLong = precision === 'final' && ngrams !== undefined && ngrams.parameters.length >= manyParameters.from;
  return { ...(encoder && { encoder }), ...(isLong && { ngrams }) };
}
