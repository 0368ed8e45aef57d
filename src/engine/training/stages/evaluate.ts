import { type Confusion, tabulateDecisions } from '../../measure/confusion.ts';
import { formatCount } from '../../numeric.ts';
import { encodeTexts } from '../data/encode-texts.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { chooseChecks, noticeProbes } from '../evaluate/choose-checks.ts';
import { evaluateModel, type ModelEvaluation } from '../evaluate/evaluate-model.ts';
import { computeLearningCurve } from '../evaluate/learning-curve.ts';
import { listProbeTexts } from '../evaluate/probes.ts';
import { type FittedModel, fitChoice } from '../select/fit-choice.ts';
import type { HeadStarts } from '../select/linear-heads.ts';
import { labelChecksFrom } from './label-checks.ts';
import type { Classified, Evaluated, Generated, Prepared, Run, TextModelled } from './state.ts';

type State = Run &
  Pick<Generated, 'rules' | 'rare'> &
  Pick<Prepared, 'rows' | 'presentOptions' | 'sharing' | 'trainRows' | 'testRows' | 'measuredRows' | 'split'> &
  Pick<TextModelled, 'texts' | 'tuned'> &
  Pick<Classified, 'choice' | 'measuredModel'>;

/** Where the step for a part of the learning curve stands in the stage: from 0.4 times its share, a tenth long. */
const curveShare = 0.4;
const curveStep = 0.1;
const finalFitFrom = 0.5;

/**
 * Measures the model that saw the training rows only, draws the learning curve (none of a tuned encoder), and fits the
 * final model on all rows where the configuration says so and there are no test rows of the analyst's own. Rejects with
 * whatever the encoder rejects with.
 */
export async function evaluateClassifier(state: State): Promise<Evaluated> {
  const { request, ports, progress, rows, trainRows, testRows, measuredRows, texts, measuredModel, split } = state;
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
    texts: allTexts,
    probes,
    options: request.definition.options,
    seed: request.seed,
  });
  const learningCurve =
    // The parts would be read by an encoder that has learned from all of them.
    testRows.length === 0 || adapters !== null
      ? null
      : computeLearningCurve(
          trainRows,
          state.rare.options,
          evaluation,
          (part, share) => measurePart(state, part, share),
          (measured) => decideWithRules(state, measured),
        );
  const finalRows = split.refitted ? rows : trainRows;
  return { evaluation, checks, learningCurve, finalModel: fitFinalModel(state), finalRows };
}

/** Counts what rules and classifier decide of the held-out rows, thresholds aside. */
function decideWithRules({ request, rules, testRows }: State, { heldOut }: ModelEvaluation): Confusion {
  const decisions = heldOut.map(({ expected, predicted }, i) => {
    const ruled = rules.evaluate(testRows[i]?.input ?? {}, false).matched?.then;
    return { expected, decision: ruled ?? predicted };
  });
  return tabulateDecisions(decisions, request.definition.options);
}

function measurePart(state: State, part: readonly LabelledRow[], share: number): ModelEvaluation {
  const { request, progress, texts, testRows } = state;
  const from = curveShare * share;
  const message = `Measuring with ${100 * share} % of the examples`;
  const report = progress.startStep('evaluate', from, from + curveStep, message);
  const model = refit(state, part, 'draft', report);
  const { options } = request.definition;
  const nothing = { familiarity: null, near: null, probes: [] };
  return evaluateModel({ model, ...nothing, rows: testRows, texts, options, seed: request.seed });
}

function fitFinalModel(state: State): FittedModel {
  const { progress, rows, measuredModel, split } = state;
  if (!split.refitted) {
    progress.report('evaluate', finalFitFrom, 'Measured');
    return measuredModel;
  }
  const message = `Fitting on all ${formatCount(rows.length)} examples`;
  return refit(state, rows, 'final', progress.startStep('evaluate', finalFitFrom, labelChecksFrom, message));
}

/** Fits the choice on other rows, with a plan that is learned again from them. */
function refit(
  { request, presentOptions, sharing, texts, tuned, choice, measuredModel }: State,
  rows: readonly LabelledRow[],
  precision: 'draft' | 'final',
  report: (share: number) => void,
): FittedModel {
  return fitChoice({
    choice,
    rows,
    presentOptions,
    sharing,
    optionCount: request.definition.options.length,
    texts,
    relearn: true,
    starts: selectStableStarts(measuredModel.starts),
    tunedHead: tuned?.head ?? null,
    precision,
    seed: request.seed,
    report,
  });
}

/** Of a plan that is learned again, only the embedding keeps its columns. */
const selectStableStarts = ({ encoder }: HeadStarts): HeadStarts => (encoder === undefined ? {} : { encoder });
