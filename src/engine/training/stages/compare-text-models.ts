/** The first part of the text_model stage: which languages the texts are in, and what they are read by. */
import type { TextModelTrial } from '../../domain/metrics.ts';
import { compileFeatures } from '../../features/compile.ts';
import { limits } from '../../limits.ts';
import { computePercentile, formatCount, formatShare } from '../../numeric.ts';
import { toEncoderInput } from '../../text/encoder-input.ts';
import { countLanguages, describeReading, type LanguageShare } from '../../text/languages.ts';
import { splitIntoWords } from '../../text/words.ts';
import { type EncodedTexts, encodeTexts, type LabelledRow } from '../data/labelled-rows.ts';
import type { CandidateTextModel, TextModelPorts, TrainPorts } from '../request.ts';
import {
  chooseText,
  type TextChoice,
  type TextUseTrial,
  takeAffordableRows,
  takeEvenly,
} from '../select/choose-text.ts';
import { judgeLogits } from '../select/fold-rows.ts';
import { describeEncoder, noNgrams } from '../select/text-use.ts';
import { estimateMean } from '../tune/compare-encoders.ts';
import type { Planned, Prepared, Run, TextModelCompared } from './state.ts';

type State = Run & Pick<Prepared, 'rows' | 'presentOptions' | 'trainRows'> & Planned;

/** The share of the stage that the comparison takes. */
const comparisonShare = 0.5;
/** Examples that show which model is better; the texts of the others are read by the chosen one alone. */
const maxComparedRows = 3_000;
/** How far a smaller way may be behind the best, in standard errors of the difference. */
const acceptableErrors = 0.5;
/** Tokens that a training which may choose reads by an encoder: about a minute of two processors by the slowest. */
const maxReadTokens = 500_000;
/** Texts by which the tokens of all are estimated. */
const countedTexts = 500;
/** The share of the texts whose languages a model must read to be tried. */
const minReadShare = 0.5;
/** Texts by which the time to read one is measured. */
const timedTexts = 9;

/**
 * Chooses the text model by cross-validation: of words alone and each candidate, the way with the smallest bundle whose
 * log-loss is at most half a standard error of the difference behind the best (the rule of Breiman et al. 1984, with
 * half of their bound). Too few rows to compare take the fastest, too many texts to read in a minute or so their words,
 * and a tuning the one that can be tuned. Rejects as the encoders do.
 */
export async function compareTextModels(state: State): Promise<TextModelCompared> {
  const { request, ports, fieldPlan, trainRows, notes } = state;
  if (fieldPlan.text === null) {
    return { ports, known: null, detectLanguage: null, languages: null, textModels: null, notes };
  }
  const features = compileFeatures(fieldPlan);
  const toText = ({ input }: LabelledRow) => features.joinText(input).text;
  const detectLanguage = (await ports.openLanguageDetector?.()) ?? null;
  const languages = detectLanguage && countLanguages(trainRows.map(toText), detectLanguage);
  const { candidates = [] } = ports;
  const isTuned = request.config.tune_encoder === true;
  const tried = listTried(isTuned ? candidates.filter(isTunable) : candidates, languages);
  const [fastest] = tried;
  const described = [...notes, ...noteLanguages(languages)];
  const seen = { known: null, detectLanguage, languages, textModels: null, notes: described };
  if (fastest === undefined) {
    return { ...seen, ports, notes: ports.candidates ? [...described, withoutModels] : described };
  }
  const take = (model: TextModelPorts) => readBy({ ...ports, candidates: tried }, model);
  const uncompared = { ...seen, ports: take(fastest) };
  if (isTuned) return uncompared;
  const tokens = estimateTokens(state, toText, fastest);
  if (tokens > maxReadTokens && fieldPlan.text.ngrams !== noNgrams) {
    return { ...seen, ports: take({ ...fastest, encoder: null }), notes: [...described, describeUnread(state)] };
  }
  const readings = await tryModels(state, tried, toText);
  const trials = await listTrials(readings, ports);
  const chosen = takeTrial(trials);
  if (chosen === undefined) return uncompared;
  const { model, texts, choice, rows } = chosen.reading;
  const isByWords = chosen.shown.text_model === 'words';
  return {
    ports: take(isByWords ? { ...model, encoder: null } : model),
    known: {
      texts: isByWords ? new Map() : texts,
      choice: isByWords ? chooseUse(state, { rows, texts, encoder: null }, choice) : choice,
      isOfAll: rows === trainRows,
    },
    detectLanguage,
    languages,
    textModels: trials.map(({ shown }) => ({ ...shown, chosen: shown === chosen.shown })),
    notes: [...described, describeChoice(chosen.shown, trials)],
  };
}

