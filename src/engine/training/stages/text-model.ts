/** The text_model stage: texts are encoded once, and the use of text is chosen. */
import { compileFeatures } from '../../features/compile.ts';
import { type EncodedTexts, encodeTexts } from '../data/encode-texts.ts';
import { chooseText } from '../select/choose-text.ts';
import { formatCount } from './format-count.ts';
import type { Planned, Prepared, Run, TextModelled } from './state.ts';

type State = Run & Pick<Prepared, 'rows' | 'presentOptions' | 'trainRows'> & Planned;

/** The share of the stage that encoding takes; the rest is the comparison of the uses of text. */
const encodingShare = 0.7;
/** Texts between two reports. */
const reportInterval = 25;

/** Rejects with whatever the encoder rejects with; a plan without text never asks it. */
export async function chooseTextModel(state: State): Promise<TextModelled> {
  const { request, ports, progress, fieldPlan, trainRows, presentOptions, notes } = state;
  const texts = await encodeAllTexts(state);
  const reportShare = progress.startStep('text_model', encodingShare, 1, 'Comparing ways to read the inputs');
  const textChoice = chooseText({
    plan: fieldPlan,
    rows: trainRows,
    optionCount: presentOptions.length,
    texts,
    dimensions: ports.encoder.dimensions,
    seed: request.seed,
    tick: progress.heartbeat,
    report: reportShare,
  });
  const truncated = [...texts.values()].filter((text) => text.truncated).length;
  const note = `${formatCount(truncated)} of ${formatCount(texts.size)} texts are longer than the sentence encoder reads; it sees their beginning.`;
  return { texts, textChoice, notes: truncated > 0 ? [...notes, note] : notes };
}

/** The encoded texts of all rows; none under a plan without text. */
async function encodeAllTexts({ ports, progress, fieldPlan, rows }: State): Promise<EncodedTexts> {
  if (fieldPlan.text === null) return new Map();
  const features = compileFeatures(fieldPlan);
  const texts = rows.map((row) => features.joinText(row.input).text);
  return encodeTexts(texts, ports.tokenizer, ports.encoder, (done, total) => {
    if (done % reportInterval !== 0 && done !== total) return;
    const message = `Encoding texts ${formatCount(done)} of ${formatCount(total)}`;
    progress.report('text_model', (encodingShare * done) / total, message);
  });
}
