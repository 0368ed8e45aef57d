/** Numbers as their file has them: its separators, and its unit where it has one. */
import type { Reading } from '../domain/definition.ts';

type NumberReading = Extract<Reading, { kind: 'number' }>;

/** Money has all of its decimals, or none. */
const writers = Object.fromEntries(
  Object.entries({ '.': 'en', ',': 'de' }).map(([sign, language]) => [
    sign,
    {
      money: new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 10 }),
      plain: new Intl.NumberFormat(language, { maximumFractionDigits: 10 }),
    },
  ]),
);

/**
 * Writes a number as the file of its field has it: 1964.08 as “1.964,08 €”, “$1,964.08” or “5.5%”; null where that has
 * neither a decimal comma nor a unit.
 */
export function writeNumber(value: number, { decimal: sign, unit = '' }: NumberReading): string | null {
  const { money, plain } = writers[sign] ?? {};
  if (unit === '') return sign === ',' ? (plain?.format(value) ?? null) : null;
  const digits = (unit === '%' || Number.isInteger(value) ? plain : money)?.format(Math.abs(value));
  if (digits === undefined) return null;
  const minus = value < 0 ? '-' : '';
  if (unit === '%') return `${minus}${digits}%`;
  if (sign === ',') return `${minus}${digits}\u00a0${unit}`;
  const space = /\p{L}$/u.test(unit) ? '\u00a0' : '';
  return `${minus}${unit}${space}${digits}`;
}
