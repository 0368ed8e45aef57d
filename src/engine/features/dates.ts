/** Dates as they stand in an input: ISO 8601 strings, read as written, without time-zone arithmetic. */

const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** `epochDays` counts from 1970-01-01 with the time of day as fraction; `weekday` 0 is Monday; `month` 1–12. */
type DateParts = { epochDays: number; month: number; weekday: number; hour: number };

/** Days from 1970-01-01 to a Gregorian date (Hinnant, "chrono-compatible low-level date algorithms"). */
function toEpochDays(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Whether a text that is read as a date names a day of the calendar: the 31st of February counts as one of March. */
export function isCalendarDay(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Reads `YYYY-MM-DD` with an optional time, or null; offsets are ignored. */
export function parseDate(value: unknown): DateParts | null {
  if (typeof value !== 'string') return null;
  const match = isoDate.exec(value);
  if (match === null) return null;
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.map((group) => Number(group ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23) return null;
  const days = toEpochDays(year, month, day);
  return { epochDays: days + hour / 24 + minute / 1440, month, weekday: (((days + 3) % 7) + 7) % 7, hour };
}

/** Counts the days from one date to another, with parts of days where there are times; null without two dates. */
export function countDays(until: unknown, since: unknown): number | null {
  const [last, first] = [parseDate(until), parseDate(since)];
  return last === null || first === null ? null : last.epochDays - first.epochDays;
}
