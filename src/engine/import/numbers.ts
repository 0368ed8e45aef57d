/** Numbers as people write them: thousands set apart, a decimal comma, a unit of money, percent. */

export type DecimalSign = '.' | ',';
/** `unit` is empty, `%`, or the money as it is written. */
type WrittenNumber = { value: number; unit: string };

const money =
  '[€£¥₹₩₽₺₫฿]|(?:US|CA|AU)?\\$(?:US|CA|AU)?|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|INR|CNY|BRL|Fr\\.|kr\\.?|zł|Kč';
const withUnit = new RegExp(`^(?<minus>-?) ?(?<before>${money}|) ?(?<digits>-?\\d.*?) ?(?<after>${money}|%|)$`, 'u');
const digitPatterns: Readonly<Record<DecimalSign, RegExp>> = {
  '.': /^-?(?:[1-9]\d{0,2}(?:([, '’])\d{3})(?:\1\d{3})*|\d+)(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  ',': /^-?(?:[1-9]\d{0,2}(?:([. '’])\d{3})(?:\1\d{3})*|\d+)(?:,\d+)?(?:e[+-]?\d+)?$/i,
};
/** Most numbers are as plain as this under either sign. */
const plainNumber = /^-?(?:0|[1-9]\d{0,14})$/;
/** `007` and the like are names, not numbers: the zeros would be lost. */
const zeroFirst = /^-?0\d/;
/** A whole number of more digits loses some of them. */
const maxDigits = 15;
/** No longer text is a number. */
const maxLength = 40;

/** Reads a number whose decimals follow the given sign; null where the text is none. */
export function readNumber(text: string, decimal: DecimalSign): WrittenNumber | null {
  if (plainNumber.test(text)) return { value: Number(text), unit: '' };
  if (text.length > maxLength) return null;
  const plain = text.replace(/[\u00a0\u2009\u202f]/g, ' ').replace('−', '-');
  const { minus = '', before = '', digits = '', after = '' } = withUnit.exec(plain)?.groups ?? {};
  const apart = digitPatterns[decimal].exec(digits);
  if (apart === null || zeroFirst.test(digits)) return null;
  if ((before !== '' && after !== '') || (minus !== '' && digits.startsWith('-'))) return null;
  const joined = (apart[1] === undefined ? digits : digits.replaceAll(apart[1], '')).replace(decimal, '.');
  if (/^-?\d+$/.test(joined) && joined.length > maxDigits) return null;
  const value = Number(minus + joined);
  return Number.isFinite(value) ? { value, unit: before + after } : null;
}
