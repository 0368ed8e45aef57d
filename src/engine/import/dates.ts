/** Dates as people write them, in any order of day, month and year, with the month as a number or a name. */
import { parseDate } from '../features/dates.ts';

export type DateOrder = 'day_first' | 'month_first' | 'year_first';

/** Names of the months in English, German, French, Spanish and Italian, long and short, without their marks. */
const monthNames = [
  /^(?:jan(?:uary|uar|v|vier|ner)?|ene(?:ro)?|gen(?:naio)?)$/,
  /^(?:feb(?:ruary|ruar|rero|braio)?|fevr?(?:ier)?)$/,
  /^(?:mar(?:ch|z|s|zo)?|mrz)$/,
  /^(?:apr(?:il|ile)?|avr(?:il)?|abr(?:il)?)$/,
  /^(?:may|mai|mayo|mag(?:gio)?)$/,
  /^(?:june?|juni|juin|junio|giu(?:gno)?)$/,
  /^(?:july?|juli|juil(?:let)?|julio|lug(?:lio)?)$/,
  /^(?:aug(?:ust)?|aout?|ago(?:sto)?)$/,
  /^(?:sept?(?:ember|embre|iembre)?|set(?:tembre)?)$/,
  /^(?:oct(?:ober|obre|ubre)?|okt(?:ober)?|ott(?:obre)?)$/,
  /^nov(?:ember|embre|iembre)?$/,
  /^(?:dec(?:ember|embre)?|dez(?:ember)?|dic(?:embre|iembre)?)$/,
];
/** Names of the days of the week in these languages: they say nothing that the date does not. */
const weekday =
  /^(?:mo(?:n|nday|ntag)?|tu(?:e|esday)?|di(?:enstag)?|we(?:d|dnesday)?|mi(?:ttwoch|e|ercoles)?|th(?:u|ursday)?|do(?:nnerstag|m|mingo|menica)?|fr(?:i|iday|eitag)?|sa(?:t|turday|mstag|medi|b|bado|bato)?|su(?:n|nday)?|so(?:nntag)?|sonnabend|lun(?:di|es|edi)?|mar(?:di|tes|tedi)|mer(?:credi|coledi)?|jeu(?:di)?|jue(?:ves)?|gio(?:vedi)?|ven(?:dredi|erdi)?|vie(?:rnes)?|dim(?:anche)?)\.?,? +/;
const time =
  /(?:,? +|t)(\d{1,2}) ?[:h] ?(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?: ?([ap])\.?m\.?| uhr)?( ?(?:z|[+-]\d{2}:?\d{2}))?$/;
const compact = /^((?:19|20)\d{2})(\d{2})(\d{2})$/;
const numeric = /^(\d{1,4})( ?[./-] ?| )(\d{1,2})\2(\d{1,4})$/;
const nameBetween = /^(\d{1,4})(?:st|nd|rd|th|er|º|°)?\.?[ /-]*(?:de |of )?([a-z]+)\.?,?[ /-]*(?:del? )?(\d{1,4})$/;
const nameFirst = /^([a-z]+)\.?[ /-]*(\d{1,2})(?:st|nd|rd|th)?,?[ /-]+(\d{2}|\d{4})$/;
/** No longer text is a date. */
const maxLength = 60;
/** Years of two digits: up to this one they are of this century, as in POSIX. */
const lastOfThisCentury = 68;

const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u00a0\u202f]/g, ' ')
    .trim()
    .toLowerCase();
const findMonth = (word: string) => monthNames.findIndex((name) => name.test(word)) + 1;
const pad = (value: number, length = 2) => String(value).padStart(length, '0');

/** The date as ISO 8601, its numbers checked; null where there is no such day. */
function toIso(yearText: string, month: number, day: number): string | null {
  if (yearText.length !== 2 && yearText.length !== 4) return null;
  const short = Number(yearText);
  const year = yearText.length > 2 ? short : short + (short <= lastOfThisCentury ? 2000 : 1900);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  if (day < 1 || day > days || year < 1000) return null;
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
}

/** Reads three numbers in the given order; a year of four digits shows itself. */
function orderNumbers(first: string, second: string, third: string, order: DateOrder): string | null {
  if (first.length > 2) {
    return first.length === 4 && third.length <= 2 && order === 'year_first'
      ? toIso(first, Number(second), Number(third))
      : null;
  }
  if (order === 'day_first') return toIso(third, Number(second), Number(first));
  if (order === 'month_first') return toIso(third, Number(first), Number(second));
  return first.length === 2 && third.length === 2 ? toIso(first, Number(second), Number(third)) : null;
}

function readDay(text: string, order: DateOrder): string | null {
  const joined = compact.exec(text);
  if (joined) return order === 'year_first' ? toIso(joined[1] ?? '', Number(joined[2]), Number(joined[3])) : null;
  const numbers = numeric.exec(text);
  if (numbers) return orderNumbers(numbers[1] ?? '', numbers[3] ?? '', numbers[4] ?? '', order);
  const [, before = '', middle = '', after = ''] = nameBetween.exec(text) ?? [];
  if (middle !== '') {
    const [year, day] = before.length === 4 ? [before, after] : [after, before];
    const isInOrder = order === (before.length === 4 ? 'year_first' : 'day_first');
    return isInOrder && day.length <= 2 ? toIso(year, findMonth(middle), Number(day)) : null;
  }
  const [, month = '', day, year = ''] = nameFirst.exec(text) ?? [];
  return month !== '' && order === 'month_first' ? toIso(year, findMonth(month), Number(day)) : null;
}

/** Reads a date with an optional time as ISO 8601, without time zones; null where it is none in this order. */
export function readDate(text: string, order: DateOrder): string | null {
  if (text.length > maxLength || !/\d/.test(text)) return null;
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && parseDate(text) !== null) {
    const [year = '', month, day] = text.slice(0, 10).split('-');
    return toIso(year, Number(month), Number(day)) === null ? null : text;
  }
  const folded = fold(text).replace(weekday, '');
  const clock = time.exec(folded);
  const day = readDay(clock ? folded.slice(0, clock.index).replace(/,$/, '') : folded, order);
  if (day === null || clock === null) return day;
  const [, hourText, minute, second, half, zone = ''] = clock;
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half === 'p' ? 12 : 0);
  if (hour > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return null;
  if (half !== undefined && (Number(hourText) < 1 || Number(hourText) > 12)) return null;
  return `${day}T${pad(hour)}:${minute}${second === undefined ? '' : `:${second}`}${zone.trim().toUpperCase()}`;
}
