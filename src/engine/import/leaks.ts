/** Columns that tell the answer because they were written after it, or that only name what the row is about. */

import { parseDate } from '../features/dates.ts';
import { isLeak, measureTelling, type Telling, type Value } from '../features/tell-label.ts';
import { identifierPattern } from '../features/values.ts';
import type { Json } from '../json.ts';
import { limits } from '../limits.ts';
import { compileCellReader } from '../readings/readings.ts';
import { isMonth } from './kinds.ts';
import { readLabel } from './labels.ts';
import { readCell, type Sheet, type SheetRow } from './sheet.ts';
import { type ColumnSurvey, toText } from './survey.ts';

/** A column that may be no input: why, in a sentence, and the share of the rows in which it alone tells the answer. */
export type Leak = {
  sentence: string;
  explains: number;
  /** Certain ones are left out of the input; the others are asked about. */
  isCertain: boolean;
};

/** About this many rows are looked at, spread so that no pattern of the file meets theirs (Fibonacci hashing). */
const maxRows = 5_000;
const spread = 2_654_435_761;
/** From this share of rows on, a column that tells the answer is taken to have been written after it. */
const certainShare = 0.995;
/** A number of more values may be one that a rule decides by, as an amount is. */
const maxCertainValues = 20;
/** A column of so few values is asked about where it is wrong no more often than this. */
const maxErrorOfFew = 0.04;

/** Names of a time at which a case ends, in the usual languages. */
const endName =
  /(?:^|[^\p{L}])(?:closed|resolved|solved|completed|finished|decided|decision|approved|rejected|cancell?ed|geschlossen|gelöst|erledigt|abgeschlossen|entschieden|storniert|cl[oô]tur[eé]e?|r[eé]solue?|cerrad[oa]|resuelt[oa]|chius[oa]|risolt[oa])(?![\p{L}])/iu;
/** Names of what is noted once a case is decided: how content somebody was, and who ended or checked it. */
const afterName =
  /(?:^|[._ -])(?:csat|reviewer|qa)(?:[._ -]|$)|(?:closed|resolved|solved|reviewed|decided|approved|rejected)[ _-]?by$/i;
/** Names of what is counted up, and values that look so: “P-00417” has three digits and no blank. */
const numberName = /(?:^|[\s_.-])(?:id|nr|no|num|number)\.?$|(?:nummer|number|num[eé]ro)$/i;
const codePattern = /^(?=(?:\S*\d){3})\S+$/;
const minCodeShare = 0.9;
/** Rows a value from which on a column groups the rows rather than naming what they are about. */
const maxRowsPerName = 2.5;
const minRowsToName = 50;

/** “98.2%”, never rounded up. */
const toPercent = (share: number) => `${Math.floor(1000 * share) / 10}%`;

/** The values of a column as it is read, dates as days; null for none. */
function readValues({ kind, reading }: ColumnSurvey, cells: readonly (Json | undefined)[]): Value[] {
  const read = compileCellReader(reading);
  return cells.map((cell) => {
    const value = read(cell) ?? null;
    if (kind.startsWith('date')) return parseDate(value)?.epochDays ?? null;
    return typeof value === 'object' && value !== null ? toText(value) : value;
  });
}

/** The labels of rows as numbers; -1 for none. */
function numberLabels(rows: readonly SheetRow[], columns: readonly string[], answer: number): number[] {
  const numbers = new Map<string, number>();
  return rows.map((row) => {
    const label = readLabel(row, columns, answer);
    if (label === null) return -1;
    const number = numbers.get(label) ?? numbers.size;
    numbers.set(label, number);
    return number;
  });
}

/** Whether the values name what a row is about, as the number of a customer or a policy does. */
function namesThings({ name, kind, type, filled, distinct }: ColumnSurvey, values: readonly Value[]): boolean {
  if (filled < minRowsToName || distinct * maxRowsPerName < filled) return false;
  if (type === 'number') return numberName.test(name) || identifierPattern.test(name);
  if (kind !== 'text' && kind !== 'as_is') return false;
  const texts = values.filter((value) => typeof value === 'string');
  const codes = texts.filter((text) => codePattern.test(text) && !isMonth(text) && parseDate(text) === null);
  return texts.length > 0 && codes.length >= minCodeShare * texts.length;
}

function weighColumn(survey: ColumnSurvey, values: readonly Value[], labels: readonly number[]): Leak | null {
  const { name, kind, filled, distinct } = survey;
  const telling = measureTelling(values, labels);
  const toLeak = (sentence: string, { share }: Telling, isFew: boolean): Leak => ({
    sentence,
    explains: share,
    isCertain: isFew && share >= certainShare,
  });
  const isFew = distinct <= maxCertainValues;
  if (isLeak(telling, isFew ? maxErrorOfFew : undefined)) {
    const percent = toPercent(telling.share);
    return isFew && telling.share >= certainShare
      ? toLeak(`It is probably written after the answer: it tells it in ${percent} of the rows.`, telling, isFew)
      : toLeak(`It alone tells the answer in ${percent} of the rows. Is it known before the decision?`, telling, isFew);
  }
  // The other way round: whether there is a value follows from the label.
  const isThere = labels.map((label, row) => (label < 0 ? -1 : values[row] === null ? 0 : 1));
  const filling = measureTelling(labels, isThere);
  if (isLeak(filling)) {
    const sentence = `It is filled for some answers only, in ${toPercent(filling.share)} of the rows.`;
    const isCertain = filling.share >= certainShare;
    return toLeak(isCertain ? sentence : `${sentence} Is it known before the decision?`, filling, true);
  }
  if (kind.startsWith('date') && endName.test(name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')))
    return toLeak('By its name it is written when a case ends. Is it known before the decision?', telling, false);
  if (afterName.test(name))
    return toLeak('By its name it is noted after the decision. Is it known before?', telling, false);
  if (!namesThings(survey, values)) return null;
  const counts = `${distinct.toLocaleString('en')} different values in ${filled.toLocaleString('en')} rows`;
  return toLeak(`It seems to name what the row is about: ${counts}. Does it say more?`, telling, false);
}

/** Columns that may be no input because they tell the answer: each with a sentence, by some thousand rows. */
export function findLeaks(sheet: Sheet, surveys: readonly ColumnSurvey[], answer: string | null): Map<string, Leak> {
  const leaks = new Map<string, Leak>();
  const at = answer === null ? -1 : sheet.columns.indexOf(answer);
  if (at < 0) return leaks;
  const share = maxRows / sheet.rows.length;
  const rows = sheet.rows.filter((_, index) => Math.imul(index, spread) >>> 0 < share * 2 ** 32);
  const labels = numberLabels(rows, sheet.columns, at);
  for (const [column, survey] of surveys.entries()) {
    const { name, identifies, distinct } = survey;
    if (column === at || identifies !== null || distinct < limits.minOptions) continue;
    const values = readValues(
      survey,
      rows.map((row) => readCell(row, sheet.columns, column)),
    );
    const leak = weighColumn(survey, values, labels);
    if (leak !== null) leaks.set(name, leak);
  }
  return leaks;
}
