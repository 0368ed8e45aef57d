import type { Metrics } from '../../domain/metrics.ts';
import { compileFeatures } from '../../features/compile.ts';
import type { BatchTextEncoder } from '../../ports.ts';
import { toEncoderInput } from '../../text/encoder-input.ts';
import { isLabelled } from '../data/hint-rows.ts';
import { type EncodedTexts, embedTexts, type LabelledRow } from '../data/labelled-rows.ts';
import { type TextChoice, takeAffordableRows } from '../select/choose-text.ts';
import { learnText } from '../select/text-use.ts';
import {
  type EncodedFold,
  type FoldParams,
  type FoldTrial,
  isBetter,
  isSettled,
  tryOnFolds,
} from '../tune/compare-encoders.ts';
import { maxTuningTokens } from '../tune/deal-batches.ts';
import {
  type HeldOutFold,
  type PlannedFold,
  type PlannedTunings,
  planTunings,
  type TuningPlan,
  type TuningRow,
} from '../tune/plan-tuning.ts';
import { type TunedAdapters, type TuningParams, tuneAdapters } from '../tune/tune-adapters.ts';
import { fitFirstHead, toFitParameters } from '../tune/tuned-head.ts';
import type { Planned, Prepared, Run, TunedText } from './state.ts';

type State = Run &
  Pick<Prepared, 'presentOptions' | 'trainRows'> &
  Pick<Planned, 'fieldPlan'> & { encoder: BatchTextEncoder };

/** The outcome of a tuning. `tuned` is null where the plain encoder stays. */
export type TuningOutcome = {
  report: NonNullable<Metrics['text_tuning']>;
  frozen: TextChoice;
  tuned: (Omit<TunedText, 'plain'> & { choice: TextChoice }) | null;
};

/** A held-out log-loss that leaves nothing to gain. */
const goodLogLoss = 0.02;
/** The share of all that tuning and comparing take that the steps take. */
const stepsTo = 0.95;

/** Whether a tuning may be tried before the policy is there: there is text, a graph, and the request asks for it. */
export function mayTune({ request, ports, fieldPlan }: Pick<State, 'request' | 'ports' | 'fieldPlan'>): boolean {
  return fieldPlan.text !== null && ports.openTuningGraph !== undefined && request.config.tune_encoder === true;
}

/**
 * Tunes on four fifths and compares on the last, on further fifths until settled; where it pays once more on all rows,
 * as far as tokens go. Null where there is nothing to gain or tell. Rejects as the encoder or the graph.
 */
export async function tuneTextModel(
  state: State,
  texts: EncodedTexts,
  report: (share: number, message: string) => void,
): Promise<TuningOutcome | null> {
  const { request, ports, progress, presentOptions, fieldPlan } = state;
  const trainRows = state.trainRows.filter(isLabelled);
  const optionCount = presentOptions.length;
  const fullPlan = learnText(fieldPlan, 'both', trainRows, texts, state.encoder);
  const rows = takeAffordableRows(trainRows, fullPlan, optionCount);
  const { tuning_tokens: budgetTokens } = request.config;
  const planned = planTunings(rows, budgetTokens, (part) => toTuningRows(state, part, texts));
  if (planned === null) return null;
  report(0, 'Trying the text model as it is');
  const compared: Compared = {
    plan: fieldPlan,
    rows,
    optionCount,
    encoder: state.encoder,
    seed: request.seed,
    tick: progress.heartbeat,
  };
  const untuned = tryFrozen(compared, planned.folds, texts);
  if (untuned.figures.log_loss <= goodLogLoss) return null;
  const startedMs = ports.now();
  const tunings = new Tunings(state, texts, planned, report);
  const folds = await tuneFolds(state, compared, { planned: planned.folds, texts, tunings, untuned });
  const [first] = folds;
  if (first === undefined) return null;
  const tuned = tryOnFolds({ ...compared, folds });
  const frozen = folds.length === planned.folds.length ? untuned : tryFrozen(compared, folds, texts);
  const isTaken = (tuned.choice.plan.text?.encoder ?? null) !== null && isBetter(tuned, frozen);
  const whole = isTaken ? planned.whole : null;
  const last = whole === null ? first.tuning : await tunings.run(whole, rows, []);
  return {
    report: {
      chosen: isTaken ? 'tuned' : 'frozen',
      rows: (whole ?? first.plan).texts.length,
      held_rows: tuned.losses.length,
      frozen: frozen.figures,
      tuned: tuned.figures,
      seconds: (ports.now() - startedMs) / 1_000,
      steps: tunings.steps,
      loss_curve: first.tuning.curve,
    },
    frozen: frozen.choice,
    tuned: isTaken ? { adapters: last.adapters, head: last.parameters, folds, choice: tuned.choice } : null,
  };
}

