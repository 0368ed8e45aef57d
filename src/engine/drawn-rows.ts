/**
 * The permanent random number of a row (Ohlsson 1995), and which rows are drawn by it: those that the useful queue
 * neither chooses nor learns from, so that figures on them stand for all rows however the others were chosen.
 */
import { isJsonObject, type JsonObject, toCanonicalJson } from './json.ts';
import { deriveSeed, hashString, randomStreams } from './random.ts';

/**
 * Rows without a label: how many are open, the lowest of their numbers, and how many that measured rows stand for were
 * put aside instead of labelled; left out: none.
 */
export type OpenRows = { rows: number; lowest: number; putAside?: number };
export const noOpenRows: OpenRows = { rows: 0, lowest: 1 };

const hashRange = 2 ** 32;
/** Drawn are rows whose number lies below it. */
export const drawnShare = 0.2;
/** Labelled drawn rows from which on a figure is said, and a promise made. */
export const minDrawnRows = { figure: 20, promise: 60 };

/**
 * Writes the content of a row as canonical JSON: its input without the fields that tell rows apart and say nothing else
 * (`listIdentifyingFields`). Rows of one content are copies: they have one number, one side and one fold.
 */
export function toRowContent(input: JsonObject, identifying: readonly (readonly string[])[]): string {
  return toCanonicalJson(leaveOut(input, identifying));
}

/** An input without the fields at some paths. */
export function leaveOut(input: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  return paths.reduce(removePath, input);
}

function removePath(input: JsonObject, [name, ...rest]: readonly string[]): JsonObject {
  if (name === undefined || !Object.hasOwn(input, name)) return input;
  const { [name]: value = null, ...others } = input;
  if (rest.length === 0) return others;
  return isJsonObject(value) ? { ...others, [name]: removePath(value, rest) } : input;
}

/**
 * The number of a row from 0 to 1, uniform over different contents (`toRowContent`). It needs no memory, and there is
 * no other one to be had by making the type again until its drawn rows are easy.
 */
export function toRowNumber(content: string): number {
  return hashString(content, deriveSeed(randomStreams.heldOutSplit)) / hashRange;
}

/**
 * Whether a row is drawn by its number: the useful queue never chooses such a row by usefulness, nor does its model
 * learn from one. Of each 20 rows it offers, 4 are the open drawn ones of lowest number, as figures are measured on the
 * drawn rows below which all have a label.
 */
export const isDrawn = (rowNumber: number): boolean => rowNumber < drawnShare;

/**
 * Counts rows without a label, by the numbers of those that are open and of those that were skipped or flagged. Deleted
 * ones have no number any more, and count as the lowest: drawn rows are offered in the order of their numbers.
 */
export function countOpen(open: readonly number[], aside: readonly number[], drawnDeletions = 0): OpenRows {
  const lowest = open.reduce((least, number) => Math.min(least, number), 1);
  const putAside = aside.filter((number) => number < lowest && isDrawn(number)).length + drawnDeletions;
  return { rows: open.length, lowest, ...(putAside > 0 && { putAside }) };
}

/** The place of a row that is read in turn: random, and one in five is drawn, lowest number first. */
export const toReadingPlace = (rowNumber: number): number =>
  isDrawn(rowNumber) ? rowNumber / drawnShare : (rowNumber - drawnShare) / (1 - drawnShare);
