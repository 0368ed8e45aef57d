/** What is tuned on and how long: budgets count tokens, so that the same request gives the same model on every machine. */
import { createStream, deriveSeed, randomStreams } from '../../random.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { assignFolds } from '../data/split.ts';
import { countPaddedTokens, dealBatches, type TuningText } from './deal-batches.ts';

/** A row with its text as the encoder is tuned on it. */
export type TuningRow = { row: LabelledRow; text: TuningText };

/** Fewer rows say too little about whether tuning pays. */
const minHeldRows = 20;
const minLearnedRowsPerOption = 5;
/** Small sets are gone through more often: about so many texts are learned from in all, within these epochs. */
const usualTexts = 4_000;
const maxEpochs = 12;
const usualMinEpochs = 6;
/** Where the budget is short, a part of the rows is gone through so often. */
const minEpochs = 3;
/** One text of this many is held out. */
const folds = 5;

/** Parts rows into those that may be learned from and a stratified fifth that is held out; the same in every run. */
export function holdOutFold(rows: readonly LabelledRow[]): { learned: LabelledRow[]; held: LabelledRow[] } {
  const foldOf = assignFolds(rows, folds, deriveSeed(randomStreams.textTuningFold));
  return {
    learned: rows.filter((_, i) => foldOf[i] !== 0),
    held: rows.filter((_, i) => foldOf[i] === 0),
  };
}

/** Whether the rows are enough to tune on and to tell whether it paid. */
export function isTunable(learned: readonly LabelledRow[], held: readonly LabelledRow[]): boolean {
  const options = new Set(learned.map(({ label }) => label)).size;
  return held.length >= minHeldRows && learned.length >= minLearnedRowsPerOption * options;
}

/**
 * The texts and epochs that a budget of tokens affords, padding included: all texts for up to twelve epochs, else a
 * stratified part of them. Null where not even five texts of each option can be gone through three times.
 */
export function planTuning(
  rows: readonly TuningRow[],
  budgetTokens: number,
): { texts: TuningText[]; epochs: number } | null {
  const costOf = (texts: readonly TuningText[]) =>
    countPaddedTokens(dealBatches(texts, createStream(randomStreams.textTuningPart)));
  const all = rows.map(({ text }) => text);
  const wanted = Math.max(usualMinEpochs, Math.min(maxEpochs, Math.round(usualTexts / all.length)));
  const affordable = Math.floor(budgetTokens / costOf(all));
  if (affordable >= minEpochs) return { texts: all, epochs: Math.min(wanted, affordable) };
  const parts = Math.ceil((minEpochs * costOf(all)) / budgetTokens);
  const partOf = assignFolds(
    rows.map(({ row }) => row),
    parts,
    deriveSeed(randomStreams.textTuningPart),
  );
  const texts = all.filter((_, i) => partOf[i] === 0);
  const options = new Set(all.map(({ label }) => label)).size;
  if (texts.length < minLearnedRowsPerOption * options) return null;
  return { texts, epochs: Math.max(1, Math.min(wanted, Math.floor(budgetTokens / costOf(texts)))) };
}
