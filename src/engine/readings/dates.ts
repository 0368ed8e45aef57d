/** Dates as people write them, in any order of day, month and year, with the month as a number or a name. */
import { parseDate } from '../features/dates.ts';

export type DateOrder = 'day_first' | 'month_first' | 'year_first' | 'month_only';

/** The patterns of a written date, which the Python package reads by as well; all but `iso` of folded texts. */
export const datePatterns = {
  /** Names of the months in the languages of western Europe, long and short, without their marks. */
  months: [
    /^(?:jan(?:uary|uar|uari|v|vier|ner|eiro)?|ene(?:ro)?|gen(?:naio)?)$/,
    /^(?:feb(?:ruary|ruar|ruari|rero|braio)?|fevr?(?:ier|ereiro)?)$/,
    /^(?:mar(?:ch|z|s|zo|co)?|mrz|maart|mrt)$/,
    /^(?:apr(?:il|ile)?|avr(?:il)?|abr(?:il)?)$/,
    /^(?:may|mai|maj|mei|mayo|maio|mag(?:gio)?)$/,
    /^(?:june?|juni|juin|junio|junho|giu(?:gno)?)$/,
    /^(?:july?|juli|juil(?:let)?|julio|julho|lug(?:lio)?)$/,
    /^(?:aug(?:ust|usti|ustus)?|aout?|ago(?:sto)?)$/,
    /^(?:sept?(?:ember|embre|iembre)?|set(?:tembre|embro)?)$/,
    /^(?:oct(?:ober|obre|ubre)?|okt(?:ober)?|ott(?:obre)?|out(?:ubro)?)$/,
    /^nov(?:ember|embre|iembre|embro)?$/,
    /^(?:dec(?:ember|embre)?|dez(?:ember|embro)?|dic(?:embre|iembre)?)$/,
  ],
  /** Names of the days of the week: they say nothing that the date does not. */
  weekday:
    /^(?:mo(?:n|nday|ntag)?|tu(?:e|es|esday)?|di(?:enstag)?|we(?:d|dnesday)?|mi(?:ttwoch|e|ercoles)?|th(?:u|ur|urs|ursday)?|do(?:nnerstag|m|mingo|menica)?|fr(?:i|iday|eitag)?|sa(?:t|turday|mstag|medi|b|bado|bato)?|su(?:n|nday)?|so(?:nntag)?|sonnabend|lun(?:di|es|edi)?|mar(?:di|tes|tedi)|mer(?:credi|coledi)?|jeu(?:di)?|jue(?:ves)?|gio(?:vedi)?|ven(?:dredi|erdi)?|vie(?:rnes)?|dim(?:anche)?)\.?,? +/,
  /** A time of day at the end, with its zone, and the year behind it as C's `ctime` and Git write it. */
  time: /(?:,? +(?:at |um |a )?|t|:)(\d{1,2})(?: ?[:h] ?|\.)(\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?(?: ?([ap])\.?m\.?| uhr)?(?: ?(z|(?:utc|gmt)?[+-]\d{2}(?::?\d{2})?|[a-z][a-z_/]{2,30}))?(?: [a-z]{3,5})?(?: \([^()]*\))?(?: (\d{4})(?: [+-]\d{4})?)?$/,
  /** Digits alone, as programs write a moment: year, month, day, and the time. */
  stamp: /^((?:19|20)\d{2})(\d{2})(\d{2})(?:[t ]?(\d{2})(\d{2})(\d{2})?(z?))?$/,
  numeric: /^(\d{1,4})( ?[./-] ?| )(\d{1,2})\2(\d{1,4})\.?$/,
  nameBetween: /^(\d{1,4})(?:st|nd|rd|th|er|º|°)?\.?[ /-]*(?:de |of )?([a-z]+)\.?,?[ /-]*(?:del? )?(\d{1,4})$/,
  nameFirst: /^([a-z]+)\.?[ /-]*(\d{1,2})(?:st|nd|rd|th)?,?[ /-]+(\d{2}|\d{4})$/,
  /** A month of a year: `03/2024`, `März 2024`; two digits of a year stand behind `-` or an apostrophe. */
  monthThenYear: /^([a-z]+|\d{1,2})\.?(?: ?[./-] ?| (?:del? )?)((?:19|20)\d{2})$/,
  monthThenShortYear: /^([a-z]+)\.?(?:-| ?['’])(\d{2})$/,
  yearThenMonth: /^((?:19|20)\d{2})(?: ?[./-] ?| )([a-z]+|\d{1,2})\.?$/,
} as const;
/** No longer text is a date. */
export const maxDateLength = 80;
/** The last year that two digits mean where a reading says no other, as in POSIX. */
export const usualLastYear = 2068;

/** An offset from UTC without the colon that ISO 8601 sets before its minutes where it sets one in the time. */
const bareOffset = /(?<=^|:\d{2}(?:[.,]\d+)?)([+-]\d{2})(\d{2})$/;

const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u00a0\u202f]/g, ' ')
    .trim()
    .toLowerCase();
const findMonth = (word: string) => datePatterns.months.findIndex((name) => name.test(word)) + 1;
const pad = (value: number, length = 2) => String(value).padStart(length, '0');

/** The date as ISO 8601, its numbers checked; null where there is no such day. */
function toIso(yearText: string, month: number, day: number, lastYear: number): string | null {
  if (yearText.length !== 2 && yearText.length !== 4) return null;
  const short = Number(yearText);
  const year = yearText.length > 2 ? short : lastYear - ((((lastYear - short) % 100) + 100) % 100);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  if (day < 1 || day > days || year < 1000) return null;
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

/** Reads three numbers in the given order; a year of four digits shows itself. */
function orderNumbers(first: string, second: string, third: string, order: DateOrder, lastYear: number) {
  if (first.length > 2) {
    return first.length === 4 && third.length <= 2 && order === 'year_first'
      ? toIso(first, Number(second), Number(third), lastYear)
      : null;
  }
  if (order === 'day_first') return toIso(third, Number(second), Number(first), lastYear);
  if (order === 'month_first') return toIso(third, Number(first), Number(second), lastYear);
  return first.length === 2 && third.length === 2 ? toIso(first, Number(second), Number(third), lastYear) : null;
}

function readDay(text: string, order: DateOrder, lastYear: number): string | null {
  const { numeric, nameBetween, nameFirst } = datePatterns;
  const numbers = numeric.exec(text);
  if (numbers) return orderNumbers(numbers[1] ?? '', numbers[3] ?? '', numbers[4] ?? '', order, lastYear);
  const [, before = '', middle = '', after = ''] = nameBetween.exec(text) ?? [];
  if (middle !== '') {
    const [year, day] = before.length === 4 ? [before, after] : [after, before];
    const isInOrder = order === (before.length === 4 ? 'year_first' : 'day_first');
    return isInOrder && day.length <= 2 ? toIso(year, findMonth(middle), Number(day), lastYear) : null;
  }
  const [, month = '', day, year = ''] = nameFirst.exec(text) ?? [];
  return month !== '' && order === 'month_first' ? toIso(year, findMonth(month), Number(day), lastYear) : null;
}

/** Reads a month of a year as its first day. */
function readMonth(text: string, lastYear: number): string | null {
  const { monthThenYear, monthThenShortYear, yearThenMonth } = datePatterns;
  const [, month = '', year = ''] = monthThenYear.exec(text) ?? monthThenShortYear.exec(text) ?? [];
  const [, yearBefore = year, monthBehind = month] = yearThenMonth.exec(text) ?? [];
  return toIso(yearBefore, /^\d/.test(monthBehind) ? Number(monthBehind) : findMonth(monthBehind), 1, lastYear);
}

/** The time as ISO 8601 has it, with its seconds and offset where it has some; null where there is no such time. */
function toIsoTime(hourText: string, minute: string, second = '', half = '', zone = ''): string | null {
  const hour = half === '' ? Number(hourText) : (Number(hourText) % 12) + (half === 'p' ? 12 : 0);
  if (hour > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (half !== '' && (Number(hourText) < 1 || Number(hourText) > 12)) return null;
  const offset = /[+-]\d{2}(?::?\d{2})?$/.exec(zone)?.[0].replace(bareOffset, '$1:$2');
  const end = /^(?:z|utc|gmt)$/.test(zone)
    ? 'Z'
    : offset === undefined
      ? ''
      : offset.length === 3
        ? `${offset}:00`
        : offset;
  return `T${pad(hour)}:${minute}${second === '' ? '' : `:${second}`}${end}`;
}

/** Reads a date with an optional time as ISO 8601, without time zones; null if it is not one in this order. */
export function readDate(text: string, order: DateOrder, lastYear = usualLastYear): string | null {
  if (text.length > maxDateLength || !/\d/.test(text)) return null;
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && parseDate(text) !== null) {
    const [year = '', month, day] = text.slice(0, 10).split('-');
    return toIso(year, Number(month), Number(day), lastYear) === null ? null : text.replace(bareOffset, '$1:$2');
  }
  if (order === 'month_only') return readMonth(fold(text), lastYear);
  const { weekday, time: timeAtEnd, stamp } = datePatterns;
  const folded = fold(text).replace(weekday, '');
  const digits = stamp.exec(folded);
  if (digits) {
    const [, year = '', month, dayText, hour, minute = '', second, zone] = digits;
    const day = order === 'year_first' ? toIso(year, Number(month), Number(dayText), lastYear) : null;
    const time = hour === undefined ? '' : toIsoTime(hour, minute, second, '', zone);
    return day === null || time === null ? null : day + time;
  }
  const clock = timeAtEnd.exec(folded);
  if (clock === null) return readDay(folded, order, lastYear);
  const [, hour = '', minute = '', second, half, zone, yearBehind] = clock;
  const before = folded.slice(0, clock.index).replace(/,$/, '');
  const day = readDay(yearBehind === undefined ? before : `${before} ${yearBehind}`, order, lastYear);
  const time = toIsoTime(hour, minute, second, half, zone);
  return day === null || time === null ? null : day + time;
}
