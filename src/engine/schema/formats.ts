/**
 * Formats of strings by RFC 3339, 5.6, and RFC 5322. The mode `fast` of ajv-formats accepts days, times and addresses
 * that do not exist, and `full` a space between date and time.
 */

const day = String.raw`(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)`;
/** Hour, minute and second; sign, hours and minutes of the offset, whose colon may be missing. */
const clock = String.raw`([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?`;
const offset = String.raw`(?:z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)`;

/** Formats with a time of day, by the groups of which {@link isTimeOfDay} knows whether it exists. */
export const timeFormats: Readonly<Record<string, RegExp>> = {
  time: new RegExp(`^${clock}${offset}$`, 'i'),
  'date-time': new RegExp(`^${day}t${clock}${offset}$`, 'i'),
  'iso-time': new RegExp(`^${clock}${offset}?$`, 'i'),
  'iso-date-time': new RegExp(`^${day}[t\\s]${clock}${offset}?$`, 'i'),
};

/** The other formats. */
export const plainFormats: Readonly<Record<string, RegExp>> = {
  date: new RegExp(`^${day}$`),
  email:
    /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i,
};

/** Tests for a time of day that exists: the leap second is the last one of a day in UTC. */
export function isTimeOfDay(match: RegExpExecArray | null): boolean {
  if (match === null) return false;
  const [, hour, minute, second, sign, offsetHours = 0, offsetMinutes = 0] = match;
  if (second !== '60') return true;
  const shift = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? 1 : -1);
  return (Number(hour) * 60 + Number(minute) + shift + 1) % (24 * 60) === 0;
}
