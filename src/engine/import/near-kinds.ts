/** Sentences about columns whose values look like another kind than they are read as, or lose something by it. */
import { yesNoPairs } from '../readings/readings.ts';

/** A text as a sentence shows it: in quotes, and cut where it is long. */
export const quote = (text: string) => `“${text.length > 40 ? `${text.slice(0, 39)}…` : text}”`;

/** An amount with its decimals between a few other characters. */
const nearAmount = /^[^\d\s]{0,4} ?\d[\d.,' ]*[.,]\d{2} ?[^\d\s]{0,4}$/;
/** A number with a sign, a multiple or units around it, or in digits of another script: `<0.5`, `10,000+`, `1h 30m`. */
const nearNumber =
  /^['<>≤≥≈~±]{0,2} ?[-+]?\p{Nd}[\p{Nd}.,٫٬]*(?: ?(?:\+|[kmb]|bn|mio|mln|tsd)|(?: ?(?:[kmcµn]?[gmls]|min|hr?s?|days?|weeks?|months?|years?)(?: ?\p{Nd}+(?: ?[a-z]{1,3})?)?))?$/iu;
/** No longer text is a date or an amount in a form that is not known. */
const maxFormLength = 40;
/** At least this share of the texts looks like a number, and not all do: `Varies with device` among sizes. */
const minNumberShare = 0.7;

/** A year beside other numbers, or beside one and a word. */
function isNearDate(text: string): boolean {
  const numbers = text.match(/\d+/g) ?? [];
  const others = numbers.filter((digits) => digits.length <= 2).length;
  return numbers.some((digits) => /^(?:19|20)\d{2}$/.test(digits)) && others >= (/\p{L}{3}/u.test(text) ? 1 : 2);
}

/** Whether texts are words for yes and no of several pairs, as TRUE, yes and 1. */
function areMixedYesNo(texts: readonly string[]): boolean {
  const words = texts.map((text) => text.toLowerCase());
  const sides = [
    new Set<string>(['1', ...yesNoPairs.map(([yes]) => yes)]),
    new Set<string>(['0', ...yesNoPairs.map(([, no]) => no)]),
  ];
  return (
    sides.every((side) => words.some((word) => side.has(word))) &&
    words.every((word) => sides.some((side) => side.has(word))) &&
    words.some((word) => word.length > 1)
  );
}

/** Says what kept texts look like; null for plain ones. */
export function describeForm(texts: readonly string[]): string | null {
  const areAll = (isNear: (text: string) => boolean) =>
    texts.every((text) => text.length <= maxFormLength && isNear(text));
  const looks = (what: string, text = texts[0] ?? '') => `${quote(text)} looks like ${what}, but in no known form`;
  if (areAll((text) => nearAmount.test(text))) return looks('an amount');
  if (areAll(isNearDate)) return looks('a date');
  if (areMixedYesNo(texts))
    return `${texts.slice(0, 3).map(quote).join(', ')} say yes and no in several ways; write them in one`;
  const numbers = texts.filter((text) => text.length <= maxFormLength && nearNumber.test(text));
  // Digits alone are codes beside others.
  const marked = numbers.find((text) => !/^[-+]?[\d.,]+$/.test(text));
  return marked !== undefined && numbers.length >= minNumberShare * texts.length ? looks('a number', marked) : null;
}

const zoneAtEnd = /\d(?: ?[ap]\.?m\.?)? ?(?:z|utc|gmt|(?:utc|gmt)?[+-]\d{2}(?::?\d{2})?)(?: \([^()]*\))?(?: \d{4})?$/i;
const namedZone = /\d(?: ?[ap]\.?m\.?)? \(?(?:[a-z]{3,5}|[a-z]+\/[a-z_]+)\)?(?: \d{4})?$/i;

/** Says where dates lose the name of their zone, or some have a zone and others none; null where all is kept. */
export function describeZones(texts: readonly string[]): string | null {
  const times = texts.filter((text) => /\d[:h.]\d{2}/.test(text));
  const named = times.find((text) => !zoneAtEnd.test(text) && namedZone.test(text) && !/(?:[ap]m|uhr)$/i.test(text));
  if (named !== undefined) return `the zone of ${quote(named)} is left out; write its offset, as +01:00`;
  const withZone = times.filter((text) => zoneAtEnd.test(text));
  const other = times.find((text) => !zoneAtEnd.test(text));
  return withZone.length > 0 && other !== undefined ? `${quote(other)} has no zone, where others have one` : null;
}

const timeName =
  /(?:^|[^\p{L}])(?:date|datum|fecha|day|time|timestamp|created|updated|opened|closed|at|on)(?![\p{L}])/iu;
const dayMs = 86_400_000;
/** Units in which programs count time, each in ms, and where they begin. */
const counts = [
  { unit: 'counted in days as spreadsheets do', msPerCount: dayMs, zero: Date.UTC(1899, 11, 30) },
  { unit: 'counted in seconds since 1970', msPerCount: 1_000, zero: 0 },
  { unit: 'counted in milliseconds since 1970', msPerCount: 1, zero: 0 },
] as const;
/** Moments between which a count is likely one. */
const [earliest, latest] = [Date.UTC(1980, 0, 1), Date.UTC(2070, 0, 1)];

/** Says which days numbers may be that a column of times counts; null for other columns. */
export function describeCountedTimes(texts: readonly string[], name: string): string | null {
  if (!timeName.test(name.replaceAll('_', ' '))) return null;
  for (const { unit, msPerCount, zero } of counts) {
    const times = texts.map((text) => Number(text) * msPerCount + zero);
    if (times.every((time) => time > earliest && time < latest))
      return `${quote(texts[0] ?? '')} may be ${new Date(times[0] ?? 0).toISOString().slice(0, 10)}, ${unit}; read as a number`;
  }
  return null;
}
