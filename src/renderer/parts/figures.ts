/** Numbers, shares and moments as the reader's own place writes them. */

/** 0.9312 → "93.1 %". */
export function percent(share: number): string {
  const digits = (share * 100).toLocaleString(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return `${digits} %`;
}

/** A moment, exactly. */
export function moment(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
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
  const step = steps.find(({ below }) => Math.abs(seconds) < below) ?? steps[5];
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(
    Math.round(seconds / step.seconds),
    step.unit,
  );
}

/** `2 rules`, `1 rule`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}