type Compared = Omit<FoldParams, 'folds'>;

const tryFrozen = (compared: Compared, folds: readonly HeldOutFold[], texts: EncodedTexts): FoldTrial =>
  tryOnFolds({ ...compared, folds: folds.map(({ learned, held }) => ({ learned, held, texts })) });

type TunedFold = PlannedFold & EncodedFold & { tuning: Tuning };

/** `parameters` are those of the head, as of a regression over the embedding. */
type Tuning = TunedAdapters & { parameters: Float64Array };

type FoldTunings = { planned: readonly PlannedFold[]; texts: EncodedTexts; tunings: Tunings; untuned: FoldTrial };

/** Tunes on one fold after the other, until the comparison with the plain encoder is settled. */
async function tuneFolds(
  state: State,
  compared: Compared,
  { planned, texts, tunings, untuned }: FoldTunings,
): Promise<TunedFold[]> {
  const { encoder } = state;
  const comparedTexts = selectTexts(state, compared.rows, texts);
  const folds: TunedFold[] = [];
  for (const fold of planned) {
    // The report shows the losses of the first fold alone.
    const watched = folds.length === 0 ? toTuningRows(state, fold.held, texts).map(({ text }) => text) : [];
    const tuning = await tunings.run(fold.plan, fold.learned, watched);
    const tick = () => tunings.report('Reading the examples with the tuned text model');
    const tunedTexts = await embedTexts(comparedTexts, encoder, tuning.adapters, tick);
    folds.push({ ...fold, tuning, texts: tunedTexts, tunedHead: tuning.parameters });
    if (folds.length < planned.length && isSettled(tryOnFolds({ ...compared, folds }), untuned)) break;
  }
  return folds;
}

/** Tunings one after the other, which count their steps and report how far all of them are. */
class Tunings {
  steps = 0;
  #doneTokens = 0;
  readonly #allTokens: number;
  readonly #startedMs: number;
  readonly #state: State;
  readonly #texts: EncodedTexts;
  readonly #reportShare: (share: number, message: string) => void;

  constructor(
    state: State,
    texts: EncodedTexts,
    { folds, whole }: PlannedTunings,
    reportShare: (share: number, message: string) => void,
  ) {
    this.#state = state;
    this.#texts = texts;
    this.#allTokens = folds.reduce((sum, { plan }) => sum + plan.tokens, whole?.tokens ?? 0);
    this.#startedMs = state.ports.now();
    this.#reportShare = reportShare;
  }

  /** Tunes on the texts of a plan, from a head that is fitted on `learned`; `held` as for {@link tuneAdapters}. */
  async run(plan: TuningPlan, learned: readonly LabelledRow[], held: TuningParams['held']): Promise<Tuning> {
    const { request, ports, progress, presentOptions, fieldPlan } = this.#state;
    const { seed } = request;
    const optionCount = presentOptions.length;
    const texts = this.#texts;
    if (ports.openTuningGraph === undefined) throw new Error('There is no graph to tune the encoder with.');
    const session = await ports.openTuningGraph();
    const { headScale } = session;
    const doneBefore = this.#doneTokens;
    try {
      const tuning = await tuneAdapters({
        session,
        encoder: this.#state.encoder,
        learned: plan.texts,
        held,
        optionCount,
        head: fitFirstHead({ plan: fieldPlan, learned, texts, optionCount, headScale, seed, tick: progress.heartbeat }),
        epochs: plan.epochs,
        seed,
        report: (done, steps) => {
          this.#doneTokens = doneBefore + (plan.tokens * done) / steps;
          this.report(`Tuning the text model${this.#describeTimeLeft()}`);
        },
      });
      this.steps += tuning.steps;
      return { ...tuning, parameters: toFitParameters(tuning.head, optionCount, headScale) };
    } finally {
      this.#doneTokens = doneBefore + plan.tokens;
      await session.close();
    }
  }

  report(message: string): void {
    this.#reportShare((stepsTo * this.#doneTokens) / this.#allTokens, message);
  }

  #describeTimeLeft(): string {
    if (this.#doneTokens === 0) return '';
    const elapsedMs = this.#state.ports.now() - this.#startedMs;
    const leftSeconds = (elapsedMs / 1_000 / this.#doneTokens) * (this.#allTokens - this.#doneTokens);
    return leftSeconds < 60 ? ', less than a minute left' : `, about ${Math.ceil(leftSeconds / 60)} minutes left`;
  }
}

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
