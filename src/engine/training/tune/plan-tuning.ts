/** What is tuned on and how long: budgets count tokens, so that the same request gives the same model on every machine. */
import { createStream, deriveSeed, randomStreams } from '../../random.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { assignFolds } from '../data/split.ts';
import { countPaddedTokens, dealBatches, type TuningText } from './deal-batches.ts';

/** A row with its text as the encoder is tuned on it. */
export type TuningRow = { row: LabelledRow; text: TuningText };

/** Fewer rows say too little about whether tuning pays. */
export const minHeldRows = 30;
/** So many are enough to tell; where a fold has fewer, more folds are tuned as far as the budget goes. */
const enoughHeldRows = 200;
const minLearnedRowsPerOption = 5;
/** Small sets are gone through more often: about so many texts are learned from in all, within these epochs. */
const usualTexts = 4_000;
const maxEpochs = 12;
const usualMinEpochs = 6;
/** Where the budget is short, a part of the rows is gone through so often. */
const minEpochs = 3;
/** One text of this many is held out in each fold. */
const folds = 5;

/** Rows that may be learned from, and a stratified fifth that is held out. */
type HeldOutFold = { learned: LabelledRow[]; held: LabelledRow[] };

/** The five folds of rows, equal inputs in one of them; the same in every run. */
export function listFolds(rows: readonly LabelledRow[]): HeldOutFold[] {
  const dealt = assignFolds(rows, folds, deriveSeed(randomStreams.textTuningFold));
  const foldOf = new Map(rows.map(({ content }, i) => [content, dealt[i]]));
  return Array.from({ length: folds }, (_, fold) => ({
    learned: rows.filter(({ content }) => foldOf.get(content) !== fold),
    held: rows.filter(({ content }) => foldOf.get(content) === fold),
  }));
}

/**
 * How many folds are tuned, each with adapters of its own: until enough rows are held out, as far as the budget pays
 * for tunings of so many tokens. 0 where all that it pays for are too few rows to tell whether tuning pays.
 */
export function countFolds(heldRowsPerFold: number, tuningTokens: number, budgetTokens: number): number {
  const wanted = Math.min(folds, Math.ceil(enoughHeldRows / Math.max(1, heldRowsPerFold)));
  const count = Math.max(1, Math.min(wanted, Math.floor(budgetTokens / tuningTokens)));
  return count * heldRowsPerFold >= minHeldRows ? count : 0;
}

/**
 * The texts and epochs that a budget of tokens affords, padding included: all texts for up to twelve epochs, else a
 * stratified part of them. Null where these are not even five of each option. `tokens` is what it takes.
 */
export function planTuning(
  rows: readonly TuningRow[],
  budgetTokens: number,
): { texts: TuningText[]; epochs: number; tokens: number } | null {
  const costOf = (texts: readonly TuningText[]) =>
    countPaddedTokens(dealBatches(texts, createStream(randomStreams.textTuningPart)));
  const all = rows.map(({ text }) => text);
  const options = new Set(all.map(({ label }) => label)).size;
  const wanted = Math.max(usualMinEpochs, Math.min(maxEpochs, Math.round(usualTexts / all.length)));
  const parts = Math.ceil((minEpochs * costOf(all)) / budgetTokens);
  const partOf = assignFolds(
    rows.map(({ row }) => row),
    parts,
    deriveSeed(randomStreams.textTuningPart),
  );
  const texts = all.filter((_, i) => partOf[i] === 0);
  if (texts.length < minLearnedRowsPerOption * options) return null;
  const cost = costOf(texts);
  const epochs = Math.max(1, Math.min(wanted, Math.floor(budgetTokens / cost)));
  return { texts, epochs, tokens: epochs * cost };
}
