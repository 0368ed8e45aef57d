/** Number formats of spreadsheets: which of them show dates, times or durations, and such a number as text. */
import type { Json } from '../../json.ts';

/** How a format shows a number: a day with or without its time, a time of day, hours beyond 24 too, a percentage. */
export type NumberMeaning = 'number' | 'date' | 'time' | 'duration' | 'percent';
/** A meaning, or the zeros of a code to be filled in: “00000” of a postcode, “000-00-0000”. */
export type NumberFormat = NumberMeaning | { zeros: string };

/** Formats that have no code in the file (ECMA-376, part 1, 18.8.30), with those of East Asian programs. */
const builtInMeanings = new Map<number, NumberMeaning>([
  ...[14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'date'] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, 'time'] as const),
  [46, 'duration'],
  [9, 'percent'],
  [10, 'percent'],
]);

/** Parts of a format code that never belong to a date: quoted, escaped and filling signs, colours, conditions. */
const notOfDates = /"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|general|e[+-]/gi;

/** Finds what a format shows by its code for positive numbers, or by its number where the file has no code for it. */
export function findFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return builtInMeanings.get(id) ?? 'number';
  const zeros = code.replace(/\[[^\]]*\]|[\\"]/g, '').split(';')[0] ?? '';
  if (/^00[0 /-]*0$/.test(zeros)) return { zeros };
  const [signs = ''] = code.replace(notOfDates, '').toLowerCase().split(';');
  if (signs.includes('%')) return 'percent';
  if (/\[[hms]+\]/.test(signs)) return 'duration';
  if (/[ydge]/.test(signs)) return 'date';
  if (/[hs]/.test(signs)) return 'time';
  return signs.includes('m') ? 'date' : 'number';
}

/** The money that a code shows beside its numbers: `€` of `[$€-407] #,##0`, `$` of `"$"0.00`; null without any. */
export function findCurrency(code: string): string | null {
  const [shown = ''] = code.split(';');
  return /\[\$([^\]-]+)/.exec(shown)?.[1] ?? /\p{Sc}/u.exec(shown.replaceAll(/\[[^\]]*\]/g, ''))?.[0] ?? null;
}

/** A number with the zeros of its code: “01234” for 1234; others stay numbers. */
export function fillZeros(value: number, zeros: string): Json {
  const digits = String(value);
  const places = zeros.replace(/[^0]/g, '').length;
  if (!/^\d+$/.test(digits) || digits.length > places) return value;
  const filled = digits.padStart(places, '0');
  let at = 0;
  return zeros.replace(/0/g, () => filled[at++] ?? '');
}

const dayMs = 86_400_000;
/** The last day that a spreadsheet shows is of the year 9999. */
const maxDays = 2_958_465;
/** A time of more days than a year of them is a day whose format shows its time only. */
const maxTimeDays = 366;
/** In the calendar of 1900 the days up to this one, which never was, count from a day later than those behind it. */
const leapDayOf1900 = 60;
const firstDays = { early: Date.UTC(1899, 11, 31), usual: Date.UTC(1899, 11, 30), of1904: Date.UTC(1904, 0, 1) };

/** A day as ISO 8601 without a zone, as none is known, and without its time where that is midnight. */
export const toIsoDate = (ms: number): string => new Date(ms).toISOString().replace(/(?:(?:T00:00:00)?\.000)?Z$/, '');

/** A day and time with the mark of UTC; where it was midnight, its hours are written. */
export const toInstant = (isoDate: string) => `${isoDate}${isoDate.includes('T') ? '' : 'T00:00:00'}Z`;

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{3})?(Z?))?$/;

/** How the days and times of one column get one form: all with a time, and with its fractions, where one has them. */
export function findTimeForm(values: readonly (Json | undefined)[]): ((value: Json) => Json) | null {
  const met = { day: false, time: false, fraction: false };
  for (const value of values) {
    const found = typeof value === 'string' && value[4] === '-' ? isoTime.exec(value) : null;
    if (found) met[found[2] ? 'fraction' : found[1] ? 'time' : 'day'] = true;
  }
  if (Number(met.day) + Number(met.time) + Number(met.fraction) < 2) return null;
  return (value) => {
    const found = typeof value === 'string' ? isoTime.exec(value) : null;
    if (!found) return value;
    const [text, time = '', fraction = '', zone = ''] = found;
    const whole = zone === '' ? text : text.slice(0, -1);
    return `${whole}${time === '' ? 'T00:00:00' : ''}${met.fraction && fraction === '' ? '.000' : ''}${zone}`;
  };
}

/** A time of day, with its seconds where it has any or is to show them. */
export function toTimeOfDay(ms: number, showSeconds: boolean): string {
  const text = new Date(ms)
    .toISOString()
    .slice(11, -1)
    .replace(/\.000$/, '');
  return showSeconds ? text : text.replace(/:00$/, '');
}

/** Hours with six decimals, which tell every second. */
export const toHours = (ms: number): number => Math.round((ms / 3_600_000) * 1e6) / 1e6;

/** A number under its format: a date, time or percentage as text, a duration as hours, or the number as it is. */
export function readSerial(days: number, meaning: NumberMeaning, is1904: boolean): Json {
  if (meaning === 'percent') return `${Number((days * 100).toPrecision(15))}%`;
  if (meaning === 'number' || !Number.isFinite(days) || Math.abs(days) > maxDays) return days;
  const ms = Math.round(days * dayMs);
  if (meaning === 'duration') return toHours(ms);
  if (meaning === 'time' && days < maxTimeDays) return days >= 0 && ms < dayMs ? toTimeOfDay(ms, false) : toHours(ms);
  if (is1904) return days < 0 ? days : toIsoDate(firstDays.of1904 + ms);
  if (days < 0) return days;
  if (Math.floor(days) === leapDayOf1900) return '1900-02-29';
  if (days < 1) return ms === 0 ? null : toTimeOfDay(ms, false);
  return toIsoDate((days < leapDayOf1900 ? firstDays.early : firstDays.usual) + ms);
}