/** Tokens of all texts of the rows, by those of some; a model reads no more than the beginning of a long one. */
function estimateTokens({ rows }: State, toText: (row: LabelledRow) => string, { tokenizer }: TextModelPorts): number {
  const counted = takeEvenly(rows, countedTexts).map((row) => tokenizer.encode(toText(row)).length);
  const tokens = counted.reduce((sum, length) => sum + Math.min(length, limits.maxEncoderTokens), 0);
  return (tokens / Math.max(1, counted.length)) * rows.length;
}

const withoutModels = 'Texts are read by their words, as no text model is installed.';

const describeUnread = ({ rows }: State) =>
  `Texts are read by words: reading ${formatCount(rows.length)} of them by a text model would take minutes, so none was tried. To have them read by one all the same, choose it when you train.`;

const isTunable = ({ openTuningGraph }: TextModelPorts) => openTuningGraph !== undefined;

/** The candidates that read most of the texts, or may do so; all where none does, or where no language is seen. */
function listTried(candidates: readonly CandidateTextModel[], languages: readonly LanguageShare[] | null) {
  const reading = candidates.filter(
    (model) => model.languages.length === 0 || measureReadShare(model, languages ?? []) >= minReadShare,
  );
  return reading.length === 0 ? candidates : reading;
}

const measureReadShare = (model: CandidateTextModel, languages: readonly LanguageShare[]) =>
  languages.filter(({ language }) => model.languages.includes(language)).reduce((sum, { share }) => sum + share, 0);

function readBy(ports: TrainPorts, model: TextModelPorts): TrainPorts {
  const { encoder: _, freshEncoder: __, baseModel: ___, openTuningGraph: ____, ...others } = ports;
  return { ...others, ...model };
}

type TriedModel = { model: CandidateTextModel; rows: readonly LabelledRow[]; texts: EncodedTexts; choice: TextChoice };

/** The best use of text on rows that were read; what `known` shows of the same rows is not tried again. */
function chooseUse(
  { request, progress, fieldPlan, presentOptions }: State,
  read: Pick<Parameters<typeof chooseText>[0], 'rows' | 'texts' | 'encoder'>,
  known: TextChoice | undefined,
  report: (share: number) => void = progress.heartbeat,
): TextChoice {
  return chooseText({
    plan: fieldPlan,
    ...read,
    optionCount: presentOptions.length,
    known: known?.comparison ?? null,
    seed: request.seed,
    tick: progress.heartbeat,
    report,
  });
}

async function tryModels(
  state: State,
  models: readonly CandidateTextModel[],
  toText: (row: LabelledRow) => string,
): Promise<TriedModel[]> {
  const { progress, fieldPlan, trainRows, presentOptions } = state;
  const [widest] = models.map(({ encoder }) => encoder).sort((a, b) => b.dimensions - a.dimensions);
  const text = fieldPlan.text && widest && { ...fieldPlan.text, ngrams: noNgrams, encoder: describeEncoder(widest) };
  const plan = { ...fieldPlan, text: text ?? null };
  const rows = takeEvenly(takeAffordableRows(trainRows, plan, presentOptions.length), maxComparedRows);
  const joined = rows.map(toText);
  const tried: TriedModel[] = [];
  for (const [at, model] of models.entries()) {
    const from = (comparisonShare * at) / models.length;
    const half = comparisonShare / models.length / 2;
    const texts = await encodeTexts(joined, model.tokenizer, model.encoder, (done, total) => {
      const message = `Trying the text model ${model.name}: ${formatCount(done)} of ${formatCount(total)} texts`;
      progress.reportThrottled('text_model', from + (half * done) / total, message);
    });
    const [middle, to] = [from + half, from + 2 * half];
    const report = progress.startStep('text_model', middle, to, `Trying the text model ${model.name}`);
    const read = { rows, texts, encoder: model.encoder };
    tried.push({ model, rows, texts, choice: chooseUse(state, read, tried[0]?.choice, report) });
  }
  return tried;
}

