/** The part of the text_model stage that tunes the sentence encoder, and tells whether that pays. */
import { fitHead } from '../../classifiers/heads.ts';
import type { Metrics } from '../../domain.ts';
import { compileFeatures } from '../../features/compile.ts';
import { limits } from '../../limits.ts';
import { countOutputs } from '../../numeric.ts';
import type { Adapters } from '../../ports.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { toEncoderInput } from '../../text/encoder-input.ts';
import { type EncodedTexts, embedTexts } from '../data/encode-texts.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import { type LabelledRow, listLabels } from '../data/labelled-rows.ts';
import { type TextChoice, takeAffordableRows } from '../select/choose-text.ts';
import { learnText } from '../select/text-use.ts';
import { type EncodedFold, isClearlyBetter, isSettled, tryOnFolds } from '../tune/compare-encoders.ts';
import { maxTuningTokens, type TuningText } from '../tune/deal-batches.ts';
import { countFolds, listFolds, planTuning, type TuningRow } from '../tune/plan-tuning.ts';
import { type TunedAdapters, tuneAdapters } from '../tune/tune-adapters.ts';
import { countHeadWeights, headScale, placeInHead } from '../tune/tuning-step.ts';
import { formatCount } from './format-count.ts';
import type { Planned, Prepared, Run } from './state.ts';

type State = Run & Pick<Prepared, 'presentOptions' | 'trainRows'> & Pick<Planned, 'fieldPlan'>;

/** What came of a tuning. `tuned` is null where the plain encoder stays. */
export type TuningOutcome = {
  report: NonNullable<Metrics['text_tuning']>;
  frozen: TextChoice;
  tuned: { adapters: Adapters; choice: TextChoice; learned: ReadonlySet<LabelledRow> } | null;
};

/** A held-out log-loss that leaves nothing to gain. */
const goodLogLoss = 0.02;
/** Inverse penalty of the regression from which the head starts, as in scikit-learn. */
const headC = 10;
/** The share of a tuning that its steps take. */
const stepsTo = 0.95;

/** Whether a tuning may be tried at all: there is text, a graph to tune with, and the request allows it. */
export function mayTune({ request, ports, fieldPlan }: Pick<State, 'request' | 'ports' | 'fieldPlan'>): boolean {
  return fieldPlan.text !== null && ports.openTuningGraph !== undefined && request.config.tune_encoder;
}

/**
 * Tunes the encoder on four fifths of the training rows and compares it with the plain one on the last fifth; where that
 * is too small to tell, on further fifths, each with adapters of its own, until the comparison is settled. The adapters
 * of the first are those that are taken. Null where there are too few rows, too few tokens to spend, or nothing to gain.
 * `report` is given the share that is done. Rejects with whatever the encoder or the graph rejects with.
 */
export async function tuneTextModel(
  state: State,
  texts: EncodedTexts,
  report: (share: number, message: string) => void,
): Promise<TuningOutcome | null> {
  const { request, ports, progress, presentOptions, trainRows, fieldPlan } = state;
  const { dimensions } = ports.encoder;
  const optionCount = presentOptions.length;
  const fullPlan = learnText(fieldPlan, 'both', trainRows, texts, dimensions);
  const rows = takeAffordableRows(trainRows, fullPlan, optionCount);
  const plan = planFolds(state, rows, texts);
  if (plan === null) return null;
  report(0, 'Trying the text model as it is');
  const { seed } = request;
  const compared = { plan: fieldPlan, rows, optionCount, dimensions, seed, tick: progress.heartbeat };
  const tryFrozen = (count: number) =>
    tryOnFolds({ ...compared, folds: plan.slice(0, count).map((fold) => ({ ...fold, texts })) });
  const untuned = tryFrozen(plan.length);
  if (untuned.figures.log_loss <= goodLogLoss) return null;
  const startedMs = ports.now();
  const comparedTexts = selectTexts(state, rows, texts);
  const folds: (EncodedFold & { tuning: TunedAdapters })[] = [];
  for (const [at, fold] of plan.entries()) {
    const reportStep = (done: number, steps: number) =>
      report(
        (stepsTo * (at + done / steps)) / plan.length,
        describeStep(at * steps + done, plan.length * steps, ports.now() - startedMs),
      );
    const tuning = await tuneOnFold(state, fold, texts, reportStep);
    const message = 'Reading the examples with the tuned text model';
    const tick = () => report((stepsTo * (at + 1)) / plan.length, message);
    const tunedTexts = await embedTexts(comparedTexts, ports.encoder, tuning.adapters, tick);
    folds.push({ ...fold, tuning, texts: tunedTexts, tunedHead: toFitParameters(tuning.head, optionCount) });
    if (folds.length < plan.length && isSettled(tryOnFolds({ ...compared, folds }), untuned)) break;
  }
  const seconds = (ports.now() - startedMs) / 1_000;
  const [first] = folds;
  if (first === undefined) return null;
  const tuned = tryOnFolds({ ...compared, folds });
  const frozen = folds.length === plan.length ? untuned : tryFrozen(folds.length);
  const isTaken = (tuned.choice.plan.text?.encoder ?? null) !== null && isClearlyBetter(tuned, frozen);
  return {
    report: {
      chosen: isTaken ? 'tuned' : 'frozen',
      ...{ rows: plan[0]?.tunedTexts.length ?? 0, held_rows: tuned.losses.length },
      ...{ frozen: frozen.figures, tuned: tuned.figures, seconds },
      steps: folds.reduce((sum, { tuning }) => sum + tuning.steps, 0),
      loss_curve: first.tuning.curve,
    },
    frozen: frozen.choice,
    tuned: isTaken ? { adapters: first.tuning.adapters, choice: tuned.choice, learned: new Set(first.learned) } : null,
  };
}

