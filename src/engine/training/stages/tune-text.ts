/** The part of the text_model stage that tunes the sentence encoder, and tells whether that pays. */
import { fitHead } from '../../classifiers/heads.ts';
import type { Metrics } from '../../domain.ts';
import { compileFeatures } from '../../features/compile.ts';
import { limits } from '../../limits.ts';
import { countOutputs } from '../../numeric.ts';
import type { Adapters, ModelSession } from '../../ports.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { toEncoderInput } from '../../text/encoder-input.ts';
import { type EncodedTexts, embedTexts } from '../data/encode-texts.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import { type LabelledRow, listLabels } from '../data/labelled-rows.ts';
import { type TextChoice, takeAffordableRows } from '../select/choose-text.ts';
import { learnText } from '../select/text-use.ts';
import { type FoldParams, isClearlyBetter, tryOnFold } from '../tune/compare-encoders.ts';
import { maxTuningTokens } from '../tune/deal-batches.ts';
import { holdOutFold, isTunable, planTuning, type TuningRow } from '../tune/plan-tuning.ts';
import { type TunedAdapters, tuneAdapters } from '../tune/tune-adapters.ts';
import { countHeadWeights, headScale } from '../tune/tuning-step.ts';
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
/** Where the parts of a tuning stand in its share of the stage. */
const stepsFrom = 0.05;
const stepsTo = 0.85;

/** Whether a tuning may be tried at all: there is text, a graph to tune with, and the request allows it. */
export function mayTune({ request, ports, fieldPlan }: Pick<State, 'request' | 'ports' | 'fieldPlan'>): boolean {
  return fieldPlan.text !== null && ports.openTuningGraph !== undefined && request.config.tune_encoder;
}

/**
 * Tunes the encoder on four fifths of the training rows and compares it with the plain one on the last fifth. Null where
 * there are too few rows, too few tokens to spend, or nothing to gain. `report` is given the share that is done. Rejects
 * with whatever the encoder or the graph rejects with.
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
  const { learned, held } = holdOutFold(rows);
  if (ports.openTuningGraph === undefined || !isTunable(learned, held)) return null;
  const tuningRows = toTuningRows(state, learned, texts);
  const plan = planTuning(tuningRows, request.config.tuning_tokens);
  if (plan === null) return null;
  report(0, 'Trying the text model as it is');
  const fold: FoldParams = {
    ...{ plan: fieldPlan, rows, learned, held, optionCount, texts, dimensions },
    seed: request.seed,
    tick: progress.heartbeat,
  };
  const frozen = tryOnFold(fold);
  if (frozen.figures.log_loss <= goodLogLoss) return null;
  const startedMs = ports.now();
  const session = await ports.openTuningGraph();
  const tuning = await tuneAndClose(session, {
    encoder: ports.encoder,
    learned: plan.texts,
    held: toTuningRows(state, held, texts).map(({ text }) => text),
    optionCount,
    head: fitFirstHead(fold),
    epochs: plan.epochs,
    seed: request.seed,
    report: (done, steps) =>
      report(stepsFrom + ((stepsTo - stepsFrom) * done) / steps, describeStep(done, steps, ports.now() - startedMs)),
  });
  const message = 'Comparing the tuned text model with the plain one';
  report(stepsTo, message);
  const seconds = (ports.now() - startedMs) / 1_000;
  const compared = selectTexts(state, rows, texts);
  const tunedTexts = await embedTexts(compared, ports.encoder, tuning.adapters, () => report(stepsTo, message));
  const tuned = tryOnFold({ ...fold, texts: tunedTexts });
  const isTaken = tuned.choice.plan.text?.encoder != null && isClearlyBetter(tuned, frozen);
  const chosen = isTaken ? ('tuned' as const) : ('frozen' as const);
  return {
    report: {
      chosen,
      ...{ rows: plan.texts.length, held_rows: held.length, frozen: frozen.figures, tuned: tuned.figures },
      ...{ seconds, steps: tuning.steps, loss_curve: tuning.curve },
    },
    frozen: frozen.choice,
    tuned: isTaken ? { adapters: tuning.adapters, choice: tuned.choice, learned: new Set(learned) } : null,
  };
}

async function tuneAndClose(
  session: ModelSession,
  params: Omit<Parameters<typeof tuneAdapters>[0], 'session'>,
): Promise<TunedAdapters> {
  try {
    return await tuneAdapters({ ...params, session });
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
function fitFirstHead({ plan, learned, texts, optionCount, seed, tick, dimensions }: FoldParams): Float32Array {
  const encoderPlan = learnText({ ...plan, fields: [], tabular_size: 0 }, 'encoder', learned, texts, dimensions);
  const rows = buildFeatureRows(
    encoderPlan,
    learned.map((row) => row.input),
    texts,
  );
  const fitSeed = deriveSeed(randomStreams.modelFit, seed);
  const labels = listLabels(learned);
  const request = { rows, labels, optionCount, seed: fitSeed, precision: 'draft', tick } as const;
  const { parameters } = fitHead(request, { from: 0, to: dimensions }, headC);
  const outputs = countOutputs(optionCount);
  const head = new Float32Array(countHeadWeights(optionCount));
  for (let d = 0; d <= limits.embeddingDimensions; d++) {
    for (let k = 0; k < optionCount; k++) {
      const parameter = parameters[d * outputs + (outputs === 1 ? 0 : k)] as number;
      // One output is the second option's logit: half of it for, half against.
      const logit = outputs === 1 ? (k === 1 ? parameter / 2 : -parameter / 2) : parameter;
      head[d < dimensions ? k * dimensions + d : optionCount * dimensions + k] = logit / headScale;
    }
  }
  return head;
}

function describeStep(done: number, steps: number, elapsedMs: number): string {
  const counted = `Tuning the text model, step ${formatCount(done + 1)} of ${formatCount(steps)}`;
  if (done === 0) return counted;
  const leftSeconds = (elapsedMs / 1_000 / done) * (steps - done);
  return leftSeconds < 60
    ? `${counted}, less than a minute left`
    : `${counted}, about ${Math.ceil(leftSeconds / 60)} minutes left`;
}