/** A way to read texts, its log-loss by row, and what the report shows of it. */
type Trial = { reading: TriedModel; losses: readonly number[]; shown: TextModelTrial };

/** Words alone, then each model with its best use of it. */
async function listTrials(readings: readonly TriedModel[], { now }: TrainPorts): Promise<Trial[]> {
  const readsWords = ({ textUse }: TextUseTrial) => textUse === 'none' || textUse === 'ngrams';
  const trials: Trial[] = [];
  const add = async (
    reading: TriedModel,
    name: TextModelTrial['text_model'],
    belongs: (use: TextUseTrial) => boolean,
  ) => {
    const { comparison } = reading.choice;
    const [best] = (comparison?.uses ?? []).filter(belongs).sort((a, b) => a.trial.logLoss - b.trial.logLoss);
    if (comparison === null || best === undefined) return;
    const { losses, right } = judgeLogits(best.trial.logits, comparison.folded);
    trials.push({
      reading,
      losses,
      shown: {
        text_model: name,
        rows: losses.length,
        accuracy: right / losses.length,
        log_loss: best.trial.logLoss,
        encode_ms: await timeReading(reading, name !== 'words', now),
        size_mb: name === 'words' ? 0 : reading.model.sizeMb,
        chosen: false,
      },
    });
  };
  const [first] = readings;
  if (first !== undefined) await add(first, 'words', readsWords);
  for (const reading of readings) await add(reading, reading.model.name, (use) => !readsWords(use));
  return trials;
}

/** The median time to read one text, in milliseconds. */
async function timeReading({ model, texts }: TriedModel, isEncoded: boolean, now: () => number): Promise<number> {
  const encoder = model.freshEncoder ?? model.encoder;
  const times: number[] = [];
  for (const text of [...texts.keys()].slice(0, timedTexts)) {
    const from = now();
    splitIntoWords(text);
    if (isEncoded) {
      const ids = model.tokenizer.encode(text);
      await encoder.embed(toEncoderInput(ids, limits.maxEncoderTokens, encoder.frame).ids);
    }
    times.push(now() - from);
  }
  return computePercentile(times, 0.5);
}

/** The smallest whose log-loss is hardly behind the best; models of the user's, whose speed is not known, come last. */
function takeTrial(trials: readonly Trial[]): Trial | undefined {
  const [best] = [...trials].sort((a, b) => a.shown.log_loss - b.shown.log_loss);
  const isOwn = ({ reading, shown }: Trial) => Number(shown.size_mb > 0 && reading.model.isOwn);
  const bySize = [...trials].sort((a, b) => isOwn(a) - isOwn(b) || a.shown.size_mb - b.shown.size_mb);
  return bySize.find(({ losses }) => {
    const { mean, error } = estimateMean(losses.map((loss, row) => loss - (best?.losses[row] ?? 0)));
    return mean <= acceptableErrors * error;
  });
}

function noteLanguages(languages: readonly LanguageShare[] | null): string[] {
  if (languages === null || languages.every(({ language }) => language === 'en')) return [];
  return [`The texts are in ${describeReading(languages)}.`];
}

function describeChoice(chosen: TextModelTrial, trials: readonly Trial[]): string {
  const figures = trials.map(({ shown }) => {
    const correct = `${formatShare(shown.accuracy)} correct`;
    return `by ${shown.text_model} ${correct} (log-loss ${shown.log_loss.toFixed(3)})`;
  });
  return `Texts are read by ${chosen.text_model}, the smallest way that is about as good as the best: on ${formatCount(chosen.rows)} examples, each judged by a fit that had not seen it, ${figures.join(', ')}.`;
}