/** A fold with the texts that are tuned on, in the order and number that the budget affords. */
type PlannedFold = Omit<EncodedFold, 'texts'> & { tunedTexts: TuningText[]; epochs: number };

/** The folds that are tuned; null where the rows or the budget are too small. */
function planFolds(state: State, rows: readonly LabelledRow[], texts: EncodedTexts): PlannedFold[] | null {
  const { tuning_tokens: budgetTokens } = state.request.config;
  const planned = listFolds(rows).map((fold) => {
    const plan = planTuning(toTuningRows(state, fold.learned, texts), budgetTokens);
    return plan === null ? null : { ...fold, tunedTexts: plan.texts, epochs: plan.epochs, tokens: plan.tokens };
  });
  const [first] = planned;
  if (!first) return null;
  const count = countFolds(first.held.length, first.tokens, budgetTokens);
  const folds = planned.slice(0, count).flatMap((fold) => fold ?? []);
  return folds.length === 0 ? null : folds;
}

async function tuneOnFold(
  state: State,
  { learned, held, tunedTexts, epochs }: PlannedFold,
  texts: EncodedTexts,
  report: (done: number, steps: number) => void,
): Promise<TunedAdapters> {
  const { request, ports, presentOptions } = state;
  if (ports.openTuningGraph === undefined) throw new Error('There is no graph to tune the encoder with.');
  const session = await ports.openTuningGraph();
  try {
    return await tuneAdapters({
      session,
      encoder: ports.encoder,
      learned: tunedTexts,
      held: toTuningRows(state, held, texts).map(({ text }) => text),
      optionCount: presentOptions.length,
      head: fitFirstHead(state, learned, texts),
      epochs,
      seed: request.seed,
      report,
    });
  } finally {
    await session.close();
  }
}

/** The encoded texts of rows. */
function selectTexts({ fieldPlan }: State, rows: readonly LabelledRow[], texts: EncodedTexts): EncodedTexts {
  const features = compileFeatures(fieldPlan);
  const wanted = new Set(rows.map((row) => features.joinText(row.input).text));
  return new Map([...texts].filter(([text]) => wanted.has(text)));
}

function toTuningRows({ fieldPlan }: State, rows: readonly LabelledRow[], texts: EncodedTexts): TuningRow[] {
  const features = compileFeatures(fieldPlan);
  return rows.map((row) => {
    const ids = texts.get(features.joinText(row.input).text)?.ids ?? [];
    return { row, text: { ids: toEncoderInput(ids, maxTuningTokens).ids, label: row.label } };
  });
}

/** The head that tuning starts from: a logistic regression over the plain embedding, divided by the graph's scale. */
function fitFirstHead(
  { request, ports, progress, presentOptions, fieldPlan }: State,
  learned: readonly LabelledRow[],
  texts: EncodedTexts,
): Float32Array {
  const { dimensions } = ports.encoder;
  const optionCount = presentOptions.length;
  const encoderPlan = learnText({ ...fieldPlan, fields: [], tabular_size: 0 }, 'encoder', learned, texts, dimensions);
  const rows = buildFeatureRows(
    encoderPlan,
    learned.map((row) => row.input),
    texts,
  );
  const fitSeed = deriveSeed(randomStreams.modelFit, request.seed);
  const labels = listLabels(learned);
  const fit = { rows, labels, optionCount, seed: fitSeed, precision: 'draft', tick: progress.heartbeat } as const;
  const { parameters } = fitHead(fit, { from: 0, to: dimensions }, headC);
  const outputs = countOutputs(optionCount);
  const head = new Float32Array(countHeadWeights(optionCount));
  for (let d = 0; d <= limits.embeddingDimensions; d++) {
    for (let k = 0; k < optionCount; k++) {
      const parameter = parameters[d * outputs + (outputs === 1 ? 0 : k)] as number;
      // One output is the second option's logit: half of it for, half against.
      const logit = outputs === 1 ? (k === 1 ? parameter / 2 : -parameter / 2) : parameter;
      head[placeInHead(d, k, optionCount)] = logit / headScale;
    }
  }
  return head;
}

/** A tuned head as the parameters of a regression over the embedding. */
function toFitParameters(head: Float32Array, optionCount: number): Float64Array {
  const outputs = countOutputs(optionCount);
  const parameters = new Float64Array((limits.embeddingDimensions + 1) * outputs);
  const read = (d: number, k: number) => headScale * (head[placeInHead(d, k, optionCount)] as number);
  for (let d = 0; d <= limits.embeddingDimensions; d++) {
    for (let k = 0; k < outputs; k++) {
      // One output is how much the second option's logit is higher.
      parameters[d * outputs + k] = outputs === 1 ? read(d, 1) - read(d, 0) : read(d, k);
    }
  }
  return parameters;
}

function describeStep(done: number, steps: number, elapsedMs: number): string {
  const counted = `Tuning the text model, step ${formatCount(done + 1)} of ${formatCount(steps)}`;
  if (done === 0) return counted;
  const leftSeconds = (elapsedMs / 1_000 / done) * (steps - done);
  return leftSeconds < 60
    ? `${counted}, less than a minute left`
    : `${counted}, about ${Math.ceil(leftSeconds / 60)} minutes left`;
}
