/** The text_model stage: texts are encoded, the encoder is tuned where that pays, and the use of text is chosen. */
import { compileFeatures } from '../../features/compile.ts';
import { formatCount } from '../../numeric.ts';
import { type EncodedTexts, embedTexts, encodeTexts } from '../data/labelled-rows.ts';
import { chooseText } from '../select/choose-text.ts';
import type { Planned, Prepared, Run, TextModelCompared, TextModelled } from './state.ts';
import { mayTune, type TuningOutcome, tuneTextModel } from './tune-text.ts';

type State = Run &
  Pick<Prepared, 'rows' | 'presentOptions' | 'trainRows' | 'testRows'> &
  Planned &
  Pick<TextModelCompared, 'known'>;

/** The share of the stage that encoding takes; the rest is the comparison of the uses of text. */
const encodingShare = 0.7;
/** The shares at which encoding and tuning end where the encoder may be tuned. */
const tuningFrom = 0.2;
const tuningTo = 0.85;
/** Texts between two reports. */
const reportInterval = 25;

/** Rejects with whatever the encoder rejects with; a plan without text never asks it. */
export async function chooseTextModel(state: State): Promise<TextModelled> {
  const { progress, notes } = state;
  const mayBeTuned = mayTune(state);
  const texts = await encodeAllTexts(state, mayBeTuned ? tuningFrom : encodingShare);
  const truncated = state.ports.encoder === null ? 0 : [...texts.values()].filter((text) => text.truncated).length;
  const note = `${formatCount(truncated)} of ${formatCount(texts.size)} texts are longer than the sentence encoder reads; it sees their beginning.`;
  const textNotes = truncated > 0 ? [...notes, note] : notes;
  const { encoder } = state.ports;
  const outcome =
    mayBeTuned && encoder !== null
      ? await tuneTextModel({ ...state, encoder }, texts, (share, message) =>
          progress.reportThrottled('text_model', tuningFrom + (tuningTo - tuningFrom) * share, message),
        )
      : null;
  if (outcome === null || outcome.tuned === null) return chooseFrozen(state, texts, outcome, textNotes);
  const { choice, ...tuned } = outcome.tuned;
  const reportShare = progress.startStep('text_model', tuningTo, 1, 'Encoding all texts with the tuned text model');
  return {
    texts: await embedTexts(texts, encoder, tuned.adapters, (done, total) => reportShare(done / total)),
    textChoice: choice,
    tuned: { ...tuned, plain: { texts, choice: outcome.frozen } },
    textTuning: outcome.report,
    notes: [...textNotes, describeTuning(outcome)],
  };
}

/** The plain encoder, and the use of text that is best with it. */
function chooseFrozen(
  { request, ports, progress, fieldPlan, trainRows, presentOptions, known }: State,
  texts: EncodedTexts,
  outcome: TuningOutcome | null,
  notes: readonly string[],
): TextModelled {
  const from = outcome === null ? encodingShare : tuningTo;
  const textChoice = known?.isOfAll
    ? known.choice
    : chooseText({
        plan: fieldPlan,
        rows: trainRows,
        optionCount: presentOptions.length,
        texts,
        encoder: ports.encoder,
        near: known?.choice ?? null,
        seed: request.seed,
        tick: progress.heartbeat,
        report: progress.startStep('text_model', from, 1, 'Comparing ways to read the inputs'),
      });
  return {
    texts,
    textChoice,
    tuned: null,
    textTuning: outcome?.report ?? null,
    notes: outcome === null ? notes : [...notes, describeTuning(outcome)],
  };
}

function describeTuning({ report: { chosen, held_rows, frozen, tuned } }: TuningOutcome): string {
  const losses = `on ${formatCount(held_rows)} examples that neither had seen, its log-loss is ${tuned.log_loss.toFixed(3)} where that of the plain one is ${frozen.log_loss.toFixed(3)}`;
  return chosen === 'tuned'
    ? `The text model was tuned on the examples: ${losses}. There is no learning curve, because every part of it would have to be tuned again.`
    : `Tuning the text model was tried and not taken, because it was not clearly better: ${losses}.`;
}

/** The encoded texts of all rows, done at share `to` of the stage; none under a plan without text. */
async function encodeAllTexts(
  { ports, progress, fieldPlan, rows, testRows, known }: State,
  to: number,
): Promise<EncodedTexts> {
  if (fieldPlan.text === null) return new Map();
  const features = compileFeatures(fieldPlan);
  const setAside = testRows.filter(({ label }) => label < 0);
  const texts = [...rows, ...setAside].map((row) => features.joinText(row.input).text);
  const unread = known === null ? texts : texts.filter((text) => !known.texts.has(text));
  const read = await encodeTexts(unread, ports.tokenizer, ports.encoder, (done, total) => {
    if (done % reportInterval !== 0 && done !== total) return;
    const message = `Encoding texts ${formatCount(done)} of ${formatCount(total)}`;
    progress.report('text_model', (to * done) / total, message);
  });
  return known === null ? read : new Map([...known.texts, ...read]);
}
