/** The plan of a tuning: its texts and its length in tokens, the same on every machine. */
import { createStream, deriveSeed, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { countPaddedTokens, dealBatches, type TuningText } from './deal-batches.ts';

export type TuningRow = { row: LabelledRow; text: TuningText };

/** Fewer rows say nothing about whether tuning pays. */
const minHeldRows = 8;
/** This many are enough to tell; where a fold has fewer, more folds are tuned as far as the budget goes. */
const enoughHeldRows = 200;
/** Of 8 examples an option, a fifth is held out and then a fifth of the rest, so fewer than five may be left. */
const minLearnedRowsPerOption = 4;
/** Small sets are gone through more often, until about this many texts have been learned from. */
const usualTexts = 200;
const minEpochs = 3;
const maxEpochs = 6;
/** One text of this many is held out in each fold. */
const folds = 5;
/** The share of a budget that pays for a tuning on all rows, where one fold is tuned as often. */
const wholeShare = folds / (2 * folds - 1);

export type HeldOutFold = { learned: LabelledRow[]; held: LabelledRow[] };

export type PlannedFold = HeldOutFold & { plan: TuningPlan };
/** Tunings on folds, and the one on all rows that follows where tuning pays; null where it is not paid for. */
export type PlannedTunings = { folds: PlannedFold[]; whole: TuningPlan | null };

/** The folds that a budget of tokens affords, and whether a tuning on all rows follows; null where too small. */
export function planTunings(
  rows: readonly LabelledRow[],
  budgetTokens: number,
  toTuningRows: (rows: readonly LabelledRow[]) => TuningRow[],
): PlannedTunings | null {
  const heldOut = listFolds(rows).map((fold) => ({ fold, tuningRows: toTuningRows(fold.learned) }));
  const planFolds = (tokens: number, epochs?: number): PlannedFold[] => {
    const planned = heldOut.map(({ fold, tuningRows }) => ({
      ...fold,
      plan: planTuning(tuningRows, tokens, epochs),
    }));
    const [first] = planned;
    const count = first?.plan ? countFolds(first.held.length, first.plan.tokens, tokens) : 0;
    return planned.slice(0, count).flatMap(({ plan, ...fold }) => (plan === null ? [] : { ...fold, plan }));
  };
  const alone = planFolds(budgetTokens);
  if (alone.length === 0) return null;
  const whole = planTuning(toTuningRows(rows), budgetTokens * wholeShare);
  if (whole === null || whole.texts.length < rows.length) return { folds: alone, whole: null };
  const beside = planFolds(budgetTokens - whole.tokens, whole.epochs);
  const isSure = countHeldRows(beside) >= Math.min(enoughHeldRows, countHeldRows(alone) / 2);
  return isSure ? { folds: beside, whole } : { folds: alone, whole: null };
}

const countHeldRows = (planned: readonly PlannedFold[]): number =>
  planned.reduce((sum, { held }) => sum + held.length, 0);

/** The five folds of rows, copies in one of them; the same in every run. */
export function listFolds(rows: readonly LabelledRow[]): HeldOutFold[] {
  const dealt = assignFolds(rows, folds, deriveSeed(randomStreams.textTuningFold));
  return Array.from({ length: folds }, (_, fold) => ({
    learned: rows.filter((_, i) => dealt[i] !== fold),
    held: rows.filter((_, i) => dealt[i] === fold),
  }));
}

/** Counts the folds that a budget of tokens pays for; 0 where they tell too little. */
export function countFolds(heldRowsPerFold: number, tuningTokens: number, budgetTokens: number): number {
  const wanted = Math.min(folds, Math.ceil(enoughHeldRows / Math.max(1, heldRowsPerFold)));
  const count = Math.max(1, Math.min(wanted, Math.floor(budgetTokens / tuningTokens)));
  return count * heldRowsPerFold >= minHeldRows ? count : 0;
}

/** Texts that are tuned on, how often, and the tokens that this takes. */
export type TuningPlan = { texts: TuningText[]; epochs: number; tokens: number };

/** Texts and epochs that a budget of tokens affords: all, else a stratified part; null below four an option. */
export function planTuning(
  rows: readonly TuningRow[],
  budgetTokens: number,
  epochsAsked = Number.POSITIVE_INFINITY,
): TuningPlan | null {
  const deal = (texts: readonly TuningText[]) => dealBatches(texts, createStream(randomStreams.textTuningPart));
  const all = rows.map(({ text }) => text);
  const options = new Set(all.map(({ label }) => label)).size;
  const usual = Math.max(minEpochs, Math.min(maxEpochs, Math.round(usualTexts / all.length)));
  const parts = Math.ceil((minEpochs * countPaddedTokens(deal(all))) / budgetTokens);
  const partOf = assignFolds(
    rows.map(({ row }) => row),
    parts,
    deriveSeed(randomStreams.textTuningPart),
  );
  const texts = all.filter((_, i) => partOf[i] === 0);
  if (texts.length < minLearnedRowsPerOption * options) return null;
  const cost = countPaddedTokens(deal(texts));
  const epochs = Math.max(1, Math.min(epochsAsked, usual, Math.floor(budgetTokens / cost)));
  return { texts, epochs, tokens: epochs * cost };
}
