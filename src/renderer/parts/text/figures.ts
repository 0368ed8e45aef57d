/** Numbers, shares and moments as the reader's own place writes them. */

// Made once: a format costs a hundred times what it takes to write a number with it, and a table writes thousands.
const byDigits = [1, 2, 3].map(
  (digits) =>
    new Intl.NumberFormat(undefined, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      // Nothing is below zero by less than its last digit.
      signDisplay: 'negative',
    }),
);
const upToTenDigits = new Intl.NumberFormat(undefined, { maximumFractionDigits: 10 });
const exactly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const hourOfDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const asWritten = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const dayAsWritten = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const fromNow = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** A number with at most ten digits behind its point. */
export function number(value: number): string {
  return upToTenDigits.format(value);
}

/** A number with exactly 1, 2 or 3 digits behind its point. */
export function decimal(value: number, digits: 1 | 2 | 3): string {
  return byDigits[digits - 1]?.format(value) ?? number(value);
}

/** An amount as people write it: whole from 100 on, else with two digits. */
export function amount(value: number): string {
  return Math.abs(value) < 100 ? decimal(value, 2) : number(Math.round(value));
}

/** 0.9312 → "93.1%". */
export function percent(share: number): string {
  return `${decimal(share * 100, 1)}%`;
}

/** 0.74 → "0.7 ms"; what is too short to measure says so. */
export function milliseconds(ms: number): string {
  return ms < 0.05 ? 'under 0.1 ms' : `${decimal(ms, 1)}\u00a0ms`;
}

/** A moment, exactly. */
export function moment(iso: string): string {
  return exactly.format(new Date(iso));
}

/** A day, or a day with its time, as the readings of files write them (ISO 8601). */
const written = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?$/;

/** Writes a text that is a day or a moment as people do, in its own time; null for any other text. */
export function readMoment(text: string): string | null {
  if (!written.test(text)) return null;
  const isDay = !text.includes('T');
  const ms = Date.parse(isDay || text.endsWith('Z') ? text : `${text}Z`);
  // No line breaks between a time and its half of the day.
  return Number.isNaN(ms) ? null : (isDay ? dayAsWritten : asWritten).format(ms).replace(/ (?=\p{L}+$)/u, '\u00a0');
}

/** A day in UTC by month and number. */
export function shortDay(ms: number): string {
  return dayOfYear.format(ms);
}

/** An hour and minute, where the reader is. */
export function timeOfDay(ms: number): string {
  return hourOfDay.format(ms);
}

const steps = [
  { unit: 'second', seconds: 1, below: 60 },
  { unit: 'minute', seconds: 60, below: 3_600 },
  { unit: 'hour', seconds: 3_600, below: 86_400 },
  { unit: 'day', seconds: 86_400, below: 30 * 86_400 },
  { unit: 'month', seconds: 30 * 86_400, below: 365 * 86_400 },
  { unit: 'year', seconds: 365 * 86_400, below: Number.POSITIVE_INFINITY },
] as const;

/** A moment seen from now: "4 minutes ago". */
export function relative(iso: string, nowMs: number): string {
  const seconds = (Date.parse(iso) - nowMs) / 1_000;
  if (Math.round(seconds) === 0) return 'just now';
  const step = steps.find(({ below }) => Math.abs(seconds) < below) ?? steps[5];
  return fromNow.format(Math.round(seconds / step.seconds), step.unit);
}

/** `2 rules`, `1 rule`. */
export function count(things: number, one: string, many = `${one}s`): string {
  return `${number(things)} ${things === 1 ? one : many}`;
}
